// Vectors of floats at the level that the including .inc file is compiled for: 8 lanes on AVX2,
// 16 above. For .inc files only.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace xylem::kernels::XYLEM_ISA {
namespace {

#ifdef XYLEM_ISA_avx2

using Vec = __m256;
using Mask = __m256i;
constexpr int64_t kLanes = 8;

inline Vec zero() { return _mm256_setzero_ps(); }
inline Vec set1(float x) { return _mm256_set1_ps(x); }
inline Vec load(const float* p) { return _mm256_loadu_ps(p); }
inline void store(float* p, Vec x) { _mm256_storeu_ps(p, x); }
inline Vec add(Vec a, Vec b) { return _mm256_add_ps(a, b); }
inline Vec sub(Vec a, Vec b) { return _mm256_sub_ps(a, b); }
inline Vec mul(Vec a, Vec b) { return _mm256_mul_ps(a, b); }
inline Vec div(Vec a, Vec b) { return _mm256_div_ps(a, b); }
inline Vec max(Vec a, Vec b) { return _mm256_max_ps(a, b); }
inline Vec min(Vec a, Vec b) { return _mm256_min_ps(a, b); }
inline Vec fma(Vec a, Vec b, Vec c) { return _mm256_fmadd_ps(a, b, c); }
inline Vec fnma(Vec a, Vec b, Vec c) { return _mm256_fnmadd_ps(a, b, c); }
inline Vec lane_indices() { return _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7); }
inline Vec round_to_int(Vec x) {
  return _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
// x where a <= b, else otherwise.
inline Vec select_le(Vec a, Vec b, Vec x, Vec otherwise) {
  return _mm256_blendv_ps(otherwise, x, _mm256_cmp_ps(a, b, _CMP_LE_OQ));
}
// x * 2^n for whole n with a normal result.
inline Vec scale_by_power(Vec x, Vec n) {
  __m256i exponent = _mm256_slli_epi32(_mm256_cvtps_epi32(n), 23);
  return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(x), exponent));
}
// The first n lanes; n may lie out of [0, kLanes].
inline Mask first_lanes(int64_t n) {
  int count = n < 0 ? 0 : n > kLanes ? static_cast<int>(kLanes) : static_cast<int>(n);
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
inline Vec load(const float* p, Mask m) { return _mm256_maskload_ps(p, m); }
inline void store(float* p, Vec x, Mask m) { _mm256_maskstore_ps(p, m, x); }
inline float reduce_add(Vec x) {
  __m128 h = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  h = _mm_add_ps(h, _mm_movehl_ps(h, h));
  return _mm_cvtss_f32(_mm_add_ss(h, _mm_movehdup_ps(h)));
}
inline float reduce_max(Vec x) {
  __m128 h = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  h = _mm_max_ps(h, _mm_movehl_ps(h, h));
  return _mm_cvtss_f32(_mm_max_ss(h, _mm_movehdup_ps(h)));
}
// The sums of the lanes of four vectors.
inline __m128 reduce_add4(Vec a, Vec b, Vec c, Vec d) {
  Vec s = _mm256_hadd_ps(_mm256_hadd_ps(a, b), _mm256_hadd_ps(c, d));
  return _mm_add_ps(_mm256_castps256_ps128(s), _mm256_extractf128_ps(s, 1));
}
// 2 * kLanes bf16 values, the first of each pair apart from the second.
inline void load_pairs(const uint16_t* p, Vec& first, Vec& second) {
  __m256i w = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  first = _mm256_castsi256_ps(_mm256_slli_epi32(w, 16));
  second = _mm256_castsi256_ps(_mm256_and_si256(w, _mm256_set1_epi32(-0x10000)));
}
inline void load_pairs(const uint16_t* p, Mask m, Vec& first, Vec& second) {
  __m256i w = _mm256_maskload_epi32(reinterpret_cast<const int*>(p), m);
  first = _mm256_castsi256_ps(_mm256_slli_epi32(w, 16));
  second = _mm256_castsi256_ps(_mm256_and_si256(w, _mm256_set1_epi32(-0x10000)));
}
// The same of 2 * kLanes floats, and back.
inline void load_pairs(const float* p, Vec& first, Vec& second) {
  __m256i a = _mm256_castps_si256(_mm256_shuffle_ps(load(p), load(p + 8), 0x88));
  __m256i b = _mm256_castps_si256(_mm256_shuffle_ps(load(p), load(p + 8), 0xdd));
  first = _mm256_castsi256_ps(_mm256_permute4x64_epi64(a, 0xd8));
  second = _mm256_castsi256_ps(_mm256_permute4x64_epi64(b, 0xd8));
}
inline void store_pairs(float* p, Vec first, Vec second) {
  Vec low = _mm256_unpacklo_ps(first, second), high = _mm256_unpackhi_ps(first, second);
  store(p, _mm256_permute2f128_ps(low, high, 0x20));
  store(p + 8, _mm256_permute2f128_ps(low, high, 0x31));
}

#else

using Vec = __m512;
using Mask = __mmask16;
constexpr int64_t kLanes = 16;

inline Vec zero() { return _mm512_setzero_ps(); }
inline Vec set1(float x) { return _mm512_set1_ps(x); }
inline Vec load(const float* p) { return _mm512_loadu_ps(p); }
inline void store(float* p, Vec x) { _mm512_storeu_ps(p, x); }
inline Vec add(Vec a, Vec b) { return _mm512_add_ps(a, b); }
inline Vec sub(Vec a, Vec b) { return _mm512_sub_ps(a, b); }
inline Vec mul(Vec a, Vec b) { return _mm512_mul_ps(a, b); }
inline Vec div(Vec a, Vec b) { return _mm512_div_ps(a, b); }
inline Vec max(Vec a, Vec b) { return _mm512_max_ps(a, b); }
inline Vec min(Vec a, Vec b) { return _mm512_min_ps(a, b); }
inline Vec fma(Vec a, Vec b, Vec c) { return _mm512_fmadd_ps(a, b, c); }
inline Vec fnma(Vec a, Vec b, Vec c) { return _mm512_fnmadd_ps(a, b, c); }
inline Vec lane_indices() {
  return _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
inline Vec round_to_int(Vec x) {
  return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
inline Vec select_le(Vec a, Vec b, Vec x, Vec otherwise) {
  return _mm512_mask_mov_ps(otherwise, _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ), x);
}
inline Vec scale_by_power(Vec x, Vec n) { return _mm512_scalef_ps(x, n); }
inline Mask first_lanes(int64_t n) {
  if (n >= kLanes) return 0xffff;
  return n <= 0 ? Mask{0} : static_cast<Mask>((1u << n) - 1);
}
inline Vec load(const float* p, Mask m) { return _mm512_maskz_loadu_ps(m, p); }
inline void store(float* p, Vec x, Mask m) { _mm512_mask_storeu_ps(p, m, x); }
inline float reduce_add(Vec x) { return _mm512_reduce_add_ps(x); }
inline float reduce_max(Vec x) { return _mm512_reduce_max_ps(x); }
inline __m128 reduce_add4(Vec a, Vec b, Vec c, Vec d) {
  // Each 128-bit lane: the lane's sums of a, b, c, d.
  Vec ab = _mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
  Vec cd = _mm512_add_ps(_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
  Vec s = _mm512_add_ps(_mm512_shuffle_ps(ab, cd, 0x44), _mm512_shuffle_ps(ab, cd, 0xee));
  __m256 h = _mm256_add_ps(_mm512_castps512_ps256(s), _mm512_extractf32x8_ps(s, 1));
  return _mm_add_ps(_mm256_castps256_ps128(h), _mm256_extractf128_ps(h, 1));
}
inline void load_pairs(const uint16_t* p, Mask m, Vec& first, Vec& second) {
  __m512i w = _mm512_maskz_loadu_epi32(m, p);
  first = _mm512_castsi512_ps(_mm512_slli_epi32(w, 16));
  second = _mm512_castsi512_ps(_mm512_and_si512(w, _mm512_set1_epi32(-0x10000)));
}
inline void load_pairs(const uint16_t* p, Vec& first, Vec& second) {
  load_pairs(p, 0xffff, first, second);
}
inline void load_pairs(const float* p, Vec& first, Vec& second) {
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  const __m512i odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
  first = _mm512_permutex2var_ps(load(p), even, load(p + 16));
  second = _mm512_permutex2var_ps(load(p), odd, load(p + 16));
}
inline void store_pairs(float* p, Vec first, Vec second) {
  const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const __m512i high =
      _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  store(p, _mm512_permutex2var_ps(first, low, second));
  store(p + 16, _mm512_permutex2var_ps(first, high, second));
}

#endif

// Eight values to bf16, to nearest even; NaNs stay NaNs.
inline void store8_bf16(uint16_t* p, __m256 x) {
  __m256i bits = _mm256_castps_si256(x), one = _mm256_set1_epi32(1);
  __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), one);
  __m256i rounded = _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
  __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q));
  rounded = _mm256_blendv_epi8(rounded, _mm256_set1_epi32(0x7fc00000), nan);
  rounded = _mm256_srli_epi32(rounded, 16);
  _mm_storeu_si128(
      reinterpret_cast<__m128i*>(p),
      _mm_packus_epi32(_mm256_castsi256_si128(rounded), _mm256_extracti128_si256(rounded, 1)));
}

// e^x within 2 units in the last place, and 0 below -87.3, where the result would be subnormal.
// Cody and Waite's reduction to |r| <= ln(2) / 2, then the minimax polynomial of Cephes' expf.
inline Vec exp(Vec x) {
  const Vec lowest = set1(-87.3f);
  Vec clamped = max(x, lowest);
  Vec n = round_to_int(mul(clamped, set1(1.44269504088896341f)));
  Vec r = fnma(n, set1(0.693359375f), clamped);
  r = fnma(n, set1(-2.12194440e-4f), r);
  Vec p = set1(1.9875691500e-4f);
  p = fma(p, r, set1(1.3981999507e-3f));
  p = fma(p, r, set1(8.3334519073e-3f));
  p = fma(p, r, set1(4.1665795894e-2f));
  p = fma(p, r, set1(1.6666665459e-1f));
  p = fma(p, r, set1(5.0000001201e-1f));
  p = add(fma(p, mul(r, r), r), set1(1));
  return select_le(lowest, x, scale_by_power(p, n), zero());
}

// cap * tanh(x / cap).
inline Vec soft_cap(Vec x, float cap) {
  // Beyond ±20 tanh is ±1 in f32, and exp of much more would overflow.
  Vec e = exp(max(min(mul(x, set1(2 / cap)), set1(40)), set1(-40)));
  return mul(set1(cap), div(sub(e, set1(1)), add(e, set1(1))));
}

}  // namespace
}  // namespace xylem::kernels::XYLEM_ISA
