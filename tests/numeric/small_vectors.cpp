// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors whose first elements are in themselves, of numbers, addresses, strings and each other:
// what is an element in one is a length in another, and all of them move, grow and shrink.
// Supports: vectors with a small buffer
#include "GradientCheck.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>
// small-buffer vector of own, used for doubles, pairs, pointers and strings
template <class T, std::size_t N> class SmallVector {
  T *b;
  std::size_t n = 0, cap = N;
  alignas(T) unsigned char room[N * sizeof(T)];
  T *inlined() { return reinterpret_cast<T *>(room); }
  void grow(std::size_t c) {
    T *p = static_cast<T *>(::operator new(c * sizeof(T)));
    for (std::size_t i = 0; i < n; ++i) {
      new (p + i) T(std::move(b[i]));
      b[i].~T();
    }
    if (b != inlined())
      ::operator delete(b);
    b = p;
    cap = c;
  }

public:
  SmallVector() : b(inlined()) {}
  SmallVector(std::initializer_list<T> l) : SmallVector() {
    for (auto &v : l)
      push_back(v);
  }
  SmallVector(const SmallVector &o) : SmallVector() {
    for (auto &v : o)
      push_back(v);
  }
  SmallVector(SmallVector &&o) noexcept : SmallVector() {
    if (o.b != o.inlined()) {
      b = std::exchange(o.b, o.inlined());
      n = std::exchange(o.n, 0);
      cap = std::exchange(o.cap, N);
    } else {
      for (auto &v : o)
        push_back(std::move(v));
      o.clear();
    }
  }
  SmallVector &operator=(SmallVector o) noexcept {
    clear();
    if (b != inlined())
      ::operator delete(b);
    b = inlined();
    cap = N;
    if (o.b != o.inlined()) {
      b = std::exchange(o.b, o.inlined());
      n = std::exchange(o.n, 0);
      cap = std::exchange(o.cap, N);
    } else
      for (auto &v : o)
        push_back(std::move(v));
    return *this;
  }
  ~SmallVector() {
    clear();
    if (b != inlined())
      ::operator delete(b);
  }
  void clear() {
    while (n)
      b[--n].~T();
  }
  template <class... A> T &emplace_back(A &&...a) {
    if (n == cap)
      grow(cap * 2);
    return *new (b + n++) T(std::forward<A>(a)...);
  }
  void push_back(T v) { emplace_back(std::move(v)); }
  void pop_back() { b[--n].~T(); }
  T *begin() { return b; }
  T *end() { return b + n; }
  const T *begin() const { return b; }
  const T *end() const { return b + n; }
  T &operator[](std::size_t i) { return b[i]; }
  const T &operator[](std::size_t i) const { return b[i]; }
  std::size_t size() const { return n; }
  bool small() const { return b == reinterpret_cast<const T *>(room); }
  void erase(T *p) {
    std::move(p + 1, end(), p);
    pop_back();
  }
};
struct Term {
  int power;
  double c;
};
struct Poly {
  SmallVector<Term, 3> terms;
  std::string name;
  friend Poly operator*(const Poly &a, const Poly &b) {
    Poly r;
    r.name = a.name + "*" + b.name;
    for (auto &s : a.terms)
      for (auto &t : b.terms) {
        auto it = std::find_if(r.terms.begin(), r.terms.end(),
                               [&](const Term &u) { return u.power == s.power + t.power; });
        if (it == r.terms.end())
          r.terms.push_back({s.power + t.power, s.c * t.c});
        else
          it->c += s.c * t.c;
      }
    return r;
  }
  double operator()(double x) const {
    double v = 0;
    for (auto &t : terms)
      v += t.c * std::pow(x, t.power);
    return v;
  }
};
static double products(const double *x, int n) {
  SmallVector<Poly, 2> ps;
  for (int i = 0; i < n; ++i) {
    Poly p;
    p.name = "p" + std::to_string(i);
    for (int k = 0; k <= i; ++k)
      p.terms.push_back({k, x[k] * (i - k + 1)});
    ps.push_back(std::move(p));
  }
  Poly q = ps[0];
  for (std::size_t i = 1; i < ps.size(); ++i)
    q = q * ps[i];
  ps.erase(ps.begin() + 1);
  ps[1] = q;
  std::sort(ps[0].terms.begin(), ps[0].terms.end(),
            [](auto &a, auto &b) { return a.power > b.power; });
  SmallVector<const Poly *, 2> sel;
  SmallVector<double, 4> vals;
  SmallVector<std::pair<std::string, double>, 1> named;
  for (auto &p : ps)
    if (p.terms.size() % 2 || p.terms.small())
      sel.push_back(&p);
  for (auto *p : sel) {
    vals.push_back((*p)(0.7 * x[1]));
    named.emplace_back(p->name, vals[vals.size() - 1] * x[2]);
  }
  SmallVector<double, 4> moved = std::move(vals);
  vals = {x[0], x[1]};
  double s = vals[0] * vals[1];
  for (double v : moved)
    s += std::log1p(v * v);
  for (auto &[k, v] : named)
    s += v * (double)k.size() * 0.1;
  return s;
}
GRADIENT_CHECK(small_vectors, Double, products, In(double, 5), Int(5))
