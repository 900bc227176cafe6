#include "xylem/kernels/paged_reference.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "xylem/core/ops.h"
#include "xylem/core/ops/gather.h"

namespace xylem::kernels {
namespace {

struct Call {
  Array cache, starts, lens, table, q, k, v;
  int64_t tokens, seqs, pages, page_size, heads, kv_heads, head_dim, layer;
};

Call unpack_inputs(const std::vector<Array>& inputs, const Attrs& attrs) {
  Call c;
  c.cache = inputs[0];
  c.starts = inputs[1];
  c.lens = inputs[2];
  c.table = inputs[3];
  c.heads = attrs.integer("heads");
  c.kv_heads = attrs.integer("kv_heads");
  c.head_dim = attrs.integer("head_dim");
  c.layer = attrs.integer("layer");
  c.tokens = inputs[4].dim(0);
  c.seqs = c.lens.dim(0);
  c.pages = c.table.dim(1);
  c.page_size = c.cache.dim(4);
  std::vector<Array> parts = {inputs[4]};
  if (attrs.boolean("fused")) {
    int64_t q = c.heads * c.head_dim, kv = c.kv_heads * c.head_dim;
    parts = split_sizes(inputs[4], {q, kv, kv}, 1);
  } else {
    parts.insert(parts.end(), {inputs[5], inputs[6]});
  }
  c.q = reshape(parts[0], {c.tokens, c.heads, c.head_dim});
  c.k = reshape(parts[1], {c.tokens, c.kv_heads, c.head_dim});
  c.v = reshape(parts[2], {c.tokens, c.kv_heads, c.head_dim});
  return c;
}

// The sequence of each row [tokens]: the number of starts (after the first) at or before it. Rows
// after the last sequence get `seqs`.
Array row_sequences(const Call& c) {
  Array rows = expand_dims(arange(c.tokens), 1);
  Array ends = expand_dims(slice_axis(c.starts, 0, 1, c.seqs + 1), 0);
  return sum(astype(rows >= ends, DType::kS32), {1});
}

// x [tokens, heads, head_dim] turned by halves of its first 2 * table-width channels.
Array apply_rope(const Array& x, const Array& positions, const Array& cos, const Array& sin) {
  int64_t half = cos.dim(1);
  Array c = expand_dims(take(cos, positions), 1), s = expand_dims(take(sin, positions), 1);
  Array a = slice_axis(x, 2, 0, half), b = slice_axis(x, 2, half, 2 * half);
  std::vector<Array> parts = {a * c - b * s, b * c + a * s};
  if (2 * half < x.dim(2)) parts.push_back(slice_axis(x, 2, 2 * half, x.dim(2)));
  return concatenate(parts, 2);
}

// The cache with keys and values of the rows at their positions; rows of no sequence are dropped.
Array write_cache(const Call& c, const Array& k, const Array& v, const Array& row_seq,
                  const Array& positions) {
  Array seq = minimum(row_seq, c.seqs - 1);
  Array flat = seq * c.pages + truncated_divide(positions, c.page_size);
  Array page = take(reshape(c.table, {c.seqs * c.pages}), flat);
  page = where(row_seq < c.seqs, page, c.cache.dim(2));
  Array offset = remainder(positions, c.page_size);
  Array cache = c.cache;
  for (int64_t which = 0; which < 2; ++which) {
    Array row = stack({full({c.tokens}, c.layer, DType::kS32), full({c.tokens}, which, DType::kS32),
                       page, offset},
                      1);
    Array update = astype(which == 0 ? k : v, cache.dtype());
    // A row [kv_heads, head_dim] goes to [layer, which, page, :, offset, :].
    cache = scatter(cache, row, update, {{1, 2}, {0, 1, 2, 4}, {0, 1, 2, 4}}, Combiner::kSet);
  }
  return cache;
}

// Keys or values [seqs, pages * page_size, kv_heads, head_dim] f32 of every sequence.
Array read_cache(const Call& c, const Array& cache, int64_t which) {
  Array layer =
      reshape(slice(cache, {c.layer, which, 0, 0, 0, 0},
                    {c.layer + 1, which + 1, cache.dim(2), c.kv_heads, c.page_size, c.head_dim}),
              {cache.dim(2), c.kv_heads, c.page_size, c.head_dim});
  Array pages = take(layer, c.table);  // [seqs, pages, kv_heads, page_size, head_dim]
  Array rows = transpose(pages, {0, 1, 3, 2, 4});
  return astype(reshape(rows, {c.seqs, c.pages * c.page_size, c.kv_heads, c.head_dim}),
                DType::kF32);
}

Array softcapped(const Array& scores, double softcap) {
  return softcap > 0 ? tanh(scores / softcap) * softcap : scores;
}

// Which keys (positions [keys]) a query at `position` sees, given its sequence's length.
Array visible(const Array& key, const Array& position, int64_t window) {
  Array seen = key <= position;
  return window > 0 ? seen & (position - key < window) : seen;
}

// Row i attends in sequence i: no score is computed that the mask would drop.
Array attend_one_row_each(const Call& c, const Array& q, const Array& keys, const Array& values,
                          const Array& positions, const Attrs& attrs) {
  int64_t group = c.heads / c.kv_heads, length = c.pages * c.page_size;
  Array grouped = reshape(q, {c.tokens, c.kv_heads, group, c.head_dim});
  // [rows, kv_heads, group, keys]
  Array scores = dot_general(grouped, keys, {{3}, {3}, {0, 1}, {0, 2}}, DType::kF32);
  scores = softcapped(scores * attrs.real("scale"), attrs.real("softcap"));
  Array key = reshape(arange(length), {1, 1, 1, length});
  Array mask =
      visible(key, reshape(positions, {c.tokens, 1, 1, 1}), attrs.integer("sliding_window"));
  Array weights = softmax(where(mask, scores, -std::numeric_limits<double>::infinity()));
  Array out = dot_general(weights, values, {{3}, {1}, {0, 1}, {0, 2}}, DType::kF32);
  return reshape(out, {c.tokens, c.heads * c.head_dim});
}

// Every row scores the keys of every sequence and keeps its own.
Array attend_ragged(const Call& c, const Array& q, const Array& keys, const Array& values,
                    const Array& row_seq, const Array& positions, const Attrs& attrs) {
  int64_t group = c.heads / c.kv_heads, length = c.pages * c.page_size;
  int64_t all = c.seqs * length;
  Array grouped = reshape(q, {c.tokens, c.kv_heads, group, c.head_dim});
  Array flat_keys = reshape(keys, {all, c.kv_heads, c.head_dim});
  Array flat_values = reshape(values, {all, c.kv_heads, c.head_dim});
  // [kv_heads, rows, group, keys]
  Array scores = dot_general(grouped, flat_keys, {{3}, {2}, {1}, {1}}, DType::kF32);
  scores = softcapped(scores * attrs.real("scale"), attrs.real("softcap"));
  Array index = arange(all);
  Array key = reshape(remainder(index, length), {1, 1, 1, all});
  Array key_seq = reshape(truncated_divide(index, length), {1, 1, 1, all});
  Shape per_row = {1, c.tokens, 1, 1};
  Array mask = visible(key, reshape(positions, per_row), attrs.integer("sliding_window")) &
               equal(key_seq, reshape(row_seq, per_row));
  Array weights = softmax(where(mask, scores, -std::numeric_limits<double>::infinity()));
  // [kv_heads, rows, group, head_dim]
  Array out = dot_general(weights, flat_values, {{3}, {0}, {0}, {1}}, DType::kF32);
  return reshape(transpose(out, {1, 0, 2, 3}), {c.tokens, c.heads * c.head_dim});
}

}  // namespace

std::vector<Array> paged_attention_reference(const std::vector<Array>& inputs, const Attrs& attrs) {
  Call c = unpack_inputs(inputs, attrs);
  Array row_seq = row_sequences(c);
  Array seq = minimum(row_seq, c.seqs - 1);
  // A row's position: its sequence's length less the rows after it.
  Array ends = slice_axis(c.starts, 0, 1, c.seqs + 1);
  Array positions = take(c.lens, seq) - (take(ends, seq) - arange(c.tokens));
  positions = maximum(positions, 0);
  Array q = c.q, k = c.k;
  if (attrs.boolean("rope")) {
    const Array &cos = inputs[inputs.size() - 2], &sin = inputs.back();
    q = apply_rope(q, positions, cos, sin);
    k = apply_rope(k, positions, cos, sin);
  }
  Array cache = write_cache(c, k, c.v, row_seq, positions);
  Array keys = read_cache(c, cache, 0), values = read_cache(c, cache, 1);
  Array out = attrs.boolean("one_row_each")
                  ? attend_one_row_each(c, q, keys, values, positions, attrs)
                  : attend_ragged(c, q, keys, values, row_seq, positions, attrs);
  Array used = expand_dims(row_seq < c.seqs, 1);
  return {where(used, out, 0.0), cache};
}

}  // namespace xylem::kernels
