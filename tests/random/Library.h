// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What programs of generate_library.py share: headers, an allocator, small matrices, a narrow
// number.

#pragma once

#include <any>
#include <complex>
#include <cstddef>
#include <memory_resource>
#include <new>
#include <queue>
#include <ranges>
#include <set>
#include <span>
#include <stack>
#include <stdexcept>
#include <type_traits>

/// A float; in the oracle a number as wide as others.
template <typename T> using Single = std::conditional_t<std::is_same_v<T, double>, float, T>;

/// Counts what it has handed out.
template <typename T> struct Counting {
  using value_type = T;
  inline static long Live = 0;
  Counting() = default;
  template <typename U> Counting(const Counting<U> &) {}
  T *allocate(std::size_t n) {
    Live += long(n);
    return static_cast<T *>(::operator new(n * sizeof(T)));
  }
  void deallocate(T *p, std::size_t n) {
    Live -= long(n);
    ::operator delete(p);
  }
  bool operator==(const Counting &) const { return true; }
};

template <typename T, int R, int C> struct Small {
  T v[R * C];
  T &operator()(int i, int j) { return v[i * C + j]; }
  const T &operator()(int i, int j) const { return v[i * C + j]; }
};

/// The sum of two matrices, calculated where it is read.
template <typename A, typename B> struct Sum {
  const A &a;
  const B &b;
  auto operator()(int i, int j) const { return a(i, j) + b(i, j); }
};

template <typename T, int R, int K, int C>
Small<T, R, C> operator*(const Small<T, R, K> &a, const Small<T, K, C> &b) {
  Small<T, R, C> r{};
  for (int i = 0; i < R; ++i)
    for (int j = 0; j < C; ++j)
      for (int k = 0; k < K; ++k)
        r(i, j) += a(i, k) * b(k, j);
  return r;
}
template <typename T, int R, int C> Small<T, R, C> operator*(Small<T, R, C> a, T s) {
  for (T &e : a.v)
    e *= s;
  return a;
}
template <typename T, int R, int C>
Sum<Small<T, R, C>, Small<T, R, C>> operator+(const Small<T, R, C> &a, const Small<T, R, C> &b) {
  return {a, b};
}
template <typename E> auto trace(const E &e) { return e(0, 0) + e(1, 1); }
