// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unions of a number and something else, and objects copied byte by byte.
// Supports: unions
#include "GradientCheck.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

union Slot {
  double d;
  long n;
};
struct Tagged {
  int isNumber;
  union Slot slot;
};

static double mixed(const double *x, double a, int n) {
  struct Tagged *t = malloc(n * sizeof *t), *u = malloc(n * sizeof *u);
  for (int i = 0; i < n; ++i) {
    t[i].isNumber = i % 3 != 0;
    if (t[i].isNumber)
      t[i].slot.d = x[i] * a;
    else
      t[i].slot.n = i;
  }
  for (int i = 0; i < n; ++i)
    if (!t[i].isNumber)
      t[i].slot.n += 2;
  for (int i = 0; i < n; ++i)
    u[n - 1 - i] = t[i];
  memcpy(t, u, n * sizeof *t);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += t[i].isNumber ? t[i].slot.d * t[i].slot.d : t[i].slot.n * a;
  free(t);
  free(u);
  return s;
}

// Copies of a union through its number, whatever it holds.
union NumberOrPlace {
  double number;
  const double *place;
};

static double copiedPlaces(const double *x, int n) {
  union NumberOrPlace a[8], b[8], c[8];
  for (int i = 0; i < n; i++)
    a[3 * i % n].place = x + n - 2 - i / 2;
  for (int i = 0; i < n; i++)
    b[n - 1 - i].number = a[i].number;
  for (int i = 0; i < n; i++)
    c[2 * i % n].number = b[i].number;
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += c[i].place[0] * c[i].place[1];
  return sum;
}

static double copiedEither(const double *x, int n) {
  union NumberOrPlace a[8], b[8];
  for (int i = 0; i < n; i++)
    if (i % 2)
      a[i].place = x + i;
    else
      a[i].number = x[i] * x[0];
  for (int i = 0; i < n; i++)
    b[n - 1 - i].number = a[i].number;
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += (n - 1 - i) % 2 ? *b[i].place * x[1] : b[i].number * b[i].number;
  return sum;
}

// On the way from one place to another the number stays in a variable, a choice, a vector.
static double variablePlaces(const double *x, int n) {
  union NumberOrPlace a[8], b;
  volatile double kept;
  for (int i = 0; i < n; i++)
    a[i].place = x + 3 * i % n;
  double sum = 0;
  for (int i = 0; i < n; i++) {
    kept = a[i].number;
    b.number = kept;
    sum += *b.place * x[i];
  }
  return sum;
}

static double chosenPlaces(const double *x, double *y, int n) {
  union NumberOrPlace *a = malloc(2 * sizeof *a), b;
  a[0].place = x;
  a[1].place = y;
  for (int i = 0; i < n; i++)
    y[i] = x[i] * x[n - 1 - i];
  double sum = 0, current = a[1].number;
  for (int i = 0; i < n; i++) {
    b.number = current;
    sum += b.place[i] * x[i];
    if (x[i] > 1.1)
      current = a[i % 2].number;
    else if (x[i] > 0.8)
      current = a[(i + 1) % 2].number;
  }
  free(a);
  return sum;
}

typedef double Pair __attribute__((vector_size(16)));
static double turnedPlaces(const double *x, double *y, int n) {
  union NumberOrPlace a[2], b[2];
  a[0].place = x;
  a[1].place = y;
  for (int i = 0; i < n; i++)
    y[i] = x[i] * x[i];
  Pair both, turned;
  memcpy(&both, a, sizeof both);
  turned = (Pair){both[1], both[0]};
  memcpy(b, &turned, sizeof b);
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += b[i % 2].place[i] * x[n - 1 - i];
  return sum;
}

// Addresses that functions take and return as integers.
static double weighted(uintptr_t place, const double *x, int n, int depth) {
  if (depth > 0)
    return weighted(place, x, n, depth - 1) * 0.5;
  const double *p = (const double *)place;
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += p[i] * x[i];
  return sum;
}
static uintptr_t placeOf(const union NumberOrPlace *a, int i) {
  return i > 1 ? placeOf(a, i - 2) : (uintptr_t)a[i].place;
}
static double passedPlaces(const double *x, double *y, int n) {
  for (int i = 0; i < n; i++)
    y[i] = x[i] * x[i];
  const union NumberOrPlace a[2] = {{.place = y}, {.place = x}};
  double sum = weighted((uintptr_t)y, x, n, n - 4) + weighted((uintptr_t)x, y, n, 1);
  for (int i = 0; i < n; i++)
    sum += ((const double *)placeOf(a, i))[i];
  return sum;
}

// Numbers that functions take from such places and put there.
struct Term {
  int op;
  union {
    double value;
    struct Term *left;
  } a;
  union {
    double value;
    struct Term *right;
  } b;
};
static double valueOf(const struct Term *t) {
  if (t->op == 0)
    return t->a.value;
  return t->op == 1 ? valueOf(t->a.left) + valueOf(t->b.right)
                    : valueOf(t->a.left) * valueOf(t->b.right);
}
static struct Term *termOf(double value) {
  struct Term *t = malloc(sizeof *t);
  t->op = 0;
  t->a.value = value;
  t->b.value = 1;
  return t;
}
static struct Term *simplified(const struct Term *t) {
  if (t->op == 0)
    return termOf(t->a.value);
  struct Term *l = simplified(t->a.left), *r = simplified(t->b.right), *s = termOf(0);
  s->op = t->op;
  s->a.left = l;
  s->b.right = r;
  if (l->op == 0 && r->op == 0) {
    const double value = valueOf(s);
    s->op = 0;
    s->a.value = value;
    s->b.value = 2;
  }
  return s;
}
static double terms(const double *x, int n) {
  struct Term *t = termOf(x[0]);
  for (int i = 1; i < n; i++) {
    struct Term *s = termOf(0);
    s->op = 1 + i % 2;
    s->a.left = t;
    s->b.right = termOf(x[i]);
    t = s;
  }
  return valueOf(simplified(t)) * valueOf(t);
}

// A count, a number or a row of them, made in a local variable that is kept in registers.
struct Item {
  int kind;
  union {
    int count;
    double number;
    struct {
      double *at;
      int size;
    } row;
  };
};

static struct Item itemOf(const double *x, int i) {
  struct Item item;
  item.kind = i % 3;
  if (item.kind == 0) {
    item.count = i;
  } else if (item.kind == 1) {
    item.number = x[i] * i;
  } else {
    item.row.size = 2;
    item.row.at = malloc(2 * sizeof(double));
    item.row.at[0] = x[i];
    item.row.at[1] = x[i] * x[0];
  }
  return item;
}

static double numberOrRow(const double *x, int n) {
  struct Item *items = malloc(n * sizeof *items);
  for (int i = 0; i < n; ++i) {
    const struct Item item = itemOf(x, i);
    items[i] = item;
  }
  double sum = 0;
  for (int i = 0; i < n; ++i)
    if (items[i].kind == 0) {
      sum *= 1 + items[i].count;
    } else if (items[i].kind == 1) {
      sum += items[i].number * items[i].number;
    } else {
      for (int j = 0; j < items[i].row.size; ++j)
        sum += items[i].row.at[j];
      free(items[i].row.at);
    }
  free(items);
  return sum;
}

GRADIENT_CHECK(unions_number_or_row, Double, numberOrRow, In(double, 7), Int(7))
GRADIENT_CHECK(unions, Double, mixed, In(double, 8), Scalar(double), Int(8))
GRADIENT_CHECK(union_copied_places, Double, copiedPlaces, In(double, 5), Int(5))
GRADIENT_CHECK(union_copied_either, Double, copiedEither, In(double, 5), Int(5))
GRADIENT_CHECK(union_variable, Double, variablePlaces, In(double, 5), Int(5))
GRADIENT_CHECK(union_chosen, Double, chosenPlaces, In(double, 6), Out(double, 6), Int(6))
GRADIENT_CHECK(union_turned, Double, turnedPlaces, In(double, 6), Out(double, 6), Int(6))
GRADIENT_CHECK(union_passed, Double, passedPlaces, In(double, 6), Out(double, 6), Int(6))
GRADIENT_CHECK(union_terms, Double, terms, In(double, 6), Int(6))

// A union of an address and two floats has the type of an address in registers: what is taken from
// such a register, or stored from it, may be the floats.
union Pair {
  const float *at;
  struct {
    float a, b;
  } pair;
};

__attribute__((noinline)) static union Pair pairOf(float a, float b) {
  union Pair u;
  u.pair.a = a;
  u.pair.b = b;
  return u;
}

__attribute__((noinline)) static union Pair addressOf(const float *at) {
  union Pair u;
  u.at = at;
  return u;
}

__attribute__((noinline)) static union Pair exchange(union Pair *at, union Pair other) {
  const union Pair old = *at;
  *at = other;
  return old;
}

static float pairs_in_addresses(const float *x, int n) {
  union Pair t[2];
  exchange(&t[0], pairOf(x[0] * x[1], x[2]));
  exchange(&t[1], addressOf(x + 2));
  t[1] = exchange(&t[0], t[1]);
  const union Pair last = pairOf(x[3], x[1] * n);
  return t[0].at[0] * x[3] + t[1].pair.a * t[1].pair.b + last.pair.a * last.pair.b;
}
GRADIENT_CHECK(pairs_in_addresses, Float, pairs_in_addresses, In(float, 4), Int(3))

// A float that is constant, where others hold a double or an address: in registers it is a word
// whose upper half is empty, as that of an address is.
struct AnyWidth {
  int kind;
  union {
    float narrow;
    double wide;
    const double *at;
  } held;
};
static struct AnyWidth narrowOf(float v) {
  struct AnyWidth e;
  e.kind = 0;
  e.held.narrow = v;
  return e;
}
static struct AnyWidth wideOf(double v) {
  struct AnyWidth e;
  e.kind = 1;
  e.held.wide = v;
  return e;
}
static struct AnyWidth leadingTo(const double *at) {
  struct AnyWidth e;
  e.kind = 2;
  e.held.at = at;
  return e;
}
static double constant_floats(const double *x, int n) {
  struct AnyWidth all[8];
  for (int i = 0; i < n; i++)
    all[i] = i % 4 == 0   ? narrowOf(1.0f + (float)i)
             : i % 4 == 3 ? leadingTo(x + i)
                          : wideOf(x[i] * x[0]);
  double s = 0;
  for (int i = 0; i < n; i++)
    s += (i + 1) * (all[i].kind == 0   ? all[i].held.narrow
                    : all[i].kind == 1 ? all[i].held.wide
                                       : *all[i].held.at);
  return s;
}
GRADIENT_CHECK(constant_floats, Double, constant_floats, In(double, 8), Int(8))

/// A stack machine of integers, numbers and pairs of these. At -O3 the union is a register, whose
/// lower half is asked for where a number was put, in a branch that nobody comes to.
struct Operand {
  int kind; ///< 0: a number, 2: an integer, 3: a pair
  union {
    double number;
    int integer;
    struct {
      double first, second;
    } pair;
  } is;
};
static struct Operand number(double x) {
  struct Operand o = {.kind = 0};
  o.is.number = x;
  return o;
}
static struct Operand pair(double first, double second) {
  struct Operand o = {.kind = 3};
  o.is.pair.first = first;
  o.is.pair.second = second;
  return o;
}
static struct Operand integer(int i) {
  struct Operand o = {.kind = 2};
  o.is.integer = i;
  return o;
}
static struct Operand product(struct Operand a, struct Operand b) {
  if (a.kind == 2 && b.kind == 2)
    return integer(a.is.integer * b.is.integer);
  if (a.kind == 2)
    return product(b, a);
  if (a.kind == 0 && b.kind == 2)
    return number(a.is.number * b.is.integer);
  if (a.kind == 0 && b.kind == 0)
    return number(a.is.number * b.is.number);
  if (a.kind == 0)
    return pair(a.is.number * b.is.pair.first, a.is.number * b.is.pair.second);
  if (b.kind == 0)
    return product(b, a);
  if (b.kind == 2)
    return pair(a.is.pair.first * b.is.integer, a.is.pair.second * b.is.integer);
  return pair(a.is.pair.first * b.is.pair.first - a.is.pair.second * b.is.pair.second,
              a.is.pair.first * b.is.pair.second + a.is.pair.second * b.is.pair.first);
}
static inline __attribute__((always_inline)) double multiplied(const double *x, double *y, int m) {
  struct Operand all[8], result = integer(1);
  int n = 0;
  all[n++] = number(x[0]);
  all[n++] = integer(m);
  all[n++] = pair(x[1], 2);
  all[n++] = number(x[1] * x[1]);
  all[n++] = pair(1, x[2]);
  while (n)
    result = product(result, all[--n]);
  y[0] = result.is.pair.first;
  return result.is.pair.second;
}
static double stacked(const double *x, double *y, int m) { return multiplied(x, y, m); }
static double stacked_constant(const double *x, double *y, int m) {
  return m == 3 ? multiplied(x, y, 3) : 0;
}
GRADIENT_CHECK(stacked, Double, stacked, In(double, 3), Out(double, 1), Int(3))
GRADIENT_CHECK(stacked_constant, Double, stacked_constant, In(double, 3), Out(double, 1), Int(3))

// A member that is declared an address holds a number at one time, which is copied as an address.
typedef const void *__attribute__((may_alias)) AnyAddress;
typedef double __attribute__((may_alias)) AnyDouble;
struct Boxed {
  int is_number;
  AnyAddress held;
};
struct Either {
  int is_number;
  union {
    double d;
    const double *at;
  } held;
};
static double copied_as_addresses(const double *x, int n) {
  struct Boxed boxes[8], kept[8];
  struct Either either[8], taken[8];
  for (int i = 0; i < n; i++) {
    boxes[i].is_number = either[i].is_number = i % 2;
    if (i % 2) {
      *(AnyDouble *)&boxes[i].held = x[i] * x[i];
      either[i].held.d = x[i] * x[0];
    } else {
      boxes[i].held = x + i;
      either[i].held.at = x + n - 1 - i;
    }
    kept[i].held = boxes[i].held;
    taken[i].held.at = either[i].held.at;
  }
  double s = 0;
  for (int i = 0; i < n; i++) {
    s = s * 0.7 +
        (boxes[i].is_number ? *(AnyDouble *)&kept[i].held : *(const double *)kept[i].held);
    s += either[i].is_number ? taken[i].held.d : *taken[i].held.at * 3;
  }
  return s;
}
GRADIENT_CHECK(copied_as_addresses, Double, copied_as_addresses, In(double, 8), Int(8))

/// Slots that are emptied as addresses, and read as numbers then.
union Emptied {
  double number;
  const double *at;
};
struct Filled {
  int kind;
  union Emptied slot;
};
static double emptied_as_address(const double *x, int n) {
  struct Filled slots[8];
  for (int i = 0; i < n; ++i) {
    slots[i].kind = i % 3;
    if (i % 3)
      slots[i].slot.number = x[i] * x[i];
    else
      slots[i].slot.at = x + i;
  }
  double sum = 0;
  for (int k = 0; k < n; ++k) {
    struct Filled *one = &slots[k * 3 % n];
    if (k & 1) {
      one->slot.at = NULL;
      one->kind = 3;
    } else if (k > 3) {
      const int is_empty = x[k] > 0;
      one->slot.at = is_empty ? NULL : x + k;
      one->kind = is_empty ? 3 : 0;
    }
    for (int i = 0; i < n; ++i) {
      const union Emptied held = slots[i].slot;
      sum += (i + 1) * (slots[i].kind == 0   ? *held.at * x[k]
                        : slots[i].kind == 3 ? (held.number + 1) * x[i]
                                             : held.number * x[k]);
    }
    if (one->kind == 3 && k > 4) {
      one->slot.number = x[k] * 2;
      one->kind = 1;
    }
  }
  return sum;
}
GRADIENT_CHECK(emptied_as_address, Double, emptied_as_address, In(double, 8), Int(8))

/// The same of two floats.
union EmptiedPair {
  float pair[2];
  const float *at;
};
static double emptied_pairs(const float *x, int n) {
  union EmptiedPair slots[6];
  int kinds[6];
  for (int i = 0; i < n; ++i) {
    kinds[i] = i % 3;
    if (i % 3) {
      slots[i].pair[0] = x[i] * x[i];
      slots[i].pair[1] = x[i];
    } else {
      slots[i].at = x + i;
    }
  }
  double sum = 0;
  for (int k = 0; k < n; ++k) {
    const int one = k * 5 % n;
    if (k & 1) {
      slots[one].at = NULL;
      kinds[one] = 3;
    }
    for (int i = 0; i < n; ++i)
      sum += kinds[i] == 0   ? *slots[i].at * x[k]
             : kinds[i] == 3 ? (slots[i].pair[0] + 1) * x[i] * (slots[i].pair[1] + 2)
                             : slots[i].pair[0] * x[k] * slots[i].pair[1];
  }
  return sum;
}
GRADIENT_CHECK(emptied_pairs, Double, emptied_pairs, In(float, 6), Int(6))

/// A number or a count in one structure that is passed by value: the optimiser keeps both in one
/// register, and converts what is there to a number whichever it is.
struct Amount {
  int counts;
  union {
    double number;
    int count;
  } of;
};
static struct Amount joined(struct Amount a, struct Amount b) {
  if (a.counts && b.counts) {
    a.of.count += b.of.count;
    return a;
  }
  struct Amount sum = {0, {0}};
  sum.of.number = (a.counts ? a.of.count : a.of.number) + 2 * (b.counts ? b.of.count : b.of.number);
  return sum;
}
static double amounts(const double *x, int n) {
  struct Amount all[7];
  for (int i = 0; i < n; ++i) {
    all[i].counts = i % 3 == 2;
    if (i % 3 == 2)
      all[i].of.count = i;
    else
      all[i].of.number = x[i] * x[(i + 1) % n];
  }
  struct Amount sum = {1, {0}};
  for (int i = 0; i < n; ++i)
    sum = joined(sum, all[i]);
  return sum.of.number * sum.of.number;
}
GRADIENT_CHECK(union_amounts, Double, amounts, In(double, 7), Int(7))

/// Objects with properties of several kinds in one union: a text that is copied lies where numbers
/// are reached at another time.
struct Property {
  enum { Number, Text, Part } kind;
  union {
    double number;
    const char *text;
    struct Thing *part;
  } as;
};
struct Thing {
  double scale;
  char *label;
  struct Thing *part;
};

static void setProperty(struct Thing *t, const struct Property *p) {
  switch (p->kind) {
  case Number:
    t->scale = p->as.number;
    break;
  case Text:
    free(t->label);
    t->label = strdup(p->as.text);
    break;
  case Part:
    t->part = p->as.part;
    break;
  }
}

static double ofProperties(const double *x, int n) {
  struct Thing *inner = calloc(1, sizeof *inner), *outer = calloc(1, sizeof *outer);
  struct Property *list = malloc(3 * sizeof *list);
  double s = 0;
  for (int i = 0; i < n; ++i) {
    list[i % 3] = (struct Property){Text, {.text = i % 2 && outer->label ? outer->label : "inner"}};
    list[(i + 1) % 3] = (struct Property){Part, {.part = inner}};
    list[(i + 2) % 3] = (struct Property){Number, {.number = x[i] * x[i]}};
    for (int k = 0; k < 3; ++k)
      setProperty(list[k].kind == Part || (i + k) % 2 ? outer : inner, &list[k]);
    s += (outer->scale + 1) * (inner->scale + x[i]) * (outer->part == inner);
    s += outer->label ? strlen(outer->label) * outer->part->scale : 0;
  }
  free(inner->label);
  free(outer->label);
  free(inner);
  free(outer);
  free(list);
  return s;
}

GRADIENT_CHECK(union_text_copied, Double, ofProperties, In(double, 5), Int(5))
