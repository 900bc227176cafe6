#include "xylem/base/error.h"
#include "xylem/runtime/pjrt_api.h"

namespace xylem::runtime {
namespace {

NamedValue read_value(const PJRT_NamedValue& value) {
  switch (raw_enum(value.type)) {
    case PJRT_NamedValue_kString:
      return std::string(value.string_value, value.value_size);
    case PJRT_NamedValue_kInt64:
      return value.int64_value;
    case PJRT_NamedValue_kInt64List:
      return std::vector<int64_t>(value.int64_array_value,
                                  value.int64_array_value + value.value_size);
    case PJRT_NamedValue_kFloat:
      return value.float_value;
    case PJRT_NamedValue_kBool:
      return value.bool_value;
  }
  return std::string("(a value of a kind that this build does not know)");
}

}  // namespace

NamedValues read_named_values(const PJRT_NamedValue* values, size_t count) {
  NamedValues result;
  const char* position = reinterpret_cast<const char*>(values);
  for (size_t i = 0; i < count; ++i) {
    const auto& value = *reinterpret_cast<const PJRT_NamedValue*>(position);
    result.emplace(std::string(value.name, value.name_size), read_value(value));
    // The plugin's own struct may be longer than ours.
    position += value.struct_size > sizeof value ? value.struct_size : sizeof value;
  }
  return result;
}

}  // namespace xylem::runtime
