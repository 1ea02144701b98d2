// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic additions and maxima of doubles as people write them by compare and exchange of their
// bits. What the exchange expects is first a guess: a load that is not atomic, as in the
// programming guide of CUDA, a volatile one, one before a loop that may end without any exchange.
// Supports: atomic updates by compare and exchange of bits
#include "GradientCheck.h"
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

static double asDouble(long long bits) {
  double d;
  memcpy(&d, &bits, sizeof d);
  return d;
}
static long long asBits(double d) {
  long long bits;
  memcpy(&bits, &d, sizeof bits);
  return bits;
}

static void plainAdd(double *place, double v) {
  long long *bits = (long long *)place, old = *bits, assumed;
  do {
    assumed = old;
    old = __sync_val_compare_and_swap(bits, assumed, asBits(v + asDouble(assumed)));
  } while (assumed != old);
}
static void plainMax(double *place, double v) {
  long long *bits = (long long *)place, old = *bits, assumed;
  do {
    assumed = old;
    old = __sync_val_compare_and_swap(bits, assumed, asBits(fmax(v, asDouble(assumed))));
  } while (assumed != old);
}

union Word {
  double d;
  uint64_t i;
};
static void volatileAdd(double *place, double v) {
  union Word old, new;
  do {
    old.d = *(volatile double *)place;
    new.d = old.d + v;
  } while (!__sync_bool_compare_and_swap((uint64_t *)place, old.i, new.i));
}
static void volatileMax(double *place, double v) {
  union Word old, new = {v};
  do {
    old.d = *(volatile double *)place;
    if (old.d >= v)
      return;
  } while (!__sync_bool_compare_and_swap((uint64_t *)place, old.i, new.i));
}

static void builtinAdd(double *place, double v) {
  double old, new;
  __atomic_load(place, &old, __ATOMIC_RELAXED);
  do
    new = old + v;
  while (!__atomic_compare_exchange(place, &old, &new, 1, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
}
static void builtinMax(double *place, double v) {
  double old;
  __atomic_load(place, &old, __ATOMIC_RELAXED);
  while (old < v &&
         !__atomic_compare_exchange(place, &old, &v, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
    ;
}

static void standardAdd(double *place, double v) { *(_Atomic double *)place += v; }
static void standardMax(double *place, double v) {
  _Atomic double *shared = (_Atomic double *)place;
  double old = atomic_load(shared);
  while (old < v && !atomic_compare_exchange_weak(shared, &old, v))
    ;
}

/// Enough updates of few places that threads meet.
#define GUESSED(Kind)                                                                              \
  static double Kind##Sums(const double *x, const double *w, double *y, int n) {                   \
    double sums[4] = {0, 0.1, 0.2, x[0]}, top = -1e300;                                            \
    _Pragma("omp parallel for schedule(static, 1)") for (int i = 0; i < 200 * n; i++) {            \
      const double v = sin(x[i % n] * (1 + i % 7)) * w[i * 5 % n];                                 \
      Kind##Add(&sums[i % 4], v);                                                                  \
      Kind##Max(&top, v * v + 0.001 * i);                                                          \
    }                                                                                              \
    for (int i = 0; i < n; i++)                                                                    \
      y[i] *= sums[i % 4];                                                                         \
    return top + sums[0] * sums[1] + sums[2] * sums[3];                                            \
  }                                                                                                \
  GRADIENT_CHECK(guessed_##Kind, Double, Kind##Sums, In(double, 9), In(double, 9),                 \
                 InOut(double, 9), Int(9))

GUESSED(plain)
GUESSED(volatile)
GUESSED(builtin)
GUESSED(standard)
