#include "xylem/text/tokenize/bpe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "xylem/io/printable.h"
#include "xylem/text/tokenize/byte_alphabet.h"
#include "xylem/text/utf8.h"

namespace xylem::text {
namespace {

// Up to here scanning all pairs beats a queue.
constexpr size_t kShortWord = 48;

std::string byte_token(unsigned byte) { return fmt::format("<0x{:02X}>", byte); }

// A queue entry: rank first, then the position, so that the smallest is the next merge.
uint64_t queue_key(uint32_t rank, int32_t position) {
  return (static_cast<uint64_t>(rank) << 32) | static_cast<uint32_t>(position);
}

}  // namespace

Bpe::Bpe(TokenTexts texts, size_t merge_count, const MergeAt& merge_at, BpeOptions options,
         const Where& where)
    : texts_(std::move(texts)),
      options_(std::move(options)),
      index_(&texts_),
      merges_(merge_count) {
  for (size_t id = 0; id < texts_.size(); ++id) {
    if (!texts_[id].empty()) index_.insert(static_cast<int32_t>(id));
  }
  add_merges(merge_count, merge_at, where);
  if (options_.unk_token) unk_id_ = index_.find(*options_.unk_token);
  for (unsigned byte = 0; byte < 256; ++byte) byte_ids_[byte] = index_.find(byte_token(byte));
  for (unsigned c = 0; c < 128; ++c) {
    ascii_ids_[c] = index_.find(std::string(1, static_cast<char>(c)));
  }
}

void Bpe::add_merges(size_t count, const MergeAt& merge_at, const Where& where) {
  merged_.reserve(count);
  std::string joined;
  for (size_t rank = 0; rank < count; ++rank) {
    const auto [left, right] = merge_at(rank);
    joined.assign(left).append(right);
    const auto find = [&](std::string_view token) {
      const int32_t id = index_.find(token);
      if (id < 0) {
        fail(ErrorCode::kInvalidArgument,
             "{}: merges[{}] needs the token '{}', not in the vocabulary", where, rank,
             io::printable(token));
      }
      return id;
    };
    const int32_t left_id = find(left);
    const int32_t right_id = find(right);
    merged_.push_back(find(joined));
    merges_.add(left_id, right_id, {static_cast<uint32_t>(rank), merged_.back()});
  }
}

bool Bpe::accept_bytes() {
  std::array<int32_t, 256> ids{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    ids[byte] = index_.find(byte_to_character(static_cast<unsigned char>(byte)));
    if (ids[byte] < 0 && options_.byte_fallback) return false;  // it falls back on other bytes
  }
  byte_ids_ = ids;
  bytes_ = true;
  if (!options_.ignore_merges) return true;
  words_.resize(texts_.size());
  word_index_.emplace(&words_);
  for (size_t id = 0; id < texts_.size(); ++id) {
    // A token with a character outside the alphabet matches no word.
    words_[id] = characters_to_bytes(texts_[id]).value_or("");
    if (!words_[id].empty()) word_index_->insert(static_cast<int32_t>(id));
  }
  return true;
}

void Bpe::encode(const PreTokens& words, ModelScratch& scratch, std::vector<int32_t>& ids) const {
  std::vector<int32_t>& word_ids = scratch.word_ids;
  for (const Span& span : words.spans()) {
    const std::string_view word = words.word(span);
    if (word.empty() || word.size() > WordCache::kMaxWordBytes) {
      encode_word(word, scratch, word_ids);
      ids.insert(ids.end(), word_ids.begin(), word_ids.end());
      continue;
    }
    WordCache::Entry& entry = scratch.cache.entry(word);
    if (entry.holds(word)) {
      ids.insert(ids.end(), entry.ids.begin(), entry.ids.begin() + entry.count);
      continue;
    }
    encode_word(word, scratch, word_ids);
    if (word_ids.size() <= WordCache::kMaxIds) entry.store(word, word_ids);
    ids.insert(ids.end(), word_ids.begin(), word_ids.end());
  }
}

void Bpe::encode_word(std::string_view word, ModelScratch& scratch,
                      std::vector<int32_t>& ids) const {
  ids.clear();
  if (options_.ignore_merges) {
    const int32_t id = word_index_ ? word_index_->find(word) : index_.find(word);
    if (id >= 0) {
      ids.push_back(id);
      return;
    }
  }
  start_word(word, ids);
  if (ids.size() <= kShortWord) {
    merge_short(ids);
  } else {
    merge_long(scratch, ids);
  }
}

void Bpe::start_word(std::string_view word, std::vector<int32_t>& ids) const {
  bool pending_unk = false;
  while (!word.empty()) {
    const std::string_view character = word.substr(0, bytes_ ? 1 : first_code_point(word).size);
    word.remove_prefix(character.size());
    const int32_t id = character_id(character);
    if (id >= 0) {
      if (pending_unk) ids.push_back(unk_id_);
      pending_unk = false;
      ids.push_back(id);
      continue;
    }
    if (options_.byte_fallback && !bytes_ && append_fallback(character, ids)) continue;
    if (!options_.unk_token) continue;  // as the tokenizers library does: the character is lost
    if (unk_id_ < 0) {
      fail(ErrorCode::kInvalidArgument,
           "the text holds '{}', which the vocabulary lacks, as it does the unk_token '{}'",
           io::printable(character), io::printable(*options_.unk_token));
    }
    if (pending_unk && !options_.fuse_unk) ids.push_back(unk_id_);
    pending_unk = true;
  }
  if (pending_unk) ids.push_back(unk_id_);
}

int32_t Bpe::character_id(std::string_view character) const {
  const auto first = static_cast<unsigned char>(character[0]);
  if (bytes_) return byte_ids_[first];
  return first < ascii_ids_.size() ? ascii_ids_[first] : index_.find(character);
}

bool Bpe::append_fallback(std::string_view character, std::vector<int32_t>& ids) const {
  for (const char c : character) {
    if (byte_ids_[static_cast<unsigned char>(c)] < 0) return false;
  }
  for (const char c : character) ids.push_back(byte_ids_[static_cast<unsigned char>(c)]);
  return true;
}

void Bpe::merge_short(std::vector<int32_t>& ids) const {
  std::array<uint32_t, kShortWord> ranks;  // ranks[i]: of joining ids[i] and ids[i + 1]
  size_t size = ids.size();
  if (size < 2) return;
  for (size_t i = 0; i + 1 < size; ++i) ranks[i] = merges_.find(ids[i], ids[i + 1]).rank;
  while (size > 1) {
    const auto* best = std::min_element(ranks.begin(), ranks.begin() + (size - 1));
    if (*best == kNoMerge) break;
    const auto at = static_cast<size_t>(best - ranks.begin());
    ids[at] = merged_[*best];
    std::copy(ids.begin() + at + 2, ids.begin() + size, ids.begin() + at + 1);
    std::copy(ranks.begin() + at + 1, ranks.begin() + (size - 1), ranks.begin() + at);
    --size;
    if (at > 0) ranks[at - 1] = merges_.find(ids[at - 1], ids[at]).rank;
    if (at + 1 < size) ranks[at] = merges_.find(ids[at], ids[at + 1]).rank;
  }
  ids.resize(size);
}

void Bpe::merge_long(ModelScratch& scratch, std::vector<int32_t>& ids) const {
  auto& symbols = scratch.symbols;
  auto& queue = scratch.queue;
  const auto size = static_cast<int32_t>(ids.size());
  symbols.resize(ids.size());
  queue.clear();
  for (int32_t i = 0; i < size; ++i) {
    const uint32_t rank = i + 1 < size ? merges_.find(ids[i], ids[i + 1]).rank : kNoMerge;
    symbols[i] = {ids[i], i - 1, i + 1 < size ? i + 1 : -1, rank};
    if (rank != kNoMerge) queue.push_back(queue_key(rank, i));
  }
  std::make_heap(queue.begin(), queue.end(), std::greater<>());
  const auto update = [&](int32_t at) {
    auto& symbol = symbols[at];
    symbol.rank =
        symbol.next < 0 ? kNoMerge : merges_.find(symbol.id, symbols[symbol.next].id).rank;
    if (symbol.rank == kNoMerge) return;
    queue.push_back(queue_key(symbol.rank, at));
    std::push_heap(queue.begin(), queue.end(), std::greater<>());
  };
  while (!queue.empty()) {
    std::pop_heap(queue.begin(), queue.end(), std::greater<>());
    const auto rank = static_cast<uint32_t>(queue.back() >> 32);
    const auto at = static_cast<int32_t>(queue.back() & UINT32_MAX);
    queue.pop_back();
    auto& symbol = symbols[at];
    if (symbol.rank != rank) continue;  // the pair has changed since
    auto& right = symbols[symbol.next];
    symbol.id = merged_[rank];
    right.rank = kNoMerge;
    symbol.next = right.next;
    if (symbol.next >= 0) symbols[symbol.next].previous = at;
    update(at);
    if (symbol.previous >= 0) update(symbol.previous);
  }
  ids.clear();
  for (int32_t at = 0; at >= 0; at = symbols[at].next) ids.push_back(symbols[at].id);
}

}  // namespace xylem::text
