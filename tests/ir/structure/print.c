// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the analyses found out, on request.
//
// RUN: %clang -O2 -fopenmp -c %s -o %t.o -mllvm -contraflow-print-types 2>&1 | FileCheck %s --check-prefix=TYPES
// RUN: %clang -O2 -fopenmp -c %s -o %t.o -mllvm -contraflow-print-activity 2>&1 | FileCheck %s --check-prefix=ACTIVITY
// RUN: %clang -O2 -fopenmp -c %s -o %t.o -mllvm -contraflow-print-needs 2>&1 | FileCheck %s --check-prefix=NEEDS
// RUN: %clang -O2 -fopenmp -c %s -o %t.o -mllvm -contraflow-print-plan 2>&1 | FileCheck %s --check-prefix=PLAN
// RUN: %clang -O2 -fopenmp -c %s -o %t.o -mllvm -contraflow-print-sharing 2>&1 | FileCheck %s --check-prefix=SHARING

extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

struct Row {
  double *x;
  int n;
};

static void square(struct Row *row, double *restrict y, const int *kept) {
#pragma omp parallel for
  for (int i = 0; i < row->n; ++i)
    y[i] = row->x[i] * row->x[i] * y[i] + kept[i];
}
void gradient(struct Row *row, struct Row *row_bar, double *y, double *y_bar, const int *kept) {
  __enzyme_autodiff((void *)square, enzyme_dup, row, row_bar, enzyme_dup, y, y_bar, enzyme_const,
                    kept);
}

// TYPES: types of cf.prepared.square:
// TYPES: %{{.*}}: -> object {{[0-9]+}} + 0 {+0: pointer, +8: int}
// TYPES: load double, ptr {{.*}}
// TYPES: objects of square:
// TYPES: object {{[0-9]+}} from outside
// TYPES-NEXT: +0: pointer -> object {{[0-9]+}} +0
// TYPES-NEXT: +8: int

// ACTIVITY: activity of cf.prepared.square:
// ACTIVITY: %{{.*}}: has a shadow
// ACTIVITY: fmul double {{.*}}; active

// NEEDS: needs of cf.augmented.cf.prepared.square.omp_outlined:
// NEEDS: double %{{.*}}  load  {{.*}}print.c:{{[0-9]+}}:

// PLAN: tape plan of cf.augmented.cf.prepared.square.omp_outlined:
// PLAN: store 8 B x trip

// SHARING-NOT: sharing of cf.adjoint
// SHARING: sharing of cf.augmented.cf.prepared.square.omp_outlined:
// SHARING-NEXT: loop at {{.*}}print.c:{{.*}} updates without atomics what is loaded by
// SHARING-NEXT: double %{{.*}}  load  {{.*}}print.c:{{[0-9]+}}:
