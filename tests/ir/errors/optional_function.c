// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that nobody gives here is no error until somebody does. One that is a parameter, and
// is called whatever it is, remains one.
//
// RUN: %clang -O0 -c %s -o %t.o
// RUN: %clang -O1 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=CALL
// RUN: %not %clang -O1 -DALWAYS -c %s -o %t.o 2>&1 | FileCheck %s
extern void __enzyme_autodiff(void *, ...);

struct operations {
  double (*limit)(double);
};

double run(struct operations *o, double *x) {
  if (o->limit)
    return o->limit(*x) * *x;
  return *x;
}

double apply(double (*function)(double), double *x) {
  // CHECK: optional_function.c:[[@LINE+1]]:{{.*}}: error: [CF202]
  return function(*x) * *x;
}

// CALL: call void @cf_v1_unknown_callee
void gradient(struct operations *o, struct operations *o_bar, double *x, double *x_bar) {
  __enzyme_autodiff((void *)run, o, o_bar, x, x_bar);
}
#ifdef ALWAYS
extern int enzyme_const;
void slope(double (*function)(double), double *x, double *x_bar) {
  __enzyme_autodiff((void *)apply, enzyme_const, function, x, x_bar);
}
#endif
