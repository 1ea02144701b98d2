// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structures of the random programs over what C programs do.

#pragma once

#include "Dual.h"

#include <cstdarg>
#include <cstdlib>

#pragma clang diagnostic ignored "-Wnon-pod-varargs" // numbers of the oracle

template <typename T> struct Two {
  T a, b;
};
template <typename T> struct Tagged {
  int kind;
  union {
    T number;
    Two<T> pair;
    long count[2];
    const T *address;
  };
  Tagged() : kind(3), address(nullptr) {}
};
template <typename T> struct __attribute__((packed)) Packed {
  char letter;
  T value;
  int count;
};
template <typename T> struct Fields {
  unsigned low : 3, high : 5;
  T value;
  short tail;
};
template <typename T> struct Ring {
  T data[6];
  int head, count;
  void push(T v) {
    if (count == 6)
      pop();
    data[(head + count++) % 6] = v;
  }
  T pop() {
    const T v = data[head];
    head = (head + 1) % 6;
    --count;
    return v;
  }
};
template <typename T> struct Tree {
  int key;
  T value;
  Tree *less, *more;
};
template <typename T> struct Big {
  T v[6];
  int used;
  const T *from;
};
/// Through a wider type and back.
inline double extended(double a) {
  const long double wide = a;
  return static_cast<double>(wide * wide * 0.5L + wide / 3.0L);
}
namespace oracle {
template <typename T> DualOf<T> extended(DualOf<T> a) { return a * a * 0.5 + a / 3.0; }
} // namespace oracle
