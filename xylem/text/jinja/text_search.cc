#include "xylem/text/jinja/text_search.h"

#include <algorithm>

#include "xylem/text/jinja/characters.h"
#include "xylem/text/utf8.h"

namespace xylem::text::jinja {
namespace {

bool ends_line(uint32_t c) {
  return (c >= '\n' && c <= '\r') || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 ||
         c == 0x2029;
}

std::vector<std::string_view> split_at_space(std::string_view text, Int limit) {
  std::vector<std::string_view> parts;
  text = strip_left(text);
  while (!text.empty()) {
    if (limit >= 0 && static_cast<Int>(parts.size()) == limit) {
      parts.push_back(text);
      break;
    }
    size_t end = 0;
    while (end < text.size() && !is_space(first_code_point(text.substr(end)).value)) {
      end += character_size(text, end);
    }
    parts.push_back(text.substr(0, end));
    text = strip_left(text.substr(end));
  }
  return parts;
}

std::vector<std::string_view> split_at_space_from_right(std::string_view text, Int limit) {
  std::vector<std::string_view> parts;
  text = strip_right(text);
  while (!text.empty()) {
    if (limit >= 0 && static_cast<Int>(parts.size()) == limit) {
      parts.push_back(text);
      break;
    }
    size_t start = text.size();
    while (start > 0) {
      const CodePoint c = last_code_point(text.substr(0, start));
      if (is_space(c.value)) break;
      start -= c.size;
    }
    parts.push_back(text.substr(start));
    text = strip_right(text.substr(0, start));
  }
  std::reverse(parts.begin(), parts.end());
  return parts;
}

bool holds_character(std::string_view characters, std::string_view character) {
  for (size_t i = 0; i < characters.size();) {
    const size_t size = character_size(characters, i);
    if (characters.substr(i, size) == character) return true;
    i += size;
  }
  return false;
}

}  // namespace

std::string replace_text(Heap& heap, std::string_view text, std::string_view old,
                         std::string_view replacement, Int limit) {
  TextBuilder out(heap);
  heap.work_on_bytes(text.size());
  size_t position = 0;
  for (Int count = 0; limit < 0 || count < limit; ++count) {
    if (old.empty()) {
      // An empty text is found before every character and at the end.
      if (count > 0) {
        if (position == text.size()) break;
        const size_t size = character_size(text, position);
        out.append(text.substr(position, size));
        position += size;
      }
      out.append(replacement);
      continue;
    }
    const size_t found = text.find(old, position);
    if (found == std::string_view::npos) break;
    out.append(text.substr(position, found - position)).append(replacement);
    position = found + old.size();
  }
  out.append(text.substr(position));
  return out.take();
}

std::vector<std::string_view> split_lines(std::string_view text, bool keep_ends) {
  std::vector<std::string_view> lines;
  size_t start = 0;
  for (size_t i = 0; i < text.size();) {
    const CodePoint c = first_code_point(text.substr(i));
    if (!ends_line(c.value)) {
      i += c.size;
      continue;
    }
    const size_t end_size = text.substr(i).starts_with("\r\n") ? 2 : c.size;
    lines.push_back(text.substr(start, i - start + (keep_ends ? end_size : 0)));
    i += end_size;
    start = i;
  }
  if (start < text.size()) lines.push_back(text.substr(start));
  return lines;
}

std::vector<std::string_view> split(std::string_view text,
                                    std::optional<std::string_view> separator, Int limit) {
  if (!separator) return split_at_space(text, limit);
  std::vector<std::string_view> parts;
  while (limit < 0 || static_cast<Int>(parts.size()) < limit) {
    const size_t found = text.find(*separator);
    if (found == std::string_view::npos) break;
    parts.push_back(text.substr(0, found));
    text.remove_prefix(found + separator->size());
  }
  parts.push_back(text);
  return parts;
}

std::vector<std::string_view> split_from_right(std::string_view text,
                                               std::optional<std::string_view> separator,
                                               Int limit) {
  if (!separator) return split_at_space_from_right(text, limit);
  std::vector<std::string_view> parts;
  while (limit < 0 || static_cast<Int>(parts.size()) < limit) {
    const size_t found = text.rfind(*separator);
    if (found == std::string_view::npos) break;
    parts.push_back(text.substr(found + separator->size()));
    text = text.substr(0, found);
  }
  parts.push_back(text);
  std::reverse(parts.begin(), parts.end());
  return parts;
}

std::string_view strip(std::string_view text, std::optional<std::string_view> characters,
                       Side side) {
  const auto strips = [&](std::string_view character, uint32_t value) {
    return characters ? holds_character(*characters, character) : is_space(value);
  };
  while (side != Side::kRight && !text.empty()) {
    const CodePoint c = first_code_point(text);
    if (!strips(text.substr(0, c.size), c.value)) break;
    text.remove_prefix(c.size);
  }
  while (side != Side::kLeft && !text.empty()) {
    const CodePoint c = last_code_point(text);
    if (!strips(text.substr(text.size() - c.size), c.value)) break;
    text.remove_suffix(c.size);
  }
  return text;
}

}  // namespace xylem::text::jinja
