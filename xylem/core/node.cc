#include "xylem/core/node.h"

#include <algorithm>
#include <atomic>

namespace xylem {
namespace {

std::string lower_leaf(Emitter&, const Node& node) {
  fail(ErrorCode::kInternal, "[{}] is a leaf and has no lowering", node.op->name);
}

// While a node is being destroyed: the nodes that it referred to. Draining them in a loop keeps the
// stack flat however long the chain is. A plain pointer, so that arrays in static storage may be
// destroyed after the thread's own storage.
thread_local std::vector<std::shared_ptr<Node>>* graveyard = nullptr;

}  // namespace

const OpDef kBufferOp = {"buffer", lower_leaf};
const OpDef kHostOp = {"host", lower_leaf};
const OpDef kPlaceholderOp = {"placeholder", lower_leaf};

Node::~Node() {
  if (inputs.empty()) return;
  std::vector<std::shared_ptr<Node>> own;
  bool drains = graveyard == nullptr;
  if (drains) graveyard = &own;
  for (const Array& input : inputs) graveyard->push_back(input.node());
  inputs.clear();  // the graveyard now holds the last references
  if (!drains) return;
  while (!own.empty()) {
    std::shared_ptr<Node> last = std::move(own.back());
    own.pop_back();
    last.reset();
  }
  graveyard = nullptr;
}

void check_not_gone(const Array& array) {
  const Node& node = *array.node();
  if (node.op != &kBufferOp || node.has_value(array.output())) return;
  fail(ErrorCode::kFailedPrecondition, "[{}] {} is gone: {}", node.op->name, array.aval().text(),
       node.gone.empty() ? "it has no buffer" : node.gone);
}

std::vector<Array> make_node(const OpDef& op, std::vector<Array> inputs, Attrs attrs,
                             std::vector<Aval> outputs, std::shared_ptr<const void> payload) {
  auto node = std::make_shared<Node>();
  node->op = &op;
  node->attrs = std::move(attrs);
  node->outputs = std::move(outputs);
  node->payload = std::move(payload);
  for (const Array& input : inputs) {
    if (!input.is_valid()) {
      fail(ErrorCode::kFailedPrecondition, "[{}] an input is an empty array", op.name);
    }
    node->trace = std::max(node->trace, input.node()->trace);
  }
  node->inputs = std::move(inputs);
  std::vector<Array> arrays;
  for (size_t i = 0; i < node->outputs.size(); ++i) arrays.emplace_back(node, static_cast<int>(i));
  return arrays;
}

Array make_op(const OpDef& op, std::vector<Array> inputs, Attrs attrs, Aval output,
              std::shared_ptr<const void> payload) {
  return make_node(op, std::move(inputs), std::move(attrs), {std::move(output)},
                   std::move(payload))[0];
}

Array placeholder(const Aval& aval, int64_t index, uint64_t trace) {
  Array array = make_op(kPlaceholderOp, {}, {{"index", index}}, aval);
  array.node()->trace = trace;
  return array;
}

uint64_t new_trace_id() {
  static std::atomic<uint64_t> next{1};
  return next.fetch_add(1);
}

int64_t normalize_axis(int64_t axis, int64_t ndim, const char* op, Loc loc) {
  if (axis < -ndim || axis >= ndim) {
    op_error(op, loc, "axis {} is out of range for an array of {} dimensions", axis, ndim);
  }
  return axis < 0 ? axis + ndim : axis;
}

std::vector<int64_t> normalize_axes(std::vector<int64_t> axes, int64_t ndim, const char* op,
                                    Loc loc, bool sorted) {
  for (int64_t& axis : axes) axis = normalize_axis(axis, ndim, op, loc);
  std::vector<int64_t> order = axes;
  std::sort(order.begin(), order.end());
  if (std::adjacent_find(order.begin(), order.end()) != order.end()) {
    op_error(op, loc, "an axis is given twice");
  }
  return sorted ? order : axes;
}

}  // namespace xylem
