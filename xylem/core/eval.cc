#include "xylem/core/eval.h"

#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "xylem/base/env.h"
#include "xylem/core/placement.h"
#include "xylem/runtime/client.h"

namespace xylem {

LowerOptions default_lower_options() {
  LowerOptions options;
  options.platform = runtime::default_client()->platform_name();
  std::string kernels = env("XYLEM_KERNELS").value_or("native");
  if (kernels != "native" && kernels != "reference") {
    fail(ErrorCode::kInvalidArgument, "XYLEM_KERNELS={} is neither native nor reference", kernels);
  }
  options.native_kernels = kernels == "native";
  return options;
}

std::shared_ptr<runtime::Executable> compile_program(const std::string& text,
                                                     int64_t num_partitions) {
  static std::mutex mutex;
  static std::unordered_map<std::string, std::shared_ptr<runtime::Executable>> cache;
  static runtime::Client* cached_client = nullptr;
  std::shared_ptr<runtime::Client> client = runtime::default_client();
  std::lock_guard<std::mutex> lock(mutex);
  if (cached_client != client.get()) {
    cache.clear();
    cached_client = client.get();
  }
  if (auto found = cache.find(text); found != cache.end()) return found->second;
  runtime::CompileOptions options;
  options.num_partitions = static_cast<int>(num_partitions);
  // XLA's CPU compiler drops NaN in min and max unless told otherwise.
  if (client->platform_name() == "cpu") options.flags["xla_cpu_enable_fast_min_max"] = false;
  std::shared_ptr<runtime::Executable> executable = client->compile(text, options);
  cache.emplace(text, executable);
  return executable;
}

std::vector<runtime::Buffers> place_arguments(std::span<const Array> arguments,
                                              int64_t num_partitions) {
  std::vector<runtime::Buffers> placed(static_cast<size_t>(num_partitions));
  for (runtime::Buffers& buffers : placed) buffers.reserve(arguments.size());
  std::shared_ptr<runtime::Client> client = runtime::default_client();
  for (const Array& argument : arguments) {
    Node& node = *argument.node();
    if (node.op == &kHostOp) upload(node);
    check_not_gone(argument);
    const runtime::Buffers* buffers = &node.values[static_cast<size_t>(argument.output())];
    runtime::Buffers copies;
    if (static_cast<int64_t>(buffers->size()) != num_partitions ||
        (*buffers)[0]->client() != client) {
      copies = argument.sharding().is_set() ? place_on_devices(argument, argument.sharding())
                                            : replicate(argument, num_partitions);
      buffers = &copies;
    }
    for (size_t device = 0; device < placed.size(); ++device) {
      placed[device].push_back((*buffers)[device]);
    }
  }
  return placed;
}

std::vector<Array> wrap_results(std::vector<runtime::Buffers> results,
                                const std::vector<Aval>& avals) {
  std::vector<Array> arrays;
  arrays.reserve(avals.size());
  for (size_t output = 0; output < avals.size(); ++output) {
    Array array = make_op(kBufferOp, {}, {}, avals[output]);
    runtime::Buffers buffers;
    for (runtime::Buffers& device : results) buffers.push_back(std::move(device[output]));
    array.node()->values.push_back(std::move(buffers));
    arrays.push_back(std::move(array));
  }
  return arrays;
}

void eval(std::span<const Array> arrays) {
  std::vector<Array> pending;
  for (const Array& array : arrays) {
    if (!array.is_valid()) fail(ErrorCode::kFailedPrecondition, "[eval] the array is empty");
    Node& node = *array.node();
    if (node.op == &kHostOp) upload(node);
    check_not_gone(array);
    if (node.values.empty()) pending.push_back(array);
  }
  if (pending.empty()) return;
  // All outputs of a node come together, so that its other arrays are evaluated too.
  std::vector<Array> outputs;
  std::vector<std::shared_ptr<Node>> nodes;
  std::unordered_set<const Node*> seen;
  for (const Array& array : pending) {
    if (!seen.insert(array.node().get()).second) continue;
    nodes.push_back(array.node());
    for (size_t i = 0; i < array.node()->outputs.size(); ++i) {
      outputs.emplace_back(array.node(), static_cast<int>(i));
    }
  }
  Program program = lower_program(outputs, {}, {}, default_lower_options());
  int64_t partitions = program.signature.num_partitions;
  auto executable = compile_program(program.text, partitions);
  std::vector<runtime::Buffers> arguments = place_arguments(program.arguments, partitions);
  std::vector<Array> results =
      wrap_results(executable->execute_sharded(arguments), program.signature.results);
  size_t next = 0;
  for (const std::shared_ptr<Node>& node : nodes) {
    std::vector<runtime::Buffers> values;
    for (size_t i = 0; i < node->outputs.size(); ++i) {
      values.push_back(results[next++].node()->values[0]);
    }
    node->values = std::move(values);
    node->op = &kBufferOp;  // the graph behind a value is no longer needed
    node->inputs.clear();
    node->payload.reset();
  }
}

void eval(const Array& array) { eval(std::span<const Array>(&array, 1)); }

}  // namespace xylem
