// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// After a fault of the plugin there is a file that shows it: what the request leads to, and nothing
// else.
//
// RUN: rm -rf %t && mkdir -p %t/tmp
// RUN: %not env TMPDIR=%t/tmp %clang -O1 -c %s -o %t/o -mllvm -contraflow-fault 2> %t/err
// RUN: FileCheck %s --input-file=%t/err
// RUN: cat %t/tmp/contraflow-fault-*.ll | FileCheck %s --check-prefix=FILE
// RUN: %not %opt -passes=contraflow -contraflow-fault -disable-output %t/tmp/contraflow-fault-*.ll 2> %t/again
// RUN: FileCheck %s --input-file=%t/again --check-prefix=AGAIN
// RUN: %opt -passes=contraflow -disable-output %t/tmp/contraflow-fault-*.ll

// CHECK: file for the report of CF901 is '{{.*}}contraflow-fault-{{.*}}.ll'
// CHECK: fault.c:{{[0-9]+}}:{{[0-9]+}}: error: [CF901]
// FILE: -passes=contraflow
// FILE-NOT: leftover
// FILE-NOT: unused
// AGAIN: [CF901]

double __enzyme_autodiff(void *, ...);

static double table[3] = {1, 2, 3};
static int unused[7] = {9};

__attribute__((noinline)) static double inner(double x, int i) { return table[i % 3] * x * x; }
double outer(double x) { return inner(x, 1) + inner(x, 2); }
int leftover(int i) { return unused[i] % 3; }
double slope(double x) { return __enzyme_autodiff((void *)outer, x); }
