// Python's operations on values: conversion to text, truth, comparison, iteration, subscripts,
// arithmetic and calls. What Python answers with TypeError, ValueError and the like is
// kInvalidArgument here.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "xylem/text/jinja/runtime.h"

namespace xylem::text::jinja {

std::string_view type_name(const Value& value);

bool truthy(const Value& value);
bool equal(Heap& heap, const Value& a, const Value& b);
// a < b; an error for types without an order.
bool less(Heap& heap, const Value& a, const Value& b);
// An error for lists and dicts, as they cannot be keys.
size_t hash_value(Heap& heap, const Value& value);
// item in container
bool contains(Runtime& rt, const Value& container, const Value& item);

// str(value) and repr(value); str of a Markup is a plain string.
StringRef to_string(Runtime& rt, const Value& value);
void write_string(Runtime& rt, const Value& value, TextBuilder& out);
void write_repr(Runtime& rt, const Value& value, TextBuilder& out);
std::string repr(Runtime& rt, const Value& value);
// Like to_string, but a Markup stays one.
StringRef soft_string(Runtime& rt, const Value& value);
// With &, <, >, ' and " replaced, as markupsafe does; a Markup stays as it is.
StringRef escape_html(Runtime& rt, const Value& value);

// Null when the value cannot be iterated over.
std::unique_ptr<Iterator> try_iterate(Runtime& rt, const Value& value);
std::unique_ptr<Iterator> iterate(Runtime& rt, const Value& value);
Values to_values(Runtime& rt, const Value& value);
// len(value); nothing for what has no length.
std::optional<size_t> length(Runtime& rt, const Value& value);
// The nesting depth that a generator over the value starts from.
int iteration_depth(const Value& value);

// Jinja's value.name and value[key]: undefined where Python finds nothing.
Value get_attribute(Runtime& rt, const Value& value, std::string_view name);
Value get_item(Runtime& rt, const Value& value, const Value& key);
// value[start:stop:step], None for an absent part.
Value get_slice(Runtime& rt, const Value& value, const Value& start, const Value& stop,
                const Value& step);
// Only what Python's getattr finds: methods and attributes.
std::optional<Value> find_attribute(Runtime& rt, const Value& value, std::string_view name);
// Turns a possibly negative index into a position; nothing when out of range.
std::optional<size_t> resolve_index(Int index, size_t size);

Value call_value(Runtime& rt, const Value& callee, CallArgs args);

enum class BinaryOp { kAdd, kSubtract, kMultiply, kDivide, kFloorDivide, kModulo, kPower };
Value arithmetic(Runtime& rt, BinaryOp op, const Value& a, const Value& b);
Value negated(Runtime& rt, const Value& value);
Value absolute(Runtime& rt, const Value& value);

}  // namespace xylem::text::jinja
