// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the objects of the random programs take their numbers from.

#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

template <typename T> struct Source {
  const T *x, *y, *c;
  const int *k;
  int at = 0;
  T next() {
    const int i = at++ % 12;
    return i % 3 == 0 ? y[i] : i % 3 == 1 ? x[i] * c[i] : x[i];
  }
  int count() { return k[at++ % 12]; }
};
