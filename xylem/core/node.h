// The graph behind Array: nodes, and the definition that each operation gives of itself.
// docs/architecture.md ("How an operation is made") walks through adding one.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "xylem/base/error.h"
#include "xylem/core/array.h"
#include "xylem/core/attrs.h"
#include "xylem/runtime/executable.h"

namespace xylem {

class Emitter;
struct Node;

// The rules of one operation. Rules of transformations are written in array code, so that they
// compose; an empty slot makes the transformation fail with the operation's name.
struct OpDef {
  const char* name;
  // The right-hand side of the node's StableHLO statement (its last one, when it needs several).
  std::string (*lower)(Emitter&, const Node&);
  // Cotangents of the inputs from those of the outputs.
  std::vector<Array> (*vjp)(const Node&, std::span<const Array> cotangents) = nullptr;
  // Tangents of the outputs from those of the inputs.
  std::vector<Array> (*jvp)(const Node&, std::span<const Array> tangents) = nullptr;
  // Outputs for inputs that carry a batch axis at 0 where mapped.
  std::vector<Array> (*batch)(const Node&, std::span<const Array> inputs,
                              std::span<const bool> mapped) = nullptr;
};

struct Node {
  const OpDef* op = nullptr;
  Attrs attrs;
  std::vector<Array> inputs;
  std::vector<Aval> outputs;
  // The kernel definition or host data that the operation carries; kept alive with the node.
  std::shared_ptr<const void> payload;
  // Set once evaluated: values[output][device]. An output that was donated has no buffers left.
  std::vector<runtime::Buffers> values;
  // The trace that a placeholder belongs to; 0 outside any. Results carry their inputs' largest.
  uint64_t trace = 0;
  // Why the values are gone ("donated to ..."), when they are.
  std::string gone;

  Node() = default;
  ~Node();  // iterative: chains of any length
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  bool has_value(int output) const {
    return static_cast<size_t>(output) < values.size() &&
           !values[static_cast<size_t>(output)].empty();
  }
};

// Throws "... is gone: it was donated to ..." when the array's value existed and exists no more.
void check_not_gone(const Array& array);

// Makes a node and returns its outputs. `loc` is kept out of the node: errors are raised by the
// operation's checks, before.
std::vector<Array> make_node(const OpDef& op, std::vector<Array> inputs, Attrs attrs,
                             std::vector<Aval> outputs,
                             std::shared_ptr<const void> payload = nullptr);
// The same for one output.
Array make_op(const OpDef& op, std::vector<Array> inputs, Attrs attrs, Aval output,
              std::shared_ptr<const void> payload = nullptr);

// The leaves: values that exist (on a device), and placeholders of a trace.
extern const OpDef kBufferOp;       // evaluated; never lowered
extern const OpDef kHostOp;         // host data not uploaded yet; becomes kBufferOp when needed
extern const OpDef kPlaceholderOp;  // attribute "index"

Array placeholder(const Aval& aval, int64_t index, uint64_t trace);
uint64_t new_trace_id();

// Throws kInvalidArgument with "[op] message (file:line)".
template <typename... Args>
[[noreturn]] void op_error(const char* op, Loc loc, fmt::format_string<Args...> format,
                           Args&&... args) {
  std::string file = loc.file;
  fail(ErrorCode::kInvalidArgument, "[{}] {} ({}:{})", op,
       fmt::format(format, std::forward<Args>(args)...), file.substr(file.rfind('/') + 1),
       loc.line);
}

// axis in [-ndim, ndim) as [0, ndim); an Error otherwise.
int64_t normalize_axis(int64_t axis, int64_t ndim, const char* op, Loc loc);
// The same for a list, refusing duplicates; sorted when `sorted`. An empty list stays empty.
std::vector<int64_t> normalize_axes(std::vector<int64_t> axes, int64_t ndim, const char* op,
                                    Loc loc, bool sorted = true);

}  // namespace xylem
