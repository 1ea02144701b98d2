// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records in a buffer, each of which begins where the next multiple of 16 bytes is.
#include "GradientCheck.h"

enum { bytes = 128 };

static __attribute__((noinline)) double unpack(char *at, int records) {
  double sum = 0;
  for (int i = 0; i < records; ++i) {
    const double first = *(double *)at;
    at = (char *)__builtin_align_up(at + 8, 16);
    const double second = *(double *)at;
    at += 16;
    const double third = *(double *)at;
    at += 16;
    sum += first * second * third;
  }
  return sum;
}

static double packed(const double *x) {
  char buffer[bytes] __attribute__((aligned(32)));
  for (int i = 0; i < 6; ++i)
    *(double *)(buffer + 16 * i) = i % 2 ? x[i] : x[i] * x[(i + 1) % 6];
  return unpack(buffer, 2);
}
GRADIENT_CHECK(rounded_addresses, Double, packed, In(double, 6))
