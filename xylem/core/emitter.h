// Writes a graph as StableHLO text.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "xylem/core/node.h"

namespace xylem {

// What the program is written for.
struct LowerOptions {
  std::string platform = "cpu";  // "cpu", "tpu", "cuda"
  bool native_kernels = true;    // custom calls where the platform has them; else compositions

  bool operator==(const LowerOptions&) const = default;
};

// What an argument or result of the program is.
struct ProgramSignature {
  std::vector<Aval> arguments;
  std::vector<Aval> results;
  std::vector<int64_t> donated;  // argument indices
  int64_t num_partitions = 1;
};

struct Program {
  std::string text;
  ProgramSignature signature;
  std::vector<Array> arguments;  // leaf arrays behind the arguments, in order
};

// Lowers `outputs` to a module. `parameters` become the first arguments, in order; other leaves
// that the graph reaches become further arguments. `donated` are indices into parameters; each is
// aliased to the first free output of the same type, or marked as a donor when there is none.
Program lower_program(const std::vector<Array>& outputs, const std::vector<Array>& parameters,
                      const std::vector<int64_t>& donated, const LowerOptions& options,
                      const std::string& name = "main");

// `tensor<2x3xf32>`
std::string tensor_type(const Aval& aval);
// A literal that MLIR takes for this type: 9 or 17 digits, bit patterns for inf and nan.
std::string float_literal(double value, DType dtype);

// The interface that OpDef::lower sees.
class Emitter {
 public:
  Emitter(LowerOptions options) : options_(std::move(options)) {}

  const LowerOptions& options() const { return options_; }
  // The SSA name of a value already emitted.
  std::string value(const Array& array) const;
  // "%a, %b"
  std::string values(const std::vector<Array>& arrays) const;
  // Emits a statement of its own and returns the new name.
  std::string statement(const std::string& right_hand_side);
  // `(T, T) -> T` and `(T) -> (T, T)`.
  std::string function_type(const Node& node) const;
  // A private function computing `body` from placeholders, written once per key; gives its name.
  std::string function(const std::string& key, const std::string& hint,
                       const std::vector<Aval>& arguments,
                       const std::function<std::vector<Array>(const std::vector<Array>&)>& body);
  // The mesh of a sharding becomes part of the module.
  void use_mesh(const Sharding& sharding);

 private:
  friend class ProgramWriter;
  using Key = std::pair<const Node*, int>;
  struct KeyHash {
    size_t operator()(const Key& key) const {
      return std::hash<const void*>()(key.first) * 31 + static_cast<size_t>(key.second);
    }
  };

  void emit_graph(const std::vector<Array>& outputs);
  void emit_node(const Node& node);

  LowerOptions options_;
  std::string body_;
  int64_t next_ = 0;
  std::unordered_map<Key, std::string, KeyHash> names_;
  std::map<std::string, std::string> functions_;  // key -> name
  std::string function_text_;
  std::set<std::string> used_function_names_;
  std::map<std::string, std::string> meshes_;  // name -> text
};

// Every node that the outputs need, inputs first; stops at leaves, which are included. Iterative.
std::vector<const Node*> topological_order(const std::vector<Array>& outputs);

}  // namespace xylem
