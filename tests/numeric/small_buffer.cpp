// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vector whose first elements lie in itself: its pointer, its counts and its numbers share memory
// as far as anybody can tell.
// Supports: containers with inline storage (`small_vector`)
#include "GradientCheck.h"
#include <cstddef>
#include <new>

namespace {

template <std::size_t N> class SmallVector {
public:
  SmallVector() = default;
  SmallVector(const SmallVector &) = delete;
  SmallVector &operator=(const SmallVector &) = delete;
  ~SmallVector() { release(); }
  double *begin() { return start; }
  double *end() { return start + count; }
  std::size_t size() const { return count; }
  void push(double v) {
    double *at = end();
    if (count == capacity)
      at = grow(at);
    *at = v; // count has to be read again
    ++count;
  }
  void insert(std::size_t at, double v) {
    push(v);
    for (std::size_t i = count - 1; i > at; --i)
      start[i] = start[i - 1];
    start[at] = v;
  }

private:
  // The count is what lies between two pointers, as in boost::container.
  double *grow(double *at) {
    const std::size_t wanted = capacity + N;
    double *wider = static_cast<double *>(::operator new(wanted * sizeof(double)));
    double *last = wider;
    for (const double *p = start; p != end(); ++p)
      *last++ = *p;
    double *moved = wider + (at - start);
    release();
    start = wider;
    count = last - wider;
    capacity = wanted;
    return moved;
  }
  void release() {
    if (start != inside)
      ::operator delete(start);
  }
  double *start = inside;
  std::size_t count = 0;
  std::size_t capacity = N;
  double inside[N];
};

double collect(const double *x, int n) {
  SmallVector<4> squares, few;
  for (int i = 0; i < n; ++i) {
    squares.insert(i / 2, x[i] * x[i]);
    if (i % 3 == 0)
      few.push(squares.begin()[i / 2] * x[0]);
  }
  double sum = 0;
  for (double s : squares)
    sum += s * s;
  for (double f : few)
    sum *= f;
  return sum + few.size();
}

} // namespace

GRADIENT_CHECK(small_buffer, Double, collect, In(double, 9), Int(9))
