// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers in the other order of bytes, as files and messages have them: exchanged by a builtin, by
// htonl, in place, or taken apart and put together by shifts. In between nobody calculates with
// them.
// Supports: numbers in the other order of bytes (big-endian files, XDR)
#include "GradientCheck.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void put(unsigned char **at, double v) {
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  bits = __builtin_bswap64(bits);
  memcpy(*at, &bits, sizeof bits);
  *at += sizeof bits;
}
static double get(unsigned char **at) {
  uint64_t bits;
  memcpy(&bits, *at, sizeof bits);
  *at += sizeof bits;
  bits = __builtin_bswap64(bits);
  double v;
  memcpy(&v, &bits, sizeof v);
  return v;
}
/// The first byte of what is stored is that of the sign and of the exponent.
static double packed(const double *x, double *y, int n) {
  unsigned char buffer[128], *at = buffer;
  for (int i = 0; i < n; i++)
    put(&at, x[i] * x[i]);
  double sum = buffer[0] == 0x3f || buffer[0] == 0x40 ? 0 : x[0];
  at = buffer;
  for (int i = 0; i < n; i++) {
    const double v = get(&at);
    sum += v * i;
    y[i] = sum * v;
  }
  return sum;
}
GRADIENT_CHECK(byte_order, Double, packed, In(double, 6), Out(double, 6), Int(6))

struct stream {
  uint32_t *words;
  int count, most;
};
static void put_word(struct stream *s, uint32_t word) {
  if (s->count == s->most) {
    s->most = 2 * s->most + 4;
    s->words = (uint32_t *)realloc(s->words, (size_t)s->most * sizeof *s->words);
  }
  s->words[s->count++] = htonl(word);
}
static uint32_t get_word(struct stream *s) { return ntohl(s->words[s->count++]); }
union word {
  float f;
  uint32_t bits;
};
static float xdr(const float *x, float *y, int n) {
  struct stream s = {NULL, 0, 0};
  put_word(&s, (uint32_t)n);
  for (int i = 0; i < n; i++)
    put_word(&s, (union word){.f = x[i] * x[i]}.bits);
  put_word(&s, 7);
  s.count = 0;
  const int count = (int)get_word(&s);
  float sum = 0;
  for (int i = 0; i < count; i++) {
    const float v = (union word){.bits = get_word(&s)}.f;
    sum += v * (float)i;
    y[i] = v * v;
  }
  sum *= (float)get_word(&s);
  free(s.words);
  return sum;
}
GRADIENT_CHECK(byte_order_xdr, Float, xdr, In(float, 6), Out(float, 6), Int(6))

static void flip(void *p, int size) {
  unsigned char *b = (unsigned char *)p;
  for (int i = 0; i < size / 2; i++) {
    const unsigned char t = b[i];
    b[i] = b[size - 1 - i];
    b[size - 1 - i] = t;
  }
}
static double flipped(const double *x, double *y, int n) {
  for (int i = 0; i < n; i++) {
    double v = x[i] * x[0];
    flip(&v, sizeof v);
    y[i] = v;
  }
  double sum = 0;
  for (int i = 0; i < n; i++) {
    flip(&y[i], sizeof y[i]);
    sum += y[i] * y[i];
    y[i] *= 2;
  }
  return sum;
}
GRADIENT_CHECK(byte_order_flipped, Double, flipped, In(double, 6), Out(double, 6), Int(6))

static void exchange(float *v) {
  char *c = (char *)v, t = c[0];
  c[0] = c[3];
  c[3] = t;
  t = c[1];
  c[1] = c[2];
  c[2] = t;
}
static void put_shifted(unsigned char *b, float v) {
  uint32_t bits;
  memcpy(&bits, &v, sizeof bits);
  for (int i = 0; i < 4; i++)
    b[i] = (unsigned char)(bits >> (24 - 8 * i));
}
static float get_shifted(const unsigned char *b) {
  uint32_t bits = 0;
  for (int i = 0; i < 4; i++)
    bits = bits << 8 | b[i];
  float v;
  memcpy(&v, &bits, sizeof v);
  return v;
}
/// What is exchanged in one way is exchanged back in another.
static float shifted(const float *x, float *y, int n) {
  unsigned char buffer[64];
  for (int i = 0; i < n; i++)
    put_shifted(buffer + 4 * i, x[i] * x[i]);
  memcpy(y, buffer, (size_t)n * sizeof *y);
  float sum = 0;
  for (int i = 0; i < n; i++) {
    exchange(&y[i]);
    sum += y[i] * (float)i + get_shifted(buffer + 4 * i) * y[i];
  }
  return sum;
}
GRADIENT_CHECK(byte_order_shifted, Float, shifted, In(float, 6), Out(float, 6), Int(6))
