// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of tables and interpreters: a number, a count or a text, by a tag. In registers, what is
// chosen is a number at one time and an integer of its own at another.
// Supports: unions
#include "GradientCheck.h"
#include <any>
#include <array>
#include <cstdint>
#include <cstring>
#include <forward_list>
#include <map>
#include <optional>
#include <queue>
#include <string>
#include <variant>
#include <vector>

struct Cell {
  enum Kind : char { Real, Count, Flag } kind = Real;
  union {
    double x;
    long n;
    int i;
    bool b;
  };
  Cell() : x(0) {}
  static Cell real(double v) {
    Cell c;
    c.x = v;
    return c;
  }
  static Cell count(int v) {
    Cell c;
    c.kind = Count;
    c.i = v;
    return c;
  }
  static Cell flag(bool v) {
    Cell c;
    c.kind = Flag;
    c.b = v;
    return c;
  }
  double number() const { return kind == Real ? x : kind == Count ? 0.1 * i : b ? 1.0 : 0.0; }
};

static Cell times(Cell a, Cell b) {
  if (a.kind == Cell::Real || b.kind == Cell::Real)
    return Cell::real(a.number() * b.number());
  return Cell::count(a.i + b.i);
}

static double table(const double *x, int n) {
  std::vector<Cell> row;
  for (int i = 0; i < n; ++i)
    row.push_back(i % 3 == 1   ? Cell::count(i)
                  : i % 3 == 2 ? Cell::flag(x[i] > 0)
                               : Cell::real(x[i] * x[i]));
  Cell all = Cell::count(1);
  for (auto &c : row)
    all = times(all, c.kind == Cell::Flag ? Cell::count(3) : c);
  double s = all.number();
  for (auto &c : row)
    s += c.number() * 0.5;
  return s;
}
GRADIENT_CHECK(table, Double, table, In(double, 7), Int(7))

static double chosen(const double *x, int n) {
  Cell a = n > 3 ? Cell::real(x[0]) : Cell::count(n), b = n % 2 ? Cell::count(n) : Cell::real(x[1]);
  double s = 0;
  for (int i = 0; i < n; ++i) {
    s += a.number() * x[i] + b.number();
    if (i % 2)
      std::swap(a, b);
    else
      a = times(a, b);
  }
  return s;
}
GRADIENT_CHECK(chosen, Double, chosen, In(double, 7), Int(7))

// The optimiser moves all three as integers: a number that was loaded as one, a counter and an
// address meet in one register.
struct Parameter {
  union {
    double real;
    int64_t integer;
    const char *text;
    struct {
      float a, b;
    } pair;
  } v;
  int type;
};

static void set(Parameter *p, double d) {
  p->v.real = d;
  p->type = 0;
}
static void setInteger(Parameter *p, int64_t n) {
  p->v.integer = n;
  p->type = 1;
}
static void setText(Parameter *p, const char *t) {
  p->v.text = t;
  p->type = 2;
}

static double get(const Parameter &p) {
  switch (p.type) {
  case 0:
    return p.v.real;
  case 1:
    return p.v.integer * 0.5;
  case 2:
    return p.v.text[0] - 'a';
  }
  return 0;
}

static void fill(Parameter *p, const double *x, int i) {
  if (i % 3 == 0)
    set(p, x[i]);
  else if (i % 3 == 1)
    setInteger(p, i);
  else
    setText(p, "bcd");
}

static double inArray(const double *x, int n) {
  Parameter list[8];
  for (int i = 0; i < n; ++i) {
    Parameter p;
    fill(&p, x, i);
    list[i] = p;
  }
  double s = 1;
  for (int i = 0; i < n; ++i)
    s = s * 0.7 + get(list[i]) * get(list[i]);
  return s;
}
GRADIENT_CHECK(parameters_in_array, Double, inArray, In(double, 7), Int(7))

static double inMap(const double *x, int n) {
  std::map<std::string, Parameter> all;
  for (int i = 0; i < n; ++i) {
    Parameter p;
    fill(&p, x, i);
    all["p" + std::to_string(i)] = p;
  }
  std::vector<Parameter> list;
  for (auto &[k, p] : all)
    list.push_back(p);
  for (auto &p : list)
    if (p.type == 1)
      set(&p, p.v.integer * x[0]);
  double s = 1;
  for (auto &p : list)
    s = s * 0.7 + get(p) * get(p);
  Parameter a = list[0], b = list[n / 2];
  std::swap(a, b);
  return s + get(a) * get(b);
}
GRADIENT_CHECK(parameters_in_map, Double, inMap, In(double, 7), Int(7))

// Registers of an interpreter.
union Word {
  double d;
  int32_t i;
  uint32_t u;
};
enum Operation { Load, Set, Add, Mul, Count, Less, Jump, Return };
struct Instruction {
  Operation op;
  int a, b, c;
};

static double interpret(const double *x, int n) {
  const Instruction code[] = {{Load, 0, 0, 0}, {Set, 1, 0, 0},  {Load, 2, 1, 0},
                              {Mul, 0, 0, 2},  {Add, 3, 3, 0},  {Count, 1, 1, 1},
                              {Less, 4, 1, 4}, {Jump, 2, 4, 0}, {Return, 3, 0, 0}};
  Word r[8];
  memset(r, 0, sizeof r);
  for (int pc = 0;; ++pc) {
    const Instruction &in = code[pc];
    switch (in.op) {
    case Load:
      r[in.a].d = x[in.b % n];
      break;
    case Set:
      r[in.a].i = in.b;
      break;
    case Add:
      r[in.a].d = r[in.b].d + r[in.c].d;
      break;
    case Mul:
      r[in.a].d = r[in.b].d * r[in.c].d;
      break;
    case Count:
      r[in.a].i = r[in.b].i + in.c;
      break;
    case Less:
      r[in.a].i = r[in.b].i < in.c;
      break;
    case Jump:
      if (r[in.b].i)
        pc = in.a - 1;
      break;
    case Return:
      return r[in.a].d;
    }
  }
}
GRADIENT_CHECK(interpret, Double, interpret, In(double, 7), Int(7))

// A float of 32 bits where numbers and addresses are at other times.
static double anything(const double *x, int n) {
  std::vector<std::any> all{x[0], 0.25f, n};
  double s = 0;
  for (auto &value : all)
    s += value.type() == typeid(double)  ? std::any_cast<double>(value)
         : value.type() == typeid(float) ? std::any_cast<float>(value)
                                         : 0.1 * std::any_cast<int>(value);
  return s * x[1];
}
GRADIENT_CHECK(anything, Double, anything, In(double, 3), Int(5))

// The same with characters and bools, whose bytes are moved as they are.
static double smallest(const double *x, int n) {
  std::vector<std::any> all;
  for (int i = 0; i < n; ++i)
    if (i % 3 == 0)
      all.push_back(x[i] * x[i]);
    else if (i % 3 == 1)
      all.push_back(char('a' + i));
    else
      all.push_back(x[i] > 0);
  std::swap(all[0], all[1]);
  double s = 0.2;
  for (auto &value : all)
    if (auto *number = std::any_cast<double>(&value))
      s += *number * s;
    else if (auto *letter = std::any_cast<char>(&value))
      s += *letter % 7 * x[0];
    else
      s *= std::any_cast<bool>(value) ? x[1] : x[2];
  return s;
}
GRADIENT_CHECK(anything_small, Double, smallest, In(double, 7), Int(7))

// Events in a queue: two indices or a number.
struct Event {
  double t;
  enum Type { Collide, Emit, Stop } type;
  union {
    struct {
      int a, b;
    } pair;
    struct {
      double strength;
    } emit;
  };
  bool operator<(const Event &o) const { return t > o.t; }
};

static double events(const double *x, int n) {
  std::priority_queue<Event> queue;
  std::vector<double> e(n, 1.0);
  for (int i = 0; i < n; ++i) {
    Event next;
    next.t = i + 0.1 * x[i];
    if (i % 2) {
      next.type = Event::Collide;
      next.pair = {i, (i + 1) % n};
    } else {
      next.type = Event::Emit;
      next.emit.strength = x[i] * 0.3;
    }
    queue.push(next);
  }
  queue.push({100.0, Event::Stop, {}});
  double t = 0, s = 0;
  while (!queue.empty()) {
    const Event now = queue.top();
    queue.pop();
    const double dt = now.t - t;
    t = now.t;
    for (double &v : e)
      v *= 1 - 0.01 * (dt < 3 ? dt : 3);
    if (now.type == Event::Stop)
      break;
    if (now.type == Event::Collide) {
      const double m = 0.5 * (e[now.pair.a] + e[now.pair.b]);
      e[now.pair.a] = m;
      e[now.pair.b] = m * x[0];
    } else {
      e[0] += now.emit.strength;
      if (now.t < 3)
        queue.push({now.t + 0.55, Event::Emit, {.emit = {now.emit.strength * 0.5}}});
    }
    s += e[0] * t;
  }
  for (double v : e)
    s += v;
  return s;
}
GRADIENT_CHECK(events, Double, events, In(double, 6), Int(6))

// A bound that is too small for a float makes no integer of what it bounds.
static double fastLog(double v) {
  v = v < 5e-324 ? 5e-324 : v;
  int64_t bits;
  memcpy(&bits, &v, sizeof bits);
  return (double)bits * 0x1p-52;
}

static double bounded(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += fastLog(x[i] + 3) * x[0];
  return s;
}
GRADIENT_CHECK(bounded, Double, bounded, In(double, 5), Int(5))

// An index leads to each union of a structure, though nobody names but the first; it moves as one.
struct Slot {
  long has = 0;
  union {
    double v;
    long n;
  };
  Slot() : v(0) {}
};
struct Slots {
  Slot m[3];
  int count = 0;
};

static double inStructure(const double *x, int n) {
  Slots a, b;
  for (int i = 0; i < 3; ++i)
    if (i != n) {
      b.m[i].has = 1;
      b.m[i].v = x[i];
    }
  std::swap(a, b);
  double s = 0;
  for (auto &e : a.m)
    if (e.has)
      s = s * 0.4 + e.v * e.v;
  return s + b.count;
}
GRADIENT_CHECK(unions_in_structure, Double, inStructure, In(double, 7), Int(7))

struct Maybes {
  std::array<std::optional<double>, 3> m;
  double last = 0;
};

static double maybes(const double *x, int n) {
  Maybes a, b;
  for (int i = 0; i < 3; ++i)
    if (i != n - 6) {
      double e = x[i];
      a.m[i] = e;
    }
  b.last = x[3];
  std::swap(a, b);
  double s = a.last;
  for (auto &e : b.m)
    if (e)
      s = s * 0.4 + *e * *e;
  return s;
}
GRADIENT_CHECK(optionals_in_structure, Double, maybes, In(double, 7), Int(7))

// Unrolled, the integer is set in the lower half of the number that was there before.
namespace {
struct Pair {
  double a;
  int id;
  double b;
};
using Mixed = std::variant<int, double, Pair>;
} // namespace

static Mixed mixed(double v, int i) {
  if (i % 3 == 0)
    return i;
  if (i % 3 == 1)
    return v;
  return Pair{v, i, v * v};
}

static double mixture(const double *x) {
  std::forward_list<Mixed> all;
  for (int i = 0; i < 8; ++i)
    all.push_front(mixed(x[i] * x[3], i));
  double s = 0;
  for (const Mixed &m : all) {
    s *= 0.9;
    if (const int *n = std::get_if<int>(&m))
      s += 0.1 * *n;
    else if (const double *v = std::get_if<double>(&m))
      s += *v;
    else
      s += std::get<Pair>(m).a * std::get<Pair>(m).b;
  }
  return s;
}

GRADIENT_CHECK(std_variant_set_in_part, Double, mixture, In(double, 8))
