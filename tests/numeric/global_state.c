// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A scratch array and a counter at file scope.
// Supports: global variables
#include "GradientCheck.h"

#include <signal.h>

static int Calls;
static const double Scale = 0.75;
static double Coefficient[3] = {0.5, 0.25, 0.125};

static double weigh(const double *x, int n) {
  double sum = 0;
  Calls++;
  for (int i = 0; i < n; i++)
    sum += Scale * Coefficient[i % 3] * x[i] * x[i] * x[(i + 1) % n];
  return sum;
}

GRADIENT_CHECK(global_constants, Double, weigh, In(double, 7), Int(7))

// What a global holds before a call is constant, whatever the call before has left in its shadow.
static double State = 1.5, Pair[3] = {1, 2, 3};
static _Thread_local double Own = 0.5;
static struct {
  int calls;
  double weight;
  const double *where;
} Mixed;

static double leaveState(const double *x, double a, int n) {
  double sum = State * x[0] + Own * Pair[1] * x[1] + Mixed.weight * a;
  State = 1.5;
  Own = 0.5;
  Pair[1] = 2;
  Mixed.weight = 0.25;
  Mixed.where = x + 1;
  for (int i = 0; i < n; i++) {
    State += x[i] * a;
    Own += State * x[i];
    Pair[i % 3] = Own * a;
    Mixed.weight += Pair[i % 2] * *Mixed.where;
    Mixed.calls++;
  }
  sum += State + Own * Pair[2] + Mixed.weight;
  State = a, Own = x[0], Pair[1] = x[2] * a, Mixed.weight = x[1];
  sum += State * Own * Pair[1] * Mixed.weight;
  State = 1.5, Own = 0.5, Pair[1] = 2, Mixed.weight = 0.25;
  return sum;
}

GRADIENT_CHECK(global_state_left, Double, leaveState, In(double, 5), Scalar(double), Int(5))

// Functions that may be others when the program is linked: nobody knows what they change. They are
// called again and again, and find what one of them was given.
int steps;
double weight;
static double *kept;
static int calls;
__attribute__((weak)) void keep(double *rate) { kept = rate; }
__attribute__((weak)) void advance(int k) {
  steps += k;
  weight += 0.25;
  kept[0] += 1;
  ++calls;
}
static double advanced(const double *x, int n) {
  double rate[1] = {1}, s = 0;
  steps = calls = 0;
  weight = 1;
  keep(rate);
  for (int i = 0; i < n; ++i) {
    s += x[i];
    advance(1);
    s *= 1 + 0.1 * steps + 0.05 * weight + 0.02 * rate[0] + 0.01 * calls;
  }
  return s * x[0];
}
GRADIENT_CHECK(global_advanced, Double, advanced, In(double, 6), Int(6))

// A signal's handler changes what the function reads.
static int raised;
static void onSignal(int number) { raised += number == SIGUSR1; }
static double handled(const double *x, int n) {
  double s = 0;
  void (*before)(int) = signal(SIGUSR1, onSignal);
  raised = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    if (s > 1)
      raise(SIGUSR1);
    s *= 1 + 0.1 * raised;
  }
  signal(SIGUSR1, before);
  return s * x[0];
}
GRADIENT_CHECK(global_handled, Double, handled, InRange(double, 6, 0.4, 0.6), Int(6))

/// Constants that a variable of the file leads to as well, which is set outside.
double __enzyme_fwddiff_factors(void *, ...);
void __enzyme_autodiff_factors(void *, ...);
static double *factors;
static double scaled(const double *x, const double *by, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += x[i] * x[i] * by[0];
    factors[0] += 0.5;
  }
  return sum;
}
static double scaled_primal(void *const *v) {
  double own = 1;
  factors = &own;
  return scaled((double *)v[0], &own, 5);
}
static double scaled_tangent(void *const *v, void *const *d) {
  double own = 1;
  factors = &own;
  return __enzyme_fwddiff_factors((void *)scaled, enzyme_dup, (double *)v[0], (double *)d[0],
                                  enzyme_const, &own, enzyme_const, 5);
}
static void scaled_adjoint(void *const *v, void *const *d) {
  double own = 1;
  factors = &own;
  __enzyme_autodiff_factors((void *)scaled, enzyme_dup, (double *)v[0], (double *)d[0],
                            enzyme_const, &own, enzyme_const, 5);
}
GRADIENT_CHECK_CUSTOM(alias_variable, Double, scaled_primal, scaled_tangent, scaled_adjoint,
                      In(double, 5))
