// Element types of arrays, buffers and tensor files, with their sizes and names.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace xylem {

// Signed, unsigned and floating types by width; the fp8 names are those of StableHLO.
enum class DType : uint8_t {
  kBool,
  kS4,
  kS8,
  kS16,
  kS32,
  kS64,
  kU4,
  kU8,
  kU16,
  kU32,
  kU64,
  kF8E4M3FN,
  kF8E5M2,
  kBF16,
  kF16,
  kF32,
  kF64,
};

// Bits of one element: 4 for the int4 types, 8 for bool.
int bit_width(DType dtype);
// Bytes that n elements take in host memory; int4 values are stored one a byte on the host.
int64_t host_bytes(DType dtype, int64_t n);
// NumPy's name: "bool", "int4", "uint8", "bfloat16", "float32", "float8_e4m3fn".
std::string_view dtype_name(DType dtype);
// The inverse of dtype_name; nothing when the name is unknown.
std::optional<DType> dtype_from_name(std::string_view name);
// StableHLO's element type: "i1", "i4", "ui8", "bf16", "f32", "f8E4M3FN".
std::string_view dtype_mlir(DType dtype);

bool is_floating(DType dtype);
bool is_integer(DType dtype);  // signed or unsigned, not bool
bool is_unsigned(DType dtype);

// Scalar conversions, round to nearest even. Vector code has its own.
inline float bf16_to_float(uint16_t bits) {
  uint32_t word = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}
uint16_t float_to_bf16(float value);
float f16_to_float(uint16_t bits);
uint16_t float_to_f16(float value);

// The host type of a dtype, and back, for templates that copy values in and out.
struct BF16 {
  uint16_t bits;
};
struct F16 {
  uint16_t bits;
};

template <typename T>
struct DTypeOf;
#define XYLEM_DTYPE_OF(type, name)               \
  template <>                                    \
  struct DTypeOf<type> {                         \
    static constexpr DType kValue = DType::name; \
  };
XYLEM_DTYPE_OF(bool, kBool)
XYLEM_DTYPE_OF(int8_t, kS8)
XYLEM_DTYPE_OF(int16_t, kS16)
XYLEM_DTYPE_OF(int32_t, kS32)
XYLEM_DTYPE_OF(int64_t, kS64)
XYLEM_DTYPE_OF(uint8_t, kU8)
XYLEM_DTYPE_OF(uint16_t, kU16)
XYLEM_DTYPE_OF(uint32_t, kU32)
XYLEM_DTYPE_OF(uint64_t, kU64)
XYLEM_DTYPE_OF(BF16, kBF16)
XYLEM_DTYPE_OF(F16, kF16)
XYLEM_DTYPE_OF(float, kF32)
XYLEM_DTYPE_OF(double, kF64)
#undef XYLEM_DTYPE_OF

}  // namespace xylem
