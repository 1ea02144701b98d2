// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalars of the caller's are written behind loops that read arrays, which may be these scalars as
// far as anybody knows. The reverse sweep puts them back, and the arrays are read again: what is
// recorded is one number for each step. What a critical section guards is left alone, since other
// threads run forwards meanwhile.
//
// RUN: %clang -O2 -fopenmp -c %s -o %t.o -mllvm -contraflow-print-plan 2>&1 | FileCheck %s
//
// CHECK: tape plan of cf.adjoint.to_result:
// CHECK-NOT: store
// CHECK: tape plan of cf.adjoint.steps:
// CHECK-NOT: {{store .*trip.* x trip}}
// CHECK: store 8 B x trip({{.*}} load double
// CHECK-NOT: {{store .*trip.* x trip}}
// CHECK: tape plan of cf.adjoint.guarded:
// CHECK: store 8 B x trip(

extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

static void to_result(const double *X, const double *Y, double *Out, int N) {
  double Sum = 0;
  for (int I = 0; I < N; I++)
    Sum += X[I] * Y[I] * X[I];
  *Out = Sum;
}

struct run {
  double *X, *Mass, Time;
  int *At, Count, Step;
};

static double steps(struct run *R, int Last) {
  double Sum = 0;
  for (R->Step = 0; R->Step < Last; R->Step++) {
    R->Time += 0.25;
    for (int I = 0; I < R->Count; I++)
      Sum += R->Mass[I] * R->X[R->At[I]] * R->X[I] * R->Time;
  }
  return Sum;
}

static void guarded(const double *X, double *Out, int N) {
  double Sum = 0;
  for (int I = 0; I < N; I++)
    Sum += X[I] * X[I];
#pragma omp critical
  *Out += Sum;
}

void gradient(double *X, double *DX, double *Y, double *DY, struct run *R, struct run *DR) {
  __enzyme_autodiff((void *)to_result, enzyme_dup, X, DX, enzyme_dup, Y, DY, enzyme_dup, Y + 100,
                    DY + 100, enzyme_const, 100);
  __enzyme_autodiff((void *)steps, enzyme_dup, R, DR, enzyme_const, 10);
  __enzyme_autodiff((void *)guarded, enzyme_dup, X, DX, enzyme_dup, Y, DY, enzyme_const, 100);
}
