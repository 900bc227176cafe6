#include "xylem/core/host_values.h"

#include <cmath>
#include <limits>

#include "xylem/base/error.h"

namespace xylem {
namespace {

template <typename T>
T load(const void* data, int64_t i) {
  T value;
  std::memcpy(&value, static_cast<const char*>(data) + static_cast<size_t>(i) * sizeof(T),
              sizeof value);
  return value;
}

template <typename T>
void store(void* data, int64_t i, T value) {
  std::memcpy(static_cast<char*>(data) + static_cast<size_t>(i) * sizeof(T), &value, sizeof value);
}

// e4m3fn: exponents biased by 7, no infinity, all ones is NaN. e5m2: IEEE, biased by 15.
double fp8_to_double(uint8_t bits, DType dtype) {
  bool e4 = dtype == DType::kF8E4M3FN;
  int mantissa_bits = e4 ? 3 : 2, bias = e4 ? 7 : 15;
  int magnitude = bits & 0x7f, mantissa = magnitude & ((1 << mantissa_bits) - 1);
  int exponent = magnitude >> mantissa_bits;
  double sign = bits & 0x80 ? -1 : 1;
  if (e4 ? magnitude == 0x7f : magnitude > 0x7c) return std::numeric_limits<double>::quiet_NaN();
  if (!e4 && magnitude == 0x7c) return sign * std::numeric_limits<double>::infinity();
  int hidden = exponent == 0 ? 0 : 1 << mantissa_bits;
  return sign * std::ldexp(hidden + mantissa, std::max(exponent, 1) - bias - mantissa_bits);
}

uint8_t double_to_fp8(double value, DType dtype) {
  bool e4 = dtype == DType::kF8E4M3FN;
  if (std::isnan(value)) return e4 ? 0x7f : 0x7e;
  uint8_t sign = std::signbit(value) ? 0x80 : 0, top = e4 ? 0x7e : 0x7b;
  value = std::abs(value);
  uint8_t low = 0;  // the largest finite value not above
  while (low < top && fp8_to_double(static_cast<uint8_t>(low + 1), dtype) <= value) ++low;
  double below = fp8_to_double(low, dtype);
  // Above the largest value the next step decides as if the format went on.
  double step = low < top ? fp8_to_double(static_cast<uint8_t>(low + 1), dtype) - below
                          : below - fp8_to_double(static_cast<uint8_t>(low - 1), dtype);
  double over = value - below;
  bool up = over > step / 2 || (over == step / 2 && (low & 1) != 0);
  return static_cast<uint8_t>(sign | (low + (up ? 1 : 0)));
}

}  // namespace

double host_float(const void* data, DType dtype, int64_t i) {
  switch (dtype) {
    case DType::kF64:
      return load<double>(data, i);
    case DType::kF32:
      return static_cast<double>(load<float>(data, i));
    case DType::kF16:
      return static_cast<double>(f16_to_float(load<uint16_t>(data, i)));
    case DType::kBF16:
      return static_cast<double>(bf16_to_float(load<uint16_t>(data, i)));
    case DType::kF8E4M3FN:
    case DType::kF8E5M2:
      return fp8_to_double(load<uint8_t>(data, i), dtype);
    default:
      fail(ErrorCode::kInternal, "{} is no floating dtype", dtype_name(dtype));
  }
}

int64_t host_integer(const void* data, DType dtype, int64_t i) {
  switch (dtype) {
    case DType::kS64:
    case DType::kU64:
      return load<int64_t>(data, i);
    case DType::kS32:
      return load<int32_t>(data, i);
    case DType::kU32:
      return load<uint32_t>(data, i);
    case DType::kS16:
      return load<int16_t>(data, i);
    case DType::kU16:
      return load<uint16_t>(data, i);
    case DType::kS8:
      return load<int8_t>(data, i);
    case DType::kS4:  // the upper bits of the byte are not defined
      return static_cast<int8_t>(load<uint8_t>(data, i) << 4) >> 4;
    case DType::kU4:
      return load<uint8_t>(data, i) & 15;
    case DType::kU8:
      return load<uint8_t>(data, i);
    case DType::kBool:
      return load<uint8_t>(data, i) != 0;
    default:
      fail(ErrorCode::kInternal, "{} is no integer dtype", dtype_name(dtype));
  }
}

void set_host_float(void* data, DType dtype, int64_t i, double value) {
  switch (dtype) {
    case DType::kF64:
      return store(data, i, value);
    case DType::kF32:
      return store(data, i, static_cast<float>(value));
    case DType::kF16:
      return store(data, i, float_to_f16(static_cast<float>(value)));
    case DType::kBF16:
      return store(data, i, float_to_bf16(static_cast<float>(value)));
    case DType::kF8E4M3FN:
    case DType::kF8E5M2:
      return store(data, i, double_to_fp8(value, dtype));
    default:
      fail(ErrorCode::kInternal, "{} is no floating dtype", dtype_name(dtype));
  }
}

void set_host_integer(void* data, DType dtype, int64_t i, int64_t value) {
  switch (bit_width(dtype)) {
    case 64:
      return store(data, i, value);
    case 32:
      return store(data, i, static_cast<int32_t>(value));
    case 16:
      return store(data, i, static_cast<int16_t>(value));
    default:
      return store(data, i, static_cast<int8_t>(value));
  }
}

}  // namespace xylem
