// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function nobody knows may follow pointers in what it is handed, and hand on what it finds:
// refused where it may move active numbers so; accepted where there is nothing to be moved.
//
// RUN: %not %clangxx -O0 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clangxx -O2 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clangxx -O0 -DACCEPTED -c %s -o %t.o
// RUN: %clangxx -O2 -DACCEPTED -c %s -o %t.o

#include <cstdlib>

template <class... A> void __enzyme_autodiff(void *, A...);
struct Array {
  double *Numbers;
  long Count;
};
void assign(Array *to, const Array *from);
double *find(const Array *in);
double sum(const Array *const *of);
void set(Array *to, double number);
void print(const Array *what);

#ifdef ACCEPTED
double ofConstants(double *x) {
  Array a{new double[2]{1, 2}, 2};
  print(&a);
  const double r = a.Numbers[0] * x[1];
  delete[] a.Numbers;
  return r;
}
void user(double *x, double *x_bar) { __enzyme_autodiff((void *)ofConstants, x, x_bar); }
#else
static Array filled(const double *x) {
  Array a{static_cast<double *>(std::malloc(16)), 2};
  a.Numbers[0] = x[0];
  return a;
}
double assigned(double *x) {
  Array a = filled(x), b{static_cast<double *>(std::malloc(16)), 2};
  // CHECK-DAG: reached_memory.cpp:[[@LINE+1]]:3: error: [CF201] {{.*}}'assign(
  assign(&b, &a);
  return b.Numbers[0] * x[1];
}
double found(double *x) {
  Array a = filled(x);
  // CHECK-DAG: reached_memory.cpp:[[@LINE+1]]:{{.*}} error: [CF201] {{.*}}'find(
  return *find(&a) * x[1];
}
double summed(double *x) {
  Array a = filled(x), *one = &a;
  // CHECK-DAG: reached_memory.cpp:[[@LINE+1]]:{{.*}} error: [CF201] {{.*}}'sum(
  return sum(&one) * x[1];
}
double given(double *x) {
  Array a{static_cast<double *>(std::malloc(16)), 2};
  // CHECK-DAG: reached_memory.cpp:[[@LINE+1]]:3: error: [CF201] {{.*}}'set(
  set(&a, x[0]);
  return a.Numbers[0] * x[1];
}
void user(double *x, double *x_bar) {
  __enzyme_autodiff((void *)assigned, x, x_bar);
  __enzyme_autodiff((void *)found, x, x_bar);
  __enzyme_autodiff((void *)summed, x, x_bar);
  __enzyme_autodiff((void *)given, x, x_bar);
}
#endif
