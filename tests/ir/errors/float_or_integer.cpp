// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A double where a smaller integer is at other times, moved by functions that only run time knows:
// in registers it becomes two halves, and nobody knows whether they are put together as a double.
// The derivative was zero, and nothing said so. Without moves that end where they began, nothing is
// cut in halves, and the same is accepted.
//
// RUN: %not %clangxx -O2 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clangxx -O1 -DKEPT -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: %clangxx -O2 -DACCEPTED -c %s -o %t.o
// CHECK: [CF205] {{.*}}bits of numbers are calculated with
// KEPT: [CF203] {{.*}}bits are stored into active memory
template <class R, class... A> R __enzyme_autodiff(void *, A...);

struct Operations {
  double (*call)(const void *, double);
  void (*move)(void *, void *);
};
template <class T> static double call(const void *held, double t) {
  return *static_cast<const T *>(held) * t;
}
template <class T> static void move(void *to, void *from) {
  *static_cast<T *>(to) = *static_cast<T *>(from);
}
template <class T> static const Operations operations{call<T>, move<T>};

struct Function {
  alignas(16) unsigned char held[32];
  const Operations *known = nullptr;
  Function() = default;
  template <class T> explicit Function(T value) : known(&operations<T>) {
    *reinterpret_cast<T *>(held) = value;
  }
  void take(Function &other) {
    known = other.known;
    known->move(held, other.held);
    other.known = nullptr;
  }
};

static double sum(const double *x, int n) {
#ifdef KEPT
  Function *f = new Function[2];
  f[0] = Function(x[0]), f[1] = Function(3);
#else
  Function f[2] = {Function(x[0]), Function(3)};
#endif
  double s = 0.3;
  for (int i = 0; i < n; i++) {
    s = 0.5 * s + 0.3 * f[0].known->call(f[0].held, s);
#ifndef ACCEPTED
    Function &other = f[i % 2], kept;
    kept.take(f[0]);
    if (&other != &f[0])
      f[0].take(other);
    other.take(kept);
#endif
  }
#ifdef KEPT
  delete[] f;
#endif
  return s;
}
void derivative(double *x, double *dx, int n) { __enzyme_autodiff<void>((void *)sum, x, dx, n); }
