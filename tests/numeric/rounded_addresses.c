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

static void put(char *at, double value) { *(double *)at = value; }

static double packed(const double *x) {
  char buffer[bytes] __attribute__((aligned(32)));
  put(buffer, x[0]);
  put(buffer + 16, x[1]);
  put(buffer + 32, x[0] * x[2]);
  put(buffer + 48, x[3]);
  put(buffer + 64, x[4]);
  put(buffer + 80, x[4] * x[5]);
  return unpack(buffer, 2);
}
GRADIENT_CHECK(rounded_addresses, Double, packed, In(double, 6))
