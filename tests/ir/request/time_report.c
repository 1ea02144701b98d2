// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time that differentiation takes is in clang's report, stage by stage.
//
// RUN: %clang -O2 -ftime-report -c %s -o %t.o 2>&1 | FileCheck %s

double __enzyme_autodiff(void *, ...);

static double square(double x) { return x * x; }
double slope(double x) { return __enzyme_autodiff((void *)square, x); }

// CHECK: Contraflow
// CHECK-DAG: Prepare: clone, inline, canonicalise
// CHECK-DAG: Analyse: loops, memory, activity, effects
// CHECK-DAG: Plan and emit
// CHECK-DAG: Verify and simplify
