// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory without derivatives that is freed while the reverse sweep still asks for what was in it,
// and that the next allocation would get; memory that each step allocates anew; numbers that are
// handed from one iteration to the next.
#include "GradientCheck.h"
#include <stdlib.h>
#include <string.h>

static int *numbers(int n, int from, int by) {
  int *at = malloc((size_t)n * sizeof *at);
  for (int i = 0; i < n; i++)
    at[i] = (from + by * i) % n;
  return at;
}

static double byIndex(const double *x, int n) {
  int *at = numbers(n, 1, 3);
  double s = 0.5;
  for (int t = 0; t < 3; t++)
    for (int i = 0; i < n; i++)
      s += 0.1 * x[at[i]] * x[i] * s;
  free(at);
  int *other = numbers(n, n - 1, n - 1); // lies where the first one did, if that is gone
  for (int t = 0; t < 2; t++)
    for (int i = 0; i < n; i++)
      s += 0.1 * x[other[i]] * x[i] * s;
  free(other);
  return s;
}

static double factors(const double *x, int n) {
  double *a = malloc((size_t)n * sizeof *a);
  for (int i = 0; i < n; i++)
    a[i] = 1.0 / (1 + i);
  double s = 0;
  for (int t = 1; t < 4; t++)
    for (int i = 0; i < n; i++)
      s += a[i] * x[i] * x[(i + t) % n];
  free(a);
  double *b = calloc((size_t)n, sizeof *b);
  b[n - 1] = s > 0;
  for (int i = 0; i < n; i++)
    s += b[i] * x[i];
  free(b);
  return s;
}

static double inSteps(const double *x, int n) {
  double s = 0.5;
  for (int t = 1; t < 4; t++) {
    int *at = numbers(n, t, t);
    for (int k = 0; k < n; k++)
      for (int i = 0; i < n; i++)
        s += 0.01 * x[at[i]] * x[(k + i) % n] * s;
    free(at);
  }
  return s;
}

struct Entry {
  int place;
  double factor;
  struct Entry *next;
};
static double list(const double *x, int n) {
  struct Entry *first = NULL;
  for (int i = 0; i < n; i++) {
    struct Entry *e = malloc(sizeof *e);
    *e = (struct Entry){(5 * i + 2) % n, 0.1 * i + 0.2, first};
    first = e;
  }
  double s = 0.5;
  for (int t = 0; t < 3; t++)
    for (int i = 0; i < n; i++)
      for (struct Entry *e = first; e; e = e->next)
        s += 0.01 * e->factor * x[e->place] * x[i] * s;
  for (struct Entry *e = first, *next; e; e = next) {
    next = e->next;
    free(e);
  }
  return s;
}

static double recursion(const double *x, int n, int depth) {
  if (depth == 0)
    return x[0];
  int *at = numbers(n, depth, 2 * depth + 1);
  double s = 0.5;
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      s += 0.01 * x[at[i]] * x[k] * s;
  s *= recursion(x, n, depth - 1);
  for (int i = 0; i < n; i++)
    s += 0.1 * x[at[i]] * s;
  free(at);
  return s;
}
static double recursive(const double *x, int n) { return recursion(x, n, 3); }

static double grown(const double *x, int n) {
  int room = 1, count = 0, *at = malloc(sizeof *at);
  double s = 0.5;
  for (int i = 0; i < 3 * n; i++) {
    if (count == room)
      at = realloc(at, (size_t)(room *= 2) * sizeof *at);
    at[count++] = (i * i) % n;
    s += 0.1 * x[at[count / 2]] * s;
  }
  for (int t = 0; t < 3; t++)
    for (int i = 0; i < count; i++)
      s += 0.01 * x[at[i]] * x[i % n] * s;
  free(at);
  return s;
}

// Each step has memory of its own, overwrites some of it, and reads it again.
static double anew(const double *x, int n) {
  double s = 0;
  for (int t = 1; t < 4; t++) {
    double *w = malloc((size_t)n * sizeof *w);
    for (int i = 0; i < n; i++)
      w[i] = x[i] * x[(i + t) % n];
    for (int i = 1; i < n; i++)
      s += w[i] * w[i - 1] * w[(i * t) % n];
    for (int i = 0; i < n; i++)
      w[i] = 0.5 * w[i] * w[i] + s;
    for (int i = 0; i < n; i++)
      s += 0.1 * w[i] * w[(i + 2) % n];
    free(w);
  }
  return s;
}

// What a step allocates, the next one changes.
static double handedOn(const double *x, int n) {
  double *last = malloc((size_t)n * sizeof *last), s = 0;
  memcpy(last, x, (size_t)n * sizeof *last);
  for (int t = 1; t < 4; t++) {
    double *w = malloc((size_t)n * sizeof *w);
    for (int i = 0; i < n; i++)
      w[i] = last[i] * x[(i + t) % n];
    for (int i = 0; i < n; i++)
      s += w[i] * w[(i + 1) % n];
    for (int i = 0; i < n; i++)
      last[i] += 0.3 * w[i] * w[i];
    for (int i = 0; i < n; i++)
      s += last[i] * last[(i + 1) % n];
    free(last);
    last = w;
  }
  free(last);
  return s;
}

static double neighbours(const double *x, int n) {
  double s = 0;
  for (int i = 1; i < n - 1; i++)
    s += x[i - 1] * x[i] * x[i + 1];
  return s;
}

static void products(double *x, double *y, int n) {
  for (int t = 0; t < 3; t++) {
    for (int i = 1; i < n - 1; i++)
      y[i] = y[i] * x[i - 1] * x[i] + x[i + 1] * x[i - 1];
    for (int i = 0; i < n; i++)
      x[i] = 0.5 * x[i] + 0.3 * y[i] * y[i];
  }
}

GRADIENT_CHECK(freed_index, Double, byIndex, In(double, 7), Int(7))
GRADIENT_CHECK(freed_factors, Double, factors, In(double, 7), Int(7))
GRADIENT_CHECK(freed_in_steps, Double, inSteps, In(double, 7), Int(7))
GRADIENT_CHECK(freed_list, Double, list, In(double, 5), Int(5))
GRADIENT_CHECK(freed_recursive, Double, recursive, In(double, 5), Int(5))
GRADIENT_CHECK(freed_grown, Double, grown, In(double, 5), Int(5))
GRADIENT_CHECK(freed_anew, Double, anew, In(double, 7), Int(7))
GRADIENT_CHECK(freed_handed_on, Double, handedOn, In(double, 7), Int(7))
GRADIENT_CHECK(freed_neighbours, Double, neighbours, In(double, 9), Int(9))
GRADIENT_CHECK(freed_products, Void, products, InOut(double, 9), InOut(double, 9), Int(9))

/// A matrix and its work space, given back on several paths by calls that are joined.
struct Rows {
  long count, *begins, *columns;
  double *values;
};

static struct Rows *released(struct Rows *rows) {
  if (!rows)
    return NULL;
  free(rows->begins);
  free(rows->columns);
  free(rows->values);
  free(rows);
  return NULL;
}

static struct Rows *finished(struct Rows *rows, void *marks, void *sums, int is_good) {
  free(marks);
  free(sums);
  return is_good ? rows : released(rows);
}

static struct Rows *made(long count, long held, int is_filled) {
  struct Rows *rows = calloc(1, sizeof *rows);
  if (!rows)
    return NULL;
  rows->count = count;
  rows->begins = malloc((count + 1) * sizeof(long));
  rows->columns = malloc(held * sizeof(long));
  rows->values = is_filled ? malloc(held * sizeof(double)) : NULL;
  return rows->begins && rows->columns && (!is_filled || rows->values) ? rows : released(rows);
}

static __attribute__((noinline)) struct Rows *squared(const struct Rows *a, int is_filled) {
  const long n = a->count;
  long *marks = calloc(n, sizeof(long)), next = 0;
  double *sums = is_filled ? malloc(n * sizeof(double)) : NULL;
  struct Rows *product = made(n, n * n, is_filled);
  if (!product || !marks || (is_filled && !sums))
    return finished(product, marks, sums, 0);
  for (long i = 0; i < n; ++i) {
    const long from = product->begins[i] = next;
    for (long k = a->begins[i]; k < a->begins[i + 1]; ++k) {
      const long row = a->columns[k];
      for (long l = a->begins[row]; l < a->begins[row + 1]; ++l) {
        const long j = a->columns[l];
        if (marks[j] <= i) {
          marks[j] = i + 1;
          product->columns[next++] = j;
          if (is_filled)
            sums[j] = a->values[k] * a->values[l];
        } else if (is_filled) {
          sums[j] += a->values[k] * a->values[l];
        }
      }
    }
    for (long k = from; is_filled && k < next; ++k)
      product->values[k] = sums[product->columns[k]];
  }
  product->begins[n] = next;
  for (long k = next - 1; k > 0; --k)
    product->columns[k] ^= product->columns[k - 1];
  for (long k = 1; k < next; ++k)
    product->columns[k] ^= product->columns[k - 1];
  return finished(product, marks, sums, 1);
}

static double work_freed(const double *x, int n) {
  struct Rows *a = made(n, 2 * n, 1);
  for (int i = 0, next = 0; i < n; ++i) {
    a->begins[i] = next;
    a->begins[i + 1] = next + 2;
    a->columns[next] = i;
    a->values[next++] = x[i];
    a->columns[next] = (i * 3 + 1) % n;
    a->values[next++] = x[i] * x[0];
  }
  struct Rows *pattern = squared(a, 0), *b = squared(a, 1), *c = squared(b, 1);
  double sum = 0;
  for (long k = 0; k < c->begins[n]; ++k)
    sum += c->values[k] * (k + 1) * pattern->columns[k % pattern->begins[n]];
  released(a);
  released(b);
  released(c);
  released(pattern);
  return sum;
}
GRADIENT_CHECK(work_freed, Double, work_freed, In(double, 5), Int(5))
