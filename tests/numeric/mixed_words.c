// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One word is a float at one time and a double at another, and goes on as it is: in registers, to
// several places, in copies. As a double the adjoint of such a float is next to nothing.
// Supports: unions of `float` and `double`
#include "GradientCheck.h"
#include <math.h>
#include <string.h>

struct entry {
  enum { Narrow, Wide, Elsewhere } kind;
  union {
    float narrow;
    double wide;
    const float *at;
  } held;
};

static struct entry narrow(float v) {
  struct entry e;
  e.kind = Narrow;
  e.held.narrow = v;
  return e;
}
static struct entry wide(double v) {
  struct entry e;
  e.kind = Wide;
  e.held.wide = v;
  return e;
}
static struct entry leads(const float *at) {
  struct entry e;
  e.kind = Elsewhere;
  e.held.at = at;
  return e;
}

static double number(const struct entry *e) {
  return e->kind == Wide ? e->held.wide : e->held.narrow;
}
static double value(const struct entry *e) {
  return e->kind == Elsewhere ? *e->held.at : number(e);
}

static float stored_twice(const float *x, int n) {
  struct entry here[8], there[8];
  for (int i = 0; i < n; i++) {
    const struct entry e = i % 3 == 0 ? narrow(x[i] * x[i]) : wide(x[i] * x[0]);
    here[i] = there[i] = e;
  }
  double s = 0;
  for (int i = 0; i < n; i++)
    s += number(&here[i]) * number(&there[n - 1 - i]) + sin(number(&there[i]));
  return (float)s;
}

static float or_elsewhere(const float *x, int n) {
  struct entry here[8], there[8];
  for (int i = 0; i < n; i++) {
    const struct entry e = i % 4 == 0   ? narrow(x[i] * x[1])
                           : i % 4 == 1 ? leads(x + i)
                           : i % 4 == 2 ? narrow(2.0F + (float)i)
                                        : wide(x[i] * x[0]);
    here[i] = there[i] = e;
  }
  double s = 0;
  for (int i = 0; i < n; i++)
    s += value(&here[i]) * value(&there[n - 1 - i]);
  return (float)s;
}

static float copied(const float *x, int n) {
  struct entry here[8], there[8], last[8];
  for (int i = 0; i < n; i++)
    here[i] = i % 3 == 0 ? narrow(sinf(x[i])) : i % 3 == 1 ? leads(x + i) : wide(x[i] * x[0]);
  memcpy(there, here, sizeof here[0] * (unsigned)n);
  for (int i = 0; i < n; i++)
    last[i] = there[(i + 1) % n];
  memmove(here + 1, here, sizeof here[0] * (unsigned)(n - 1));
  double s = 0;
  for (int i = 0; i < n; i++)
    s += value(&here[i]) * value(&last[i]) + value(&there[i]);
  return (float)s;
}

static float constants(const float *x, int n) {
  struct entry all[8];
  for (int i = 0; i < n; i++)
    all[i] = i % 3 == 0 ? narrow(1.0F + (float)i) : i % 3 == 1 ? leads(x + i) : wide(x[i] * x[0]);
  double s = 1;
  for (int i = 0; i < n; i++)
    s *= 1 + 0.1 * value(&all[i]);
  return (float)s;
}

GRADIENT_CHECK_BOUND(1e-4, word_stored_twice, Float, stored_twice, In(float, 8), Int(8))
GRADIENT_CHECK_BOUND(1e-4, word_or_elsewhere, Float, or_elsewhere, In(float, 8), Int(8))
GRADIENT_CHECK_BOUND(1e-4, word_copied, Float, copied, In(float, 8), Int(8))
GRADIENT_CHECK_BOUND(1e-4, word_of_constants, Float, constants, In(float, 8), Int(8))
