// Python's two ways to format strings: "%s" % value and "{}".format(value).
#pragma once

#include "xylem/text/jinja/runtime.h"

namespace xylem::text::jinja {

// format % arguments. `whole` is the right operand when it is no tuple: "%(name)s" looks its keys
// up there. A Markup format escapes its arguments.
Value format_percent(Runtime& rt, const StringData& format, const Values& arguments,
                     const Value& whole);

// format.format(*arguments.positional, **arguments.named)
Value format_braces(Runtime& rt, const StringData& format, const CallArgs& arguments);

// One field's layout: [[fill]align][sign][#][0][width][,][.precision][type]
struct FieldSpec {
  std::string fill = " ";
  char align = 0;  // one of < > ^ =, 0 for the type's default
  char sign = '-';
  bool alternate = false;  // #
  bool zero = false;
  size_t width = 0;
  char grouping = 0;  // ',' or '_'
  int precision = -1;
  char type = 0;
};

// The digits of a number, laid out. type is one of d b o x X c n; e E f F g G % (or 0).
std::string format_int(Int value, const FieldSpec& spec);
std::string format_float(double value, const FieldSpec& spec);
// Pads to the width; sign_size leading characters stay in front of '=' padding.
void write_padded(std::string_view text, size_t sign_size, char default_align,
                  const FieldSpec& spec, TextBuilder& out);

}  // namespace xylem::text::jinja
