#include "xylem/text/tokenize/decoder_stages.h"

#include <charconv>
#include <system_error>

#include "xylem/text/tokenize/byte_alphabet.h"

namespace xylem::text {

int fallback_byte(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token.back() != '>') return -1;
  unsigned byte = 0;
  const auto [end, error] = std::from_chars(token.data() + 3, token.data() + 5, byte, 16);
  return error == std::errc() && end == token.data() + 5 ? static_cast<int>(byte) : -1;
}

std::string replace_all(std::string_view text, std::string_view pattern, std::string_view content) {
  std::string out;
  size_t done = 0;
  for (size_t at = text.find(pattern); at != std::string_view::npos;
       at = text.find(pattern, done)) {
    out += text.substr(done, at - done);
    out += content;
    done = at + pattern.size();
  }
  out += text.substr(done);
  return out;
}

std::string_view strip_token(std::string_view token, std::string_view character, int32_t start,
                             int32_t stop) {
  for (; start > 0 && token.starts_with(character); --start) token.remove_prefix(character.size());
  for (; stop > 0 && token.ends_with(character); --stop) token.remove_suffix(character.size());
  return token;
}

void ByteLevelStage::push(std::string_view token) {
  const auto bytes = characters_to_bytes(token);
  // A token with a character outside the alphabet (most added tokens) is text already.
  assembler_.push(bytes ? std::string_view(*bytes) : token, ready_);
  flush();
}

void ByteLevelStage::finish() {
  assembler_.finish(ready_);
  flush();
  next_->finish();
}

void ByteLevelStage::flush() {
  if (!ready_.empty()) next_->push(ready_);
  ready_.clear();
}

void ByteFallbackStage::push(std::string_view token) {
  const int byte = fallback_byte(token);
  if (byte >= 0) {
    run_.push_back(static_cast<char>(byte));
    return;
  }
  flush();
  next_->push(token);
}

void ByteFallbackStage::finish() {
  flush();
  next_->finish();
}

void ByteFallbackStage::flush() {
  if (run_.empty()) return;
  if (valid_utf8_prefix(run_) == run_.size()) {
    next_->push(run_);
  } else {
    std::string replaced;
    for (size_t i = 0; i < run_.size(); ++i) replaced += kReplacementCharacter;
    next_->push(replaced);
  }
  run_.clear();
}

void StripTextStage::push(std::string_view token) {
  while (left_ > 0 && !token.empty()) {
    if (token.starts_with(character_)) {
      token.remove_prefix(character_.size());
      --left_;
    } else {
      left_ = 0;
    }
  }
  if (!token.empty()) next_->push(token);
}

}  // namespace xylem::text
