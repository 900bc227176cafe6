#include "xylem/kernels/unpack.h"

#include <vector>

#include "xylem/core/ops.h"
#include "xylem/kernels/cpu/quant_layout.h"
#include "xylem/kernels/cpu/quant_pack.h"

namespace xylem::kernels {
namespace {

constexpr int64_t kRows = kGroupRows;
constexpr int64_t kQuads = 8;  // quads in a block of 32 values
constexpr int64_t kVector = 64;

// The parts of a packed matrix, each [groups, ...].
struct Planes {
  Array bytes;  // uint8 [groups, group_bytes]
  QuantFormat format;
  QuantLayout layout;
  int64_t groups, cols, blocks;
};

Array plane(const Planes& p, size_t offset, int64_t size) {
  int64_t start = static_cast<int64_t>(offset);
  return slice_axis(p.bytes, 1, start, start + size);
}

// Bits [shift, shift + bits) of each byte.
Array bit_field(const Array& bytes, int64_t shift, int64_t bits) {
  return (bytes >> shift) & ((int64_t{1} << bits) - 1);
}

// A plane of `bits` bits a code as whole codes [groups, blocks, 8 quads, 16 rows, 4].
Array plane_codes(const Planes& p, size_t offset, int64_t bits) {
  Array bytes =
      reshape(plane(p, offset, kVector * bits * p.blocks), {p.groups, p.blocks, bits, kRows, 4});
  if (bits == 8) return bytes;
  if (bits == 4) {
    return concatenate({bit_field(bytes, 0, 4), bit_field(bytes, 4, 4)}, 2);
  }
  std::vector<Array> fields;  // the quads of a vector, lowest bits first
  for (int64_t shift = 0; shift < 8; shift += bits) fields.push_back(bit_field(bytes, shift, bits));
  return reshape(stack(fields, 3), {p.groups, p.blocks, kQuads, kRows, 4});
}

// The codes, through the table, as f32 [groups, 16 rows, cols].
Array codes(const Planes& p) {
  Array code = plane_codes(p, 0, p.format.low_bits);
  if (p.format.high_bits > 0) {
    code = code | (plane_codes(p, p.layout.high, p.format.high_bits) << p.format.low_bits);
  }
  if (p.format.table != CodeTable::kNone) {
    const uint8_t* table = p.format.table == CodeTable::kIQ4 ? kIQ4Table : kMXFP4Table;
    code = take(array(std::vector<uint8_t>(table, table + 16)), code);
  }
  Array rows = transpose(code, {0, 3, 1, 2, 4});
  return astype(reshape(rows, {p.groups, kRows, p.cols}), DType::kF32);
}

// Numbers stored as bytes [groups, count, 16 rows] of this dtype, as f32.
Array numbers(const Planes& p, size_t offset, int64_t count, DType dtype) {
  int64_t width = bit_width(dtype) / 8;
  Array bytes = plane(p, offset, count * kRows * width);
  Shape shape = {p.groups, count, kRows};
  if (width > 1) shape.push_back(width);
  return astype(bitcast(reshape(bytes, shape), dtype), DType::kF32);
}

// 2^(exponent - 128), built from the bits of a float.
Array power_of_two(const Array& exponent) {
  Array bits = (astype(exponent, DType::kU32) - 1) << 23;
  return where(exponent > 0, bitcast(bits, DType::kF32), 0.0);
}

// One value a sub-block and row [groups, subs, 16 rows]: int8 times the super value of its 256.
Array super_values(const Planes& p, size_t offset, size_t super_offset) {
  int64_t subs = p.cols / p.format.sub;
  Array super = numbers(p, super_offset, p.cols / 256, DType::kF16);
  return numbers(p, offset, subs, DType::kS8) * repeat(super, 256 / p.format.sub, 1);
}

Array scales(const Planes& p) {
  int64_t subs = p.cols / p.format.sub;
  switch (p.format.scale) {
    case ScaleKind::kF16:
      return numbers(p, p.layout.scales, subs, DType::kF16);
    case ScaleKind::kF32:
      return numbers(p, p.layout.scales, subs, DType::kF32);
    case ScaleKind::kE8M0:
      return power_of_two(
          reshape(plane(p, p.layout.scales, subs * kRows), {p.groups, subs, kRows}));
    default:
      return super_values(p, p.layout.scales, p.layout.supers);
  }
}

// [groups, subs, 16 rows] as [groups, 16 rows, cols].
Array spread(const Planes& p, const Array& values) {
  return repeat(transpose(values, {0, 2, 1}), p.format.sub, 2);
}

Array unpack_plain(const Planes& p, BlockType type) {
  DType dtype = type == BlockType::kF32   ? DType::kF32
                : type == BlockType::kF16 ? DType::kF16
                                          : DType::kBF16;
  int64_t width = bit_width(dtype) / 8;
  if (type == BlockType::kBF16) {  // [k / 2][16 rows][2 k]
    int64_t pairs = (p.cols + 1) / 2;
    Array bytes =
        reshape(plane(p, 0, pairs * kRows * 2 * width), {p.groups, pairs, kRows, 2, width});
    Array rows = transpose(bitcast(bytes, dtype), {0, 2, 1, 3});
    return slice_axis(reshape(rows, {p.groups, kRows, 2 * pairs}), 2, 0, p.cols);
  }
  Array bytes = reshape(plane(p, 0, p.cols * kRows * width), {p.groups, p.cols, kRows, width});
  return transpose(bitcast(bytes, dtype), {0, 2, 1});
}

}  // namespace

Array unpack_reference(const Array& packed, BlockType type, int64_t rows, int64_t cols) {
  Planes p;
  p.format = quant_format(type);
  p.layout = quant_layout(type, cols);
  p.groups = (rows + kRows - 1) / kRows;
  p.cols = cols;
  p.blocks = cols / 32;
  p.bytes = reshape(packed, {p.groups, static_cast<int64_t>(p.layout.group_bytes)});
  Array values;
  if (p.format.scale == ScaleKind::kPlain) {
    values = astype(unpack_plain(p, type), DType::kF32);
  } else if (p.format.mins) {
    Array mins = p.format.scale == ScaleKind::kSuper
                     ? super_values(p, p.layout.mins, p.layout.super_mins)
                     : numbers(p, p.layout.mins, p.cols / p.format.sub, DType::kF16);
    values = codes(p) * spread(p, scales(p)) + spread(p, mins);
  } else {
    values = (codes(p) - static_cast<double>(p.format.offset)) * spread(p, scales(p));
  }
  return slice_axis(reshape(values, {p.groups * kRows, cols}), 0, 0, rows);
}

}  // namespace xylem::kernels
