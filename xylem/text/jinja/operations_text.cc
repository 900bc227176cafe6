// str, repr and HTML escaping.
#include <fmt/format.h>

#include "xylem/text/jinja/characters.h"
#include "xylem/text/jinja/numbers.h"
#include "xylem/text/jinja/operations.h"
#include "xylem/text/utf8.h"

namespace xylem::text::jinja {
namespace {

void write_string_repr(std::string_view text, TextBuilder& out) {
  const bool single = text.find('\'') == std::string_view::npos;
  const char quote = single || text.find('"') != std::string_view::npos ? '\'' : '"';
  out.append(1, quote);
  for (size_t i = 0; i < text.size();) {
    const CodePoint c = first_code_point(text.substr(i));
    const std::string_view bytes = text.substr(i, c.size);
    i += c.size;
    if (c.value == static_cast<unsigned char>(quote) || c.value == '\\') {
      out.append("\\").append(bytes);
    } else if (c.value == '\n') {
      out.append("\\n");
    } else if (c.value == '\r') {
      out.append("\\r");
    } else if (c.value == '\t') {
      out.append("\\t");
    } else if (is_printable(c.value)) {
      out.append(bytes);
    } else if (c.value < 0x100) {
      out.append(fmt::format("\\x{:02x}", c.value));
    } else if (c.value < 0x10000) {
      out.append(fmt::format("\\u{:04x}", c.value));
    } else {
      out.append(fmt::format("\\U{:08x}", c.value));
    }
  }
  out.append(1, quote);
}

// The text of everything but strings.
void write_plain(Runtime& rt, const Value& value, TextBuilder& out) {
  if (value.is_none()) {
    out.append("None");
  } else if (value.is_bool()) {
    out.append(value.as_bool() ? "True" : "False");
  } else if (value.is_int()) {
    out.append(int_text(value.as_int()));
  } else if (value.is_float()) {
    out.append(float_text(value.as_double()));
  } else {
    value.object()->repr(rt, out);
  }
}

}  // namespace

void write_repr(Runtime& rt, const Value& value, TextBuilder& out) {
  if (!value.is_string()) return write_plain(rt, value, out);
  if (value.is_markup()) out.append("Markup(");
  write_string_repr(value.text(), out);
  if (value.is_markup()) out.append(")");
}

void write_string(Runtime& rt, const Value& value, TextBuilder& out) {
  if (value.is_string()) {
    out.append(value.text());
  } else if (!value.is_undefined()) {
    write_plain(rt, value, out);
  }
}

std::string repr(Runtime& rt, const Value& value) {
  TextBuilder out(rt.heap());
  write_repr(rt, value, out);
  return out.take();
}

StringRef soft_string(Runtime& rt, const Value& value) {
  if (value.is_string()) return value.string();
  TextBuilder out(rt.heap());
  write_string(rt, value, out);
  return rt.heap().string(out.take());
}

StringRef to_string(Runtime& rt, const Value& value) {
  if (value.is_markup()) return rt.heap().string(std::string(value.text()));
  return soft_string(rt, value);
}

StringRef escape_html(Runtime& rt, const Value& value) {
  if (value.is_markup()) return value.string();
  const StringRef plain = soft_string(rt, value);
  TextBuilder out(rt.heap());
  std::string_view rest = plain->text;
  for (size_t at = 0; (at = rest.find_first_of("&<>'\"")) != std::string_view::npos;) {
    out.append(rest.substr(0, at));
    switch (rest[at]) {
      case '&':
        out.append("&amp;");
        break;
      case '<':
        out.append("&lt;");
        break;
      case '>':
        out.append("&gt;");
        break;
      case '\'':
        out.append("&#39;");
        break;
      default:
        out.append("&#34;");
    }
    rest.remove_prefix(at + 1);
  }
  out.append(rest);
  return rt.heap().string(out.take(), true);
}

}  // namespace xylem::text::jinja
