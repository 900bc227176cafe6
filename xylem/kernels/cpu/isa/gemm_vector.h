// Vectors of floats for the .inc files of gemm: the same names with 8 lanes (AVX2) and 16
// (AVX-512).
#pragma once

#include <immintrin.h>

#include "xylem/kernels/cpu/gemm_isa.h"

namespace xylem::kernels::XYLEM_ISA {
namespace {

constexpr int64_t element_bytes(Element type) { return type == Element::kF32 ? 4 : 2; }

#ifdef XYLEM_ISA_avx2

constexpr int kLanes = 8;
using Vec = __m256;

inline Vec vec_zero() { return _mm256_setzero_ps(); }
inline Vec vec_set(float value) { return _mm256_set1_ps(value); }
inline Vec vec_load(const float* p) { return _mm256_loadu_ps(p); }
inline void vec_store(float* p, Vec v) { _mm256_storeu_ps(p, v); }
inline Vec vec_fma(Vec a, Vec b, Vec c) { return _mm256_fmadd_ps(a, b, c); }

template <Element kType>
inline Vec vec_load_as(const char* p) {
  if constexpr (kType == Element::kF32) {
    return _mm256_loadu_ps(reinterpret_cast<const float*>(p));
  } else {
    const __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i_u*>(p));
    if constexpr (kType == Element::kF16) return _mm256_cvtph_ps(half);
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(half), 16));
  }
}

// The first n < 8 elements, then zeros. Reads no further.
template <Element kType>
inline Vec vec_load_some(const char* p, int n) {
  alignas(32) char copy[32] = {};
  __builtin_memcpy(copy, p, static_cast<size_t>(n * element_bytes(kType)));
  return vec_load_as<kType>(copy);
}

inline void vec_store_some(char* p, Vec v, int n) {
  alignas(32) float copy[8];
  _mm256_store_ps(copy, v);
  __builtin_memcpy(p, copy, static_cast<size_t>(n) * 4);
}

// Rounded to bf16, to nearest even; the first n <= 8.
inline void vec_store_bf16(char* p, Vec v, int n) {
  const __m256i bits = _mm256_castps_si256(v);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  __m256i rounded = _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
  const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q));
  rounded = _mm256_blendv_epi8(rounded, _mm256_set1_epi32(0x7fc00000), nan);
  rounded = _mm256_srli_epi32(rounded, 16);
  const __m128i half =
      _mm_packus_epi32(_mm256_castsi256_si128(rounded), _mm256_extracti128_si256(rounded, 1));
  alignas(16) uint16_t copy[8];
  _mm_store_si128(reinterpret_cast<__m128i*>(copy), half);
  __builtin_memcpy(p, copy, static_cast<size_t>(n) * 2);
}

inline float vec_sum(Vec v) {
  __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  s = _mm_add_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}

inline Vec vec_mul(Vec a, Vec b) { return _mm256_mul_ps(a, b); }
inline Vec vec_add(Vec a, Vec b) { return _mm256_add_ps(a, b); }
inline Vec vec_div(Vec a, Vec b) { return _mm256_div_ps(a, b); }
inline Vec vec_clamp(Vec v, float low, float high) {
  return _mm256_min_ps(_mm256_set1_ps(high), _mm256_max_ps(_mm256_set1_ps(low), v));
}
inline Vec vec_round(Vec v) {
  return _mm256_round_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
// v * 2^n for whole n in [-126, 127].
inline Vec vec_scale(Vec v, Vec n) {
  const __m256i exponent = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
  return _mm256_mul_ps(v, _mm256_castsi256_ps(_mm256_slli_epi32(exponent, 23)));
}

#else

constexpr int kLanes = 16;
using Vec = __m512;

inline Vec vec_zero() { return _mm512_setzero_ps(); }
inline Vec vec_set(float value) { return _mm512_set1_ps(value); }
inline Vec vec_load(const float* p) { return _mm512_loadu_ps(p); }
inline void vec_store(float* p, Vec v) { _mm512_storeu_ps(p, v); }
inline Vec vec_fma(Vec a, Vec b, Vec c) { return _mm512_fmadd_ps(a, b, c); }
inline __mmask16 first_lanes(int n) { return static_cast<__mmask16>((1u << n) - 1); }

template <Element kType>
inline Vec vec_load_some(const char* p, int n) {
  const __mmask16 mask = first_lanes(n);
  if constexpr (kType == Element::kF32) return _mm512_maskz_loadu_ps(mask, p);
  const __m256i half = _mm256_maskz_loadu_epi16(mask, p);
  if constexpr (kType == Element::kF16) return _mm512_cvtph_ps(half);
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16));
}

template <Element kType>
inline Vec vec_load_as(const char* p) {
  if constexpr (kType == Element::kF32) return _mm512_loadu_ps(p);
  const __m256i half = _mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(p));
  if constexpr (kType == Element::kF16) return _mm512_cvtph_ps(half);
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16));
}

inline void vec_store_some(char* p, Vec v, int n) { _mm512_mask_storeu_ps(p, first_lanes(n), v); }

inline void vec_store_bf16(char* p, Vec v, int n) {
  const __m512i bits = _mm512_castps_si512(v);
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  __m512i rounded = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
  const __mmask16 nan = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
  rounded = _mm512_mask_mov_epi32(rounded, nan, _mm512_set1_epi32(0x7fc00000));
  _mm512_mask_cvtepi32_storeu_epi16(p, first_lanes(n), _mm512_srli_epi32(rounded, 16));
}

inline float vec_sum(Vec v) { return _mm512_reduce_add_ps(v); }
inline Vec vec_mul(Vec a, Vec b) { return _mm512_mul_ps(a, b); }
inline Vec vec_add(Vec a, Vec b) { return _mm512_add_ps(a, b); }
inline Vec vec_div(Vec a, Vec b) { return _mm512_div_ps(a, b); }
inline Vec vec_clamp(Vec v, float low, float high) {
  return _mm512_min_ps(_mm512_set1_ps(high), _mm512_max_ps(_mm512_set1_ps(low), v));
}
inline Vec vec_round(Vec v) {
  return _mm512_roundscale_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
inline Vec vec_scale(Vec v, Vec n) { return _mm512_scalef_ps(v, n); }

#endif

// The first n elements, or all where n is more.
template <Element kType>
inline Vec vec_load_up_to(const char* p, int n) {
  return n >= kLanes ? vec_load_as<kType>(p) : vec_load_some<kType>(p, n);
}

// e^x, relative error below 2e-7; the argument is clamped to where the result is normal. NaN stays.
inline Vec vec_exp(Vec x) {
  x = vec_clamp(x, -87.3f, 88.3f);
  const Vec n = vec_round(vec_mul(x, vec_set(1.44269504f)));
  // x - n ln 2 in two parts (Cody and Waite), then Taylor's series.
  Vec r = vec_fma(n, vec_set(-0.693359375f), x);
  r = vec_fma(n, vec_set(2.12194440e-4f), r);
  Vec p = vec_set(1.0f / 5040);
  for (float c : {1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1.0f, 1.0f}) {
    p = vec_fma(p, r, vec_set(c));
  }
  return vec_scale(p, n);
}

inline Vec vec_silu(Vec x) {
  const Vec one = vec_set(1.0f);
  return vec_div(x, vec_add(one, vec_exp(vec_mul(x, vec_set(-1.0f)))));
}

}  // namespace
}  // namespace xylem::kernels::XYLEM_ISA
