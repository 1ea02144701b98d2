// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bits of floats that are calculated with as integers, lie in memory as integers, and become floats
// where they are read: storage in 16 bits, arrays of unions, arrays of floats accessed as integers,
// floats copied into an array of integers and back, hashes.
//
// RUN: %not %clang -O0 -fno-strict-aliasing -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -fno-strict-aliasing -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s

#include <stdint.h>
#include <string.h>

double __enzyme_autodiff(void *, ...);

static uint32_t bits(float x) {
  uint32_t b;
  memcpy(&b, &x, sizeof b);
  return b;
}
static float number(uint32_t b) {
  float x;
  // CHECK-DAG: lost_bits.c:[[@LINE+1]]:{{.*}}[CF216]
  memcpy(&x, &b, sizeof x);
  return x;
}
union Word {
  float f;
  uint32_t u;
};

// Bytes that go through a ring, of which it is not known where numbers begin.
static unsigned char ring[64];
double delayed(const double *x, int n) {
  unsigned in = 0, out = 0;
  double s = 0;
  for (int i = 0; i < 3 * n; i++) {
    double y = x[i % n];
    for (unsigned k = 0; k < sizeof y; k++)
      ring[(in + k) % 64] = ((unsigned char *)&y)[k];
    in += sizeof y;
    if (i > 2) {
      for (unsigned k = 0; k < sizeof y; k++)
        // CHECK-DAG: lost_bits.c:[[@LINE+1]]:{{.*}}[CF216]
        ((unsigned char *)&y)[k] = ring[(out + k) % 64];
      out += sizeof y;
      s += y * y;
    }
  }
  return s;
}

// The order of bytes changes, and what comes of it is calculated with.
uint32_t htonl(uint32_t), ntohl(uint32_t);
float swapped(const float *x, int n) {
  uint32_t w[64], u;
  float s = 0, y;
  for (int i = 0; i < n; i++) {
    y = x[i] * x[i];
    memcpy(&u, &y, sizeof u);
    // CHECK-DAG: lost_bits.c:[[@LINE+1]]:{{.*}}[CF20
    w[i] = htonl(u) ^ 0x5a5a;
  }
  for (int i = 0; i < n; i++) {
    u = ntohl(w[i] ^ 0x5a5a);
    memcpy(&y, &u, sizeof y);
    s += y * x[i];
  }
  return s;
}

float shortened(const float *x, int n) {
  uint16_t h[64];
  float s = 0;
  for (int i = 0; i < n; i++)
    h[i] = (uint16_t)(bits(x[i] * x[i]) >> 16);
  for (int i = 0; i < n; i++)
    s += number((uint32_t)h[n - 1 - i] << 16) * x[i];
  return s;
}
double exponentials(const double *x, int n) {
  int64_t h[64];
  double s = 0, y;
  for (int i = 0; i < n; i++)
    h[i] = (int64_t)(6497320848556798.0 * x[i] + 4606853616395542500.0);
  for (int i = 0; i < n; i++) {
    // CHECK-DAG: lost_bits.c:[[@LINE+1]]:{{.*}}[CF216]
    memcpy(&y, &h[n - 1 - i], sizeof y);
    s += y * x[i];
  }
  return s;
}
float logarithms(const float *x, int n) {
  int32_t h[64];
  float s = 0;
  memcpy(h, x, n * sizeof *h);
  for (int i = 0; i < n; i++)
    // CHECK-DAG: lost_bits.c:[[@LINE+1]]:{{.*}}[CF216]
    s += (float)h[n - 1 - i] * 0x1p-23F * x[i];
  return s;
}
float counted(const float *x, int n) {
  union Word w[64];
  float s = 0;
  for (int i = 0; i < n; i++)
    w[i].f = x[i] * x[i];
  for (int i = 0; i < n; i++)
    w[i].u += 3;
  for (int i = 0; i < n; i++)
    // CHECK-DAG: lost_bits.c:[[@LINE+1]]:{{.*}}[CF216]
    s += w[n - 1 - i].f * x[i];
  return s;
}
float converted(const float *x, int n) {
  union Word w[64];
  float s = 0;
  for (int i = 0; i < n; i++)
    w[i].u = (uint32_t)(12102203.0F * x[i] + 1064866805.0F);
  for (int i = 0; i < n; i++)
    // CHECK-DAG: lost_bits.c:[[@LINE+1]]:{{.*}}[CF216]
    s += w[n - 1 - i].f * x[i];
  return s;
}
double read(const double *x, int n) {
  const uint64_t *p = (const uint64_t *)x;
  double s = 0;
  for (int i = 0; i < n; i++)
    // CHECK-DAG: lost_bits.c:[[@LINE+1]]:{{.*}}[CF216]
    s += (double)p[n - 1 - i] * 0x1p-52 * x[i];
  return s;
}
double next(const double *x, int n) {
  uint64_t h[64];
  double y[64], s = 0;
  memcpy(h, x, n * sizeof *h);
  for (int i = 0; i < n; i++)
    h[i]++;
  memcpy(y, h, n * sizeof *h);
  for (int i = 0; i < n; i++)
    // CHECK-DAG: lost_bits.c:[[@LINE+1]]:{{.*}}[CF216]
    s += y[n - 1 - i] * x[i];
  return s;
}
double hash(const double *x, int n) {
  uint64_t h = 1;
  for (int i = 0; i < n; i++) {
    uint64_t b;
    memcpy(&b, &x[i], sizeof b);
    h = h * 31 + b;
  }
  // CHECK-DAG: lost_bits.c:[[@LINE+1]]:{{.*}}[CF216]
  return x[0] * (double)(h >> 11);
}
// Numbers at known places are numbers as those of an array are.
double halves(const double *x, int n) {
  volatile uint32_t high, low;
  uint64_t b;
  double y;
  memcpy(&b, &x[0], sizeof b);
  high = b >> 32;
  low = (uint32_t)b;
  b = (uint64_t)high << 32 | low;
  // CHECK-DAG: lost_bits.c:[[@LINE+1]]:{{.*}}[CF216]
  memcpy(&y, &b, sizeof y);
  return y * x[1] * n;
}
// What is flagged here is an integer that digits are kept in.
float flagged(const float *x, int n) {
  volatile uint16_t h = (uint16_t)(bits(x[0] * x[1]) >> 16);
  h |= n & 1;
  return number((uint32_t)h << 16) * x[1];
}
void ask(float *x, float *xb, double *y, double *yb, int n) {
  __enzyme_autodiff((void *)swapped, x, xb, n);
  __enzyme_autodiff((void *)shortened, x, xb, n);
  __enzyme_autodiff((void *)delayed, y, yb, n);
  __enzyme_autodiff((void *)exponentials, y, yb, n);
  __enzyme_autodiff((void *)logarithms, x, xb, n);
  __enzyme_autodiff((void *)counted, x, xb, n);
  __enzyme_autodiff((void *)converted, x, xb, n);
  __enzyme_autodiff((void *)read, y, yb, n);
  __enzyme_autodiff((void *)next, y, yb, n);
  __enzyme_autodiff((void *)hash, y, yb, n);
  __enzyme_autodiff((void *)halves, y, yb, n);
  __enzyme_autodiff((void *)flagged, x, xb, n);
}
