// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Containers whose first elements lie in themselves: their pointer, their counts and their numbers
// share memory as far as anybody can tell.
// Supports: containers with inline storage (`small_vector`)
#include "GradientCheck.h"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

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

/// As matrices of Armadillo: what is short lies in the object itself.
struct Matrix {
  const std::uint64_t rows, columns, size, room;
  const std::uint16_t kind, state;
  double *const memory;
  alignas(16) double local[16];
  Matrix(std::uint64_t r, std::uint64_t c)
      : rows(r), columns(c), size(r * c), room(0), kind(0), state(0), memory(nullptr) {
    if (size <= 16) {
      write(memory) = size ? local : nullptr;
    } else {
      write(memory) = static_cast<double *>(std::malloc(size * sizeof(double)));
      write(room) = size;
    }
  }
  Matrix(const Matrix &) = delete;
  ~Matrix() {
    if (room > 0)
      std::free(memory);
  }
  template <class T> static T &write(const T &x) { return const_cast<T &>(x); }
  double &operator()(std::uint64_t i, std::uint64_t j) { return memory[i + j * rows]; }
  void take(Matrix &m) {
    if (room > 0)
      std::free(memory);
    write(rows) = m.rows;
    write(columns) = m.columns;
    write(size) = m.size;
    write(room) = m.room;
    if (m.room > 0) {
      write(memory) = m.memory;
      write(m.memory) = nullptr;
      write(m.room) = 0;
    } else {
      write(memory) = local;
      std::memcpy(local, m.memory, m.size * sizeof(double));
    }
    write(m.size) = 0;
  }
};
void multiply(Matrix &out, Matrix &a, Matrix &b) {
  Matrix product(a.rows, b.columns);
  for (std::uint64_t j = 0; j < b.columns; j++)
    for (std::uint64_t i = 0; i < a.rows; i++) {
      double sum = 0;
      for (std::uint64_t k = 0; k < a.columns; k++)
        sum += a(i, k) * b(k, j);
      product(i, j) = sum;
    }
  out.take(product);
}
double matrices(const double *x, int n) {
  Matrix a(n, n), v(n, 1), w(1, 1), square(1, 1);
  for (int i = 0; i < n; i++) {
    v(i, 0) = x[i];
    for (int j = 0; j < n; j++)
      a(i, j) = x[i] * x[(i + j) % n];
  }
  multiply(w, a, v);
  multiply(square, a, a);
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += w(i, 0) * v(i, 0) + square(i, i);
  return sum;
}
/// As boost::container::small_vector.
template <class T, std::size_t N> class ShortVector {
  T *first;
  std::size_t count = 0, room = N;
  alignas(T) char local[N * sizeof(T)];
  bool isLocal() const { return first == reinterpret_cast<const T *>(local); }
  static std::size_t grown(std::size_t room, std::size_t need) {
    constexpr std::size_t most = std::size_t(-1) / (2 * sizeof(T));
    const std::size_t more = room < most / 8 ? room * 8 / 5 : most;
    return std::max(std::min(more, most), need);
  }

public:
  ShortVector() : first(reinterpret_cast<T *>(local)) {}
  ShortVector(const ShortVector &) = delete;
  ~ShortVector() {
    if (!isLocal())
      std::free(first);
  }
  void push_back(const T &x) {
    if (count == room) {
      const std::size_t next = grown(room, count + 1);
      T *memory = static_cast<T *>(std::malloc(next * sizeof(T)));
      std::memcpy(memory, first, count * sizeof(T));
      if (!isLocal())
        std::free(first);
      first = memory;
      room = next;
    }
    first[count++] = x;
  }
  void erase(std::size_t i) {
    std::memmove(first + i, first + i + 1, (count - i - 1) * sizeof(T));
    count--;
  }
  T &back() { return end()[-1]; }
  T *begin() { return first; }
  T *end() { return first + count; }
};
double shortVectors(const double *x, int n) {
  ShortVector<double, 4> v, w;
  for (int i = 0; i < n; i++) {
    v.push_back(x[i] * x[i]);
    w.push_back(v.back() * x[0]);
    if (i % 3 == 0)
      w.push_back(x[1]);
  }
  w.erase(1);
  double sum = 0;
  for (double a : w)
    for (double b : v)
      sum += a * b;
  return sum;
}
/// The room comes first, elements are moved one by one, and the capacity is doubled.
template <class T, std::size_t N> class Inlined {
  alignas(T) std::byte room[N * sizeof(T)];
  T *first = reinterpret_cast<T *>(room);
  std::size_t count = 0, capacity = N;
  bool isInside() const { return first == reinterpret_cast<const T *>(room); }

public:
  Inlined() = default;
  Inlined(Inlined &&other) noexcept {
    if (other.isInside()) {
      for (; count < other.count; ++count)
        new (first + count) T(std::move(other.first[count]));
    } else {
      first = std::exchange(other.first, reinterpret_cast<T *>(other.room));
      count = other.count;
      capacity = other.capacity;
      other.count = 0;
      other.capacity = N;
    }
  }
  ~Inlined() {
    if (!isInside())
      ::operator delete(first);
  }
  void push(T value) {
    if (count == capacity) {
      T *wider = static_cast<T *>(::operator new(2 * capacity * sizeof(T)));
      for (std::size_t i = 0; i < count; ++i)
        new (wider + i) T(std::move(first[i]));
      if (!isInside())
        ::operator delete(first);
      first = wider;
      capacity *= 2;
    }
    new (first + count++) T(std::move(value));
  }
  T *begin() { return first; }
  T *end() { return first + count; }
};
double doubled(const double *x, int n) {
  Inlined<std::pair<double, int>, 3> pairs;
  Inlined<double, 4> few;
  for (int i = 0; i < n; ++i)
    pairs.push({x[i] * x[i], i});
  few.push(x[0]);
  few.push(x[1] * x[0]);
  auto moved = std::move(pairs);
  auto kept = std::move(few);
  double sum = 0;
  for (auto &[value, i] : moved)
    sum += value * (i + 1);
  for (double value : kept)
    sum *= value;
  return sum;
}
/// As the shapes of xtensor: short ones lie in the array that they belong to.
class Shape {
  std::size_t *first = local, *last = local, *room = local + 4;
  std::size_t local[4] = {};

public:
  Shape() = default;
  Shape(const Shape &s) {
    resize(s.size());
    std::copy(s.first, s.last, first);
  }
  Shape &operator=(const Shape &) = delete;
  ~Shape() {
    if (first != local)
      delete[] first;
  }
  std::size_t size() const { return last - first; }
  void resize(std::size_t n) {
    if (n > std::size_t(room - first)) {
      auto *wider = new std::size_t[n];
      std::copy(first, last, wider);
      if (first != local)
        delete[] first;
      first = wider;
      room = wider + n;
    }
    last = first + n;
  }
  std::size_t &operator[](std::size_t i) { return first[i]; }
};
class Tensor {
  Shape shape, strides, back;
  double *numbers;
  double scale = 2;

public:
  std::size_t size = 1;
  explicit Tensor(Shape &s) : shape(s) {
    strides.resize(s.size());
    back.resize(s.size());
    for (std::size_t i = s.size(); i--; size *= s[i]) {
      strides[i] = s[i] == 1 ? 0 : size;
      back[i] = strides[i] * (s[i] - 1);
    }
    numbers = new double[size]();
  }
  Tensor(const Tensor &) = delete;
  ~Tensor() { delete[] numbers; }
  void rescale(double by) { scale *= by; }
  double last(std::size_t k) { return scale * numbers[back[0] + back[1] - k]; }
  double &operator()(std::size_t i, std::size_t j) {
    return numbers[i * strides[0] + j * strides[1]];
  }
};
double tensors(const double *x, int n) {
  Shape s;
  s.resize(2);
  s[0] = n - 1;
  s[1] = n;
  Tensor a(s);
  a.rescale(x[1]);
  for (int i = 0; i + 1 < n; i++)
    for (int j = 0; j < n; j++)
      a(i, j) = x[i] * x[j] + x[(i + j) % n];
  double sum = 0;
  for (std::size_t k = 0; k < a.size; k++)
    sum += a.last(k) * a.last(k / 2);
  return sum;
}

// The step from a link behind an array back to what holds it leads to members in front of the
// array.
struct Link {
  const Link *next;
};
struct Cell {
  double weight;
  int count;
  double values[3];
  Link link;
};
[[gnu::noinline]] double walk(const Link *at) {
  double sum = 1;
  for (; at; at = at->next) {
    const auto *cell =
        reinterpret_cast<const Cell *>(reinterpret_cast<const char *>(at) - offsetof(Cell, link));
    for (int i = 0; i < cell->count; ++i)
      sum += cell->weight * cell->values[i] * sum;
  }
  return sum;
}
[[gnu::noinline]] void fill(double *values, const double *x) {
  for (int i = 0; i < 3; ++i)
    values[i] = x[i] * x[i + 1];
}
double linkedCells(const double *x, int n) {
  Cell first, last;
  first.weight = x[0], first.count = n - 3;
  last.weight = x[n], last.count = 3;
  fill(first.values, x);
  fill(last.values, x + 1);
  first.link.next = &last.link;
  last.link.next = nullptr;
  return walk(&first.link);
}
} // namespace

GRADIENT_CHECK(small_buffer, Double, collect, In(double, 9), Int(9))
GRADIENT_CHECK(small_buffer_matrices, Double, matrices, In(double, 5), Int(5))
GRADIENT_CHECK(small_buffer_short_vectors, Double, shortVectors, In(double, 7), Int(7))
GRADIENT_CHECK(small_buffer_tensors, Double, tensors, In(double, 5), Int(5))
GRADIENT_CHECK(small_buffer_doubled, Double, doubled, In(double, 7), Int(7))
GRADIENT_CHECK(small_buffer_links, Double, linkedCells, In(double, 6), Int(5))
