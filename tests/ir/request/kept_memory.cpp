// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workspaces in global variables stay from one derivative call to the next. What they hold before a
// call is constant, and what a call leaves in their shadows is nothing to the next one: without
// `set`, a call only reads what the one before has written.
//
// RUN: %cf_clangxx -O0 -DDIFF=adjoint %s -o %t && %t | FileCheck %s
// RUN: %cf_clangxx -O2 -DDIFF=adjoint %s -o %t && %t | FileCheck %s
// RUN: %cf_clangxx -O2 -DDIFF=tangent -fsanitize=address %s -o %t && %t | FileCheck %s
// RUN: %cf_clangxx -O2 -DDIFF=adjoint -fsanitize=address %s -o %t && %t | FileCheck %s

#include <cstdio>
#include <cstdlib>
#include <vector>

extern int enzyme_dup, enzyme_const;
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static struct {
  std::vector<double> flat;
  std::vector<std::vector<float>> rows;
} space;
static thread_local double *own;
static struct List {
  long n;
  double *values;
  List *next;
} *list;

static void reserve(std::size_t n) {
  if (space.flat.size() < n)
    space.flat.resize(n);
  space.rows.resize(3);
  for (auto &row : space.rows)
    if (row.size() < n)
      row.resize(n);
  own = static_cast<double *>(std::realloc(own, n * sizeof(double)));
  if (!list)
    for (int i = 0; i < 2; ++i)
      list = new List{3, static_cast<double *>(std::calloc(3, sizeof(double))), list};
}

__attribute__((noinline)) double f(double x, int n, int set) {
  reserve(n);
  if (set) {
    for (int i = 0; i < n; ++i)
      space.flat[i] = x * x * i, space.rows[i % 3][i] = float(x * i), own[i] = x;
    for (List *at = list; at; at = at->next)
      for (int i = 0; i < 3; ++i)
        at->values[i] = x * i;
  }
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (space.flat[i] + space.rows[i % 3][i] + own[i]) * x;
  for (List *at = list; at; at = at->next)
    sum += at->values[2] * x;
  return sum;
}

static double adjoint(double x, int n, int set) {
  return __enzyme_autodiff((void *)f, x, enzyme_const, n, enzyme_const, set);
}
static double tangent(double x, int n, int set) {
  return __enzyme_fwddiff((void *)f, enzyme_dup, x, 1.0, enzyme_const, n, enzyme_const, set);
}

int main() {
  // d/dx: with set x^3 (0 + 1 + 2) + x^2 (3 + 3 + 4), without it all but one x is a number.
  // CHECK: 76 32 76 76 32 32 76
  for (int set : {1, 0, 1, 1, 0, 0, 1})
    std::printf("%g ", DIFF(2.0, 3, set));
  // Larger workspaces: those of before are freed. x^3 10 + x^2 (10 + 5 + 4).
  // CHECK: 196 78 196
  for (int set : {1, 0, 1})
    std::printf("%g ", DIFF(2.0, 5, set));
  std::printf("\n");
}
