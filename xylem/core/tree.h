// Trees: parameters are plain structs of arrays. XYLEM_FIELDS lists a struct's fields; vectors,
// maps, optionals, pairs and nested structs of such are trees too. Leaves have names, the path of
// fields joined by dots, which are the Hugging Face weight names.
//
//   struct Linear { Array weight; std::optional<Array> bias; XYLEM_FIELDS(weight, bias) };
//   struct Mlp { std::vector<Linear> layers; XYLEM_FIELDS(layers) };   // "layers.0.weight"
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "xylem/core/array.h"

#define XYLEM_PARENS ()
// Rescans often enough for 64 fields.
#define XYLEM_EXPAND(...) XYLEM_EXPAND3(XYLEM_EXPAND3(XYLEM_EXPAND3(XYLEM_EXPAND3(__VA_ARGS__))))
#define XYLEM_EXPAND3(...) XYLEM_EXPAND2(XYLEM_EXPAND2(XYLEM_EXPAND2(XYLEM_EXPAND2(__VA_ARGS__))))
#define XYLEM_EXPAND2(...) XYLEM_EXPAND1(XYLEM_EXPAND1(XYLEM_EXPAND1(XYLEM_EXPAND1(__VA_ARGS__))))
#define XYLEM_EXPAND1(...) __VA_ARGS__
#define XYLEM_VISIT_EACH(field, ...) \
  visit(#field, field);              \
  __VA_OPT__(XYLEM_VISIT_AGAIN XYLEM_PARENS(__VA_ARGS__))
#define XYLEM_VISIT_AGAIN() XYLEM_VISIT_EACH

// Inside a struct: makes it a tree of these fields, in this order.
#define XYLEM_FIELDS(...)                       \
  template <typename Visitor>                   \
  void for_each_field(Visitor&& visit) {        \
    XYLEM_EXPAND(XYLEM_VISIT_EACH(__VA_ARGS__)) \
  }                                             \
  template <typename Visitor>                   \
  void for_each_field(Visitor&& visit) const {  \
    XYLEM_EXPAND(XYLEM_VISIT_EACH(__VA_ARGS__)) \
  }

namespace xylem {

namespace tree_internal {

inline std::string join(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

template <typename T>
struct IsTuple : std::false_type {};
template <typename... Ts>
struct IsTuple<std::tuple<Ts...>> : std::true_type {};
template <typename A, typename B>
struct IsTuple<std::pair<A, B>> : std::true_type {};

template <typename T>
struct IsVector : std::false_type {};
template <typename T>
struct IsVector<std::vector<T>> : std::true_type {};

template <typename T>
struct IsMap : std::false_type {};
template <typename T>
struct IsMap<std::map<std::string, T>> : std::true_type {};

template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};

}  // namespace tree_internal

// Calls visit(path, leaf) for every array of the tree, in order; absent optionals and empty arrays
// are no leaves. T is a tree, const or not.
template <typename T, typename Visit>
void visit_leaves(T& tree, const std::string& path, Visit&& visit) {
  using U = std::remove_const_t<T>;
  using tree_internal::join;
  if constexpr (std::is_same_v<U, Array>) {
    if (tree.is_valid()) visit(path, tree);
  } else if constexpr (tree_internal::IsVector<U>::value) {
    for (size_t i = 0; i < tree.size(); ++i)
      visit_leaves(tree[i], join(path, std::to_string(i)), visit);
  } else if constexpr (tree_internal::IsMap<U>::value) {
    for (auto& [key, value] : tree) visit_leaves(value, join(path, key), visit);
  } else if constexpr (tree_internal::IsOptional<U>::value) {
    if (tree) visit_leaves(*tree, path, visit);
  } else if constexpr (tree_internal::IsTuple<U>::value) {
    std::apply(
        [&](auto&... parts) {
          size_t i = 0;
          (visit_leaves(parts, join(path, std::to_string(i++)), visit), ...);
        },
        tree);
  } else {
    tree.for_each_field(
        [&](const char* name, auto& field) { visit_leaves(field, join(path, name), visit); });
  }
}

// Appends the arrays of a tree, in order. No names are made: this is on the path of every call of a
// jitted function.
template <typename T>
void append_leaves(const T& tree, std::vector<Array>& leaves) {
  using namespace tree_internal;  // NOLINT(google-build-using-namespace)
  if constexpr (std::is_same_v<T, Array>) {
    if (tree.is_valid()) leaves.push_back(tree);
  } else if constexpr (IsVector<T>::value) {
    for (const auto& item : tree) append_leaves(item, leaves);
  } else if constexpr (IsMap<T>::value) {
    for (const auto& [key, value] : tree) append_leaves(value, leaves);
  } else if constexpr (IsOptional<T>::value) {
    if (tree) append_leaves(*tree, leaves);
  } else if constexpr (IsTuple<T>::value) {
    std::apply([&](const auto&... parts) { (append_leaves(parts, leaves), ...); }, tree);
  } else {
    tree.for_each_field([&](const char*, const auto& field) { append_leaves(field, leaves); });
  }
}

// Appends what tells one tree of a type from another besides its leaves: sizes, keys, and which
// optionals and arrays are there.
template <typename T>
void append_structure(const T& tree, std::vector<int64_t>& structure) {
  using namespace tree_internal;  // NOLINT(google-build-using-namespace)
  if constexpr (std::is_same_v<T, Array>) {
    structure.push_back(tree.is_valid() ? 1 : 0);
  } else if constexpr (IsVector<T>::value) {
    structure.push_back(static_cast<int64_t>(tree.size()));
    for (const auto& item : tree) append_structure(item, structure);
  } else if constexpr (IsMap<T>::value) {
    structure.push_back(static_cast<int64_t>(tree.size()));
    for (const auto& [key, value] : tree) {
      structure.push_back(static_cast<int64_t>(std::hash<std::string>()(key)));
      append_structure(value, structure);
    }
  } else if constexpr (IsOptional<T>::value) {
    structure.push_back(tree ? 1 : 0);
    if (tree) append_structure(*tree, structure);
  } else if constexpr (IsTuple<T>::value) {
    std::apply([&](const auto&... parts) { (append_structure(parts, structure), ...); }, tree);
  } else {
    tree.for_each_field(
        [&](const char*, const auto& field) { append_structure(field, structure); });
  }
}

// The arrays of a tree, in order.
template <typename T>
std::vector<Array> flatten(const T& tree) {
  std::vector<Array> leaves;
  append_leaves(tree, leaves);
  return leaves;
}

// The arrays with their names.
template <typename T>
std::vector<std::pair<std::string, Array>> named_leaves(const T& tree) {
  std::vector<std::pair<std::string, Array>> leaves;
  visit_leaves(tree, "", [&](const std::string& path, const Array& leaf) {
    leaves.emplace_back(path, leaf);
  });
  return leaves;
}

// A copy of the tree with its leaves replaced, in order, from leaves[next...]; next moves on.
template <typename T>
T unflatten(const T& tree, const std::vector<Array>& leaves, size_t& next) {
  T copy = tree;
  visit_leaves(copy, "", [&](const std::string&, Array& leaf) { leaf = leaves.at(next++); });
  return copy;
}

}  // namespace xylem
