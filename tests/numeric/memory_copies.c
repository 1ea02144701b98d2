// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memcpy of doubles and of structures, memset to zero, memmove within an array; the same as calls
// of the library, fortified, and under their older names.
// Supports: `memcpy`, `memmove`, `memset`, bytes of floats
#include "GradientCheck.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void *mempcpy(void *to, const void *from, size_t size);

struct State {
  double a, b;
  int tag;
  float c;
};

static double copyDoubles(const double *x, double *y, int n) {
  memcpy(y, x, n * sizeof *y);
  for (int i = 0; i < n; i++)
    y[i] *= y[i];
  memcpy(y, y + n / 2, n / 2 * sizeof *y);
  return y[0] * y[1];
}

static double copyStructs(const double *x) {
  struct State s[2] = {{x[0], x[1] * x[0], 3, 0.5f}, {x[2], x[3], 4, 1.5f}}, t[2];
  memcpy(t, s, sizeof t);
  s[0].a = 7;
  t[1] = t[0];
  t[0].b *= t[1].b + x[2];
  return t[0].a * t[0].b * t[1].b * t[1].tag * t[0].c + s[0].a * s[1].a;
}

static double setAndMove(double *x, int n) {
  double kept = x[2] * x[2];
  memset(x + 2, 0, 2 * sizeof *x);
  memmove(x + 1, x, (n - 1) * sizeof *x);
  x[0] = kept;
  memmove(x, x + 3, 3 * sizeof *x);
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] * x[n - 1 - i];
  return sum;
}

__attribute__((no_builtin)) static double libraryCalls(const double *x, double *y, int n) {
  size_t size = n * sizeof *x;
  double *a = malloc(2 * size), *end = mempcpy(a, x, size);
  memcpy(end, a, size);
  for (int i = 0; i < n; i++)
    end[i] *= a[n - 1 - i];
  memmove(a + 1, a, 2 * size - sizeof *a);
  double *b = memcpy(malloc(size), a + 1, size), *c = memset(a, 0, size);
  bcopy(a + n, y, size);
  bzero(b, sizeof *b);
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += b[i] * c[i + n - 1] + y[i] * y[i];
  free(a);
  free(b);
  return sum;
}

static double fortified(const double *x, int n, int room) {
  double a[8], *end = __builtin___mempcpy_chk(a, x, n * sizeof *x, room * sizeof *a);
  __builtin___memmove_chk(a + 1, a, (n - 1) * sizeof *a, (room - 1) * sizeof *a);
  __builtin___memset_chk(a + 2, 0, 2 * sizeof *a, sizeof a - 2 * sizeof *a);
  double b[8], *copy = __builtin___memcpy_chk(b, a, n * sizeof *a, room * sizeof *b);
  return a[0] * copy[1] + b[2] * x[2] + b[4] * end[-1];
}

// Nothing but the copies says what they copy; each is the load and the store of a word.
static void words(const double *x, double *y) { memcpy(y, x, 8); }
static void wordsOfLoop(const float *x, float *y, int n) {
  for (int i = 0; i < n; i++)
    memcpy(y + i, x + n - 1 - i, 4);
}
static void wordsSwapped(double *x) {
  char first[8];
  memcpy(first, x, 8);
  memcpy(x, x + 1, 8);
  memcpy(x + 1, first, 8);
}

// Some elements are calculated, others move as words, are cleared or get the bits of a constant.
static double besideWords(const double *x, double *y) {
  const double half = 0.5;
  y[0] = 2 * x[0];
  memcpy(y + 1, x + 2, 8);
  memset(y + 2, 0, 8);
  memcpy(y + 3, &half, 8);
  return x[0] * y[3];
}
static double besideNarrowWords(const float *x, float *y) {
  const float half = 0.5F;
  y[0] = 2 * x[0];
  memcpy(y + 1, x + 2, 4);
  memset(y + 2, 0, 4);
  memcpy(y + 3, &half, 4);
  memcpy(y + 4, x + 4, 8);
  return x[0] * y[3];
}
// Two elements are loaded at once.
static float pairsMoved(const float *x, float *y) {
  float copy[4];
  memcpy(copy, x, sizeof copy);
  memcpy(y, copy + 1, 4);
  memcpy(y + 1, copy, 4);
  return y[3] * copy[2];
}
// Among words that move one is read as a number, another as an integer.
static double readWords(double *x, double *y) {
  unsigned long bits;
  memcpy(&bits, x, 8);
  memmove(x + 2, x + 5, 16);
  memset(x + 3, 0, 8);
  memcpy(y, x + 1, 8);
  y[1] = x[4] * (bits >> 63 ? 2 : 3);
  return x[2] * y[1];
}
// Two numbers go through one integer of 128 bits.
static double widened(const double *x, double *y) {
  const double first = x[0] * x[1];
  unsigned long low, high;
  memcpy(&low, &first, 8);
  memcpy(&high, x + 2, 8);
  const unsigned __int128 both = (unsigned __int128)high << 64 | low;
  memcpy(y, &both, 16);
  y[2] = x[1] * x[2];
  return first;
}
// Of what is copied from, nothing else is read.
static double besideCopies(const double *x, double *y, double *z) {
  y[5] = 3 * y[6];
  memcpy(y, x + 2, 16);
  memcpy(z + 1, x, 16);
  z[0] = z[3] * y[5];
  return z[0];
}
GRADIENT_CHECK(memcpy_beside_copies, Double, besideCopies, In(double, 4), InOut(double, 7),
               InOut(double, 4))
GRADIENT_CHECK(memcpy_widened, Double, widened, In(double, 3), InOut(double, 3))
GRADIENT_CHECK(memcpy_pairs, Float, pairsMoved, In(float, 4), InOut(float, 4))
GRADIENT_CHECK(memcpy_read, Double, readWords, InOut(double, 7), InOut(double, 2))
GRADIENT_CHECK(memcpy_beside, Double, besideWords, In(double, 3), InOut(double, 4))
GRADIENT_CHECK(memcpy_beside_narrow, Double, besideNarrowWords, In(float, 6), InOut(float, 6))
GRADIENT_CHECK(memcpy_word, Void, words, In(double, 1), Out(double, 1))
GRADIENT_CHECK(memcpy_words, Void, wordsOfLoop, In(float, 4), Out(float, 4), Int(4))
GRADIENT_CHECK(memcpy_words_swapped, Void, wordsSwapped, InOut(double, 2))
GRADIENT_CHECK(memcpy_doubles, Double, copyDoubles, In(double, 6), Out(double, 6), Int(6))
GRADIENT_CHECK(memcpy_structs, Double, copyStructs, In(double, 4))
GRADIENT_CHECK(memset_memmove, Double, setAndMove, InOut(double, 8), Int(8))
GRADIENT_CHECK(moves_called, Double, libraryCalls, In(double, 6), Out(double, 6), Int(6))
GRADIENT_CHECK(moves_fortified, Double, fortified, In(double, 6), Int(6), Int(8))

// Constants that come from a structure without a shadow, and go on to where numbers vary.
struct joint {
  double scale, offset, axis[3];
  const double *limits;
  double angle;
};
static const double limits[2] = {0.25, 4};
static const struct joint first = {1.5, 0.5, {1, 2, 3}, limits, 0.75};

static double chain(const double *x) {
  struct joint *a = malloc(sizeof *a), *b = malloc(sizeof *b);
  memcpy(a, &first, sizeof *a);
  a->angle = x[0];
  memcpy(b, a, sizeof *b);
  double y = b->scale * b->angle + b->offset * b->limits[1] * x[1];
  b->scale = x[1];
  b->offset *= x[0];
  y += b->scale * b->offset * b->axis[2];
  free(a);
  free(b);
  return y;
}
GRADIENT_CHECK(copied_constants, Double, chain, In(double, 2))
