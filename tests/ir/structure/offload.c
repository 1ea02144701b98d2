// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program for devices: the derivative runs target regions on the host and moves no data; code for
// the device is what it is without the plugin.
//
// RUN: %clang -O2 -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu --offload-host-only -Rpass-missed=contraflow -S -emit-llvm %s -o %t.ll 2>&1 | FileCheck --check-prefix=REMARK %s
// RUN: FileCheck %s < %t.ll
// RUN: %clang -O0 -fopenmp -fopenmp-targets=nvptx64-nvidia-cuda -nogpulib --offload-host-only -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O2 -fopenmp -fopenmp-targets=amdgcn-amd-amdhsa -nogpulib --offload-host-only -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O2 -fopenmp -fopenmp-targets=nvptx64-nvidia-cuda --offload-arch=sm_90 -nogpulib -nogpuinc --offload-device-only -S -emit-llvm %s -o - | FileCheck --check-prefix=DEVICE %s
// RUN: %clang -O2 -fopenmp -fopenmp-targets=amdgcn-amd-amdhsa --offload-arch=gfx90a -nogpulib -nogpuinc --offload-device-only -S -emit-llvm %s -o - | FileCheck --check-prefix=DEVICE %s

extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

static void work(double *x, double *y, int n) {
#pragma omp target data map(to : x[0 : n]) map(tofrom : y[0 : n])
  {
// REMARK: offload.c:[[@LINE+1]]:1: remark: {{.*}}runs on the host
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++)
      y[i] *= x[i];
#pragma omp target update from(y[0 : 1])
  }
}

// CHECK-LABEL: define {{.*}}cf.adjoint{{.*}}work
// CHECK-NOT: __tgt_
// CHECK: call void @cf_v1_omp_target_check(
// CHECK-NOT: __tgt_
// CHECK: call {{.*}}@__kmpc_fork_call(
// CHECK-NOT: __tgt_
// CHECK: ret void
void gradient(double *x, double *xb, double *y, double *yb, int n) {
  __enzyme_autodiff((void *)work, enzyme_dup, x, xb, enzyme_dup, y, yb, enzyme_const, n);
}

// Memory of devices is the host's: parts of arrays are copied row by row.
int omp_target_memcpy_rect(void *, const void *, __SIZE_TYPE__, int, const __SIZE_TYPE__ *,
                           const __SIZE_TYPE__ *, const __SIZE_TYPE__ *, const __SIZE_TYPE__ *,
                           const __SIZE_TYPE__ *, int, int);
static void part(const double *x, double *y, const __SIZE_TYPE__ *n) {
  omp_target_memcpy_rect(y, x, sizeof *y, 3, n, n, n, n + 3, n + 3, 0, 0);
}
// CHECK-LABEL: define {{.*}}cf.adjoint{{.*}}part
// CHECK-NOT: omp_target_
// CHECK: ret void
void gradient_of_part(double *x, double *xb, double *y, double *yb, __SIZE_TYPE__ *n) {
  __enzyme_autodiff((void *)part, enzyme_dup, x, xb, enzyme_dup, y, yb, enzyme_const, n);
}

// DEVICE: define {{.*}}kernel void @__omp_offloading_{{.*}}work
// DEVICE-NOT: cf_v1_
// DEVICE-NOT: gradient
