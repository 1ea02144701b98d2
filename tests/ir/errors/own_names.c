// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the program that have the names of functions of the system, but not their types, are
// not taken for those: their derivatives would be zero.
//
// RUN: %not %clang -O1 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s
extern void __enzyme_autodiff(void *, ...);

double access(const double *x, int n);
void read(double *into, const double *from);
double div(double a, double b);
double backtrace(double a, double b);
void ldiv(double *into, const double *from, int n);
void times(double *into, const double *from, int n);
void time(double *into, const double *from, int n);
int getentropy(double *into, const double *from);
int stat(const double *from, double *into);
double rand_r(double a, double b);
struct Point {
  double at[3];
  int id;
};
int uname(struct Point *p);
int fstat(int n, void *into);
long pwrite(const void *from, void *into);
double drand48(const double *from, double *into);
void free(double *into, const double *from);

double weighed(const double *x) {
  double y[3] = {0, 0, 0};
  // CHECK: own_names.c:[[@LINE+1]]:{{.*}}[CF201] {{.*}}'read'
  read(y, x);
  // CHECK: own_names.c:[[@LINE+1]]:{{.*}}[CF201] {{.*}}'access'
  y[1] = access(x, 3);
  // CHECK: own_names.c:[[@LINE+1]]:{{.*}}[CF201] {{.*}}'div'
  y[2] = div(x[0], x[1]);
  // CHECK: own_names.c:[[@LINE+1]]:{{.*}}[CF201] {{.*}}'backtrace'
  y[1] += backtrace(x[0], x[1]);
  // CHECK: own_names.c:[[@LINE+1]]:{{.*}}[CF201] {{.*}}'ldiv'
  ldiv(y, x, 3);
  // CHECK: own_names.c:[[@LINE+1]]:{{.*}}[CF201] {{.*}}'times'
  times(y, x, 3);
  // CHECK: own_names.c:[[@LINE+1]]:{{.*}}[CF201] {{.*}}'time'
  time(y, x, 3);
  // CHECK: own_names.c:[[@LINE+1]]:{{.*}}[CF201] {{.*}}'getentropy'
  getentropy(y, x);
  // CHECK: own_names.c:[[@LINE+1]]:{{.*}}[CF201] {{.*}}'stat'
  stat(x, y);
  // CHECK: own_names.c:[[@LINE+1]]:{{.*}}[CF201] {{.*}}'rand_r'
  y[0] += rand_r(x[0], x[1]);
  struct Point p = {{x[0], x[1], x[2]}, 3};
  // CHECK: own_names.c:[[@LINE+1]]:{{.*}}[CF201] {{.*}}'uname'
  uname(&p);
  // CHECK: own_names.c:[[@LINE+1]]:{{.*}}[CF201] {{.*}}'fstat'
  fstat(3, y);
  // CHECK: own_names.c:[[@LINE+1]]:{{.*}}[CF201] {{.*}}'pwrite'
  pwrite(x, y);
  // CHECK: own_names.c:[[@LINE+1]]:{{.*}}[CF201] {{.*}}'drand48'
  drand48(x, y);
  // CHECK: own_names.c:[[@LINE+1]]:{{.*}}[CF201] {{.*}}'free'
  free(y, x);
  return y[0] * y[1] * y[2] + p.at[0];
}
void slope(const double *x, double *dx) { __enzyme_autodiff((void *)weighed, x, dx); }
