#include "xylem/text/jinja/attribute_path.h"

#include "xylem/base/error.h"
#include "xylem/text/jinja/characters.h"
#include "xylem/text/jinja/numbers.h"
#include "xylem/text/jinja/operations.h"
#include "xylem/text/jinja/text_search.h"

namespace xylem::text::jinja {

AttributePath::AttributePath(Runtime& rt, const Value& attribute) {
  if (attribute.is_none()) return;
  if (!attribute.is_string()) {
    parts_.push_back(attribute);
    return;
  }
  for (std::string_view part : split(attribute.text(), ".", -1)) {
    const auto index = all_characters(part, is_digit) ? parse_int(part, 10) : std::nullopt;
    parts_.push_back(index ? Value(*index) : rt.string(std::string(part)));
  }
}

Value AttributePath::get(Runtime& rt, Value item, const Value& fallback) const {
  for (const Value& part : parts_) {
    item = get_item(rt, item, part);
    if (!fallback.is_none() && item.is_undefined()) item = fallback;
  }
  return item;
}

SortKey::SortKey(Runtime& rt, const Value& attribute, bool case_sensitive, bool multiple,
                 Value fallback)
    : case_sensitive_(case_sensitive), multiple_(multiple), fallback_(std::move(fallback)) {
  if (!multiple || !attribute.is_string()) {
    paths_.emplace_back(rt, attribute);
    return;
  }
  for (std::string_view part : split(attribute.text(), ",", -1)) {
    paths_.emplace_back(rt, rt.string(std::string(part)));
  }
}

Value SortKey::get(Runtime& rt, const Value& item) const {
  Values keys;
  for (const AttributePath& path : paths_) {
    Value key = path.get(rt, item, fallback_);
    if (!case_sensitive_ && key.is_string()) key = rt.string(lower_case(key.text()));
    keys.push_back(std::move(key));
  }
  return multiple_ ? rt.list(std::move(keys)) : std::move(keys[0]);
}

}  // namespace xylem::text::jinja
