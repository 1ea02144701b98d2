// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers that come from floats, or become floats, and are integers: keys that are sorted, hashes
// that choose a place, exponents and whole numbers in memory, counters beside numbers in a union,
// random numbers made of bits, bytes of floats that are moved.
// Supports: sort keys, hashes and exponents of floats in integer memory
#include "GradientCheck.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static uint32_t bits(float x) {
  uint32_t b;
  memcpy(&b, &x, sizeof b);
  return b;
}
static float number(uint32_t b) {
  float x;
  memcpy(&x, &b, sizeof x);
  return x;
}

struct Value {
  int kind;
  union {
    float number;
    int count;
  };
};
static float tagged(const float *x, int n) {
  struct Value v[8];
  float s = 0;
  for (int i = 0; i < n; i++) {
    v[i].kind = i % 3 == 0;
    if (v[i].kind)
      v[i].count = (int)(x[i] * 8 + 0.5F) / 8;
    else
      v[i].number = x[i] * x[i];
  }
  for (int i = 0; i < n; i++) {
    if (v[i].kind)
      v[i].count += 3;
    s += v[i].kind ? (float)v[i].count * x[i] : v[i].number * x[i];
  }
  return s;
}

// Keys in the order of the numbers.
static float ranked(const float *x, int n) {
  uint32_t key[8];
  int place[8];
  float s = 0;
  for (int i = 0; i < n; i++) {
    const uint32_t b = bits(x[i] - 1.5F);
    key[i] = b ^ ((uint32_t)-(int32_t)(b >> 31) | 0x80000000u);
    place[i] = i;
  }
  for (int i = 1; i < n; i++)
    for (int j = i; j > 0 && key[j - 1] > key[j]; j--) {
      const uint32_t k = key[j];
      const int p = place[j];
      key[j] = key[j - 1], key[j - 1] = k;
      place[j] = place[j - 1], place[j - 1] = p;
    }
  for (int i = 0; i < n; i++)
    s += x[place[i]] * x[place[i]] * (float)(i + 1);
  return s;
}

// Numbers that are moved as the integers by which they are sorted.
static float radix(const float *x, int n) {
  uint32_t key[8], out[8];
  int first[257] = {0};
  float s = 0;
  for (int i = 0; i < n; i++)
    key[i] = bits(x[i] * x[i]);
  for (int i = 0; i < n; i++)
    first[((key[i] >> 16) & 255) + 1]++;
  for (int i = 0; i < 256; i++)
    first[i + 1] += first[i];
  for (int i = 0; i < n; i++)
    out[first[(key[i] >> 16) & 255]++] = key[i];
  for (int i = 0; i < n; i++)
    s += number(out[i]) * (float)(i + 1);
  return s;
}

static double grouped(const double *x, int n) {
  uint64_t keys[16] = {0};
  int count[16] = {0};
  double sums[16] = {0}, s = 0;
  for (int i = 0; i < n; i++) {
    uint64_t key, h;
    memcpy(&key, &x[i], sizeof key);
    h = key ^ key >> 33;
    h *= 0xff51afd7ed558ccdull;
    unsigned place = h >> 60;
    while (keys[place] && keys[place] != key)
      place = (place + 1) & 15;
    keys[place] = key;
    count[place]++;
    sums[place] += x[i] * x[i];
  }
  for (int i = 0; i < 16; i++)
    if (keys[i])
      s += sums[i] * count[i];
  return s;
}

static float exponents(const float *x, int n) {
  int e[8];
  float s = 0;
  for (int i = 0; i < n; i++)
    e[i] = (int)(bits(x[i]) >> 23) - 127;
  for (int i = 0; i < n; i++)
    s += x[i] * x[i] * number((uint32_t)(e[i] + 127) << 23) + x[i] * (float)e[i];
  return s;
}

static float powers(const float *x, int n) {
  int e[8];
  float s = 0;
  for (int i = 0; i < n; i++)
    e[i] = (int)(10 * x[i]);
  for (int i = 0; i < n; i++)
    s += x[i] * x[i] * number((uint32_t)(e[i] % 4 + 127) << 23) + x[i] * (float)(e[i] * 3);
  return s;
}

static float drawn(const float *x, int n) {
  uint32_t state[2] = {12345, 6789};
  float s = 0;
  for (int i = 0; i < n; i++) {
    state[i % 2] = state[i % 2] * 1664525u + 1013904223u;
    s += x[i] * x[i] * (number((state[i % 2] >> 9) | 0x3f800000) - 1.0F);
    s += x[i] * (float)(state[1 - i % 2] >> 8) * 0x1p-24F;
  }
  return s;
}

static double bytes(const double *x, int n) {
  unsigned char b[64];
  double y[8], s = 0;
  for (int i = 0; i < n; i++) {
    const double t = x[i] * x[i];
    memcpy(b + 8 * i, &t, sizeof t);
  }
  memcpy(y, b, 8 * n);
  for (int i = 0; i < n; i++)
    s += y[n - 1 - i] * x[i];
  return s;
}

// Numbers, indices and counts that start from zero in one block.
static double block(const double *x, int n) {
  double *numbers = calloc(1, 256), s = 0;
  int *places = (int *)(numbers + 8), *counts = (int *)(numbers + 16);
  for (int i = 0; i < n; i++) {
    numbers[i] = x[i] * x[i];
    places[i] = i * 2 % n;
    counts[i % 3]++;
  }
  for (int i = 0; i < n; i++)
    s += numbers[places[i]] * x[i] * counts[i % 3] + x[i] * places[i];
  free(numbers);
  return s;
}

GRADIENT_CHECK(integers_tagged, Float, tagged, InRange(float, 5, 1.01, 1.04), Int(5))
GRADIENT_CHECK(integers_ranked, Float, ranked, InRange(float, 5, 1.1, 1.9), Int(5))
GRADIENT_CHECK(integers_radix, Float, radix, InRange(float, 5, 1.1, 1.9), Int(5))
GRADIENT_CHECK(integers_grouped, Double, grouped, InRange(double, 5, 1.1, 1.9), Int(5))
GRADIENT_CHECK(integers_exponents, Float, exponents, InRange(float, 5, 1.1, 1.9), Int(5))
GRADIENT_CHECK(integers_powers, Float, powers, InRange(float, 5, 1.11, 1.19), Int(5))
GRADIENT_CHECK(integers_drawn, Float, drawn, InRange(float, 5, 1.1, 1.9), Int(5))
GRADIENT_CHECK(integers_bytes, Double, bytes, InRange(double, 5, 1.1, 1.9), Int(5))
GRADIENT_CHECK(integers_block, Double, block, InRange(double, 5, 1.1, 1.9), Int(5))
