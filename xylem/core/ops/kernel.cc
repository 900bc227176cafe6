#include "xylem/core/ops/kernel.h"

#include "xylem/core/ops/common.h"

namespace xylem {
namespace {

using namespace ops_internal;  // NOLINT(google-build-using-namespace)

std::string ffi_attribute(const AttrValue& value) {
  if (const bool* b = std::get_if<bool>(&value)) return *b ? "true" : "false";
  if (const int64_t* i = std::get_if<int64_t>(&value)) return fmt::format("{} : i64", *i);
  if (const double* d = std::get_if<double>(&value)) {
    return float_literal(*d, DType::kF32) + " : f32";
  }
  if (const auto* s = std::get_if<std::string>(&value)) return "\"" + *s + "\"";
  if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) {
    return fmt::format("array<i64: {}>", fmt::join(*list, ", "));
  }
  return fmt::format("\"{}\"", dtype_name(std::get<DType>(value)));
}

// Row-major layouts, so that the handler sees plain C arrays.
std::string layout(size_t ndim) {
  std::vector<int64_t> minor_to_major;
  for (size_t d = ndim; d-- > 0;) minor_to_major.push_back(static_cast<int64_t>(d));
  if (ndim == 0) return "dense<> : tensor<0xindex>";
  return fmt::format("dense<{}> : tensor<{}xindex>", list_text(minor_to_major), ndim);
}

std::string alias_text(const KernelDef& def, size_t results) {
  std::vector<std::string> aliases;
  for (auto [result, input] : def.aliases) {
    aliases.push_back(fmt::format(
        "#stablehlo.output_operand_alias<output_tuple_indices = [{}], operand_index = {}, "
        "operand_tuple_indices = []>",
        results == 1 ? "" : std::to_string(result), input));
  }
  if (aliases.empty()) return "";
  return fmt::format(", output_operand_aliases = [{}]", fmt::join(aliases, ", "));
}

std::string lower_native(Emitter& e, const Node& node, const KernelDef& def) {
  std::vector<std::string> config, operands, results;
  for (const auto& [name, value] : node.attrs.entries()) {
    config.push_back(fmt::format("{} = {}", name, ffi_attribute(value)));
  }
  for (const Array& input : node.inputs) operands.push_back(layout(input.shape().size()));
  for (const Aval& output : node.outputs) results.push_back(layout(output.shape.size()));
  return fmt::format(
      "stablehlo.custom_call @{}({}) {{api_version = 4 : i32, backend_config = {{{}}}, "
      "has_side_effect = false, operand_layouts = [{}], result_layouts = [{}]{}}} : {}",
      def.name, e.values(node.inputs), fmt::join(config, ", "), fmt::join(operands, ", "),
      fmt::join(results, ", "), alias_text(def, node.outputs.size()), e.function_type(node));
}

std::string lower_kernel(Emitter& e, const Node& node) {
  const auto& def = *static_cast<const KernelDef*>(node.payload.get());
  if (def.native_cpu && e.options().native_kernels && e.options().platform == "cpu") {
    return lower_native(e, node, def);
  }
  std::vector<Aval> avals;
  std::string key = fmt::format("{} {}", def.name, node.attrs.text());
  for (const Array& input : node.inputs) {
    avals.push_back({input.shape(), input.dtype(), {}});
    key += " " + avals.back().text();
  }
  std::string function = e.function(key, def.name, avals, [&](const std::vector<Array>& inputs) {
    return def.reference(inputs, node.attrs);
  });
  return fmt::format("func.call @{}({}) : {}", function, e.values(node.inputs),
                     e.function_type(node));
}

const OpDef kKernel = {"kernel", lower_kernel};

}  // namespace

std::vector<Array> call_kernel(const KernelDef& def, std::vector<Array> inputs, Attrs attrs,
                               Loc loc) {
  std::vector<Aval> outputs = def.infer(inputs, attrs, loc);
  std::shared_ptr<const void> payload(&def, [](const void*) {});
  return make_node(kKernel, std::move(inputs), std::move(attrs), std::move(outputs), payload);
}

}  // namespace xylem
