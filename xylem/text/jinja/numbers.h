// Numbers as Python reads and prints them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "xylem/text/jinja/value.h"

namespace xylem::text::jinja {

std::string int_text(Int value);
// repr(float): the shortest text that reads back the same, with ".0" when whole.
std::string float_text(double value);
// int(text, base): white space around, a sign, underscores between digits, a prefix when it fits
// the base (0 takes the base from the prefix). Nothing when it is no such number.
std::optional<Int> parse_int(std::string_view text, int base);
// float(text); nothing when it is no number.
std::optional<double> parse_float(std::string_view text);
// int(value) of a float; an error for NaN, infinity and what 128 bits do not hold.
Int truncate_float(double value);
// round(value, digits), halves to even on the exact decimal value.
double round_float(double value, Int digits);

}  // namespace xylem::text::jinja
