#include "xylem/core/emitter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace xylem {
namespace {

bool is_leaf(const Node& node) {
  return node.op == &kPlaceholderOp || node.op == &kHostOp || node.op == &kBufferOp ||
         !node.values.empty();
}

std::string sharding_attribute(const Sharding& sharding) {
  return sharding.is_set() ? "sdy.sharding = #sdy.sharding" + sharding.text() : "";
}

std::string with_attributes(const std::string& type, const std::vector<std::string>& attributes) {
  std::vector<std::string> set;
  for (const std::string& a : attributes) {
    if (!a.empty()) set.push_back(a);
  }
  return set.empty() ? type : fmt::format("{} {{{}}}", type, fmt::join(set, ", "));
}

// For each donated argument the result it lends its memory to, or -1.
std::map<int64_t, int64_t> match_donations(const std::vector<Array>& outputs,
                                           const std::vector<Array>& parameters,
                                           const std::vector<int64_t>& donated) {
  std::map<int64_t, int64_t> target;
  std::vector<bool> taken(outputs.size(), false);
  for (int64_t argument : donated) {
    target[argument] = -1;
    for (size_t r = 0; r < outputs.size(); ++r) {
      if (taken[r] || !(outputs[r].aval() == parameters[static_cast<size_t>(argument)].aval())) {
        continue;
      }
      target[argument] = static_cast<int64_t>(r);
      taken[r] = true;
      break;
    }
  }
  return target;
}

}  // namespace

std::string tensor_type(const Aval& aval) {
  std::string text = "tensor<";
  for (int64_t d : aval.shape) text += std::to_string(d) + "x";
  text += dtype_mlir(aval.dtype);
  return text + ">";
}

std::string float_literal(double value, DType dtype) {
  if (dtype != DType::kF64) value = static_cast<double>(static_cast<float>(value));
  if (std::isfinite(value)) {
    std::string text = fmt::format("{:.{}g}", value, dtype == DType::kF64 ? 17 : 9);
    // A bare integer is no float literal in MLIR.
    if (text.find_first_of(".e") == std::string::npos) return text + ".0";
    if (size_t e = text.find('e'); e != std::string::npos && text.find('.') == std::string::npos) {
      text.insert(e, ".0");
    }
    return text;
  }
  float single = static_cast<float>(value);
  switch (dtype) {
    case DType::kF64: {
      uint64_t bits;
      std::memcpy(&bits, &value, sizeof bits);
      return fmt::format("0x{:016X}", bits);
    }
    case DType::kF32: {
      uint32_t bits;
      std::memcpy(&bits, &single, sizeof bits);
      return fmt::format("0x{:08X}", bits);
    }
    case DType::kBF16:
      return fmt::format("0x{:04X}", float_to_bf16(single));
    case DType::kF16:
      return fmt::format("0x{:04X}", float_to_f16(single));
    case DType::kF8E5M2:
      return std::isnan(value) ? "0x7E" : value > 0 ? "0x7C" : "0xFC";
    case DType::kF8E4M3FN:  // has NaN, but no infinity
      if (std::isnan(value)) return "0x7F";
      [[fallthrough]];
    default:
      fail(ErrorCode::kInvalidArgument, "{} has no infinity or NaN to write as a constant",
           dtype_name(dtype));
  }
}

std::vector<const Node*> topological_order(const std::vector<Array>& outputs) {
  std::vector<const Node*> order;
  std::unordered_map<const Node*, size_t> next_input;  // inputs already pushed of nodes on the way
  std::vector<const Node*> stack;
  for (const Array& output : outputs) {
    if (next_input.emplace(output.node().get(), 0).second) stack.push_back(output.node().get());
    while (!stack.empty()) {
      const Node* node = stack.back();
      size_t& next = next_input[node];
      if (is_leaf(*node) || next == node->inputs.size()) {
        order.push_back(node);
        stack.pop_back();
        continue;
      }
      const Node* input = node->inputs[next++].node().get();
      if (next_input.emplace(input, 0).second) stack.push_back(input);
    }
  }
  return order;
}

std::string Emitter::value(const Array& array) const {
  auto found = names_.find({array.node().get(), array.output()});
  if (found == names_.end()) {
    fail(ErrorCode::kFailedPrecondition,
         "[{}] {} belongs to a trace that has ended: a traced value must not leave its function",
         array.node()->op->name, array.aval().text());
  }
  return found->second;
}

std::string Emitter::values(const std::vector<Array>& arrays) const {
  std::vector<std::string> names;
  for (const Array& array : arrays) names.push_back(value(array));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string Emitter::statement(const std::string& right_hand_side) {
  std::string name = fmt::format("%{}", next_++);
  body_ += fmt::format("    {} = {}\n", name, right_hand_side);
  return name;
}

std::string Emitter::function_type(const Node& node) const {
  std::vector<std::string> in, out;
  for (const Array& input : node.inputs) in.push_back(tensor_type(input.aval()));
  for (const Aval& output : node.outputs) out.push_back(tensor_type(output));
  std::string results = fmt::format("{}", fmt::join(out, ", "));
  if (out.size() != 1) results = "(" + results + ")";
  return fmt::format("({}) -> {}", fmt::join(in, ", "), results);
}

void Emitter::use_mesh(const Sharding& sharding) {
  if (!sharding.is_set()) return;
  auto [entry, fresh] = meshes_.emplace(sharding.mesh->name(), sharding.mesh->text());
  if (!fresh && entry->second != sharding.mesh->text()) {
    fail(ErrorCode::kInvalidArgument, "[Mesh] one program uses two meshes named \"{}\": {} and {}",
         sharding.mesh->name(), entry->second, sharding.mesh->text());
  }
}

void Emitter::emit_node(const Node& node) {
  std::string right = node.op->lower(*this, node);
  size_t count = node.outputs.size();
  if (count == 1) {
    names_[{&node, 0}] = statement(right);
    return;
  }
  std::string name = fmt::format("%{}", next_++);
  body_ += fmt::format("    {}:{} = {}\n", name, count, right);
  for (size_t i = 0; i < count; ++i) {
    names_[{&node, static_cast<int>(i)}] = fmt::format("{}#{}", name, i);
  }
}

void Emitter::emit_graph(const std::vector<Array>& outputs) {
  for (const Node* node : topological_order(outputs)) {
    if (!is_leaf(*node) && !names_.contains({node, 0})) emit_node(*node);
  }
}

std::string Emitter::function(
    const std::string& key, const std::string& hint, const std::vector<Aval>& arguments,
    const std::function<std::vector<Array>(const std::vector<Array>&)>& body) {
  if (auto found = functions_.find(key); found != functions_.end()) return found->second;
  std::string name = hint;
  for (int i = 1; !used_function_names_.insert(name).second; ++i)
    name = fmt::format("{}_{}", hint, i);

  uint64_t trace = new_trace_id();
  std::vector<Array> placeholders;
  for (size_t i = 0; i < arguments.size(); ++i) {
    placeholders.push_back(placeholder(arguments[i], static_cast<int64_t>(i), trace));
  }
  std::vector<Array> results = body(placeholders);

  // The function has a name space of its own.
  std::string outer_body = std::move(body_);
  auto outer_names = std::move(names_);
  int64_t outer_next = next_;
  body_.clear();
  names_.clear();
  next_ = 0;
  std::vector<std::string> parameters, types;
  for (size_t i = 0; i < arguments.size(); ++i) {
    names_[{placeholders[i].node().get(), 0}] = fmt::format("%arg{}", i);
    parameters.push_back(fmt::format("%arg{}: {}", i, tensor_type(arguments[i])));
  }
  emit_graph(results);
  for (const Array& result : results) types.push_back(tensor_type(result.aval()));
  function_text_ +=
      fmt::format("  func.func private @{}({}) -> ({}) {{\n{}    return {} : {}\n  }}\n", name,
                  fmt::join(parameters, ", "), fmt::join(types, ", "), body_, values(results),
                  fmt::join(types, ", "));
  body_ = std::move(outer_body);
  names_ = std::move(outer_names);
  next_ = outer_next;
  functions_[key] = name;
  return name;
}

// Friend of Emitter: writes the module around the body.
class ProgramWriter {
 public:
  ProgramWriter(const std::vector<Array>& outputs, const std::vector<Array>& parameters,
                const std::vector<int64_t>& donated, const LowerOptions& options)
      : outputs_(outputs), donated_(donated), emitter_(options) {
    program_.arguments = parameters;
  }

  Program write(const std::string& name) {
    add_leaves();
    count_partitions();
    for (size_t i = 0; i < program_.arguments.size(); ++i) {
      const Array& argument = program_.arguments[i];
      emitter_.names_[{argument.node().get(), argument.output()}] = fmt::format("%arg{}", i);
      program_.signature.arguments.push_back(argument.aval());
    }
    emitter_.emit_graph(outputs_);
    for (const Array& output : outputs_) program_.signature.results.push_back(output.aval());
    program_.signature.donated = donated_;
    program_.text = module(name);
    return std::move(program_);
  }

 private:
  void add_leaves() {
    std::set<std::pair<const Node*, int>> known;
    for (const Array& argument : program_.arguments) {
      known.insert({argument.node().get(), argument.output()});
    }
    auto add = [&](const Array& array) {
      const Node& node = *array.node();
      if (!is_leaf(node)) return;
      check_not_gone(array);
      if (!known.insert({&node, array.output()}).second) return;
      if (node.op == &kPlaceholderOp) {
        fail(ErrorCode::kFailedPrecondition,
             "[eval] {} exists only while its function is traced and has no value; return it from "
             "the function",
             array.aval().text());
      }
      program_.arguments.push_back(array);
    };
    for (const Node* node : topological_order(outputs_)) {
      if (is_leaf(*node)) continue;
      for (const Array& input : node->inputs) add(input);
    }
    for (const Array& output : outputs_) add(output);
  }

  void count_partitions() {
    auto visit = [&](const Sharding& sharding) {
      if (!sharding.is_set()) return;
      emitter_.use_mesh(sharding);
      mesh_ = sharding.mesh;
      program_.signature.num_partitions =
          std::max(program_.signature.num_partitions, sharding.mesh->size());
    };
    for (const Array& argument : program_.arguments) visit(argument.sharding());
    for (const Node* node : topological_order(outputs_)) {
      for (const Aval& aval : node->outputs) visit(aval.sharding);
    }
    // A native kernel sees whole arrays; a partitioned program uses the compositions.
    if (program_.signature.num_partitions > 1) emitter_.options_.native_kernels = false;
  }

  // Left open, XLA may split an argument or result of a partitioned program; ours are whole on
  // every device unless they say otherwise.
  std::string sharding_of(const Aval& aval) const {
    if (aval.sharding.is_set() || mesh_ == nullptr) return sharding_attribute(aval.sharding);
    return sharding_attribute({mesh_, PartitionSpec(aval.shape.size())});
  }

  std::string parameter_list() {
    std::map<int64_t, int64_t> aliases = match_donations(outputs_, program_.arguments, donated_);
    std::vector<std::string> list;
    for (size_t i = 0; i < program_.arguments.size(); ++i) {
      std::string donation;
      if (auto alias = aliases.find(static_cast<int64_t>(i)); alias != aliases.end()) {
        donation = alias->second >= 0 ? fmt::format("tf.aliasing_output = {} : i32", alias->second)
                                      : "jax.buffer_donor = true";
      }
      const Aval& aval = program_.arguments[i].aval();
      list.push_back(fmt::format(
          "%arg{}: {}", i, with_attributes(tensor_type(aval), {donation, sharding_of(aval)})));
    }
    return fmt::format("{}", fmt::join(list, ", "));
  }

  std::string module(const std::string& name) {
    std::vector<std::string> results, types;
    for (const Array& output : outputs_) {
      types.push_back(tensor_type(output.aval()));
      results.push_back(with_attributes(types.back(), {sharding_of(output.aval())}));
    }
    std::string returned = emitter_.values(outputs_);
    if (!types.empty()) returned = fmt::format(" {} : {}", returned, fmt::join(types, ", "));
    std::string meshes;
    for (const auto& [mesh, text] : emitter_.meshes_) meshes += "  " + text + "\n";
    return fmt::format(
        "module @{} attributes {{mhlo.num_partitions = {} : i32, mhlo.num_replicas = 1 : i32}} {{\n"
        "{}  func.func public @main({}) -> ({}) {{\n{}    return{}\n  }}\n{}}}\n",
        name, program_.signature.num_partitions, meshes, parameter_list(), fmt::join(results, ", "),
        emitter_.body_, returned, emitter_.function_text_);
  }

  const std::vector<Array>& outputs_;
  const std::vector<int64_t>& donated_;
  std::shared_ptr<const Mesh> mesh_;  // of a partitioned program
  Emitter emitter_;
  Program program_;
};

Program lower_program(const std::vector<Array>& outputs, const std::vector<Array>& parameters,
                      const std::vector<int64_t>& donated, const LowerOptions& options,
                      const std::string& name) {
  return ProgramWriter(outputs, parameters, donated, options).write(name);
}

}  // namespace xylem
