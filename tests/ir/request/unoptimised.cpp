// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// opt runs the pass alone on what the front end has made: what only that code says is noted then.
//
// RUN: clang++ -O0 -S -emit-llvm %s -o %t0.ll && %opt -passes=enzyme %t0.ll -o %t0.bc
// RUN: %cf_clangxx %t0.bc -o %t0 && %t0 | FileCheck %s
// RUN: clang++ -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t1.ll
// RUN: %opt -passes='preserve-nvvm,enzyme,function(mem2reg)' %t1.ll -o %t1.bc
// RUN: %cf_clangxx %t1.bc -o %t1 && %t1 | FileCheck %s
#include <cstdio>

extern int enzyme_dup;
void __enzyme_autodiff(void *, ...);

struct Part {
  const double *x;
  int n;
  float weight;
  const Part *next;
  double terms[2];
};

/// An array among other members, of a structure that leads to more of its kind.
static double total(const Part *p) {
  double sum = 0;
  for (; p; p = p->next)
    for (int i = 0; i < p->n; ++i)
      sum += p->weight * p->x[i] + p->terms[i & 1] * sum;
  return sum;
}

int main() {
  const double x[2] = {1, 2};
  double x_bar[2] = {0, 0};
  Part p = {x, 2, 2.0F, nullptr, {1, 2}}, p_bar = {x_bar, 2, 0.0F, nullptr, {0, 0}};
  __enzyme_autodiff(reinterpret_cast<void *>(total), enzyme_dup, &p, &p_bar);
  // CHECK: 6 2 5 0 2
  std::printf("%g %g %g %g %g\n", x_bar[0], x_bar[1], static_cast<double>(p_bar.weight),
              p_bar.terms[0], p_bar.terms[1]);
}
