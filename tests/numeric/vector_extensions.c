// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector extensions and SSE2 intrinsics.
// Supports: vector extensions, SSE2 to SSE4.1 intrinsics
#include "GradientCheck.h"
#include <emmintrin.h>

typedef double v4 __attribute__((vector_size(32), aligned(8)));

static double lanes(const double *x, double *y, double a, int n) {
  v4 sum = {0, 0, 0, 0};
  for (int i = 0; i + 4 <= n; i += 4) {
    v4 v = *(const v4 *)(x + i);
    sum += v * v * a;
    sum += v - 0.5 * sum;
    v[i / 4] *= 3;
    *(v4 *)(y + i) = __builtin_shufflevector(v, sum, 1, 4, 3, 6);
  }
  __m128d acc = _mm_setzero_pd();
  for (int i = 0; i + 2 <= n; i += 2) {
    __m128d v = _mm_loadu_pd(x + i);
    acc = _mm_add_pd(acc, _mm_mul_pd(v, _mm_set1_pd(a)));
    acc = _mm_sub_pd(acc, _mm_sqrt_pd(v));
    acc = _mm_max_pd(acc, _mm_div_pd(v, _mm_set1_pd(7)));
    acc = _mm_add_sd(acc, _mm_unpackhi_pd(acc, v));
    acc = _mm_min_sd(acc, _mm_shuffle_pd(v, acc, 1));
  }
  __asm__("" : "+x"(acc)); // keeps the optimiser out, changes nothing
  double out[2];
  _mm_storeu_pd(out, acc);
  return sum[0] * sum[1] + sum[2] * sum[3] + out[0] * out[1];
}

GRADIENT_CHECK(vector_extensions, Double, lanes, In(double, 8), Out(double, 8), Scalar(double),
               Int(8))

// Inline assembly without instructions, which hides a value from the optimiser.
static double hidden(const double *x, double a, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    double term = x[i] * a;
    __asm__ volatile("" : "+r"(term));
    s += term * x[i];
  }
  __asm__("" : "+r"(s));
  return s * s;
}

GRADIENT_CHECK(vector_hidden, Double, hidden, In(double, 5), Scalar(double), Int(5))

// Lanes that hold anything, and that nobody looks at.
typedef double v2 __attribute__((vector_size(16)));
static double unused_lanes(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i + 2 <= n; i += 2) {
    v2 v = {x[i], x[i + 1]}, w = v * v;
    w = w + __builtin_shufflevector(w, w, 1, -1);
    w = w * w / __builtin_shufflevector(v, v, 0, -1);
    w = w * __builtin_shufflevector(w, w, 0, -1);
    sum += w[0] * x[i];
  }
  return sum;
}
GRADIENT_CHECK(vector_unused_lanes, Double, unused_lanes, In(double, 6), Int(6))
