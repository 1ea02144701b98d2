// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes that say what is not so.
//
// RUN: %not %clangxx -O2 -c %s -o %t.o 2>&1 | FileCheck %s

// CHECK-DAG: [CF108] {{.*}}'f(double)' cannot stand for 'logarithm'
double __attribute__((enzyme_function_like("logarithm"))) f(double x) { return x; }
