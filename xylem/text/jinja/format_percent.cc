// "%s" % value
#include <algorithm>

#include "xylem/base/error.h"
#include "xylem/text/jinja/characters.h"
#include "xylem/text/jinja/format.h"
#include "xylem/text/jinja/numbers.h"
#include "xylem/text/jinja/operations.h"
#include "xylem/text/utf8.h"

namespace xylem::text::jinja {
namespace {

constexpr int kMaxPrecision = 10'000;

class PercentFormatter {
 public:
  PercentFormatter(Runtime& rt, const StringData& format, const Values& arguments,
                   const Value& whole)
      : rt_(rt), format_(format), arguments_(arguments), whole_(whole), out_(rt.heap()) {}

  Value run() {
    const std::string_view text = format_.text;
    while (position_ < text.size()) {
      const size_t percent = std::min(text.find('%', position_), text.size());
      out_.append(text.substr(position_, percent - position_));
      position_ = percent + 1;
      if (percent < text.size()) write_field();
    }
    // Python lets whatever has subscripts, a dict above all, stay unused.
    const bool may_stay_unused = whole_.as<Dict>() != nullptr || whole_.as<List>() != nullptr ||
                                 whole_.as<Range>() != nullptr;
    if (next_ < arguments_.size() && !used_keys_ && !may_stay_unused) {
      fail(ErrorCode::kInvalidArgument, "a format string does not use all of its {} arguments",
           arguments_.size());
    }
    return rt_.string(out_, format_.markup);
  }

 private:
  char peek() const {
    if (position_ < format_.text.size()) return format_.text[position_];
    fail(ErrorCode::kInvalidArgument, "a format string ends inside a field");
  }

  const Value& next_argument() {
    if (next_ >= arguments_.size()) {
      fail(ErrorCode::kInvalidArgument, "a format string needs more than its {} arguments",
           arguments_.size());
    }
    return arguments_[next_++];
  }

  Value keyed_argument() {
    const size_t end = format_.text.find(')', position_);
    if (end == std::string::npos) {
      fail(ErrorCode::kInvalidArgument, "a format string has a '%(' without ')'");
    }
    const std::string_view key = std::string_view(format_.text).substr(position_, end - position_);
    position_ = end + 1;
    used_keys_ = true;
    const auto* dict = whole_.as<Dict>();
    const Value* found = dict == nullptr ? nullptr : dict->find(key);
    if (found == nullptr) {
      fail(ErrorCode::kInvalidArgument, "a format string names the key '{}', which is not given",
           key);
    }
    return *found;
  }

  void read_flags(FieldSpec& spec) {
    for (;; ++position_) {
      switch (peek()) {
        case '-':
          spec.align = '<';
          break;
        case '+':
          spec.sign = '+';
          break;
        case ' ':
          if (spec.sign == '-') spec.sign = ' ';
          break;
        case '#':
          spec.alternate = true;
          break;
        case '0':
          spec.zero = true;
          break;
        default:
          return;
      }
    }
  }

  // A number in the format, or `*`: the next argument.
  Int read_number() {
    if (peek() == '*') {
      ++position_;
      const Value& argument = next_argument();
      if (!argument.is_integral())
        fail(ErrorCode::kInvalidArgument, "'*' in a format wants an int");
      return argument.as_int();
    }
    Int number = 0;
    for (; peek() >= '0' && peek() <= '9'; ++position_) {
      number = std::min<Int>(number * 10 + (peek() - '0'), INT32_MAX);
    }
    return number;
  }

  void write_field() {
    if (peek() == '%') {
      ++position_;
      out_.append("%");
      return;
    }
    std::optional<Value> keyed;
    if (peek() == '(') {
      ++position_;
      keyed = keyed_argument();
    }
    FieldSpec spec;
    read_flags(spec);
    const Int width = read_number();
    if (width < 0) spec.align = '<';
    spec.width = static_cast<size_t>(std::min<Int>(width < 0 ? -width : width, INT32_MAX));
    if (peek() == '.') {
      ++position_;
      spec.precision = static_cast<int>(std::clamp<Int>(read_number(), 0, kMaxPrecision));
    }
    while (peek() == 'h' || peek() == 'l' || peek() == 'L') ++position_;
    spec.type = peek();
    ++position_;
    write_value(spec, keyed ? *keyed : next_argument());
  }

  void write_value(FieldSpec& spec, const Value& value) {
    switch (spec.type) {
      case 's':
      case 'r':
      case 'a':
        return write_text(spec, value);
      case 'c':
        return write_character(spec, value);
      case 'd':
      case 'i':
      case 'u':
      case 'o':
      case 'x':
      case 'X':
        return write_number(spec, integer_text(spec, value));
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
        return write_number(spec, format_float(number(value).as_double(), spec));
      default:
        fail(ErrorCode::kInvalidArgument, "a format string has the unknown field type '%{}'",
             spec.type);
    }
  }

  void write_text(const FieldSpec& spec, const Value& value) {
    Value text = value;
    if (spec.type != 's') text = rt_.string(repr(rt_, value));
    const StringRef shown = format_.markup ? escape_html(rt_, text) : soft_string(rt_, text);
    std::string_view view = shown->text;
    if (spec.precision >= 0) {
      view = view.substr(0, byte_offset(view, static_cast<size_t>(spec.precision)));
    }
    write_padded(view, 0, '>', spec, out_);
  }

  void write_character(const FieldSpec& spec, const Value& value) {
    std::string text;
    if (value.is_string() && value.string()->length == 1) {
      text = value.text();
    } else if (value.is_integral() && value.as_int() >= 0 && value.as_int() <= 0x10FFFF) {
      append_utf8(static_cast<uint32_t>(value.as_int()), text);
    } else {
      fail(ErrorCode::kInvalidArgument, "'%c' wants one character or a code point");
    }
    std::string storage;
    write_padded(repair_utf8(text, storage), 0, '>', spec, out_);
  }

  const Value& number(const Value& value) const {
    if (const auto* undefined = value.as<Undefined>()) undefined->fail_use();
    if (!value.is_number()) {
      fail(ErrorCode::kInvalidArgument, "a number is required in a format string, not a {}",
           type_name(value));
    }
    return value;
  }

  std::string integer_text(FieldSpec& spec, const Value& value) const {
    const bool decimal = spec.type == 'd' || spec.type == 'i' || spec.type == 'u';
    if (decimal) spec.type = 'd';
    if (number(value).is_float() && !decimal) {
      fail(ErrorCode::kInvalidArgument, "'%{}' wants an int, not a float", spec.type);
    }
    const Int whole = value.is_float() ? truncate_float(value.as_double()) : value.as_int();
    std::string text = format_int(whole, spec);
    const size_t sign = text.find_first_of("+- ") == 0 ? 1 : 0;
    const size_t digits = text.size() - sign;
    if (spec.precision >= 0 && digits < static_cast<size_t>(spec.precision)) {
      text.insert(sign, static_cast<size_t>(spec.precision) - digits, '0');
    }
    return text;
  }

  void write_number(FieldSpec spec, std::string_view text) {
    const size_t sign_size = text.find_first_of("+- ") == 0 ? 1 : 0;
    if (spec.zero && spec.align == 0) {
      spec.align = '=';
      spec.fill = "0";
    }
    write_padded(text, sign_size, '>', spec, out_);
  }

  Runtime& rt_;
  const StringData& format_;
  const Values& arguments_;
  const Value& whole_;
  TextBuilder out_;
  size_t position_ = 0;
  size_t next_ = 0;
  bool used_keys_ = false;
};

}  // namespace

Value format_percent(Runtime& rt, const StringData& format, const Values& arguments,
                     const Value& whole) {
  return PercentFormatter(rt, format, arguments, whole).run();
}

}  // namespace xylem::text::jinja
