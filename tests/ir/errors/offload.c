// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives in code for a device, and of regions that only a device can run.
//
// RUN: %not %clang -O2 -g -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu --offload-device-only -S -emit-llvm %s -o - 2>&1 | FileCheck --check-prefix=DEVICE %s
// RUN: %not %clang -O2 -g -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu -fopenmp-offload-mandatory --offload-host-only -ferror-limit=0 -S -emit-llvm %s -o - 2>&1 | FileCheck %s
// RUN: %not %clang -O0 -g -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu -fopenmp-offload-mandatory --offload-host-only -ferror-limit=0 -S -emit-llvm %s -o - 2>&1 | FileCheck %s

extern int enzyme_dup;
void __enzyme_autodiff(void *, ...);
typedef void *omp_interop_t;

static void square(double *x) { *x *= *x; }

void inside(double *x, double *xb) {
#pragma omp target map(tofrom : x[0 : 1], xb[0 : 1])
  // DEVICE: offload.c:[[@LINE+1]]:{{.*}}[CF209] {{.*}}it is in code for a device
  __enzyme_autodiff((void *)square, enzyme_dup, x, xb);
}

static void only_there(double *x) {
// CHECK: offload.c:[[@LINE+1]]:{{.*}}[CF207] {{.*}}a target region without a version for the host
#pragma omp target map(tofrom : x[0 : 1])
  *x *= *x;
}
void gradient(double *x, double *xb) { __enzyme_autodiff((void *)only_there, enzyme_dup, x, xb); }

static void with_interop(double *x) {
  omp_interop_t object = 0;
// CHECK: offload.c:[[@LINE+1]]:{{.*}}[CF207] {{.*}}__tgt_interop_init
#pragma omp interop init(targetsync : object)
  *x *= *x;
}
void through(double *x, double *xb) { __enzyme_autodiff((void *)with_interop, enzyme_dup, x, xb); }
