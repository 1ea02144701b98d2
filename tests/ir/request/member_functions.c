// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of two functions of one type, a call through a structure means the one that is stored into the
// member it reads. Also where it is passed on first, and without TBAA.
//
// RUN: %clang -O0 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O2 -fno-strict-aliasing -S -emit-llvm %s -o - | FileCheck %s
extern void __enzyme_autodiff(void *, ...);

typedef double *(*function_t)(double *);
struct operations {
  function_t clone, data;
};
struct object {
  double *numbers;
  struct operations *ops;
};

double *copy(double *x) { return x + 1; }
double *give(double *x) { return x; }

static void set(struct operations *o, function_t f) { o->data = f; }
void fill(struct operations *o) {
  o->clone = copy;
  set(o, give);
}

double square(struct object *o) {
  const double x = *o->ops->data(o->numbers);
  return x * x;
}

// CHECK-NOT: icmp eq ptr %{{.*}}, @copy
// CHECK: icmp eq ptr %{{.*}}, @give
// CHECK-NOT: icmp eq ptr %{{.*}}, @copy
void gradient(struct object *o, struct object *o_bar) {
  __enzyme_autodiff((void *)square, o, o_bar);
}
