// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector extensions, matrix types and SSE2 intrinsics.
// Supports: vector extensions and matrix types, SSE2 to SSE4.1 intrinsics
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

/// Lanes packed in memory, and the largest and smallest of them.
typedef _Bool mask4 __attribute__((ext_vector_type(4)));
typedef double ext4 __attribute__((ext_vector_type(4)));
static double packed(const double *x, int n) {
  double out[4] = {1, 2, 3, 4}, sum = 0;
  for (int i = 0; i + 4 <= n; ++i) {
    const mask4 on = {x[i] > 1.2, 1, x[i + 2] > 1.2, i % 2};
    const ext4 v = __builtin_masked_expand_load(on, x + i, (ext4){x[i], 2, x[i] * x[i + 1], 4});
    __builtin_masked_compress_store(on, v * v, out);
    for (int k = 0; k < 4; ++k)
      sum += out[k] * (k + 1);
    sum += __builtin_reduce_maximum(v * out[1]) * __builtin_reduce_minimum(v + x[i]);
  }
  return sum;
}
GRADIENT_CHECK(vector_packed, Double, packed, In(double, 6), Int(6))

#if __has_extension(matrix_types) // -fenable-matrix
typedef double matrix33 __attribute__((matrix_type(3, 3)));
static double powers(double *x, double k, int n) {
  const matrix33 a = __builtin_matrix_column_major_load(x, 3, 3, 3);
  matrix33 b = __builtin_matrix_transpose(a) * k;
  for (int i = 0; i < n; ++i) {
    b = b * a + a;
    b[i % 3][1] *= x[i];
  }
  double out[9], sum = 0;
  __builtin_matrix_column_major_store(b, out, 3);
  for (int i = 0; i < 9; ++i)
    sum += out[i] * out[i] * (i + 1);
  return sum;
}
GRADIENT_CHECK(matrix_types, Double, powers, In(double, 9), Scalar(double), Int(2))
#endif
