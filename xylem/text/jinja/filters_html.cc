// Filters for HTML and URLs.
#include <algorithm>
#include <array>

#include "xylem/base/error.h"
#include "xylem/text/jinja/html_entities.h"
#include "xylem/text/jinja/operations.h"
#include "xylem/text/jinja/registry.h"
#include "xylem/text/jinja/text_search.h"

namespace xylem::text::jinja {
namespace {

Value filter_escape(Runtime& rt, Args& args) { return escape_html(rt, args[0]); }

Value filter_forceescape(Runtime& rt, Args& args) {
  return escape_html(rt, to_string(rt, args[0]));
}

Value filter_safe(Runtime& rt, Args& args) {
  if (args[0].is_markup()) return args[0];
  return rt.string(to_string(rt, args[0])->text, true);
}

// The text without tags and comments.
std::string without_tags(std::string_view text) {
  std::string out;
  for (;;) {
    const size_t start = text.find('<');
    if (start == std::string_view::npos) break;
    const bool comment = text.substr(start).starts_with("<!--");
    const std::string_view close = comment ? "-->" : ">";
    const size_t end = text.find(close, start + (comment ? 4 : 1));
    if (end == std::string_view::npos) break;
    out += text.substr(0, start);
    text.remove_prefix(end + close.size());
  }
  return out.append(text);
}

Value filter_striptags(Runtime& rt, Args& args) {
  const StringRef text = to_string(rt, args[0]);
  std::string words;
  const std::string stripped = without_tags(text->text);
  for (std::string_view word : split(stripped, std::nullopt, -1)) {
    if (!words.empty()) words += ' ';
    words += word;
  }
  return rt.string(unescape_html(words));
}

std::string url_quote(Runtime& rt, const Value& value, bool in_query) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  const StringRef text = soft_string(rt, value);
  TextBuilder out(rt.heap());
  for (char c : text->text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool safe = std::isalnum(byte) != 0 || c == '_' || c == '.' || c == '-' || c == '~' ||
                      (c == '/' && !in_query);
    if (safe && byte < 0x80) {
      out.append(1, c);
    } else if (c == ' ' && in_query) {
      out.append("+");
    } else {
      out.append("%").append(kHex.substr(byte >> 4, 1)).append(kHex.substr(byte & 15, 1));
    }
  }
  return out.take();
}

Value filter_urlencode(Runtime& rt, Args& args) {
  const Value& value = args[0];
  if (value.is_string() || try_iterate(rt, value) == nullptr) {
    return rt.string(url_quote(rt, value, false));
  }
  const auto* dict = value.as<Dict>();
  const Value pairs =
      dict == nullptr ? value : rt.heap().make<DictView>(dict, DictView::Part::kItems);
  TextBuilder out(rt.heap());
  for (const Value& pair : to_values(rt, pairs)) {
    const Values parts = to_values(rt, pair);
    if (parts.size() != 2) args.fail_type(0, "a dict or an iterable of pairs");
    if (!out.empty()) out.append("&");
    out.append(url_quote(rt, parts[0], true)).append("=").append(url_quote(rt, parts[1], true));
  }
  return rt.string(out);
}

Value filter_xmlattr(Runtime& rt, Args& args) {
  const auto* dict = args[0].as<Dict>();
  if (dict == nullptr) args.fail_type(0, "a dict");
  TextBuilder out(rt.heap());
  for (const auto& [key, value] : dict->entries()) {
    if (value.is_none() || value.is_undefined()) continue;
    if (!key.is_string()) args.fail_type(0, "a dict with str keys");
    if (key.text().find_first_of(" \t\n\r\f\v/>=") != std::string_view::npos) {
      fail(ErrorCode::kInvalidArgument, "xmlattr: '{}' is no name of an attribute", key.text());
    }
    if (!out.empty() || args.truth(1, true)) out.append(" ");
    out.append(escape_html(rt, key)->text).append("=\"");
    out.append(escape_html(rt, value)->text).append("\"");
  }
  return rt.string(out);
}

constexpr FunctionSpec kFilters[] = {
    {"e", "s", filter_escape},
    {"escape", "s", filter_escape},
    {"forceescape", "value", filter_forceescape},
    {"safe", "value", filter_safe},
    {"striptags", "value", filter_striptags},
    {"urlencode", "value", filter_urlencode},
    {"xmlattr", "d autospace?", filter_xmlattr},
};

}  // namespace

std::span<const FunctionSpec> html_filters() { return kFilters; }

}  // namespace xylem::text::jinja
