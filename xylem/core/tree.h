// Trees: parameters are plain structs of arrays. XYLEM_FIELDS lists a struct's fields; vectors,
// maps, optionals, pairs and nested structs of such are trees too. Leaves have names, the path of
// fields joined by dots, which are the Hugging Face weight names.
//
//   struct Linear { Array weight; std::optional<Array> bias; XYLEM_FIELDS(weight, bias) };
//   struct Mlp { std::vector<Linear> layers; XYLEM_FIELDS(layers) };   // "layers.0.weight"
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "xylem/core/array.h"

#define XYLEM_PARENS ()
#define XYLEM_EXPAND(...) XYLEM_EXPAND2(XYLEM_EXPAND2(XYLEM_EXPAND2(XYLEM_EXPAND2(__VA_ARGS__))))
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

// The arrays of a tree, in order.
template <typename T>
std::vector<Array> flatten(const T& tree) {
  std::vector<Array> leaves;
  visit_leaves(tree, "", [&](const std::string&, const Array& leaf) { leaves.push_back(leaf); });
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
