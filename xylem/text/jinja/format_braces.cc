// "{}".format(value)
#include <algorithm>
#include <array>

#include "xylem/base/error.h"
#include "xylem/text/jinja/characters.h"
#include "xylem/text/jinja/format.h"
#include "xylem/text/jinja/numbers.h"
#include "xylem/text/jinja/operations.h"

namespace xylem::text::jinja {
namespace {

constexpr int kMaxPrecision = 10'000;

bool is_align(char c) { return c == '<' || c == '>' || c == '^' || c == '='; }
bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }

int read_digits(std::string_view& text) {
  int number = 0;
  while (!text.empty() && is_ascii_digit(text[0])) {
    number = std::min(number, INT32_MAX / 10 - 1) * 10 + (text[0] - '0');
    text.remove_prefix(1);
  }
  return number;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text[0] != c) return false;
  text.remove_prefix(1);
  return true;
}

FieldSpec parse_spec(std::string_view text) {
  FieldSpec spec;
  spec.fill.clear();
  const std::string_view whole = text;
  if (!text.empty()) {
    const size_t first = character_size(text, 0);
    if (first < text.size() && is_align(text[first])) {
      spec.fill = text.substr(0, first);
      spec.align = text[first];
      text.remove_prefix(first + 1);
    } else if (is_align(text[0])) {
      spec.align = text[0];
      text.remove_prefix(1);
    }
  }
  for (char sign : {'+', '-', ' '}) {
    if (take(text, sign)) {
      spec.sign = sign;
      break;
    }
  }
  spec.alternate = take(text, '#');
  spec.zero = take(text, '0');
  if (spec.zero && spec.fill.empty()) spec.fill = "0";
  if (spec.fill.empty()) spec.fill = " ";
  spec.width = static_cast<size_t>(read_digits(text));
  if (take(text, ',')) spec.grouping = ',';
  if (take(text, '_')) spec.grouping = '_';
  if (take(text, '.')) spec.precision = std::min(read_digits(text), kMaxPrecision);
  if (text.size() == 1) {
    spec.type = text[0];
  } else if (!text.empty()) {
    fail(ErrorCode::kInvalidArgument, "'{}' is no valid format of a field", whole);
  }
  return spec;
}

class BraceFormatter {
 public:
  BraceFormatter(Runtime& rt, const StringData& format, const CallArgs& arguments)
      : rt_(rt), format_(format), arguments_(arguments), out_(rt.heap()) {}

  Value run() {
    format(format_.text, out_, 2);
    return rt_.string(out_, format_.markup);
  }

 private:
  void format(std::string_view text, TextBuilder& out, int depth) {
    if (depth == 0) fail(ErrorCode::kInvalidArgument, "format fields are nested too deeply");
    while (!text.empty()) {
      const size_t brace = std::min(text.find_first_of("{}"), text.size());
      out.append(text.substr(0, brace));
      text.remove_prefix(brace);
      if (text.empty()) return;
      if (text.size() > 1 && text[1] == text[0]) {
        out.append(text.substr(0, 1));
        text.remove_prefix(2);
      } else if (text[0] == '}') {
        fail(ErrorCode::kInvalidArgument, "a format string has a single '}}'");
      } else {
        const size_t size = field_size(text);
        write_field(text.substr(1, size - 2), out, depth);
        text.remove_prefix(size);
      }
    }
  }

  // The bytes of a field with its braces, which may hold fields.
  static size_t field_size(std::string_view text) {
    int open = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '{') ++open;
      if (text[i] == '}' && --open == 0) return i + 1;
    }
    fail(ErrorCode::kInvalidArgument, "a format string has a '{{' without '}}'");
  }

  void write_field(std::string_view field, TextBuilder& out, int depth) {
    const size_t name_end = std::min(field.find_first_of("!:"), field.size());
    Value value = lookup(field.substr(0, name_end));
    field.remove_prefix(name_end);
    char conversion = 0;
    if (take(field, '!')) {
      if (field.empty()) fail(ErrorCode::kInvalidArgument, "a format field ends after '!'");
      conversion = field[0];
      field.remove_prefix(1);
    }
    TextBuilder spec(rt_.heap());
    if (take(field, ':')) format(field, spec, depth - 1);
    if (conversion == 's') value = to_string(rt_, value);
    if (conversion == 'r' || conversion == 'a') value = rt_.string(repr(rt_, value));
    write_value(value, spec.view(), out);
  }

  // name, 0, name.attribute or name[key]
  Value lookup(std::string_view name) {
    const size_t end = std::min(name.find_first_of(".["), name.size());
    Value value = argument(name.substr(0, end));
    name.remove_prefix(end);
    while (!name.empty()) {
      const bool subscript = name[0] == '[';
      name.remove_prefix(1);
      const size_t stop = std::min(name.find_first_of(subscript ? "]" : ".["), name.size());
      const std::string_view part = name.substr(0, stop);
      if (part.empty()) fail(ErrorCode::kInvalidArgument, "a format field has an empty attribute");
      name.remove_prefix(subscript ? std::min(stop + 1, name.size()) : stop);
      const auto index = subscript ? parse_int(part, 10) : std::nullopt;
      value = index       ? get_item(rt_, value, *index)
              : subscript ? get_item(rt_, value, rt_.string(std::string(part)))
                          : get_attribute(rt_, value, part);
    }
    return value;
  }

  const Value& argument(std::string_view name) {
    const bool numbered = !name.empty() && std::all_of(name.begin(), name.end(), is_ascii_digit);
    if (!name.empty() && !numbered) {
      for (const auto& [known, value] : arguments_.named) {
        if (known == name) return value;
      }
      fail(ErrorCode::kInvalidArgument, "a format string names '{}', which is not given", name);
    }
    const size_t index = numbered ? static_cast<size_t>(read_digits(name)) : next_++;
    if (index >= arguments_.positional.size()) {
      fail(ErrorCode::kInvalidArgument, "a format string wants argument {}, but there are {}",
           index, arguments_.positional.size());
    }
    return arguments_.positional[index];
  }

  void write_value(const Value& value, std::string_view spec_text, TextBuilder& out) {
    TextBuilder field(rt_.heap());
    if (value.is_markup()) {
      if (format_.markup && !spec_text.empty()) {
        fail(ErrorCode::kInvalidArgument, "a markup string takes no format");
      }
      write_text(value.text(), parse_spec(spec_text), field);
    } else if (value.is_string()) {
      write_text(value.text(), parse_spec(spec_text), field);
    } else if (spec_text.empty() || !value.is_number()) {
      if (!spec_text.empty()) {
        fail(ErrorCode::kInvalidArgument, "a {} takes no format '{}'", type_name(value), spec_text);
      }
      write_string(rt_, value, field);
    } else {
      write_number(value, parse_spec(spec_text), field);
    }
    if (format_.markup) {
      out.append(escape_html(rt_, rt_.string(field, value.is_markup()))->text);
    } else {
      out.append(field.view());
    }
  }

  static void write_text(std::string_view text, FieldSpec spec, TextBuilder& out) {
    if ((spec.type != 0 && spec.type != 's') || spec.align == '=' || spec.sign != '-') {
      fail(ErrorCode::kInvalidArgument, "a str takes no number format");
    }
    if (spec.precision >= 0) {
      text = text.substr(0, byte_offset(text, static_cast<size_t>(spec.precision)));
    }
    write_padded(text, 0, '<', spec, out);
  }

  static void write_number(const Value& value, FieldSpec spec, TextBuilder& out) {
    constexpr std::string_view kIntTypes = "dboxXn";
    constexpr std::string_view kFloatTypes = "eEfFgG%n";
    const bool as_int = value.is_integral() &&
                        (spec.type == 0 || kIntTypes.find(spec.type) != std::string_view::npos);
    const bool as_float = spec.type == 0 || kFloatTypes.find(spec.type) != std::string_view::npos;
    if (!as_int && !as_float) {
      fail(ErrorCode::kInvalidArgument, "a {} has no format of type '{}'", type_name(value),
           spec.type);
    }
    const std::string text =
        as_int ? format_int(value.as_int(), spec) : format_float(value.as_double(), spec);
    if (spec.zero && spec.align == 0) spec.align = '=';
    write_padded(text, text.find_first_of("+- ") == 0 ? 1 : 0, '>', spec, out);
  }

  Runtime& rt_;
  const StringData& format_;
  const CallArgs& arguments_;
  TextBuilder out_;
  size_t next_ = 0;
};

}  // namespace

Value format_braces(Runtime& rt, const StringData& format, const CallArgs& arguments) {
  return BraceFormatter(rt, format, arguments).run();
}

}  // namespace xylem::text::jinja
