// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions beyond SSE2 that clang keeps as intrinsics: sums of neighbours, blends, rounding.
// Supports: vector extensions, SSE2 to SSE4.1 intrinsics
#include "GradientCheck.h"
#include <immintrin.h>

__attribute__((target("sse4.1"))) static double pairs(const double *x, double a, int n) {
  __m128d sum = _mm_set1_pd(a);
  for (int i = 0; i + 4 <= n; i += 4) {
    __m128d u = _mm_loadu_pd(x + i), v = _mm_loadu_pd(x + i + 2);
    sum = _mm_add_pd(sum, _mm_hadd_pd(_mm_mul_pd(u, v), sum));
    sum = _mm_addsub_pd(sum, _mm_hsub_pd(u, _mm_mul_pd(v, v)));
    sum = _mm_blendv_pd(sum, _mm_mul_pd(u, sum), _mm_sub_pd(u, v));
    sum = _mm_sub_pd(sum, _mm_mul_pd(u, _mm_floor_pd(v)));
  }
  double out[2];
  _mm_storeu_pd(out, sum);
  return out[0] * out[1];
}

__attribute__((target("sse4.1"))) static float four(const float *x, float a, int n) {
  __m128 sum = _mm_set1_ps(a);
  for (int i = 0; i + 8 <= n; i += 4) {
    __m128 u = _mm_loadu_ps(x + i), v = _mm_loadu_ps(x + i + 4);
    sum = _mm_hadd_ps(_mm_mul_ps(u, sum), v);
    sum = _mm_addsub_ps(sum, _mm_hsub_ps(u, v));
    sum = _mm_blendv_ps(sum, u, _mm_sub_ps(v, u));
  }
  float out[4];
  _mm_storeu_ps(out, sum);
  return out[0] * out[1] + out[2] * out[3];
}

GRADIENT_CHECK(sse4_pairs, Double, pairs, In(double, 8), Scalar(double), Int(8))
GRADIENT_CHECK_BOUND(1e-5, sse4_four, Float, four, In(float, 12), Scalar(float), Int(12))
