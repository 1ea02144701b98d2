// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AVX, AVX2 and FMA: accesses under a mask, gathers, sums of products, conversions, aligned
// memory. Machines without them check a sum.
// Supports: AVX, AVX2 and FMA intrinsics, masked accesses and gathers
#include "GradientCheck.h"
#include <immintrin.h>
#include <stdint.h>
#include <stdlib.h>

#define AVX __attribute__((target("avx2,fma"))) static

static double plain(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] * x[i];
  return sum;
}

AVX double masked_lanes(const double *x, int n) {
  const __m256i fixed = _mm256_setr_epi64x(-1, 0, -1, -1);
  double out[8] = {0};
  for (int i = 0; i + 4 <= n; i += 2) {
    const int left = n - i;
    const __m256i some =
        _mm256_cmpgt_epi64(_mm256_set1_epi64x(left - 3), _mm256_setr_epi64x(0, 1, 2, 3));
    __m256d u = _mm256_maskload_pd(x + i, fixed), v = _mm256_maskload_pd(x + i, some);
    __m256d larger = _mm256_cmp_pd(u, _mm256_set1_pd(1.0), _CMP_GT_OQ);
    u = _mm256_blendv_pd(u, _mm256_mul_pd(u, v), larger);
    _mm256_maskstore_pd(out + i % 4, fixed, _mm256_fmadd_pd(u, v, u));
  }
  return out[0] + out[2] * out[3] + out[5] * out[4];
}

AVX double gathered(const double *x, int n) {
  const __m128i at = _mm_setr_epi32(0, 3, 1, n - 1);
  __m256d v = _mm256_i32gather_pd(x, at, 8);
  __m256d some = _mm256_cmp_pd(v, _mm256_set1_pd(0.9), _CMP_LT_OQ);
  __m256d w = _mm256_mask_i32gather_pd(v, x + 1, _mm_setr_epi32(2, 0, 1, 1), some, 8);
  v = _mm256_permute4x64_pd(_mm256_fmaddsub_pd(v, w, w), 0x1b);
  v = _mm256_hadd_pd(v, _mm256_mul_pd(v, v));
  double out[4];
  _mm256_storeu_pd(out, v);
  return out[0] * out[1] + out[2] * out[3] + _mm256_movemask_pd(v);
}

AVX float products(const float *x, int n) {
  __m256 v = _mm256_loadu_ps(x), p = _mm256_permute_ps(v, 0xb1);
  v = _mm256_dp_ps(_mm256_fmsub_ps(v, p, v), p, 0xd3);
  __m128i from = _mm_setr_epi32(1, n - 1, 0, 2);
  __m128 g = _mm_i64gather_ps(x, _mm_cvtepi32_epi64(from), 4);
  float out[8], part[4];
  _mm256_storeu_ps(out, v);
  _mm_storeu_ps(part, g);
  return out[0] * out[4] + out[1] * part[0] + out[2] + part[1] * part[1] + part[2];
}

/* Memory that is aligned by hand, as Eigen does it, wherever the heap has room. */
AVX double aligned_by_hand(const double *x, int n) {
  double out = 0;
  for (int size = 64; size <= 1024; size *= 2) {
    char *room = malloc(size * sizeof(double) + 31);
    double *a = (double *)(((uintptr_t)room + 31) & ~(uintptr_t)31);
    for (int i = 0; i < size; i++)
      a[i] = x[i % n];
    for (int k = 0; k < 3; k++)
      for (int i = 0; i < size; i += 4)
        _mm256_store_pd(a + i, _mm256_mul_pd(_mm256_load_pd(a + i), _mm256_loadu_pd(x)));
    for (int i = 0; i < size; i++)
      out += a[i] * a[(i * 7) % size] / size;
    free(room);
  }
  return out;
}

static double lanes(const double *x, int n) {
  return __builtin_cpu_supports("fma") ? masked_lanes(x, n) : plain(x, n);
}
static double places(const double *x, int n) {
  return __builtin_cpu_supports("fma") ? gathered(x, n) : plain(x, n);
}
static double aligned(const double *x, int n) {
  return __builtin_cpu_supports("fma") ? aligned_by_hand(x, n) : plain(x, n);
}
static float singles(const float *x, int n) {
  return __builtin_cpu_supports("fma") ? products(x, n) : x[0] * x[n - 1];
}

GRADIENT_CHECK(avx_lanes, Double, lanes, In(double, 9), Int(9))
GRADIENT_CHECK(avx_places, Double, places, In(double, 6), Int(6))
GRADIENT_CHECK(avx_aligned, Double, aligned, In(double, 6), Int(6))
GRADIENT_CHECK_BOUND(1e-4, avx_singles, Float, singles, In(float, 8), Int(8))
