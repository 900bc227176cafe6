#include "xylem/base/dtype.h"

#include <array>

namespace xylem {
namespace {

enum class Kind : uint8_t { kBool, kSigned, kUnsigned, kFloat };

struct Entry {
  DType dtype;
  Kind kind;
  int bits;
  std::string_view name;
  std::string_view mlir;
};

constexpr std::array kTable = {
    Entry{DType::kBool, Kind::kBool, 8, "bool", "i1"},
    Entry{DType::kS4, Kind::kSigned, 4, "int4", "i4"},
    Entry{DType::kS8, Kind::kSigned, 8, "int8", "i8"},
    Entry{DType::kS16, Kind::kSigned, 16, "int16", "i16"},
    Entry{DType::kS32, Kind::kSigned, 32, "int32", "i32"},
    Entry{DType::kS64, Kind::kSigned, 64, "int64", "i64"},
    Entry{DType::kU4, Kind::kUnsigned, 4, "uint4", "ui4"},
    Entry{DType::kU8, Kind::kUnsigned, 8, "uint8", "ui8"},
    Entry{DType::kU16, Kind::kUnsigned, 16, "uint16", "ui16"},
    Entry{DType::kU32, Kind::kUnsigned, 32, "uint32", "ui32"},
    Entry{DType::kU64, Kind::kUnsigned, 64, "uint64", "ui64"},
    Entry{DType::kF8E4M3FN, Kind::kFloat, 8, "float8_e4m3fn", "f8E4M3FN"},
    Entry{DType::kF8E5M2, Kind::kFloat, 8, "float8_e5m2", "f8E5M2"},
    Entry{DType::kBF16, Kind::kFloat, 16, "bfloat16", "bf16"},
    Entry{DType::kF16, Kind::kFloat, 16, "float16", "f16"},
    Entry{DType::kF32, Kind::kFloat, 32, "float32", "f32"},
    Entry{DType::kF64, Kind::kFloat, 64, "float64", "f64"},
};

const Entry& entry(DType dtype) { return kTable[static_cast<size_t>(dtype)]; }

uint32_t bits_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

float float_of(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace

int bit_width(DType dtype) { return entry(dtype).bits; }

int64_t host_bytes(DType dtype, int64_t n) { return n * ((entry(dtype).bits + 7) / 8); }

std::string_view dtype_name(DType dtype) { return entry(dtype).name; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (const Entry& e : kTable) {
    if (e.name == name) return e.dtype;
  }
  return std::nullopt;
}

std::string_view dtype_mlir(DType dtype) { return entry(dtype).mlir; }

bool is_floating(DType dtype) { return entry(dtype).kind == Kind::kFloat; }

bool is_integer(DType dtype) {
  return entry(dtype).kind == Kind::kSigned || entry(dtype).kind == Kind::kUnsigned;
}

bool is_unsigned(DType dtype) { return entry(dtype).kind == Kind::kUnsigned; }

uint16_t float_to_bf16(float value) {
  uint32_t bits = bits_of(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1)) >> 16);
}

float f16_to_float(uint16_t half) {
  uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
  uint32_t exponent = (half >> 10) & 0x1f;
  uint32_t mantissa = half & 0x3ff;
  if (exponent == 0x1f) return float_of(sign | 0x7f800000u | (mantissa << 13));
  if (exponent == 0) {  // zero or subnormal: the value is mantissa × 2^-24
    float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  return float_of(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

uint16_t float_to_f16(float value) {
  uint32_t bits = bits_of(value);
  uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return sign | 0x7e00;
  if (magnitude >= 0x477ff000u) return sign | 0x7c00;  // rounds past 65504: infinity
  if (magnitude < 0x38800000u) {                       // below 2^-14: a half subnormal
    // Adding 0.5 puts the half's last bit at the float's last bit, with the FPU's rounding.
    float shifted = float_of(magnitude) + 0.5f;
    return sign | static_cast<uint16_t>(bits_of(shifted) - 0x3f000000u);
  }
  uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1);
  return sign | static_cast<uint16_t>((rounded - 0x38000000u) >> 13);
}

}  // namespace xylem
