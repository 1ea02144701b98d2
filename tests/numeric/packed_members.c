// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An integer beside an address that has the bits of a float put into its upper half, and a number
// of its own in the lower one: a member that goes up by one is not only a count.
// Supports: floats packed into integer members
#include "GradientCheck.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct cell {
  struct cell *next;
  int64_t packed;
};

static void put(struct cell *c, int k, float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  c->packed = (int64_t)(((uint64_t)bits << 32) | (uint32_t)k);
}

static float get(const struct cell *c) {
  const uint32_t bits = (uint32_t)((uint64_t)c->packed >> 32);
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static float exchanged(const float *a, int n) {
  struct cell *all = malloc((size_t)n * sizeof *all);
  for (int i = 0; i < n; ++i) {
    put(&all[i], i, a[i] * a[i]);
    all[i].next = i ? &all[i - 1] : 0;
  }
  for (int i = 0; i + 1 < n; i += 2) {
    const int64_t kept = all[i].packed;
    all[i].packed = all[i + 1].packed;
    all[i + 1].packed = kept;
  }
  const struct cell first = all[0];
  all[0].packed = all[n - 1].packed;
  all[n - 1].packed = first.packed;
  float sum = 0;
  int k = 1;
  for (const struct cell *c = &all[n - 1]; c; c = c->next)
    sum += (float)k++ * get(c) + (float)(int32_t)c->packed;
  free(all);
  return sum;
}

GRADIENT_CHECK(packed_exchanged, Float, exchanged, In(float, 6), Int(6))
