// Vector helpers of the quantised kernels: `kLanes` rows of a group at a time, one 32-bit lane a
// row. Included by .inc files only; see dispatch.h for the rules.
#pragma once

#include <immintrin.h>

#include <cstdint>

#define XYLEM_INLINE static inline __attribute__((always_inline))

namespace xylem::kernels::XYLEM_ISA {

template <int I>
struct Const {
  static constexpr int value = I;
};

// body(Const<0>{}) ... body(Const<N - 1>{}), unrolled.
template <int N, int I = 0, typename Body>
XYLEM_INLINE void unroll(const Body& body) {
  if constexpr (I < N) {
    body(Const<I>{});
    unroll<N, I + 1>(body);
  }
}
#define XYLEM_UNROLLED [&](auto index) __attribute__((always_inline))

#ifdef XYLEM_ISA_avx2
using VecF = __m256;
using VecI = __m256i;
inline constexpr int kLanes = 8;

XYLEM_INLINE VecF zero_f() { return _mm256_setzero_ps(); }
XYLEM_INLINE VecI zero_i() { return _mm256_setzero_si256(); }
XYLEM_INLINE VecI load_i(const void* p) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}
XYLEM_INLINE VecF load_f(const float* p) { return _mm256_loadu_ps(p); }
XYLEM_INLINE void store_f(float* p, VecF v) { _mm256_storeu_ps(p, v); }
XYLEM_INLINE void store_i(void* p, VecI v) { _mm256_storeu_si256(static_cast<__m256i*>(p), v); }
XYLEM_INLINE VecF splat_f(float v) { return _mm256_set1_ps(v); }
XYLEM_INLINE VecI splat_i(int32_t v) { return _mm256_set1_epi32(v); }
XYLEM_INLINE VecI splat_16(int16_t v) { return _mm256_set1_epi16(v); }
XYLEM_INLINE VecI splat_8(int8_t v) { return _mm256_set1_epi8(v); }
XYLEM_INLINE VecF add(VecF a, VecF b) { return _mm256_add_ps(a, b); }
XYLEM_INLINE VecF mul(VecF a, VecF b) { return _mm256_mul_ps(a, b); }
XYLEM_INLINE VecF div(VecF a, VecF b) { return _mm256_div_ps(a, b); }
// Both give b when either is NaN.
XYLEM_INLINE VecF min(VecF a, VecF b) { return _mm256_min_ps(a, b); }
XYLEM_INLINE VecF max(VecF a, VecF b) { return _mm256_max_ps(a, b); }
XYLEM_INLINE VecF fma(VecF a, VecF b, VecF c) { return _mm256_fmadd_ps(a, b, c); }
XYLEM_INLINE VecF fnma(VecF a, VecF b, VecF c) { return _mm256_fnmadd_ps(a, b, c); }
XYLEM_INLINE VecF round_even(VecF a) {
  return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
XYLEM_INLINE VecI bits(VecF a) { return _mm256_castps_si256(a); }
XYLEM_INLINE VecF from_bits(VecI a) { return _mm256_castsi256_ps(a); }
XYLEM_INLINE VecF to_float(VecI a) { return _mm256_cvtepi32_ps(a); }
XYLEM_INLINE VecI to_int(VecF a) { return _mm256_cvtps_epi32(a); }
XYLEM_INLINE VecI and_(VecI a, VecI b) { return _mm256_and_si256(a, b); }
XYLEM_INLINE VecI or_(VecI a, VecI b) { return _mm256_or_si256(a, b); }
// (a & mask) | b
XYLEM_INLINE VecI and_or(VecI a, VecI mask, VecI b) { return or_(and_(a, mask), b); }
XYLEM_INLINE VecI add_32(VecI a, VecI b) { return _mm256_add_epi32(a, b); }
XYLEM_INLINE VecI add_16(VecI a, VecI b) { return _mm256_add_epi16(a, b); }
XYLEM_INLINE VecI max_u32(VecI a, VecI b) { return _mm256_max_epu32(a, b); }
XYLEM_INLINE VecI min_u32(VecI a, VecI b) { return _mm256_min_epu32(a, b); }
template <int N>
XYLEM_INLINE VecI right_16(VecI a) {
  return _mm256_srli_epi16(a, N);
}
template <int N>
XYLEM_INLINE VecI left_16(VecI a) {
  return _mm256_slli_epi16(a, N);
}
template <int N>
XYLEM_INLINE VecI right_32(VecI a) {
  return _mm256_srli_epi32(a, N);
}
template <int N>
XYLEM_INLINE VecI left_32(VecI a) {
  return _mm256_slli_epi32(a, N);
}
XYLEM_INLINE VecI dot_pairs(VecI codes, VecI acts) { return _mm256_maddubs_epi16(codes, acts); }
XYLEM_INLINE VecI sum_pairs(VecI a, VecI weights) { return _mm256_madd_epi16(a, weights); }
XYLEM_INLINE VecI lookup(const uint8_t* table, VecI codes) {
  __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(table));
  return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(half), codes);
}
XYLEM_INLINE VecF load_f16(const void* p) {
  return _mm256_cvtph_ps(_mm_loadu_si128(static_cast<const __m128i*>(p)));
}
XYLEM_INLINE VecF load_i8(const void* p) {
  return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(static_cast<const __m128i*>(p))));
}
XYLEM_INLINE VecI load_u8(const void* p) {
  return _mm256_cvtepu8_epi32(_mm_loadl_epi64(static_cast<const __m128i*>(p)));
}
#else
using VecF = __m512;
using VecI = __m512i;
inline constexpr int kLanes = 16;

XYLEM_INLINE VecF zero_f() { return _mm512_setzero_ps(); }
XYLEM_INLINE VecI zero_i() { return _mm512_setzero_si512(); }
XYLEM_INLINE VecI load_i(const void* p) { return _mm512_loadu_si512(p); }
XYLEM_INLINE VecF load_f(const float* p) { return _mm512_loadu_ps(p); }
XYLEM_INLINE void store_f(float* p, VecF v) { _mm512_storeu_ps(p, v); }
XYLEM_INLINE void store_i(void* p, VecI v) { _mm512_storeu_si512(p, v); }
XYLEM_INLINE VecF splat_f(float v) { return _mm512_set1_ps(v); }
XYLEM_INLINE VecI splat_i(int32_t v) { return _mm512_set1_epi32(v); }
XYLEM_INLINE VecI splat_16(int16_t v) { return _mm512_set1_epi16(v); }
XYLEM_INLINE VecI splat_8(int8_t v) { return _mm512_set1_epi8(v); }
XYLEM_INLINE VecF add(VecF a, VecF b) { return _mm512_add_ps(a, b); }
XYLEM_INLINE VecF mul(VecF a, VecF b) { return _mm512_mul_ps(a, b); }
XYLEM_INLINE VecF div(VecF a, VecF b) { return _mm512_div_ps(a, b); }
XYLEM_INLINE VecF min(VecF a, VecF b) { return _mm512_min_ps(a, b); }
XYLEM_INLINE VecF max(VecF a, VecF b) { return _mm512_max_ps(a, b); }
XYLEM_INLINE VecF fma(VecF a, VecF b, VecF c) { return _mm512_fmadd_ps(a, b, c); }
XYLEM_INLINE VecF fnma(VecF a, VecF b, VecF c) { return _mm512_fnmadd_ps(a, b, c); }
XYLEM_INLINE VecF round_even(VecF a) {
  return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
XYLEM_INLINE VecI bits(VecF a) { return _mm512_castps_si512(a); }
XYLEM_INLINE VecF from_bits(VecI a) { return _mm512_castsi512_ps(a); }
XYLEM_INLINE VecF to_float(VecI a) { return _mm512_cvtepi32_ps(a); }
XYLEM_INLINE VecI to_int(VecF a) { return _mm512_cvtps_epi32(a); }
XYLEM_INLINE VecI and_(VecI a, VecI b) { return _mm512_and_si512(a, b); }
XYLEM_INLINE VecI or_(VecI a, VecI b) { return _mm512_or_si512(a, b); }
XYLEM_INLINE VecI and_or(VecI a, VecI mask, VecI b) {
  return _mm512_ternarylogic_epi32(a, mask, b, 0xEA);
}
XYLEM_INLINE VecI add_32(VecI a, VecI b) { return _mm512_add_epi32(a, b); }
XYLEM_INLINE VecI add_16(VecI a, VecI b) { return _mm512_add_epi16(a, b); }
XYLEM_INLINE VecI max_u32(VecI a, VecI b) { return _mm512_max_epu32(a, b); }
XYLEM_INLINE VecI min_u32(VecI a, VecI b) { return _mm512_min_epu32(a, b); }
template <int N>
XYLEM_INLINE VecI right_16(VecI a) {
  return _mm512_srli_epi16(a, N);
}
template <int N>
XYLEM_INLINE VecI left_16(VecI a) {
  return _mm512_slli_epi16(a, N);
}
template <int N>
XYLEM_INLINE VecI right_32(VecI a) {
  return _mm512_srli_epi32(a, N);
}
template <int N>
XYLEM_INLINE VecI left_32(VecI a) {
  return _mm512_slli_epi32(a, N);
}
XYLEM_INLINE VecI dot_pairs(VecI codes, VecI acts) { return _mm512_maddubs_epi16(codes, acts); }
XYLEM_INLINE VecI sum_pairs(VecI a, VecI weights) { return _mm512_madd_epi16(a, weights); }
XYLEM_INLINE VecI lookup(const uint8_t* table, VecI codes) {
  __m128i quarter = _mm_loadu_si128(reinterpret_cast<const __m128i*>(table));
  return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(quarter), codes);
}
XYLEM_INLINE VecF load_f16(const void* p) {
  return _mm512_cvtph_ps(_mm256_loadu_si256(static_cast<const __m256i*>(p)));
}
XYLEM_INLINE VecF load_i8(const void* p) {
  return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(static_cast<const __m128i*>(p))));
}
XYLEM_INLINE VecI load_u8(const void* p) {
  return _mm512_cvtepu8_epi32(_mm_loadu_si128(static_cast<const __m128i*>(p)));
}
#endif

// Keeps the compiler from reordering a chain of integer additions, which it does into trees that
// need more registers than there are.
XYLEM_INLINE VecI in_order(VecI v) {
  __asm__("" : "+v"(v));
  return v;
}

// e^x to within 2 ulp between -87 and 88, clamped outside; NaN stays NaN. Cephes' expf.
XYLEM_INLINE VecF exp(VecF x) {
  x = min(splat_f(88.37f), max(splat_f(-87.33f), x));
  const VecF n = round_even(mul(x, splat_f(1.44269504f)));
  VecF r = fnma(n, splat_f(0.693359375f), x);
  r = fnma(n, splat_f(-2.12194440e-4f), r);
  VecF p = splat_f(1.9875691500e-4f);
  p = fma(p, r, splat_f(1.3981999507e-3f));
  p = fma(p, r, splat_f(8.3334519073e-3f));
  p = fma(p, r, splat_f(4.1665795894e-2f));
  p = fma(p, r, splat_f(1.6666665459e-1f));
  p = fma(p, r, splat_f(5.0000001201e-1f));
  p = add(fma(p, mul(r, r), r), splat_f(1.0f));
  return from_bits(add_32(bits(p), left_32<23>(to_int(n))));
}

}  // namespace xylem::kernels::XYLEM_ISA
