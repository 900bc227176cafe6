#include "xylem/text/tokenize/added_tokens.h"

#include <algorithm>

#include "xylem/base/error.h"
#include "xylem/text/utf8.h"

namespace xylem::text {

void AddedTokens::add(const AddedToken& token, std::string_view pattern) {
  if (pattern.size() > kMaxContentBytes) {
    fail(ErrorCode::kInvalidArgument, "the added token {} has {} bytes, at most {} expected",
         token.id, pattern.size(), kMaxContentBytes);
  }
  if (pattern.empty()) return;
  insert(pattern, static_cast<int32_t>(tokens_.size()));
  tokens_.push_back({token.id, token.single_word, token.lstrip, token.rstrip, token.special});
}

void AddedTokens::insert(std::string_view pattern, int32_t token) {
  int32_t node = -1;
  for (const char c : pattern) {
    const auto byte = static_cast<unsigned char>(c);
    int32_t next = node < 0 ? roots_[byte] : child(node, byte);
    if (next < 0) {
      next = static_cast<int32_t>(nodes_.size());
      nodes_.push_back({.byte = byte});
      if (node < 0) {
        roots_[byte] = next;
      } else {
        nodes_[next].next_sibling = nodes_[node].first_child;
        nodes_[node].first_child = next;
      }
    }
    node = next;
  }
  nodes_[node].token = token;
}

int32_t AddedTokens::child(int32_t node, unsigned char byte) const {
  int32_t next = nodes_[node].first_child;
  while (next >= 0 && nodes_[next].byte != byte) next = nodes_[next].next_sibling;
  return next;
}

bool AddedTokens::next_match(std::string_view text, size_t from, Match& match) const {
  if (nodes_.empty()) return false;
  for (size_t begin = from; begin < text.size(); ++begin) {
    int32_t node = roots_[static_cast<unsigned char>(text[begin])];
    if (node < 0) continue;
    int32_t longest = -1;
    for (size_t end = begin + 1; node >= 0; ++end) {
      if (nodes_[node].token >= 0) {
        longest = nodes_[node].token;
        match.end = end;
      }
      if (end == text.size()) break;
      node = child(node, static_cast<unsigned char>(text[end]));
    }
    if (longest >= 0) {
      match.begin = begin;
      match.token = &tokens_[longest];
      return true;
    }
  }
  return false;
}

bool AddedTokens::accept(std::string_view text, bool skip_special, size_t done, Match& match) {
  const Token& token = *match.token;
  if (skip_special && token.special) return false;
  const std::string_view before = text.substr(0, match.begin);
  const std::string_view after = text.substr(match.end);
  if (token.single_word) {
    if (!before.empty() && is_word_character(last_code_point(before).value)) return false;
    if (!after.empty() && is_word_character(first_code_point(after).value)) return false;
  }
  if (token.lstrip) {
    while (match.begin > done) {
      const CodePoint point = last_code_point(text.substr(done, match.begin - done));
      if (!is_white_space(point.value)) break;
      match.begin -= point.size;
    }
  }
  if (token.rstrip) {
    match.end = std::max(match.end, match.space_end);
    while (match.end < text.size()) {
      const CodePoint point = first_code_point(text.substr(match.end));
      if (!is_white_space(point.value)) break;
      match.end += point.size;
    }
    match.space_end = match.end;
  }
  return true;
}

}  // namespace xylem::text
