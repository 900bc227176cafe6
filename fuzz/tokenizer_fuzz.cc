// tokenizer.json from outside: reading any bytes, and encoding and decoding short texts with what
// was accepted, must end in a result or an Error. Decoded text is well-formed UTF-8, and the same
// whether it comes at once or token by token.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "xylem/base/error.h"
#include "xylem/text/tokenizer.h"
#include "xylem/text/utf8.h"

namespace {

using xylem::text::Tokenizer;

void require(bool condition) {
  if (!condition) std::abort();
}

void check_decode(const Tokenizer& tokenizer, const std::vector<int32_t>& ids, bool skip_special) {
  const std::string text = tokenizer.decode(ids, skip_special);
  require(xylem::text::valid_utf8_prefix(text) == text.size());
  xylem::text::StreamDecoder stream(tokenizer, skip_special);
  std::string streamed;
  for (const int32_t id : ids) {
    streamed += stream.push(id);
    require(xylem::text::valid_utf8_prefix(streamed) == streamed.size());
  }
  streamed += stream.finish();
  require(streamed == text);
}

void check_text(const Tokenizer& tokenizer, std::string_view text) {
  try {
    const std::vector<int32_t> ids = tokenizer.encode(text, /*add_special_tokens=*/true);
    for (const int32_t id : ids) require(id >= 0 && id < tokenizer.vocab_size());
    check_decode(tokenizer, ids, /*skip_special=*/false);
    check_decode(tokenizer, ids, /*skip_special=*/true);
    tokenizer.encode(text, /*add_special_tokens=*/false, /*parse_special=*/false);
  } catch (const xylem::Error&) {
  }
}

// The first and the last tokens in a row: the last are the added ones.
std::string own_tokens(const Tokenizer& tokenizer) {
  constexpr int32_t kEachSide = 8;
  constexpr size_t kMaxBytes = 1024;
  std::string text;
  for (int32_t id = 0; id < tokenizer.vocab_size(); ++id) {
    if (id == kEachSide) id = std::max(id, tokenizer.vocab_size() - kEachSide);
    text += tokenizer.token_text(id);
  }
  text.resize(std::min(text.size(), kMaxBytes));
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  try {
    const auto tokenizer = Tokenizer::from_json(json, "fuzz");
    check_text(*tokenizer,
               " Hello  worldaaaa\n42 <s> Gr\xC3\xBC\xC3\x9F"
               "e\xCC\x81 \xE6\x9D\xB1\xF0\x9F\x98\x80\xFF");
    check_text(*tokenizer, own_tokens(*tokenizer));
  } catch (const xylem::Error&) {
  }
  return 0;
}
