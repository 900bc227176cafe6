// How much one rendering may cost. Templates and conversations come from outside, so each bound is
// an error and never a crash, a hang or a memory blow-up.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xylem::text::jinja {

struct Limits {
  size_t output_bytes = size_t{64} << 20;   // the rendered text, and any string on the way
  size_t memory_bytes = size_t{512} << 20;  // everything alive at one time
  uint64_t work = 200'000'000;              // evaluated nodes, visited items, moved 64-byte lines
  int depth = 2000;                         // nested evaluations; a macro call takes about ten
};

// Lists, dicts and iterators may be nested this deep: printing and comparing them recurses.
inline constexpr int kMaxValueDepth = 200;
// What Jinja's sandbox allows.
inline constexpr int64_t kMaxRange = 100'000;
// Nesting of the parser's own recursion, and the depth of the syntax tree.
inline constexpr int kMaxSyntaxDepth = 400;

}  // namespace xylem::text::jinja
