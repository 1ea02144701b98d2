// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Without line information an error is shown at the user's function, and says how to see the line;
// with it, at the line, whichever option made it.
//
// RUN: %not clang -fpass-plugin=%cf_plugin -O2 -c %s -o %t.o 2>%t.none
// RUN: FileCheck %s --check-prefix=FUNCTION --input-file=%t.none
// RUN: %not clang -fpass-plugin=%cf_plugin -O2 -g -c %s -o %t.o 2>%t.g
// RUN: FileCheck %s --check-prefix=LINE --input-file=%t.g
// RUN: %not clang -fpass-plugin=%cf_plugin -O2 -gline-tables-only -c %s -o %t.o 2>%t.tables
// RUN: FileCheck %s --check-prefix=LINE --input-file=%t.tables
// RUN: %not %clang -O2 -c %s -o %t.o 2>%t.tracking
// RUN: FileCheck %s --check-prefix=LINE --input-file=%t.tracking

extern int enzyme_const;
void __enzyme_autodiff(void *, ...);
double elsewhere(double);

// FUNCTION: no-location.c:[[@LINE+1]]:6: error: [CF102] {{.*}} (-gline-tables-only shows
void caller(double x) {
  // LINE: no-location.c:[[@LINE+2]]:3: error: [CF102]
  // LINE-NOT: gline-tables-only
  __enzyme_autodiff((void *)elsewhere, enzyme_const, x);
}
