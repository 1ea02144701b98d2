// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that allocates what a global variable keeps, instantiated here for other files, too:
// they find it, and this file's calls go to a copy that tells of its blocks.
//
// RUN: %clangxx -O2 -S -emit-llvm %s -o - | FileCheck %s

extern int enzyme_dup, enzyme_const;
template <class R, class... A> R __enzyme_autodiff(void *, A...);

template <class T> struct Pool {
  static T *work;
  __attribute__((noinline)) static void grow(int n) {
    delete[] work;
    work = new T[n];
  }
};
template <class T> T *Pool<T>::work;
template struct Pool<double>;

static double energy(const double *x, int n) {
  double *work = Pool<double>::work, sum = 0;
  for (int i = 0; i < n; ++i)
    work[i] = x[i] * x[i];
  for (int i = 0; i + 1 < n; ++i)
    sum += work[i] * work[i + 1];
  return sum;
}

// CHECK: define weak_odr {{.*}}@_ZN4PoolIdE4growEi(
// CHECK-LABEL: define {{.*}}@_Z8gradientPKdPdi(
// CHECK: call {{.*}}@_ZN4PoolIdE4growEi.[[OWN:[0-9]+]](
void gradient(const double *x, double *dx, int n) {
  Pool<double>::grow(n);
  __enzyme_autodiff<void>(reinterpret_cast<void *>(energy), enzyme_dup, x, dx, enzyme_const, n);
}

// CHECK: define internal {{.*}}@_ZN4PoolIdE4growEi.[[OWN]](
// CHECK: call void @cf_v1_
