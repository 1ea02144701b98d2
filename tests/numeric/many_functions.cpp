// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many calls that may each lead to many functions: of tables, classes and members, with narrow
// arguments, and where one throws what another catches.
// Supports: many calls among many functions
#include "GradientCheck.h"
#include <cmath>

template <int K> static double bend(double x, bool up, signed char by) {
  return up ? std::sin(x) * (K + by) : x * x / (K + 2) - by;
}

using Bend = double (*)(double, bool, signed char);
static Bend bends[] = {bend<0>, bend<1>, bend<2>, bend<3>, bend<4>, bend<5>,
                       bend<6>, bend<7>, bend<8>, bend<9>, bend<10>};

static double of_table(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    double t = bends[(3 * i + 1) % 11](x[i], i & 1, -i);
    t = bends[(5 * i + 2) % 11](t, !(i & 1), i - 3);
    t += bends[(7 * i + 3) % 11](t * x[i], i & 2, 1);
    t *= bends[(2 * i + 5) % 11](x[i], false, -2);
    t += bends[(4 * i + 7) % 11](t, true, 2 - i);
    s += bends[(6 * i + 4) % 11](t / 9, i > 2, 0);
  }
  return s;
}

GRADIENT_CHECK(many_of_table, Double, of_table, In(double, 7), Int(7))

struct Node {
  Node *left = nullptr, *right = nullptr;
  virtual double value(double *store) = 0;
  virtual ~Node() = default;
};
struct Leaf : Node {
  int at;
  explicit Leaf(int at) : at(at) {}
  double value(double *store) override { return store[at]; }
};
template <int K> struct Pair : Node {
  double value(double *store) override {
    const double a = left->value(store), b = right->value(store);
    store[K] += 0.1 * a * b;
    return K % 2 ? a + std::cos(b) * left->value(store) : a * b - right->value(store) / (K + 1);
  }
};

static double of_classes(double *x, int n) {
  Leaf l0(0), l1(1), l2(2), l3(n - 1);
  Pair<0> p0;
  Pair<1> p1;
  Pair<2> p2;
  Pair<3> p3;
  Pair<4> p4;
  Pair<0> p5;
  Pair<1> p6;
  Pair<2> p7;
  Node *all[] = {&p0, &p1, &p2, &p3, &p4, &p5, &p6, &p7};
  Node *leaves[] = {&l0, &l1, &l2, &l3};
  for (int i = 0; i < 8; ++i) {
    all[i]->left = i < 3 ? all[2 * i + 1] : leaves[i % 4];
    all[i]->right = i < 3 ? all[2 * i + 2] : leaves[(i + n) % 4];
  }
  return p0.value(x) + p5.value(x) * all[n % 8]->value(x);
}

GRADIENT_CHECK(many_of_classes, Double, of_classes, InOut(double, 5), Int(5))

struct Tools {
  double scale;
  template <int K> double use(double x) { return std::exp(-x * x / (K + 1)) * scale; }
};
struct Labelled {
  int label = 4;
};
struct Kit : Labelled, Tools {
  double own(double x) { return x * scale - label; }
};

static double of_members(const double *x, int n) {
  using Use = double (Kit::*)(double);
  const Use uses[] = {&Kit::use<0>, &Kit::use<1>, &Kit::use<2>, &Kit::use<3>, &Kit::use<4>,
                      &Kit::use<5>, &Kit::use<6>, &Kit::use<7>, &Kit::use<8>, &Kit::own};
  Kit kit;
  kit.scale = x[0];
  double s = 0;
  for (int i = 0; i < n; ++i) {
    s += (kit.*uses[(3 * i) % 10])(x[i]);
    kit.scale += (kit.*uses[(i + 9) % 10])(x[i] / 3) / 8;
    s *= (kit.*uses[(7 * i + 1) % 10])(s);
    s += (kit.*uses[(7 * i + 2) % 10])(s * x[i]);
    s -= (kit.*uses[i % 10])(x[i] + s);
  }
  return s;
}

GRADIENT_CHECK(many_of_members, Double, of_members, In(double, 6), Int(6))

template <int K> static double guarded(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i] * x[(i + K) % n];
  if (s > 2.2)
    throw s / (K + 1);
  return s;
}

using Guarded = double (*)(const double *, int);
static Guarded guards[] = {guarded<0>, guarded<1>, guarded<2>, guarded<3>, guarded<4>,
                           guarded<5>, guarded<6>, guarded<7>, guarded<8>};

static double attempt(const double *x, int n, int first) {
  double s = 0;
  try {
    s += guards[first % 9](x, n);
    s *= guards[(first + 4) % 9](x, n);
    s += guards[(2 * first) % 9](x, n - 1);
  } catch (double reached) {
    s -= reached * x[0];
  }
  return s;
}

static double of_throwing(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < 9; ++i)
    s += attempt(x, n, i) * attempt(x + 1, n - 1, 3 * i);
  return s;
}

GRADIENT_CHECK(many_of_throwing, Double, of_throwing, In(double, 6), Int(6))
