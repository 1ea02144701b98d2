// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses that are kept as the distance from where they are kept, as in memory that programs
// share: the shadow of the array is another distance away, and derivatives were written past all
// arrays. Distances within one object are the same in its shadow.
//
// RUN: %not %clangxx -O0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clangxx -O1 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clangxx -O2 -DLIBRARY -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clangxx -O0 -DWITHIN -c %s -o %t.o
// RUN: %clangxx -O2 -DWITHIN -c %s -o %t.o
// CHECK: [CF205] no derivative for this operation: the distance of two objects, which is kept
#include <cstdint>
#include <cstdlib>
#include <ext/extptr_allocator.h>
#include <vector>

double __enzyme_autodiff(void *, ...);

struct Relative {
  std::uintptr_t distance;
  double *get() const {
    return distance == 1 ? nullptr : (double *)((std::uintptr_t)this + distance);
  }
  void set(double *p) { distance = p ? (std::uintptr_t)p - (std::uintptr_t)this : 1; }
};
struct Block {
  Relative first, second;
  double numbers[8];
};

#if defined(LIBRARY)
static double sum(double x) {
  std::vector<double, __gnu_cxx::_ExtPtr_allocator<double>> values;
  for (int i = 0; i < 5; i++)
    values.push_back(x * i);
  double s = 0;
  for (auto it = values.begin(); it != values.end(); ++it)
    s = s * 1.1 + *it * *it;
  return s;
}
#elif defined(WITHIN)
static double sum(double x) {
  Block *b = (Block *)malloc(sizeof(Block));
  b->first.set(b->numbers);
  b->second.set(b->numbers + 4);
  for (int i = 0; i < 4; i++) {
    b->first.get()[i] = x * i;
    b->second.get()[i] = x * x;
  }
  double s = b->numbers[2] * b->numbers[5];
  free(b);
  return s;
}
#else
static double sum(double x) {
  Relative array;
  array.set(nullptr);
  int count = 0;
  for (int i = 0; i < 5; i++) {
    double *larger = (double *)malloc(sizeof(double) * (count + 1)), *old = array.get();
    for (int k = 0; k < count; k++)
      larger[k] = old[k];
    larger[count++] = x * i;
    free(old);
    array.set(larger);
  }
  double s = 0;
  for (int i = 0; i < count; i++)
    s = s * 1.1 + array.get()[i] * array.get()[i];
  free(array.get());
  return s;
}
#endif
double derivative(double x) { return __enzyme_autodiff((void *)sum, x); }
