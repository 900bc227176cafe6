#include "xylem/core/ops/cumulative.h"

#include "xylem/core/ops/common.h"
#include "xylem/core/ops/creation.h"
#include "xylem/core/ops/math.h"
#include "xylem/core/ops/shape.h"

namespace xylem {
namespace {

using namespace ops_internal;  // NOLINT(google-build-using-namespace)
using Combine = std::function<Array(const Array&, const Array&)>;

// Elements start, start + 2, ... below limit.
Array every_second(const Array& x, int64_t axis, int64_t start, int64_t limit, Loc loc) {
  size_t along = static_cast<size_t>(axis);
  std::vector<int64_t> starts(x.shape().size(), 0), limits = x.shape();
  std::vector<int64_t> strides(x.shape().size(), 1);
  starts[along] = start;
  limits[along] = std::max(start, limit);
  strides[along] = 2;
  return slice(x, starts, limits, strides, loc);
}

// even[0] odd[0] even[1] ...; even is as long as odd, or one longer.
Array interleave(const Array& even, const Array& odd, int64_t axis, Loc loc) {
  int64_t pairs = odd.dim(static_cast<int>(axis)), total = pairs + even.dim(static_cast<int>(axis));
  Array both = stack({slice_axis(even, axis, 0, pairs, loc), odd}, axis + 1, loc);
  Shape shape = odd.shape();
  shape[static_cast<size_t>(axis)] = 2 * pairs;
  both = reshape(both, shape, loc);
  if (total == 2 * pairs) return both;
  return concatenate({both, slice_axis(even, axis, pairs, pairs + 1, loc)}, axis, loc);
}

// The recursion is log2(n) deep: the scan of the pairs' combinations gives the odd elements.
Array scan_forward(const Combine& combine, const Array& x, int64_t axis, Loc loc) {
  int64_t n = x.dim(static_cast<int>(axis));
  if (n < 2) return x;
  Array pairs = combine(every_second(x, axis, 0, n - 1, loc), every_second(x, axis, 1, n, loc));
  Array odd = scan_forward(combine, pairs, axis, loc);
  Array first = slice_axis(x, axis, 0, 1, loc);
  if (n == 2) return concatenate({first, odd}, axis, loc);
  int64_t rest = (n - 1) / 2;  // even elements after the first
  Array even = combine(slice_axis(odd, axis, 0, rest, loc), every_second(x, axis, 2, n, loc));
  return interleave(concatenate({first, even}, axis, loc), odd, axis, loc);
}

Array accumulate(const char* op, const Combine& combine, const Array& x, int64_t axis, bool reverse,
                 Loc loc) {
  axis = normalize_axis(axis, x.ndim(), op, loc);
  Array out =
      associative_scan(combine, astype(x, accumulation_dtype(x.dtype())), axis, reverse, loc);
  return x.dtype() == DType::kBool ? out : astype(out, x.dtype());
}

Array extremum(const char* op, const Combine& combine, const Array& x, int64_t axis, bool reverse,
               Loc loc) {
  return associative_scan(combine, x, normalize_axis(axis, x.ndim(), op, loc), reverse, loc);
}

}  // namespace

Array associative_scan(const Combine& combine, const Array& x, int64_t axis, bool reverse,
                       Loc loc) {
  axis = normalize_axis(axis, x.ndim(), "associative_scan", loc);
  if (!reverse) return scan_forward(combine, x, axis, loc);
  return flip(scan_forward(combine, flip(x, {axis}, loc), axis, loc), {axis}, loc);
}

Array cumsum(const Array& x, int64_t axis, bool reverse, Loc loc) {
  return accumulate(
      "cumsum", [](const Array& a, const Array& b) { return a + b; }, x, axis, reverse, loc);
}

Array cumprod(const Array& x, int64_t axis, bool reverse, Loc loc) {
  return accumulate(
      "cumprod", [](const Array& a, const Array& b) { return a * b; }, x, axis, reverse, loc);
}

Array cummax(const Array& x, int64_t axis, bool reverse, Loc loc) {
  return extremum(
      "cummax", [](const Array& a, const Array& b) { return maximum(a, b); }, x, axis, reverse,
      loc);
}

Array cummin(const Array& x, int64_t axis, bool reverse, Loc loc) {
  return extremum(
      "cummin", [](const Array& a, const Array& b) { return minimum(a, b); }, x, axis, reverse,
      loc);
}

Array cumlogsumexp(const Array& x, int64_t axis, bool reverse, Loc loc) {
  if (!is_floating(x.dtype())) {
    op_error("cumlogsumexp", loc, "{}, expected floats", x.aval().text());
  }
  return accumulate(
      "cumlogsumexp", [](const Array& a, const Array& b) { return logaddexp(a, b); }, x, axis,
      reverse, loc);
}

}  // namespace xylem
