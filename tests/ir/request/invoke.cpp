// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A derivative call inside a try block is an invoke; it stays one, and its result is converted on
// the way to the normal destination, also where that is a loop header with other ways in.
//
// RUN: %clangxx -O0 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O2 -c %s -o %t.o

extern int enzyme_dup, enzyme_out, enzyme_const;
template <class R, class... A> R __enzyme_autodiff(void *, A...);

struct Pair {
  float a, b;
};
float product(float a, float b) { return a * b; }
void may_throw(int);

// CHECK-LABEL: define {{.*}}float @_Z6searchi(
// CHECK-NOT: call {{.*}}@_Z7product
// CHECK: invoke { float, float } @{{.*}}product
// CHECK: extractvalue { float, float }
// CHECK: extractvalue { float, float }
// CHECK: landingpad
float search(int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i)
    try {
      may_throw(i);
      Pair g = __enzyme_autodiff<Pair>((void *)product, float(i), 2.0f);
      sum += g.a - g.b;
    } catch (...) {
      return -1;
    }
  return sum;
}
