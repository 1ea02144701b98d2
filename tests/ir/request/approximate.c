// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions that give about a reciprocal, or one of a square root, keep their values and have
// the derivatives of what they approximate. Their steps are too coarse for differences, so slopes
// are compared with those of the function.
//
// RUN: %cf_clang -O0 %s -o %t0 -lm && %t0 | FileCheck %s
// RUN: %cf_clang -O2 %s -o %t2 -lm && %t2 | FileCheck %s
// RUN: %cf_clang -O3 -ffast-math %s -o %t3 -lm && %t3 | FileCheck %s
#include <immintrin.h>
#include <math.h>
#include <stdio.h>

extern int enzyme_dup;
float __enzyme_autodiff(void *, ...);
float __enzyme_fwddiff(void *, ...);

static float roots(const float *x) {
  __m128 r = _mm_rsqrt_ps(_mm_loadu_ps(x));
  float out[4];
  _mm_storeu_ps(out, r);
  return out[0] + 2 * out[1] + 3 * out[2] + 4 * out[3];
}

static float quotients(const float *x) {
  __m128 r = _mm_rcp_ps(_mm_loadu_ps(x));
  float out[4];
  _mm_storeu_ps(out, r);
  return out[0] + 2 * out[1] + 3 * out[2] + 4 * out[3];
}

/* The other lanes pass. */
static float firsts(const float *x) {
  __m128 v = _mm_loadu_ps(x), r = _mm_add_ps(_mm_rsqrt_ss(v), _mm_rcp_ss(v));
  float out[4];
  _mm_storeu_ps(out, r);
  return out[0] + out[1] * out[2] * out[3];
}

__attribute__((target("avx"))) static float eight(const float *x) {
  __m256 v = _mm256_broadcast_ps((const __m128 *)x);
  float out[8];
  _mm256_storeu_ps(out, _mm256_add_ps(_mm256_rsqrt_ps(v), _mm256_rcp_ps(v)));
  return out[0] + out[1] + out[2] + out[3] + out[4] + 3 * out[5] + 5 * out[6] + 7 * out[7];
}

/* One step of Newton's method, as programs of particles take it. */
static float forces(const float *x) {
  __m128 d = _mm_loadu_ps(x), r = _mm_rsqrt_ps(d);
  r = _mm_mul_ps(r, _mm_sub_ps(_mm_set1_ps(1.5f),
                               _mm_mul_ps(_mm_mul_ps(_mm_set1_ps(0.5f), d), _mm_mul_ps(r, r))));
  float out[4];
  _mm_storeu_ps(out, _mm_mul_ps(r, _mm_mul_ps(r, r)));
  return out[0] + 2 * out[1] + 3 * out[2] + 4 * out[3];
}

typedef float (*function)(const float *);
static const float x[4] = {0.5f, 1.7f, 2.9f, 4.3f};

static void compare(const char *name, float value, float plain, float sum, const float *slopes,
                    const float *expected) {
  int right = value == plain;
  float all = 0;
  for (int i = 0; i < 4; ++i) {
    right &= fabsf(slopes[i] - expected[i]) < 2e-3f * fabsf(expected[i]);
    all += expected[i];
  }
  right &= fabsf(sum - all) < 2e-3f * fabsf(all);
  printf("%s: %s\n", name, right ? "right" : "wrong");
}

#define COMPARE(f, ...)                                                                            \
  do {                                                                                             \
    float slopes[4] = {0}, ones[4] = {1, 1, 1, 1}, expected[4] = {__VA_ARGS__};                    \
    float plain = f(x), sum = __enzyme_fwddiff((void *)f, enzyme_dup, x, ones);                    \
    __enzyme_autodiff((void *)f, enzyme_dup, x, slopes);                                           \
    compare(#f, f(x), plain, sum, slopes, expected);                                               \
  } while (0)
#define ROOT(k) (-0.5f * (k + 1) * powf(x[k], -1.5f))
#define QUOTIENT(k) (-(k + 1) / (x[k] * x[k]))
#define FORCE(k) (-1.5f * (k + 1) * powf(x[k], -2.5f))

int main(void) {
  COMPARE(roots, ROOT(0), ROOT(1), ROOT(2), ROOT(3));                     // CHECK: roots: right
  COMPARE(quotients, QUOTIENT(0), QUOTIENT(1), QUOTIENT(2), QUOTIENT(3)); // CHECK: quotients: right
  COMPARE(firsts, ROOT(0) + QUOTIENT(0), 4 * x[2] * x[3] * 2, 4 * x[1] * x[3] * 2,
          4 * x[1] * x[2] * 2); // CHECK: firsts: right
#define BOTH(k) (2 * (ROOT(k) + QUOTIENT(k)))
  COMPARE(eight, BOTH(0), BOTH(1), BOTH(2), BOTH(3));      // CHECK: eight: right
  COMPARE(forces, FORCE(0), FORCE(1), FORCE(2), FORCE(3)); // CHECK: forces: right
  return 0;
}
