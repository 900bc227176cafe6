#include "xylem/text/tokenize/split.h"

#include <vector>

namespace xylem::text {
namespace {

// A stretch of the word: one match, or what lies between two.
struct Piece {
  size_t begin;
  size_t end;
  bool match;
};

// tokenizer.json's MergedWithPrevious on pieces read forwards, MergedWithNext on pieces read
// backwards: a match joins the piece before it unless that is a match itself.
template <typename Iterator, typename Join>
std::vector<Piece> join_matches(Iterator first, Iterator last, Join join) {
  std::vector<Piece> joined;
  bool previous = false;
  for (; first != last; ++first) {
    if (first->match && !previous && !joined.empty()) {
      join(joined.back(), *first);
    } else {
      joined.push_back(*first);
    }
    previous = first->match;
  }
  return joined;
}

std::vector<Piece> join_runs(const std::vector<Piece>& pieces) {
  std::vector<Piece> joined;
  for (const Piece& piece : pieces) {
    if (!joined.empty() && joined.back().match == piece.match) {
      joined.back().end = piece.end;
    } else {
      joined.push_back(piece);
    }
  }
  return joined;
}

template <typename Emit>
void emit_pieces(const std::vector<Piece>& pieces, SplitBehavior behavior, Emit& emit) {
  switch (behavior) {
    case SplitBehavior::kRemoved:
      for (const Piece& piece : pieces) {
        if (!piece.match) emit(piece.begin, piece.end);
      }
      return;
    case SplitBehavior::kIsolated:
      for (const Piece& piece : pieces) emit(piece.begin, piece.end);
      return;
    case SplitBehavior::kContiguous:
      for (const Piece& piece : join_runs(pieces)) emit(piece.begin, piece.end);
      return;
    case SplitBehavior::kMergedWithPrevious:
      for (const Piece& piece :
           join_matches(pieces.begin(), pieces.end(),
                        [](Piece&left, const Piece&right) { left.end = right.end; })) {
        emit(piece.begin, piece.end);
      }
      return;
    case SplitBehavior::kMergedWithNext: {
      const std::vector<Piece> joined =
          join_matches(pieces.rbegin(), pieces.rend(),
                       [](Piece& right, const Piece& left) { right.begin = left.begin; });
      for (auto piece = joined.rbegin(); piece != joined.rend(); ++piece) {
        emit(piece->begin, piece->end);
      }
      return;
    }
  }
}

}  // namespace

void Split::split(PreTokens& tokens, RegexScratch& scratch) const {
  if (behavior_ == SplitBehavior::kIsolated) {  // the common case needs no list of pieces
    tokens.cut_words([&](std::string_view word, auto&& emit) {
      size_t done = 0;
      regex_.for_each_match(word, scratch, [&](size_t begin, size_t end) {
        emit(done, begin);
        emit(begin, end);
        done = end;
      });
      emit(done, word.size());
    });
    return;
  }
  std::vector<Piece> pieces;
  tokens.cut_words([&](std::string_view word, auto&& emit) {
    pieces.clear();
    size_t done = 0;
    regex_.for_each_match(word, scratch, [&](size_t begin, size_t end) {
      if (done < begin) pieces.push_back({done, begin, invert_});
      pieces.push_back({begin, end, !invert_});
      done = end;
    });
    if (done < word.size()) pieces.push_back({done, word.size(), invert_});
    emit_pieces(pieces, behavior_, emit);
  });
}

std::unique_ptr<PreTokenizer> make_split(Regex regex, SplitBehavior behavior, bool invert) {
  return std::make_unique<Split>(std::move(regex), behavior, invert);
}

}  // namespace xylem::text
