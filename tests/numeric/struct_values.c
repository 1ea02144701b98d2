// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structures passed and returned by value: in registers, in memory, and mixed with integers.
// Supports: structures, arrays of them, pointers to pointers, linked lists
#include "GradientCheck.h"

typedef struct {
  double x, y;
} Pair;
typedef struct {
  double v[3];
  int count;
} Bag;

__attribute__((noinline)) static Pair scale(Pair p, double a) { return (Pair){a * p.x, p.y * p.x}; }

__attribute__((noinline)) static Bag collect(Bag bag, Pair p) {
  bag.v[bag.count++ % 3] += p.x * p.y;
  return bag;
}

static double travel(const double *x, int n) {
  Bag bag = {{1, 0, 0}, 0};
  for (int i = 0; i + 1 < n; i++) {
    Pair p = {x[i], x[i + 1]};
    bag = collect(bag, scale(p, bag.v[0]));
  }
  return bag.v[0] + bag.v[1] * bag.v[2] * bag.count;
}

GRADIENT_CHECK(struct_values, Double, travel, In(double, 6), Int(6))
