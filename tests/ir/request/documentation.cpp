// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The example in the README runs and prints what the README says; that of the how-to compiles.
//
// RUN: sed -n '/^```c++$/,/^```$/{/^```/d;p}' %S/../../../README.md > %t.readme.cpp
// RUN: %cf_clangxx -std=c++20 -O2 %t.readme.cpp -o %t.readme
// RUN: %t.readme | FileCheck %s
// RUN: grep -- '^# -3 -2 -2 7$' %S/../../../README.md
// CHECK: {{^}}-3 -2 -2 7
//
// RUN: sed -n '/^```c++$/,/^```$/{/^```/d;p}' %S/../../../docs/how-to/differentiate.md > %t.how.cpp
// RUN: %cf_clangxx -std=c++20 -O2 -c %t.how.cpp -o %t.how.o
