// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// signgam is what lgamma left there, which a derivative need not call. Addresses that are made of
// text, of numbers, or of bits that were moved around have no shadow. What is written by writev and
// read by readv is followed by neither.
//
// RUN: %not %clang -O0 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

extern int signgam;
void __enzyme_autodiff(void *, ...);

// CHECK-DAG: [[#@LINE+1]]:{{.*}}[CF205] {{.*}}signgam
static double gammaOf(const double *x) { return exp(lgamma(x[0])) * signgam; }

// CHECK-DAG: [[#@LINE+4]]:{{.*}}[CF205] {{.*}}signgam
static double gammaAt(const double *x, int n) {
  double out = exp(lgamma(x[0]));
  int *sign = n ? &signgam : &n;
  return out * *sign;
}

static double ofText(const double *x) {
  char text[32];
  snprintf(text, sizeof text, "%llu", (unsigned long long)(uintptr_t)x);
  const double *y = (const double *)(uintptr_t)strtoull(text, NULL, 10);
  // CHECK-DAG: [CF205] {{.*}}an address that is put together from numbers
  return y[0] * y[1];
}

static double rotated(const double *x, int n) {
  uint64_t moved[8];
  for (int i = 0; i < n; i++) {
    const uint64_t at = (uintptr_t)(x + i);
    moved[i] = at << 16 | at >> 48;
  }
  double product = 1;
  for (int i = 0; i < n; i++) {
    const double *y = (const double *)(uintptr_t)(moved[i] >> 16 | moved[i] << 48);
    // CHECK-DAG: [CF205] {{.*}}an address that is put together from numbers
    product *= *y;
  }
  return product;
}

static double scattered(double *x) {
  int ends[2];
  double y[2];
  if (pipe(ends))
    return 0;
  const struct iovec from = {x, sizeof y}, to = {y, sizeof y};
  // CHECK-DAG: [CF201] {{.*}}'writev'
  if (writev(ends[1], &from, 1) < 0 || readv(ends[0], &to, 1) < 0)
    return 0;
  return y[0] * y[1];
}

void ask(double *x, double *xb) {
  __enzyme_autodiff((void *)gammaOf, x, xb);
  __enzyme_autodiff((void *)gammaAt, x, xb, 8);
  __enzyme_autodiff((void *)ofText, x, xb);
  __enzyme_autodiff((void *)rotated, x, xb, 8);
  __enzyme_autodiff((void *)scattered, x, xb);
}
