// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registrations that do not fit their functions are refused, with CF108 or CF204.
//
// RUN: %not %clang -O0 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s

double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double half(double x) { return x / 2; }
static int *pointer(int *p) { return p; }
static void *odd[3] = {(void *)half, (void *)half, (void *)half};

// CHECK-DAG: [CF108] {{.*}}'__enzyme_register_gradient_few': has 2 entries, not 3
void *__enzyme_register_gradient_few[] = {(void *)half, (void *)half};
// CHECK-DAG: [CF108] {{.*}}'__enzyme_register_gradient_data': entry 2 is not a function
void *__enzyme_register_gradient_data[] = {(void *)half, (void *)odd, (void *)half};
// CHECK-DAG: [CF108] {{.*}}'half' as a derivative of 'half' takes (double), expected (double, double)
void *__enzyme_register_gradient_seed[] = {(void *)half, (void *)half, (void *)half};
// CHECK-DAG: [CF108] {{.*}}'whole' as a derivative of 'whole' takes (double), expected (double, double)
static double whole(double x) { return x; }
void *__enzyme_register_splitderivative_whole[] = {(void *)whole, (void *)whole, (void *)whole};
// CHECK-DAG: [CF108] {{.*}}'pointer' as a derivative of 'pointer' returns a pointer or a structure
void *__enzyme_register_derivative_pointer[] = {(void *)pointer, (void *)half};
// CHECK-DAG: [CF108] {{.*}}'half' cannot stand for 'no_such_function'
void *__enzyme_function_like_none[] = {(void *)half, (void *)"no_such_function"};
// CHECK-DAG: [CF108] {{.*}}'half' cannot stand for 'atan2'
void *__enzyme_function_like_type[] = {(void *)half, (void *)"atan2"};
// CHECK-DAG: [CF108] {{.*}}'__enzyme_inactivefn_data': the first entry is not a function
void *__enzyme_inactivefn_data[] = {(void *)odd};
// CHECK-DAG: [CF108] {{.*}}'__enzyme_allocation_like_size': entry 2 is not the index
void *__enzyme_allocation_like_size[] = {(void *)half, (void *)0, (void *)"-1", (void *)half};
// CHECK-DAG: [CF108] {{.*}}'__enzyme_allocation_like_told': the deallocation has to take the pointer
static void *room(int bytes, void *arena) { return (char *)arena + bytes; }
static void give(void *p, void *arena) { (void)p, (void)arena; }
void *__enzyme_allocation_like_told[] = {(void *)room, (void *)0, (void *)"-1,1", (void *)give};
// CHECK-DAG: [CF108] {{.*}}'__enzyme_allocation_like_asked': the result of the deallocation is used
void *take(long bytes);
int give_back(void *p);
int gives_back(void *p) { return give_back(p) + 1; }
void *__enzyme_allocation_like_asked[] = {(void *)take, (void *)0, (void *)"-1", (void *)give_back};

// CHECK-DAG: registration.c:[[@LINE+1]]:{{.*}}[CF204] {{.*}}asks for a shadow of argument 2
static double sum_with(const double *x, const double *w) { return x[0] * w[0]; }
static double sum_tangent(const double *x, const double *x_dot, const double *w,
                          const double *w_dot) {
  return x_dot[0] * w[0] + x[0] * w_dot[0];
}
void *__enzyme_register_derivative_sum[] = {(void *)sum_with, (void *)sum_tangent};
static double weights[1] = {2};
extern int enzyme_const;
double constant_weights(const double *x, const double *x_dot) {
  return __enzyme_fwddiff((void *)sum_with, x, x_dot, enzyme_const, weights);
}

static void twice(double *x) { *x *= 2; }
static double store(double *x) { return twice(x), *x; }
static double store_tangent(double *x, double *x_dot) { return twice(x), 2 * *x_dot; }
void *__enzyme_register_derivative_store[] = {(void *)store, (void *)store_tangent};
static double stores(double *x) {
  // CHECK-DAG: registration.c:[[@LINE+1]]:{{.*}}[CF108] {{.*}}let it return both
  return 2 * store(x);
}
double twice_stored(double *x, double *x_dot) { return __enzyme_fwddiff((void *)stores, x, x_dot); }
