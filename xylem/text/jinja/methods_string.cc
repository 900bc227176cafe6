// The methods of str that make new text. A Markup stays one, and escapes what it takes in.
#include <algorithm>

#include "xylem/base/error.h"
#include "xylem/text/jinja/characters.h"
#include "xylem/text/jinja/format.h"
#include "xylem/text/jinja/operations.h"
#include "xylem/text/jinja/registry.h"
#include "xylem/text/jinja/text_search.h"

namespace xylem::text::jinja {
namespace {

// Text made from the string self.
Value like_self(Runtime& rt, const Args& args, std::string text) {
  return rt.string(std::move(text), args[0].is_markup());
}
Value like_self(Runtime& rt, const Args& args, std::string_view text) {
  return like_self(rt, args, std::string(text));
}

// A text that goes into self.
StringRef taken_in(Runtime& rt, const Args& args, size_t i) {
  const StringRef& text = args.string(i);
  return args[0].is_markup() ? escape_html(rt, text) : text;
}

template <std::string (*kConvert)(std::string_view)>
Value method_convert(Runtime& rt, Args& args) {
  rt.heap().work_on_bytes(args.text(0).size() * 4);
  return like_self(rt, args, kConvert(args.text(0)));
}

std::optional<std::string_view> text_or_none(const Args& args, size_t i) {
  if (args[i].is_none()) return std::nullopt;
  return args.text(i);
}

template <Side kSide>
Value method_strip(Runtime& rt, Args& args) {
  const auto characters = text_or_none(args, 1);
  if (characters) rt.heap().work(characters->size());
  return like_self(rt, args, strip(args.text(0), characters, kSide));
}

Value text_list(Runtime& rt, const Args& args, const std::vector<std::string_view>& parts) {
  Values items;
  items.reserve(parts.size());
  for (std::string_view part : parts) items.push_back(like_self(rt, args, part));
  return rt.list(std::move(items));
}

std::optional<std::string_view> separator_of(const Args& args) {
  const auto separator = text_or_none(args, 1);
  if (separator && separator->empty()) fail(ErrorCode::kInvalidArgument, "empty separator");
  return separator;
}

Value method_split(Runtime& rt, Args& args) {
  return text_list(rt, args, split(args.text(0), separator_of(args), args.integer(2, -1)));
}

Value method_rsplit(Runtime& rt, Args& args) {
  return text_list(rt, args,
                   split_from_right(args.text(0), separator_of(args), args.integer(2, -1)));
}

Value method_splitlines(Runtime& rt, Args& args) {
  return text_list(rt, args, split_lines(args.text(0), args.truth(1, false)));
}

Value partition(Runtime& rt, const Args& args, bool from_right) {
  const std::string_view text = args.text(0);
  const std::string_view separator = *separator_of(args);
  const size_t found = from_right ? text.rfind(separator) : text.find(separator);
  if (found == std::string_view::npos) {
    const Value empty = like_self(rt, args, std::string());
    return from_right ? rt.tuple({empty, empty, args[0]}) : rt.tuple({args[0], empty, empty});
  }
  return rt.tuple({like_self(rt, args, text.substr(0, found)), like_self(rt, args, separator),
                   like_self(rt, args, text.substr(found + separator.size()))});
}

Value method_partition(Runtime& rt, Args& args) { return partition(rt, args, false); }
Value method_rpartition(Runtime& rt, Args& args) { return partition(rt, args, true); }

Value method_replace(Runtime& rt, Args& args) {
  const StringRef replacement = taken_in(rt, args, 2);
  return like_self(
      rt, args,
      replace_text(rt.heap(), args.text(0), args.text(1), replacement->text, args.integer(3, -1)));
}

Value method_removeprefix(Runtime& rt, Args& args) {
  std::string_view text = args.text(0);
  if (text.starts_with(args.text(1))) text.remove_prefix(args.text(1).size());
  return like_self(rt, args, text);
}

Value method_removesuffix(Runtime& rt, Args& args) {
  std::string_view text = args.text(0);
  if (text.ends_with(args.text(1))) text.remove_suffix(args.text(1).size());
  return like_self(rt, args, text);
}

// left and right of str.center, ljust and rjust; default_align is where the text goes.
Value pad(Runtime& rt, const Args& args, char align) {
  FieldSpec spec;
  spec.width = args.count(1, 0);
  if (args.given(2)) {
    if (args.string(2)->length != 1) args.fail_type(2, "one character");
    spec.fill = taken_in(rt, args, 2)->text;
  }
  TextBuilder out(rt.heap());
  const size_t length = args.string(0)->length;
  if (align == '^' && spec.width > length) {
    // Python puts the odd character on the left when the width is odd.
    const size_t missing = spec.width - length;
    const size_t left = missing / 2 + (missing & spec.width & 1);
    const size_t width = spec.width;
    spec.width = length + left;
    TextBuilder padded(rt.heap());
    write_padded(args.text(0), 0, '>', spec, padded);
    spec.width = width;
    write_padded(padded.view(), 0, '<', spec, out);
  } else {
    write_padded(args.text(0), 0, align, spec, out);
  }
  return like_self(rt, args, out.view());
}

Value method_center(Runtime& rt, Args& args) { return pad(rt, args, '^'); }
Value method_ljust(Runtime& rt, Args& args) { return pad(rt, args, '<'); }
Value method_rjust(Runtime& rt, Args& args) { return pad(rt, args, '>'); }

Value method_zfill(Runtime& rt, Args& args) {
  FieldSpec spec;
  spec.width = args.count(1, 0);
  spec.fill = "0";
  const bool has_sign = args.text(0).find_first_of("+-") == 0;
  TextBuilder out(rt.heap());
  write_padded(args.text(0), has_sign ? 1 : 0, '=', spec, out);
  return like_self(rt, args, out.view());
}

Value method_expandtabs(Runtime& rt, Args& args) {
  const size_t tab = args.count(1, 8);
  TextBuilder out(rt.heap());
  size_t column = 0;
  const std::string_view text = args.text(0);
  for (size_t i = 0; i < text.size();) {
    const size_t size = character_size(text, i);
    if (text[i] == '\t') {
      const size_t spaces = tab == 0 ? 0 : tab - column % tab;
      out.append(spaces, ' ');
      column += spaces;
    } else {
      out.append(text.substr(i, size));
      column = text[i] == '\n' || text[i] == '\r' ? 0 : column + 1;
    }
    i += size;
  }
  return like_self(rt, args, out.view());
}

Value method_join(Runtime& rt, Args& args) {
  const auto items = iterate(rt, args[1]);
  TextBuilder out(rt.heap());
  size_t index = 0;
  for (Value item; items->next(item); ++index) {
    if (index > 0) out.append(args.text(0));
    if (args[0].is_markup()) {
      out.append(escape_html(rt, item)->text);
      continue;
    }
    if (const auto* undefined = item.as<Undefined>()) undefined->fail_use();
    if (!item.is_string()) {
      fail(ErrorCode::kInvalidArgument, "join: item {} is a {}, expected a str", index,
           type_name(item));
    }
    out.append(item.text());
  }
  return like_self(rt, args, out.view());
}

Value method_format(Runtime& rt, Args& args) {
  return format_braces(rt, *args.string(0), {args.rest(), args.named_rest()});
}

Value method_format_map(Runtime& rt, Args& args) {
  const auto* dict = args[1].as<Dict>();
  if (dict == nullptr) args.fail_type(1, "a dict");
  CallArgs call;
  for (const auto& [key, value] : dict->entries()) {
    if (key.is_string()) call.named.emplace_back(key.text(), value);
  }
  return format_braces(rt, *args.string(0), call);
}

constexpr FunctionSpec kMethods[] = {
    {"capitalize", "self", method_convert<capitalized>},
    {"casefold", "self", method_convert<fold_case>},
    {"center", "self width fillchar?", method_center},
    {"expandtabs", "self tabsize?", method_expandtabs},
    {"format", "self * **", method_format},
    {"format_map", "self mapping", method_format_map},
    {"join", "self iterable", method_join},
    {"ljust", "self width fillchar?", method_ljust},
    {"lower", "self", method_convert<lower_case>},
    {"lstrip", "self chars?", method_strip<Side::kLeft>},
    {"partition", "self sep", method_partition},
    {"removeprefix", "self prefix", method_removeprefix},
    {"removesuffix", "self suffix", method_removesuffix},
    {"replace", "self old new count?", method_replace},
    {"rjust", "self width fillchar?", method_rjust},
    {"rpartition", "self sep", method_rpartition},
    {"rsplit", "self sep? maxsplit?", method_rsplit},
    {"rstrip", "self chars?", method_strip<Side::kRight>},
    {"split", "self sep? maxsplit?", method_split},
    {"splitlines", "self keepends?", method_splitlines},
    {"strip", "self chars?", method_strip<Side::kBoth>},
    {"swapcase", "self", method_convert<swap_case>},
    {"title", "self", method_convert<title_case>},
    {"upper", "self", method_convert<upper_case>},
    {"zfill", "self width", method_zfill},
};

}  // namespace

std::span<const FunctionSpec> string_methods() { return kMethods; }

}  // namespace xylem::text::jinja
