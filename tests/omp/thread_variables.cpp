// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables of each thread that other files can see, that have a constructor, that own memory.
// Supports: `threadprivate` variables that the library keeps (`-fnoopenmp-use-tls`), external ones and classes
#include "GradientCheck.h"
#include <omp.h>
#include <vector>

namespace thread_variables {

struct Record {
  double sum;
  int count;
};
struct Grown {
  double v[3];
  Grown() : v{1, 2, 3} {}
};

double own, table[4];
Record record;
Grown made;
std::vector<double> heap;
#pragma omp threadprivate(own, table, record)
#pragma omp threadprivate(made)
#pragma omp threadprivate(heap)

#include "OwnVariables.h"

static double across(const double *x, double *y, int n) {
  double s = 0;
#pragma omp parallel num_threads(2)
  {
    own = x[omp_get_thread_num()] * x[0];
    for (int k = 0; k < 4; k++)
      table[k] = own * x[k];
  }
#pragma omp parallel num_threads(2) reduction(+ : s)
  {
    own += table[2];
    if (omp_get_thread_num() == 0)
      s += own * table[1];
#pragma omp for
    for (int i = 0; i < n; i++)
      y[i] = x[i] * x[i];
  }
  return s + own;
}

static double constructed(const double *x, double *y, int n) {
  double s = 0;
#pragma omp parallel reduction(+ : s)
  {
    made.v[0] = x[0] * x[1];
#pragma omp for
    for (int i = 0; i < n; i++) {
      y[i] = made.v[i % 3] * x[i];
      s += y[i] * x[0];
    }
  }
  return s;
}

static double owned(const double *x, double *y, int n) {
  double s = 0;
#pragma omp parallel reduction(+ : s)
  {
    heap.assign(n, x[0]);
#pragma omp for
    for (int i = 0; i < n; i++) {
      heap[i] *= x[i];
      y[i] = heap[i] * x[1];
      s += y[i];
    }
  }
  return s;
}

static double inTasks(const double *x, double *y, int n) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < n; i++)
#pragma omp task
  {
    own = x[i] * x[i];
    y[i] = own * x[0];
  }
  return y[0];
}

} // namespace thread_variables

using namespace thread_variables;

GRADIENT_CHECK(variable_across, Double, across, In(double, 6), Out(double, 6), Int(6))
GRADIENT_CHECK(variable_copied, Double, copied, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(variable_accumulated, Double, accumulated, In(double, 9), Int(9))
GRADIENT_CHECK(variable_constructed, Double, constructed, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(variable_owned, Double, owned, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(variable_in_tasks, Double, inTasks, In(double, 9), Out(double, 9), Int(9))
