// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A registered reverse function that goes on from the shadow of a thread's own view adds to what
// all threads know. Its own numbers are no obstacle, nor are tangents.
//
// RUN: %not %clang -O0 -fopenmp -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -fopenmp -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang -O2 -fopenmp -DTANGENT -c %s -o %t.o
// RUN: %clang -O0 -fopenmp -DNUMBERS -c %s -o %t.o
// RUN: %clang -O2 -fopenmp -DNUMBERS -c %s -o %t.o

void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

struct view {
#ifdef NUMBERS
  double data[1];
#else
  double *data;
#endif
};
static double square(const struct view *v) { return v->data[0] * v->data[0]; }
struct square_taped {
  double tape, result;
};
static struct square_taped square_augmented(const struct view *v, struct view *v_bar) {
  (void)v_bar;
  return (struct square_taped){v->data[0], square(v)};
}
static void square_reverse(const struct view *v, struct view *v_bar, double r_bar, double tape) {
  (void)v;
  v_bar->data[0] += 2 * tape * r_bar;
}
static double square_tangent(const struct view *v, const struct view *v_dot) {
  return 2 * v->data[0] * v_dot->data[0];
}
__attribute__((used)) static void *__enzyme_register_gradient_square[] = {
    (void *)square, (void *)square_augmented, (void *)square_reverse};
__attribute__((used)) static void *__enzyme_register_derivative_square[] = {(void *)square,
                                                                            (void *)square_tangent};

double sum(double *x, int n) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; ++i) {
#ifdef NUMBERS
    struct view v = {{x[i / 2]}};
#else
    struct view v = {x + i / 2};
#endif
    // CHECK: [CF207] {{.*}}'square' adds to memory that other threads
    s += square(&v);
  }
  return s;
}

double user(double *x, double *x_bar) {
#ifdef TANGENT
  return __enzyme_fwddiff((void *)sum, x, x_bar, 3);
#else
  __enzyme_autodiff((void *)sum, x, x_bar, 3);
  return 0;
#endif
}
