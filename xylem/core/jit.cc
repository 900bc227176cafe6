#include "xylem/core/jit.h"

#include <map>

#include "xylem/core/eval.h"
#include "xylem/runtime/client.h"

namespace xylem {

bool any_traced(const std::vector<Array>& leaves) {
  for (const Array& leaf : leaves) {
    if (leaf.is_traced()) return true;
  }
  return false;
}

std::vector<Aval> avals_of(const std::vector<Array>& leaves) {
  std::vector<Aval> avals;
  avals.reserve(leaves.size());
  for (const Array& leaf : leaves) avals.push_back(leaf.aval());
  return avals;
}

bool have_avals(const std::vector<Array>& leaves, const std::vector<Aval>& avals) {
  if (leaves.size() != avals.size()) return false;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!(leaves[i].aval() == avals[i])) return false;
  }
  return true;
}

LowerOptions jit_lower_options() { return default_lower_options(); }

std::shared_ptr<CompiledFunction> CompiledFunction::trace(const Function& f,
                                                          const std::vector<Aval>& arguments,
                                                          const std::vector<int64_t>& donated,
                                                          const LowerOptions& options,
                                                          const std::string& name) {
  auto compiled = std::make_shared<CompiledFunction>();
  compiled->parameter_count_ = arguments.size();
  compiled->name_ = name;
  uint64_t trace = new_trace_id();
  std::vector<Array> placeholders;
  for (size_t i = 0; i < arguments.size(); ++i) {
    placeholders.push_back(placeholder(arguments[i], static_cast<int64_t>(i), trace));
  }
  std::vector<Array> results = f(placeholders);
  compiled->program_ = lower_program(results, placeholders, donated, options, name);
  compiled->captured_.assign(
      compiled->program_.arguments.begin() + static_cast<int64_t>(arguments.size()),
      compiled->program_.arguments.end());
  compiled->program_.arguments.clear();  // the trace may go
  return compiled;
}

const std::shared_ptr<runtime::Executable>& CompiledFunction::executable() {
  std::shared_ptr<runtime::Client> client = runtime::default_client();
  if (executable_ == nullptr || client_ != client) {
    client_ = client;
    executable_ = compile_program(program_.text, program_.signature.num_partitions);
  }
  return executable_;
}

void CompiledFunction::check_donations(std::span<const Array> arguments) const {
  std::map<std::pair<const Node*, int>, int64_t> donated;
  auto key = [&](size_t i) {
    return std::make_pair(static_cast<const Node*>(arguments[i].node().get()),
                          arguments[i].output());
  };
  for (int64_t d : program_.signature.donated) {
    auto [entry, fresh] = donated.emplace(key(static_cast<size_t>(d)), d);
    if (!fresh) {
      fail(ErrorCode::kInvalidArgument,
           "[{}] arguments {} and {} are the same array and both are donated", name_, entry->second,
           d);
    }
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    auto found = donated.find(key(i));
    if (found != donated.end() && found->second != static_cast<int64_t>(i)) {
      fail(ErrorCode::kInvalidArgument,
           "[{}] argument {} is donated and passed again as argument {}", name_, found->second, i);
    }
  }
  for (const Array& captured : captured_) {
    auto found = donated.find({captured.node().get(), captured.output()});
    if (found != donated.end()) {
      fail(ErrorCode::kInvalidArgument,
           "[{}] argument {} is donated but the function captured it too", name_, found->second);
    }
  }
}

void CompiledFunction::mark_donated(std::span<const Array> arguments) const {
  for (int64_t d : program_.signature.donated) {
    const Array& argument = arguments[static_cast<size_t>(d)];
    Node& node = *argument.node();
    node.values[static_cast<size_t>(argument.output())].clear();
    node.gone = "it was donated to " + name_;
  }
}

std::vector<Array> CompiledFunction::call(std::span<const Array> arguments) {
  if (arguments.size() != parameter_count_) {
    fail(ErrorCode::kInvalidArgument, "[{}] takes {} arrays, got {}", name_, parameter_count_,
         arguments.size());
  }
  if (!program_.signature.donated.empty()) check_donations(arguments);
  eval(arguments);
  const std::shared_ptr<runtime::Executable>& program = executable();
  std::vector<Array> all(arguments.begin(), arguments.end());
  all.insert(all.end(), captured_.begin(), captured_.end());
  std::vector<runtime::Buffers> placed = place_arguments(all, program_.signature.num_partitions);
  std::vector<runtime::Buffers> results = program->execute_sharded(placed);
  mark_donated(arguments);
  return wrap_results(std::move(results), program_.signature.results);
}

}  // namespace xylem
