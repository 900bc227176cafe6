// Filters on text.
#include <algorithm>

#include "xylem/base/error.h"
#include "xylem/text/jinja/characters.h"
#include "xylem/text/jinja/format.h"
#include "xylem/text/jinja/json.h"
#include "xylem/text/jinja/operations.h"
#include "xylem/text/jinja/registry.h"
#include "xylem/text/jinja/text_search.h"
#include "xylem/text/utf8.h"

namespace xylem::text::jinja {
namespace {

// The string methods that filters of the same name apply to str(value).
Value apply_method(Runtime& rt, std::string_view method, const Value& value, CallArgs args = {}) {
  const Value text = soft_string(rt, value);
  return methods_of(text)->find(method)->call_with(rt, text, std::move(args));
}

Value filter_capitalize(Runtime& rt, Args& args) { return apply_method(rt, "capitalize", args[0]); }
Value filter_lower(Runtime& rt, Args& args) { return apply_method(rt, "lower", args[0]); }
Value filter_upper(Runtime& rt, Args& args) { return apply_method(rt, "upper", args[0]); }

Value filter_center(Runtime& rt, Args& args) {
  return apply_method(rt, "center", args[0], {{Value(args.integer(1, 80))}, {}});
}

Value filter_trim(Runtime& rt, Args& args) {
  return apply_method(rt, "strip", args[0], {{args[1]}, {}});
}

Value filter_string(Runtime& rt, Args& args) { return soft_string(rt, args[0]); }

// Words start after white space and any of -({[<.
Value filter_title(Runtime& rt, Args& args) {
  const StringRef source = soft_string(rt, args[0]);
  const std::string_view text = source->text;
  const auto separates = [](uint32_t c) {
    return is_space(c) || (c < 0x80 && std::string_view("-({[<").find(static_cast<char>(c)) !=
                                           std::string_view::npos);
  };
  std::string out;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    const bool separator = separates(first_code_point(text.substr(i)).value);
    while (end < text.size() && separates(first_code_point(text.substr(end)).value) == separator) {
      end += character_size(text, end);
    }
    const std::string_view part = text.substr(i, end - i);
    const size_t head = character_size(part, 0);
    out += upper_case(part.substr(0, head)) + lower_case(part.substr(head));
    i = end;
  }
  return rt.string(std::move(out));
}

Value filter_length(Runtime& rt, Args& args) {
  const auto size = length(rt, args[0]);
  if (!size) {
    fail(ErrorCode::kInvalidArgument, "object of type '{}' has no len()", type_name(args[0]));
  }
  return *size;
}

Value filter_replace(Runtime& rt, Args& args) {
  const StringRef text = to_string(rt, args[0]);
  const StringRef old = to_string(rt, args[1]);
  const StringRef replacement = to_string(rt, args[2]);
  const Int limit = args[3].is_none() ? -1 : args.integer(3);
  return rt.string(replace_text(rt.heap(), text->text, old->text, replacement->text, limit));
}

Value filter_indent(Runtime& rt, Args& args) {
  const StringRef source = args.string(0);
  std::string pad = "    ";
  if (args.given(1)) {
    if (args[1].is_string()) {
      pad = args.text(1);
    } else {
      const size_t width = args.count(1, 4);
      rt.heap().check_text(width);
      pad = std::string(width, ' ');
    }
  }
  const bool first = args.truth(2, false);
  const bool blank = args.truth(3, false);
  TextBuilder out(rt.heap());
  size_t number = 0;
  const std::string text = source->text + "\n";  // so that a last empty line counts
  for (std::string_view line : split_lines(text, false)) {
    if (number > 0) out.append("\n");
    const bool wants_pad = number == 0 ? first : blank || !line.empty();
    if (wants_pad) out.append(pad);
    out.append(line);
    ++number;
  }
  return rt.string(out, source->markup);
}

Value filter_truncate(Runtime& rt, Args& args) {
  const Int limit = args.integer(1, 255);
  const Value end = args.given(3) ? args[3] : rt.string("...");
  const Int leeway = args[4].is_none() ? 5 : args.integer(4);
  const Int end_length = static_cast<Int>(soft_string(rt, end)->length);
  if (limit < end_length || leeway < 0) {
    fail(ErrorCode::kInvalidArgument,
         "truncate: expected a length of at least {} and a leeway of at least 0, got {} and {}",
         end_length, limit, leeway);
  }
  const auto size = length(rt, args[0]);
  if (size && static_cast<Int>(*size) - limit <= leeway) return args[0];
  const StringRef& text = args.string(0);
  const size_t kept_length = static_cast<size_t>(limit - end_length);
  std::string_view kept =
      std::string_view(text->text).substr(0, byte_offset(text->text, kept_length));
  const bool cut_words = args.truth(2, false);
  if (!cut_words) kept = kept.substr(0, kept.rfind(' '));
  return arithmetic(rt, BinaryOp::kAdd, rt.string(std::string(kept), text->markup), end);
}

Value filter_wordcount(Runtime& rt, Args& args) {
  const StringRef source = soft_string(rt, args[0]);
  const std::string_view text = source->text;
  rt.heap().work_on_bytes(text.size() * 8);
  Int words = 0;
  bool inside = false;
  for (size_t i = 0; i < text.size();) {
    const CodePoint c = first_code_point(text.substr(i));
    const bool word = c.value == '_' || is_alpha(c.value) || is_numeric(c.value);
    if (word && !inside) ++words;
    inside = word;
    i += c.size;
  }
  return words;
}

Value filter_format(Runtime& rt, Args& args) {
  const StringRef format = soft_string(rt, args[0]);
  if (args.named_rest().empty()) return format_percent(rt, *format, args.rest(), Value());
  if (!args.rest().empty()) {
    fail(ErrorCode::kInvalidArgument,
         "format: positional and named arguments cannot be mixed, expected one kind");
  }
  std::vector<Dict::Entry> entries;
  for (const auto& [name, value] : args.named_rest()) entries.emplace_back(rt.string(name), value);
  const Value mapping = rt.dict(std::move(entries));
  return format_percent(rt, *format, {mapping}, mapping);
}

// json.dumps(value, ensure_ascii, indent, separators, sort_keys) with transformers' defaults.
Value filter_tojson(Runtime& rt, Args& args) {
  JsonStyle style;
  style.ascii_only = args.truth(1, false);
  style.multiline = !args[2].is_none();
  if (args[2].is_string()) {
    style.indent = args.text(2);
  } else if (style.multiline) {
    const size_t width = args.count(2, 0);
    rt.heap().check_text(width);
    style.indent = std::string(width, ' ');
  }
  style.item_separator = style.multiline ? "," : ", ";
  style.key_separator = ": ";
  if (!args[3].is_none()) {
    const Values separators = to_values(rt, args[3]);
    if (separators.size() != 2 || !separators[0].is_string() || !separators[1].is_string()) {
      args.fail_type(3, "a pair of strings");
    }
    style.item_separator = separators[0].text();
    style.key_separator = separators[1].text();
  }
  style.sort_keys = args.truth(4, false);
  TextBuilder out(rt.heap());
  write_json(rt, args[0], style, out);
  return rt.string(out);
}

constexpr FunctionSpec kFilters[] = {
    {"capitalize", "s", filter_capitalize},
    {"center", "value width?", filter_center},
    {"count", "value", filter_length},
    {"format", "value * **", filter_format},
    {"indent", "s width? first? blank?", filter_indent},
    {"length", "value", filter_length},
    {"lower", "s", filter_lower},
    {"replace", "s old new count?", filter_replace},
    {"string", "value", filter_string},
    {"title", "s", filter_title},
    {"tojson", "x ensure_ascii? indent? separators? sort_keys?", filter_tojson},
    {"trim", "value chars?", filter_trim},
    {"truncate", "s length? killwords? end? leeway?", filter_truncate},
    {"upper", "s", filter_upper},
    {"wordcount", "s", filter_wordcount},
};

}  // namespace

std::span<const FunctionSpec> text_filters() { return kFilters; }

}  // namespace xylem::text::jinja
