// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of containers from new[]: their number lies in front of the elements.
// Supports: arrays of objects with destructors (`new T[n]`)
#include "GradientCheck.h"
#include <utility>

/// Elements with destructors lie behind their number: 16 bytes each, from the eighth byte on.
template <typename T> class CountedArray {
public:
  CountedArray() = default;
  CountedArray(int n, const T &t) : data(new T[n]), room(n), used(n) {
    for (int i = 0; i < n; i++)
      data[i] = t;
  }
  CountedArray(const CountedArray &from) : room(from.room), used(from.used) {
    if (room > 0) {
      data = new T[room];
      for (int i = 0; i < used; i++)
        data[i] = from.data[i];
    }
  }
  CountedArray &operator=(const CountedArray &from) {
    CountedArray copy(from);
    std::swap(data, copy.data);
    std::swap(room, copy.room);
    std::swap(used, copy.used);
    return *this;
  }
  ~CountedArray() { delete[] data; }
  T &operator[](int i) { return data[i]; }
  void reserve(int size) {
    if (size <= room)
      return;
    T *more = new T[size];
    for (int i = 0; i < used; i++)
      more[i] = data[i];
    delete[] data;
    data = more;
    room = size;
  }
  void push_back(const T &t) {
    if (used >= room)
      reserve(room ? 2 * room : 1);
    data[used++] = t;
  }

private:
  T *data = nullptr;
  int room = 0, used = 0;
};
static double arrays(const double *x) {
  CountedArray<CountedArray<double>> rows, copy;
  for (int i = 0; i < 2; i++) {
    CountedArray<double> row;
    row = CountedArray<double>(2, 0.0);
    row[0] = x[i];
    row[1] = x[i] * x[0];
    rows.push_back(row);
  }
  copy = rows;
  return copy[0][0] * copy[1][1];
}
GRADIENT_CHECK(counted_arrays, Double, arrays, In(double, 2))
