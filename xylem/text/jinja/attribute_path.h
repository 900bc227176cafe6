// The `attribute` argument of filters: "name", "address.city", "0", 0, or several with commas.
#pragma once

#include "xylem/text/jinja/runtime.h"

namespace xylem::text::jinja {

class AttributePath {
 public:
  // None stands for the item itself. attribute is a str or an int.
  AttributePath(Runtime& rt, const Value& attribute);
  // item[a][b]...; the fallback, unless it is None, replaces what is undefined on the way.
  Value get(Runtime& rt, Value item, const Value& fallback = {}) const;

 private:
  Values parts_;
};

// The key by which sort, min, max, unique and groupby compare an item.
class SortKey {
 public:
  // With several attributes separated by commas when `multiple`, the key is a tuple.
  SortKey(Runtime& rt, const Value& attribute, bool case_sensitive, bool multiple,
          Value fallback = {});
  Value get(Runtime& rt, const Value& item) const;

 private:
  std::vector<AttributePath> paths_;
  bool case_sensitive_;
  bool multiple_;
  Value fallback_;
};

}  // namespace xylem::text::jinja
