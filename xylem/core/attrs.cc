#include "xylem/core/attrs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "xylem/base/error.h"

namespace xylem {
namespace {

std::string value_text(const AttrValue& value) {
  if (const bool* b = std::get_if<bool>(&value)) return *b ? "true" : "false";
  if (const int64_t* i = std::get_if<int64_t>(&value)) return std::to_string(*i);
  if (const double* d = std::get_if<double>(&value)) return fmt::format("{:.17g}", *d);
  if (const auto* s = std::get_if<std::string>(&value)) return "\"" + *s + "\"";
  if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) {
    return fmt::format("[{}]", fmt::join(*list, ", "));
  }
  return std::string(dtype_name(std::get<DType>(value)));
}

}  // namespace

Attrs::Attrs(std::initializer_list<std::pair<std::string, AttrValue>> values) : entries_(values) {
  std::sort(entries_.begin(), entries_.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
}

const AttrValue* Attrs::find(std::string_view name) const {
  for (const auto& [key, value] : entries_) {
    if (key == name) return &value;
  }
  return nullptr;
}

template <typename T>
const T& Attrs::get(std::string_view name, const char* kind) const {
  const AttrValue* value = find(name);
  if (value == nullptr || !std::holds_alternative<T>(*value)) {
    fail(ErrorCode::kInvalidArgument, "attribute {} of {} must be {}", name, text(), kind);
  }
  return std::get<T>(*value);
}

bool Attrs::boolean(std::string_view name) const { return get<bool>(name, "a boolean"); }
int64_t Attrs::integer(std::string_view name) const { return get<int64_t>(name, "an integer"); }
double Attrs::real(std::string_view name) const { return get<double>(name, "a number"); }
const std::string& Attrs::string(std::string_view name) const {
  return get<std::string>(name, "a string");
}
const std::vector<int64_t>& Attrs::list(std::string_view name) const {
  return get<std::vector<int64_t>>(name, "a list of integers");
}
DType Attrs::dtype(std::string_view name) const { return get<DType>(name, "a dtype"); }

void Attrs::set(const std::string& name, AttrValue value) {
  auto place =
      std::lower_bound(entries_.begin(), entries_.end(), name,
                       [](const auto& entry, const auto& key) { return entry.first < key; });
  if (place != entries_.end() && place->first == name) {
    place->second = std::move(value);
  } else {
    entries_.insert(place, {name, std::move(value)});
  }
}

std::string Attrs::text() const {
  std::vector<std::string> parts;
  for (const auto& [key, value] : entries_) {
    parts.push_back(fmt::format("{} = {}", key, value_text(value)));
  }
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

}  // namespace xylem
