// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plugin sees code that clang has compiled without it: unoptimised code shows what belongs to a
// structure, optimised code does not, and a shadow of it is refused.
//
// RUN: clang++ -O0 -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes=enzyme %t.ll -S -o - | FileCheck %s
// RUN: clang++ -O1 -S -emit-llvm %s -o %t.ll
// RUN: %not %opt -passes=enzyme %t.ll -o /dev/null 2>&1 | FileCheck %s --check-prefix=LATE

extern int enzyme_dup;
template <class R, class... A> R __enzyme_fwddiff(void *, A...);

struct Pair {
  double x, y;
};
double product(Pair p, double (*scale)(double, double)) { return p.x * p.y; }

// CHECK-LABEL: @_Z5slope4Pair
// CHECK: call {{.*}}@cf.tangent
// LATE: [CF209] {{.*}}'product(Pair, double (*)(double, double))' takes a structure by value
double slope(Pair p) {
  return __enzyme_fwddiff<double>((void *)product, enzyme_dup, p, Pair{1, 0}, nullptr, nullptr);
}
