// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes where they mean nothing.
//
// RUN: %not %clangxx -c %s -o %t.o 2>&1 | FileCheck %s

// CHECK: attributes.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'enzyme_inactive' belongs to a function, or to the definition
extern double g __attribute__((enzyme_inactive));
struct S {
  // CHECK: attributes.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'enzyme::inactive' belongs to
  [[enzyme::inactive]] int a;
};
// CHECK: attributes.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'enzyme_function_like' attribute requires a string
double h(double) __attribute__((enzyme_function_like(3)));
// CHECK: attributes.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'enzyme_function_like' attribute takes one argument
double i(double) __attribute__((enzyme_function_like));
// CHECK: attributes.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'enzyme_inactive' attribute takes no arguments
double j(double) __attribute__((enzyme_inactive(3)));
