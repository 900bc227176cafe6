// Added tokens: strings that are found in a text before anything else and become one token each,
// as the tokenizers library's AddedVocabulary finds them (leftmost, then longest).
//
//   AddedTokens added;
//   added.add({.id = 1, .content = "<|im_start|>", .special = true}, "<|im_start|>");
//   added.split("a<|im_start|>b", false, [](int32_t id, std::string_view piece) { ... });
//   // (-1, "a"), (1, "<|im_start|>"), (-1, "b")
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace xylem::text {

struct AddedToken {
  int32_t id = 0;
  std::string content;
  bool single_word = false;  // only where no word character touches it
  bool lstrip = false;       // takes the white space before it
  bool rstrip = false;       // takes the white space after it
  bool normalized = false;   // searched in the normalised text
  bool special = false;      // left out of decoded text on request; control tokens
};

// Finds tokens in texts. Safe to share between threads once all tokens are added.
class AddedTokens {
 public:
  static constexpr int32_t kNoToken = -1;
  // Bounds the time of a search to this many steps a byte.
  static constexpr size_t kMaxContentBytes = 512;

  AddedTokens() { roots_.fill(-1); }

  // pattern is what to search for the token: its content, or the content's normalised form.
  // Throws kInvalidArgument for a pattern longer than kMaxContentBytes; an empty one never matches.
  void add(const AddedToken& token, std::string_view pattern);

  bool empty() const { return nodes_.empty(); }

  // Calls visit(id, piece) for the pieces of text in order: tokens (with the white space that they
  // take), and what lies between with kNoToken. With skip_special, special tokens are plain text.
  template <typename Visit>
  void split(std::string_view text, bool skip_special, Visit&& visit) const {
    size_t done = 0;
    size_t from = 0;
    Match match;
    while (next_match(text, from, match)) {
      from = match.end;
      if (!accept(text, skip_special, done, match)) continue;
      if (done < match.begin) visit(kNoToken, text.substr(done, match.begin - done));
      visit(match.token->id, text.substr(match.begin, match.end - match.begin));
      done = match.end;
    }
    if (done < text.size()) visit(kNoToken, text.substr(done));
  }

 private:
  struct Token {
    int32_t id;
    bool single_word;
    bool lstrip;
    bool rstrip;
    bool special;
  };
  struct Match {
    size_t begin;
    size_t end;
    const Token* token;
    size_t space_end = 0;  // from the last match's end to here there is only white space
  };
  // A trie: children of a node are a list through next_sibling; the root's are in roots_.
  struct Node {
    int32_t first_child = -1;
    int32_t next_sibling = -1;
    int32_t token = -1;
    unsigned char byte = 0;
  };

  void insert(std::string_view pattern, int32_t token);
  int32_t child(int32_t node, unsigned char byte) const;
  bool next_match(std::string_view text, size_t from, Match& match) const;
  // Applies the flags; widens the match by stripped space, each stretch of which is read once.
  // False when the match does not count.
  static bool accept(std::string_view text, bool skip_special, size_t done, Match& match);

  std::vector<Token> tokens_;
  std::vector<Node> nodes_;
  std::array<int32_t, 256> roots_;
};

}  // namespace xylem::text
