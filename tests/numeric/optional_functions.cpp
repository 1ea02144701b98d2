// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that a caller may give and here does not: a null pointer in a structure of operations,
// an empty std::function, an object that is not there. No function of the program fits.
// Supports: optional functions and objects that nobody gives
#include "GradientCheck.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

struct Operations {
  double (*rate)(double, const double *);
  void (*monitor)(int, double, void *);
  double (*limit)(double, int, Operations *);
  double *(*scratch)(Operations *, int);
  void *context;
  const double *parameters;
  std::FILE *log;
};
static double decay(double t, const double *p) { return std::sin(p[0] * t) + p[1]; }
[[gnu::noinline]] static double advance(Operations *o, int n) {
  double y = 0.1;
  for (int i = 0; i < n; ++i) {
    y += 0.1 * o->rate(y, o->parameters);
    if (y > 1e9)
      std::fprintf(o->log, "step %d: %g\n", i, y);
    if (o->monitor)
      o->monitor(i, y, o->context);
    if (o->limit != nullptr && i > 1)
      y = o->limit(y, i, o);
    if (o->scratch) {
      double *room = o->scratch(o, n);
      room[0] = y;
      y += room[0];
    }
  }
  return y;
}
static double table(const double *x, int n) {
  auto *o = static_cast<Operations *>(std::calloc(1, sizeof(Operations)));
  o->rate = decay;
  o->parameters = x;
  o->log = stderr;
  const double y = advance(o, n);
  std::free(o);
  return y;
}
GRADIENT_CHECK(optional_table, Double, table, In(double, 2), Int(6))

struct Limiter {
  virtual ~Limiter() = default;
  virtual double operator()(double) const = 0;
  virtual double *data() = 0;
};
struct Scheme {
  std::function<double(double)> flux;
  std::function<double(double, const std::vector<double> &)> observe;
  Limiter *limiter = nullptr;
  std::unique_ptr<Limiter> own;

  double run(std::vector<double> u) const {
    double sum = 0;
    for (double &cell : u) {
      double v = flux(cell);
      if (observe)
        v += observe(v, u);
      if (limiter)
        v = (*limiter)(v);
      if (own && v > 0) {
        v *= (*own)(v);
        v += *own->data();
      }
      sum += v * v;
      cell = v;
    }
    return sum + u[0];
  }
};
static double scheme(const double *x, int n) {
  Scheme s;
  s.flux = [x](double u) { return std::sin(u) * x[0]; };
  return s.run(std::vector<double>(x, x + n));
}
GRADIENT_CHECK(optional_objects, Double, scheme, In(double, 5), Int(5))

struct Projection {
  double limits[91]; // without TBAA, the place of the next member is all that is known of it
  double (*project)(float weight, double u, void *data);
  void *data;
  long uses;
} projection;

/// Of a library: this program leaves it alone.
void setProjection(Projection *p, double (*project)(float weight, double u, void *data)) {
  p->project = project;
}

static double projected(const double *x, int n) {
  Projection *p = &projection;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += x[i] * x[i];
    if (sum > 1e6) { // never
      ++p->uses;
      sum = p->project(1, sum, p->data);
    }
  }
  return sum;
}
GRADIENT_CHECK(optional_setter, Double, projected, In(double, 5), Int(5))

/// Hooks of a base class that nothing in the program is derived from, asked for in turn.
struct Wall {
  virtual ~Wall() = default;
  virtual bool inside(double, double) = 0;
  virtual bool cut(double *cell, double at) = 0;
};
struct Walls {
  Wall **first = new Wall *[4], **end;
  explicit Walls(double t) : end(first + (t > 100)) {}
  ~Walls() { delete[] first; }
  bool apply(double *cell, double at) {
    for (Wall **w = first; w < end; ++w)
      if (!(*w)->cut(cell, at))
        return false;
    return true;
  }
};
static double hooks(const double *x, int n) {
  Walls walls(x[0]);
  std::vector<double> cell;
  for (int i = 0; i < n; ++i)
    cell.push_back(x[i] * x[0]);
  if (!walls.apply(cell.data(), x[1]))
    return x[2];
  double sum = 0;
  for (double c : cell)
    sum += c * c;
  return sum;
}
GRADIENT_CHECK(optional_hooks, Double, hooks, In(double, 5), Int(5))

// A function of the program's own that others may replace: nobody does, and nobody here sets the
// second one.
static double twice(double v) { return 2 * v; }
static double (*replaced)(double) = twice;
static double (*correction)(float, double, short);
void replace(double (*f)(double), double (*g)(float, double, short)) {
  replaced = f ? f : twice;
  correction = g;
}
static double replaceable(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const double v = replaced(x[i]) * x[0];
    sum += v > 100 ? correction(1, v, 2) : v * v;
  }
  return sum;
}
GRADIENT_CHECK(optional_replacement, Double, replaceable, In(double, 5), Int(5))

// Functions for memory that others may set: here, malloc and free it is.
static void *(*allocate)(std::size_t);
static struct {
  double *(*numbers)(void *, int);
  void *user;
} *pool;
static void (*release)(void *);
void setMemory(void *(*a)(std::size_t), void (*r)(void *)) {
  allocate = a;
  release = r;
}
static void *memory(std::size_t bytes) { return allocate ? allocate(bytes) : std::malloc(bytes); }
static double *numbers(int n) {
  if (pool && pool->numbers)
    return pool->numbers(pool->user, n);
  return static_cast<double *>(memory(n * sizeof(double)));
}
struct Row {
  int n;
  double *v;
};
static double rows(const double *x, int n) {
  double sum = 0;
  for (int i = 1; i < n; ++i) {
    Row *row = static_cast<Row *>(memory(sizeof(Row)));
    *row = {i, numbers(i)};
    for (int k = 0; k < i; ++k)
      row->v[k] = x[k] * x[i];
    for (int k = 0; k < row->n; ++k)
      sum += row->v[k] * row->v[row->n - 1 - k];
    if (release) {
      release(row->v);
      release(row);
    } else {
      std::free(row->v);
      std::free(row);
    }
  }
  return sum;
}
GRADIENT_CHECK(optional_memory, Double, rows, In(double, 5), Int(5))

/// Which functions always throw is seen when it is known which classes there are, too many to
/// choose in place.
struct Selector {
  virtual ~Selector() = default;
  virtual bool single() const { return false; }
  virtual bool pass(const double &v) const { return v > 0.1; }
};
template <int N> struct Nth : Selector {
  bool pass(const double &v) const override {
    if (!single())
      throw v;
    return v > N;
  }
};
template <int... N>
static std::unique_ptr<Selector> select(int which, std::integer_sequence<int, N...>) {
  std::unique_ptr<Selector> out = std::make_unique<Selector>();
  ((which == N ? out = std::make_unique<Nth<N>>() : out), ...);
  return out;
}
static double selected(const double *x, int n) {
  const std::unique_ptr<Selector> s =
      select(x[0] > 100 ? 3 : -1, std::make_integer_sequence<int, 10>());
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += s->pass(x[i]) ? x[i] * x[i] : 1;
  return sum;
}
GRADIENT_CHECK(optional_selectors, Double, selected, In(double, 5), Int(5))
