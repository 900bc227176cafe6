#include "xylem/core/ops/random.h"

#include <cmath>
#include <limits>

#include "xylem/core/ops/common.h"
#include "xylem/core/ops/creation.h"
#include "xylem/core/ops/index.h"
#include "xylem/core/ops/math.h"
#include "xylem/core/ops/shape.h"
#include "xylem/core/ops/sort.h"

namespace xylem::random {
namespace {

using namespace ops_internal;  // NOLINT(google-build-using-namespace)

struct Words {
  Array high, low;
};

Array rotate_left(const Array& x, int by) { return (x << by) | (x >> (32 - by)); }

// Threefry-2x32 with 20 rounds: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011.
Words threefry(const Array& key, Words counter) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  constexpr uint32_t kParity = 0x1BD11BDA;
  const Shape& shape = counter.high.shape();
  Array k0 = reshape(slice_axis(key, 0, 0, 1), {}), k1 = reshape(slice_axis(key, 0, 1, 2), {});
  Array schedule[3] = {k0, k1, (k0 ^ k1) ^ kParity};
  for (Array& word : schedule) word = broadcast_to(word, shape);
  Array a = counter.high + schedule[0], b = counter.low + schedule[1];
  for (int group = 0; group < 5; ++group) {
    for (int by : kRotations[group % 2]) {
      a = a + b;
      b = rotate_left(b, by) ^ a;
    }
    a = a + schedule[(group + 1) % 3];
    b = b + schedule[(group + 2) % 3] + (group + 1);
  }
  return {a, b};
}

// The number of each element in row-major order, as two words, from one counter a dimension: the
// partitioner then keeps them local.
Words element_numbers(const Shape& shape, Loc loc) {
  int64_t size = element_count(shape);
  DType dtype = size > int64_t{1} << 32 ? DType::kU64 : DType::kU32;
  Array number = zeros(shape, dtype, loc);
  int64_t stride = 1;
  for (size_t d = shape.size(); size > 0 && d-- > 0; stride *= shape[d]) {
    number = number + iota(shape, static_cast<int64_t>(d), dtype, loc) * stride;
  }
  if (dtype == DType::kU32) return {zeros(shape, dtype, loc), number};
  return {astype(number >> 32, DType::kU32), astype(number, DType::kU32)};
}

void check_key(const char* op, const Array& key, Loc loc) {
  if (key.dtype() == DType::kU32 && key.shape() == Shape{2}) return;
  op_error(op, loc, "the key is {}, expected uint32(2); random::key makes one", key.aval().text());
}

int mantissa_bits(const char* op, DType dtype, Loc loc) {
  switch (dtype) {
    case DType::kF64:
      return 52;
    case DType::kF32:
      return 23;
    case DType::kF16:
      return 10;
    case DType::kBF16:
      return 7;
    default:
      op_error(op, loc, "{} is not supported, expected float16, bfloat16, float32 or float64",
               dtype_name(dtype));
  }
}

DType unsigned_of(int width) {
  switch (width) {
    case 8:
      return DType::kU8;
    case 16:
      return DType::kU16;
    case 32:
      return DType::kU32;
    default:
      return DType::kU64;
  }
}

// Smallest positive normal number, and the number before 1.
double tiny(DType dtype) {
  return std::ldexp(1, dtype == DType::kF16 ? -14 : dtype == DType::kF64 ? -1022 : -126);
}
double below_one(int mantissa) { return 1 - std::ldexp(1, -mantissa - 1); }

}  // namespace

Array key(int64_t seed, Loc loc) {
  uint64_t word = static_cast<uint64_t>(seed);
  return concatenate(
      {full({1}, word >> 32, DType::kU32, loc), full({1}, word & 0xffffffff, DType::kU32, loc)}, 0,
      loc);
}

Array split(const Array& key, int64_t n, Loc loc) {
  check_key("split", key, loc);
  Words out = threefry(key, element_numbers({n}, loc));
  return stack({out.high, out.low}, 1, loc);
}

Array fold_in(const Array& key, const Array& data, Loc loc) {
  check_key("fold_in", key, loc);
  if (!is_integer(data.dtype()) || data.ndim() != 0) {
    op_error("fold_in", loc, "{} is folded in, expected an integer scalar", data.aval().text());
  }
  Array word = reshape(astype(data, DType::kU32, loc), {1}, loc);
  Words out = threefry(key, {zeros({1}, DType::kU32, loc), word});
  return concatenate({out.high, out.low}, 0, loc);
}

Array fold_in(const Array& key, int64_t data, Loc loc) {
  return fold_in(key, scalar(static_cast<uint64_t>(data) & 0xffffffff, DType::kU32, loc), loc);
}

Array bits(const Array& key, const Shape& shape, DType dtype, Loc loc) {
  check_key("bits", key, loc);
  if (!is_unsigned(dtype) || bit_width(dtype) < 8) {
    op_error("bits", loc, "{} is not supported, expected uint8 to uint64", dtype_name(dtype));
  }
  Words out = threefry(key, element_numbers(shape, loc));
  if (dtype == DType::kU64) {
    return (astype(out.high, dtype) << 32) | astype(out.low, dtype);
  }
  return astype(out.high ^ out.low, dtype, loc);
}

Array uniform(const Array& key, const Shape& shape, DType dtype, double low, double high, Loc loc) {
  int mantissa = mantissa_bits("uniform", dtype, loc), width = bit_width(dtype);
  int drawn = mantissa < 8 ? 8 : width;  // bits a number
  DType word = unsigned_of(width);
  Array random = astype(bits(key, shape, unsigned_of(drawn), loc), word, loc);
  // Mantissas of numbers in [1, 2).
  uint64_t one = dtype == DType::kF64   ? 0x3ff0000000000000
                 : dtype == DType::kF32 ? 0x3f800000
                 : dtype == DType::kF16 ? 0x3c00
                                        : 0x3f80;
  Array unit = bitcast((random >> (drawn - mantissa)) | one, dtype, loc) - 1;
  Array from = scalar(low, dtype, loc), span = scalar(high, dtype, loc) - from;
  return maximum(from, unit * span + from);
}

Array normal(const Array& key, const Shape& shape, DType dtype, Loc loc) {
  double edge = below_one(mantissa_bits("normal", dtype, loc));
  return erf_inv(uniform(key, shape, dtype, -edge, 1, loc), loc) * std::sqrt(2.0);
}

Array gumbel(const Array& key, const Shape& shape, DType dtype, Loc loc) {
  mantissa_bits("gumbel", dtype, loc);
  return -log(-log(uniform(key, shape, dtype, tiny(dtype), 1, loc), loc), loc);
}

Array bernoulli(const Array& key, double p, const Shape& shape, Loc loc) {
  return uniform(key, shape, DType::kF32, 0, 1, loc) < p;
}

Array categorical(const Array& key, const Array& logits, Loc loc) {
  return argmax(gumbel(key, logits.shape(), logits.dtype(), loc) + logits, -1, false, loc);
}

Array randint(const Array& key, const Shape& shape, int32_t low, int32_t high, Loc loc) {
  if (low >= high) op_error("randint", loc, "[{}, {}) is empty", low, high);
  Array keys = split(key, 2, loc);
  auto draw = [&](int64_t i) {
    return bits(reshape(slice_axis(keys, 0, i, i + 1), {2}, loc), shape, DType::kU32, loc);
  };
  // Two draws make a 64-bit number modulo the span, nearly without bias.
  uint64_t span = static_cast<uint64_t>(int64_t{high} - int64_t{low});
  uint64_t half = (uint64_t{1} << 16) % span;
  uint64_t multiplier = (half * half & 0xffffffff) % span;  // JAX's product wraps likewise
  Array offset = remainder(remainder(draw(0), span) * multiplier + remainder(draw(1), span), span);
  return astype(offset, DType::kS32, loc) + low;
}

}  // namespace xylem::random
