// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread has for itself keeps its value from one derivative call to the next, and no adjoint
// or tangent: a call leaves the adjoint of what `kept` was before in the shadows of all threads.
// What a thread has allocated before the call has a shadow in it, one for all if all can reach it,
// also where it first comes to the call in another derivative that is called within.

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;

enum { Threads = 3, N = 2 * Threads, Calls = 4 };

static double kept;
#pragma omp threadprivate(kept)
static _Thread_local double pair[2];

static void reset(void) {
#pragma omp parallel num_threads(Threads)
  {
    kept = 2;
    pair[0] = pair[1] = 3;
  }
}

// 2 x_t + 3 x_t; then kept = 3 x_{t + 3} and pair[1] = x_{t + 3}, which nobody reads.
static double work(const double *x, int n) {
  double sum = 0;
#pragma omp parallel reduction(+ : sum) num_threads(Threads)
  {
    const int me = omp_get_thread_num();
    sum += (kept + pair[1]) * x[me];
    kept = x[me + n / 2] * 3;
    pair[1] = x[me + n / 2];
  }
  return sum;
}

static double *scratch, *common; // of each thread, and the same for all
#pragma omp threadprivate(scratch, common)

static void allocate(int n) {
  double *block = malloc(n * sizeof *block);
#pragma omp parallel num_threads(Threads)
  {
    scratch = realloc(scratch, n * sizeof *scratch);
    common = block;
  }
}

// 2 x_t^2 + x_0 x_t: the first thread has written to the common block when the others come.
static double filled(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    common[i] = x[0];
#pragma omp parallel reduction(+ : sum) num_threads(Threads)
  {
    const int me = omp_get_thread_num();
    for (int i = 0; i < n; ++i)
      scratch[i] = x[me] * (i + 1);
    sum += scratch[n - 5] * scratch[n - 6] + common[me] * x[me];
  }
  return sum;
}

static int wrongInFilled(int call) {
  double x[N], bar[N] = {0}, dot[N] = {0};
  int wrong = 0;
  for (int i = 0; i < N; ++i)
    x[i] = 1 + i;
  allocate(N + call);
  __enzyme_autodiff((void *)filled, enzyme_dup, x, bar, enzyme_const, N);
  for (int i = 0; i < N; ++i) {
    const double first = i ? 0 : 1 + 2 + 3;
    const double expected = i < Threads ? 2 * 2 * x[i] + x[0] + first : 0;
    wrong += bar[i] != expected;
  }
  dot[call % Threads] = 1;
  wrong +=
      __enzyme_fwddiff((void *)filled, enzyme_dup, x, dot, enzyme_const, N) != bar[call % Threads];
  return wrong;
}

// The adjoint of this one has threads of its own between the two uses of `common` below.
static double within(const double *x) {
  double sum = 0;
#pragma omp parallel num_threads(Threads)
  kept = x[omp_get_thread_num()] * x[0];
#pragma omp parallel num_threads(Threads) reduction(+ : sum)
  sum += kept * kept * x[1];
  return sum;
}

static double around(const double *x) {
  double bar[N] = {0}, sum = 0;
  for (int i = 0; i < N; ++i)
    common[i] = x[i] * x[0];
  __enzyme_autodiff((void *)within, enzyme_dup, x, bar);
#pragma omp parallel for num_threads(Threads) reduction(+ : sum)
  for (int i = 0; i < N; ++i)
    sum += common[i] * common[(i + 1) % N] + bar[i];
  return sum;
}

static int wrongInAround(void) {
  const double h = 1e-5;
  double x[N], dot[N], up[N], down[N];
  for (int i = 0; i < N; ++i) {
    x[i] = 1 + 0.1 * i;
    dot[i] = 0.3 + 0.2 * (i % 3);
    up[i] = x[i] + h * dot[i];
    down[i] = x[i] - h * dot[i];
  }
  const double slope = (around(up) - around(down)) / (2 * h);
  return !(fabs(__enzyme_fwddiff((void *)around, enzyme_dup, x, dot) - slope) < 1e-7 * slope);
}

int main(void) {
  double x[N];
  int wrong = 0;
  for (int i = 0; i < N; ++i)
    x[i] = 1 + i;
  for (int call = 0; call < Calls; ++call) {
    double bar[N] = {0};
    reset();
    __enzyme_autodiff((void *)work, enzyme_dup, x, bar, enzyme_const, N);
    for (int i = 0; i < N; ++i)
      wrong += bar[i] != (i < Threads ? 5 : 0);
    double dot[N] = {0};
    dot[call % Threads] = dot[call % Threads + Threads] = 1;
    reset();
    wrong += __enzyme_fwddiff((void *)work, enzyme_dup, x, dot, enzyme_const, N) != 5;
  }
  for (int call = 0; call < Calls; ++call)
    wrong += wrongInFilled(call) + wrongInAround();
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
