// The attributes of an operation: a short list of named values, sorted by name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "xylem/base/dtype.h"

namespace xylem {

using AttrValue = std::variant<bool, int64_t, double, std::string, std::vector<int64_t>, DType>;

class Attrs {
 public:
  Attrs() = default;
  Attrs(std::initializer_list<std::pair<std::string, AttrValue>> values);

  // Typed access; an Error names the attribute when it is missing or of another type.
  bool boolean(std::string_view name) const;
  int64_t integer(std::string_view name) const;
  double real(std::string_view name) const;
  const std::string& string(std::string_view name) const;
  const std::vector<int64_t>& list(std::string_view name) const;
  DType dtype(std::string_view name) const;

  bool has(std::string_view name) const { return find(name) != nullptr; }
  void set(const std::string& name, AttrValue value);
  const std::vector<std::pair<std::string, AttrValue>>& entries() const { return entries_; }
  // `{axis = 1, dims = [0, 1]}`: for keys, errors and tests. Doubles print exactly.
  std::string text() const;

 private:
  const AttrValue* find(std::string_view name) const;
  template <typename T>
  const T& get(std::string_view name, const char* kind) const;
  std::vector<std::pair<std::string, AttrValue>> entries_;
};

}  // namespace xylem
