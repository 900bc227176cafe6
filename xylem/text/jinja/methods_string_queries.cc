// The methods of str that answer a question.
#include <algorithm>

#include "xylem/base/error.h"
#include "xylem/text/jinja/characters.h"
#include "xylem/text/jinja/operations.h"
#include "xylem/text/jinja/registry.h"

namespace xylem::text::jinja {
namespace {

template <bool (*kPredicate)(uint32_t)>
Value method_all(Runtime& rt, Args& args) {
  rt.heap().work_on_bytes(args.text(0).size() * 4);
  return all_characters(args.text(0), kPredicate);
}

template <bool (*kPredicate)(std::string_view)>
Value method_whole(Runtime& rt, Args& args) {
  rt.heap().work_on_bytes(args.text(0).size() * 4);
  return kPredicate(args.text(0));
}

bool is_alphanumeric(uint32_t c) { return is_alpha(c) || is_numeric(c); }
bool is_ascii(uint32_t c) { return c < 0x80; }

bool is_identifier(std::string_view text) {
  if (!all_characters(text, is_identifier_part)) return false;
  return all_characters(text.substr(0, character_size(text, 0)), is_identifier_start);
}

Value method_isascii(Runtime&, Args& args) {
  return args.text(0).empty() || all_characters(args.text(0), is_ascii);
}

Value method_isprintable(Runtime&, Args& args) {
  return args.text(0).empty() || all_characters(args.text(0), is_printable);
}

// The part [start, end) of a search, in code points and as text.
struct Window {
  size_t start;
  std::string_view text;
  bool valid;  // start lies within the string
};

Window window_of(Runtime& rt, const Args& args) {
  const StringRef& whole = args.string(0);
  const Int length = static_cast<Int>(whole->length);
  const auto bound = [&](size_t i, Int fallback) {
    if (args[i].is_none()) return fallback;
    const Int value = args.integer(i);
    return value < 0 ? std::max<Int>(value + length, 0) : value;
  };
  const Int start = bound(2, 0);
  const Int end = std::min(bound(3, length), length);
  if (start > length || start > end) return {0, {}, false};
  rt.heap().work_on_bytes(whole->text.size());
  const size_t begin = byte_offset(whole->text, static_cast<size_t>(start));
  std::string_view text = std::string_view(whole->text).substr(begin);
  text = text.substr(0, byte_offset(text, static_cast<size_t>(end - start)));
  return {static_cast<size_t>(start), text, true};
}

Int find_in(Runtime& rt, const Args& args, bool from_right) {
  const Window window = window_of(rt, args);
  if (!window.valid) return -1;
  const std::string_view needle = args.text(1);
  const size_t found = from_right ? window.text.rfind(needle) : window.text.find(needle);
  if (found == std::string_view::npos) return -1;
  return static_cast<Int>(window.start + count_code_points(window.text.substr(0, found)));
}

Value method_find(Runtime& rt, Args& args) { return find_in(rt, args, false); }
Value method_rfind(Runtime& rt, Args& args) { return find_in(rt, args, true); }

Value found_or_fail(Int index) {
  if (index < 0) fail(ErrorCode::kInvalidArgument, "substring not found");
  return index;
}

Value method_index(Runtime& rt, Args& args) { return found_or_fail(find_in(rt, args, false)); }
Value method_rindex(Runtime& rt, Args& args) { return found_or_fail(find_in(rt, args, true)); }

Value method_count(Runtime& rt, Args& args) {
  const Window window = window_of(rt, args);
  const std::string_view needle = args.text(1);
  if (!window.valid) return 0;
  if (needle.empty()) return count_code_points(window.text) + 1;
  Int count = 0;
  for (size_t at = 0; (at = window.text.find(needle, at)) != std::string_view::npos;) {
    ++count;
    at += needle.size();
  }
  return count;
}

// startswith and endswith take one text or a tuple of them.
Value at_edge(Runtime& rt, const Args& args, bool at_end) {
  const Window window = window_of(rt, args);
  const auto matches = [&](const Value& affix) {
    if (const auto* undefined = affix.as<Undefined>()) undefined->fail_use();
    if (!affix.is_string()) args.fail_type(1, "a str or a tuple of str");
    if (!window.valid) return false;
    return at_end ? window.text.ends_with(affix.text()) : window.text.starts_with(affix.text());
  };
  const auto* choices = args[1].as<Tuple>();
  if (choices == nullptr) return matches(args[1]);
  rt.heap().work(choices->items().size());
  return std::any_of(choices->items().begin(), choices->items().end(), matches);
}

Value method_startswith(Runtime& rt, Args& args) { return at_edge(rt, args, false); }
Value method_endswith(Runtime& rt, Args& args) { return at_edge(rt, args, true); }

constexpr FunctionSpec kMethods[] = {
    {"count", "self sub start? end?", method_count},
    {"endswith", "self suffix start? end?", method_endswith},
    {"find", "self sub start? end?", method_find},
    {"index", "self sub start? end?", method_index},
    {"isalnum", "self", method_all<is_alphanumeric>},
    {"isalpha", "self", method_all<is_alpha>},
    {"isascii", "self", method_isascii},
    {"isdecimal", "self", method_all<is_decimal>},
    {"isdigit", "self", method_all<is_digit>},
    {"isidentifier", "self", method_whole<is_identifier>},
    {"islower", "self", method_whole<is_lower_text>},
    {"isnumeric", "self", method_all<is_numeric>},
    {"isprintable", "self", method_isprintable},
    {"isspace", "self", method_all<is_space>},
    {"istitle", "self", method_whole<is_title_text>},
    {"isupper", "self", method_whole<is_upper_text>},
    {"rfind", "self sub start? end?", method_rfind},
    {"rindex", "self sub start? end?", method_rindex},
    {"startswith", "self prefix start? end?", method_startswith},
};

}  // namespace

std::span<const FunctionSpec> string_queries() { return kMethods; }

}  // namespace xylem::text::jinja
