// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workspaces that global variables keep from call to call: vectors, rows, lists, pointers that
// change places. The program's own calls have made them before a derivative is asked for. What they
// hold then is constant, and their shadows hold nothing, whatever the call before has left there:
// the functions read what the call before has stored, always the same value, though stored(x)
// has the derivative 1.
// Supports: heap memory that global variables keep from call to call
#include "GradientCheck.h"

#include <cmath>
#include <cstdlib>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

[[enzyme::inactive]] static double passive(double x) { return x; }
static double stored(double x) { return x - passive(x) + 2.0; }

struct Node {
  double value;
  Node *next;
};
static struct {
  std::vector<double> flat;
  std::vector<std::vector<double>> rows;
  std::unique_ptr<float[]> single;
  Node *list = nullptr;
} space;
static thread_local std::vector<double> own;
static double *now, *then, plane[2][8], *upper = plane[0], *lower = plane[1];

static void prepare(std::size_t n) {
  if (space.flat.size() >= n)
    return;
  space.flat.resize(n, 2.0);
  space.rows.assign(3, std::vector<double>(n, 2.0));
  space.single.reset(new float[n]);
  own.resize(n, 2.0);
  for (int i = 0; i < 3; ++i)
    space.list = new Node{2.0, space.list};
  now = static_cast<double *>(std::malloc(n * sizeof(double)));
  then = static_cast<double *>(std::malloc(n * sizeof(double)));
}

static double workspaces(const double *x, int n) {
  prepare(n);
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += space.flat[i] * x[i] * x[i] + space.rows[i % 3][i] * x[i] + own[i] * x[i];
    space.flat[i] = stored(x[i]);
    space.rows[i % 3][i] = stored(x[(i + 1) % n]);
    own[i] = stored(x[i]);
    space.single[i] = static_cast<float>(i);
  }
  for (int i = 0; i < n; ++i)
    sum += space.single[i] * x[i] * x[i];
  int i = 0;
  for (Node *at = space.list; at; at = at->next, ++i) {
    sum += at->value * x[i % n] * x[i % n];
    at->value = stored(x[i % n]);
  }
  return sum;
}

GRADIENT_CHECK(kept_workspaces, Double, workspaces, In(double, 7), Int(7))

// An odd number of steps: the next call finds the buffers the other way round.
static double steps(const double *x, int n) {
  prepare(n);
  for (int i = 0; i < n; ++i)
    now[i] = upper[i] = x[i];
  for (int t = 0; t < 3; ++t) {
    for (int i = 0; i < n; ++i) {
      then[i] = now[i] * now[(i + 1) % n] + 0.25 * x[i];
      lower[i] = upper[i] * x[i];
    }
    std::swap(now, then);
    std::swap(upper, lower);
  }
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += now[i] + upper[i];
  return sum;
}
GRADIENT_CHECK(kept_buffers, Double, steps, In(double, 6), Int(6))

// The head of a tree or list is part of the global variable, and nodes lead back to it.
static double heads(const double *x) {
  static std::map<int, std::vector<double>> table;
  static std::list<double> last;
  table[3] = {x[0], x[1]};
  table[1].assign(3, x[2]);
  last.push_front(x[0] * x[1]);
  if (last.size() > 2)
    last.pop_back();
  double sum = last.front();
  for (auto &[key, values] : table)
    for (double v : values)
      sum += key * v * v;
  return sum;
}

GRADIENT_CHECK(kept_heads, Double, heads, In(double, 3))

// Made before main, by code in which several ways lead on from an allocation.
static std::vector<std::vector<double>> made(3, std::vector<double>(2));
static double beforehand(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    for (auto &row : made)
      for (double &v : row)
        v = x[i] * 2;
    sum += made[2][1] * made[1][0];
  }
  return sum;
}

GRADIENT_CHECK(kept_beforehand, Double, beforehand, In(double, 3), Int(3))

/// A table of functions, made by the first call: they have no shadows where they lie beside
/// numbers.
struct Term {
  virtual ~Term() = default;
  virtual double value() const = 0;
};
struct Number : Term {
  double number;
  explicit Number(double number) : number(number) {}
  double value() const override { return number; }
};
struct Applied : Term {
  double (*function)(double);
  std::unique_ptr<Term> to;
  Applied(double (*function)(double), std::unique_ptr<Term> to)
      : function(function), to(std::move(to)) {}
  double value() const override { return function(to->value()); }
};

static std::unique_ptr<Term> term(const std::string &name, double x, int depth) {
  if (depth == 0)
    return std::make_unique<Number>(x);
  static const std::map<std::string, double (*)(double)> functions{
      {"sine", [](double v) { return std::sin(v); }},
      {"power", [](double v) { return std::exp(v); }}};
  return std::make_unique<Applied>(functions.at(name), term(name, x, depth - 1));
}

static double named(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += term(i % 2 ? "sine" : "power", x[i], i)->value();
  return s;
}

GRADIENT_CHECK(kept_functions, Double, named, In(double, 3), Int(3))
