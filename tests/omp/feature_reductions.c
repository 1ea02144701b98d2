// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of every kind of variable, with every operator, on every construct that takes them.
// Supports: `reduction` on every construct, of structures, of sections, nested
#pragma clang diagnostic ignored "-Wpass-failed" // not every simd loop is vectorised
#include "GradientCheck.h"
#include <complex.h>
#include <math.h>

static double constructs(const double *x, double *y, int n) {
  double s = 0, t = 1, u = 0, v = 0, w = 0;
#pragma omp parallel reduction(+ : s) reduction(* : t)
  {
#pragma omp for reduction(+ : u)
    for (int i = 0; i < n; i++)
      u += x[i] * x[i];
#pragma omp single
    t *= u;
#pragma omp sections reduction(+ : v)
    {
#pragma omp section
      v += x[0] * u;
#pragma omp section
      v += x[1] * x[1];
    }
#pragma omp for nowait
    for (int i = 0; i < n; i++)
      s += x[i] * v;
#pragma omp for simd reduction(+ : w)
    for (int i = 0; i < n; i++)
      w += x[i] * y[i];
  }
  for (int i = 0; i < n; i++)
    y[i] *= w;
  return s * t + w;
}

// A zero factor, two of them, and none.
static double products(const double *x, int n) {
  double p = 1, q = 1, r = 1;
#pragma omp parallel for reduction(* : p, q, r)
  for (int i = 0; i < n; i++) {
    p *= i == 3 ? x[i] - x[3] : x[i];
    q *= i == 2 || i == 5 ? (x[i] - x[i]) * x[0] : x[i];
    r *= x[i] + 0.1;
  }
  return p + q + r;
}

// The largest and the smallest where several are equal.
static double ties(const double *x, int n) {
  double most = x[0] * x[0], least = x[0] * x[0];
#pragma omp parallel for reduction(max : most) reduction(min : least)
  for (int i = 0; i < n; i++) {
    double v = x[0] * x[0];
    most = v > most ? v : most;
    least = v < least ? v : least;
  }
  return most * 3 + least;
}

static double sections(const double *x, double *y, int n, int m) {
  double h[3][4] = {{0}}, v[m], *d = y;
  for (int j = 0; j < m; j++)
    v[j] = 1;
#pragma omp parallel for reduction(+ : h[1 : 2][ : 4]) reduction(* : v[ : m])                      \
    reduction(+ : d[2 : 3])
  for (int i = 0; i < n; i++) {
    h[1][i % 4] += x[i] * x[i];
    h[2][(i + 1) % 4] += x[i];
    v[i % m] *= x[i] + 0.5;
    d[2 + i % 3] += x[i] * x[0];
  }
  double s = 0;
  for (int j = 0; j < 4; j++)
    s += h[1][j] * h[2][j] + h[0][j];
  for (int j = 0; j < m; j++)
    s *= v[j];
  return s;
}

struct moments {
  double n, mean, square;
  int count;
};

static void join(struct moments *to, const struct moments *from) {
  if (from->count == 0)
    return;
  if (to->count == 0) {
    *to = *from;
    return;
  }
  const double d = from->mean - to->mean, all = to->n + from->n;
  to->mean += d * from->n / all;
  to->square += from->square + d * d * to->n * from->n / all;
  to->n = all;
  to->count += from->count;
}

#pragma omp declare reduction(join : struct moments : join(&omp_out, &omp_in))                     \
    initializer(omp_priv = {0, 0, 0, 0})

static double variance(const double *x, int n) {
  struct moments all = {0, 0, 0, 0};
#pragma omp parallel for reduction(join : all) schedule(static, 2)
  for (int i = 0; i < n; i++) {
    struct moments one = {x[i], x[i] * x[i], 0, 1};
    join(&all, &one);
  }
  return all.mean + all.square / all.n + all.count;
}

static void start(double *p) { *p = 0; }
#pragma omp declare reduction(norm:double : omp_out = hypot(omp_out, omp_in))                      \
    initializer(start(&omp_priv))

static double norms(const double *x, int n) {
  double a = 0, b[2] = {0, 0};
#pragma omp parallel for reduction(norm : a, b)
  for (int i = 0; i < n; i++) {
    a = hypot(a, x[i]);
    b[i % 2] = hypot(b[i % 2], x[i] * x[0]);
  }
  return a * b[0] + b[1];
}

static double numbers(const double *x, int n) {
  double _Complex sum = 0, turn = 1;
  float single = 0;
  long double wide = 0;
#pragma omp parallel for reduction(+ : sum, wide) reduction(* : turn) reduction(+ : single)
  for (int i = 0; i < n; i++) {
    double _Complex z = x[i] + I * x[n - 1 - i];
    sum += z * z;
    turn *= z / cabs(z);
    wide += (long double)x[i] * x[0];
    single += 1;
  }
  return creal(sum) * cimag(sum) + creal(turn) + (double)wide * (double)single;
}

static double logical(const double *x, int n) {
  int all = 1, any = 0, bits = ~0, some = 0, odd = 0;
  long count = 0;
  double s = 0;
#pragma omp parallel for reduction(&& : all) reduction(|| : any) reduction(& : bits)               \
    reduction(| : some) reduction(^ : odd) reduction(+ : count, s)
  for (int i = 0; i < n; i++) {
    all = all && x[i] < 9;
    any = any || x[i] > 9;
    bits &= i | 8;
    some |= 1 << (i % 4);
    odd ^= i;
    count += i;
    s += x[i] * x[i];
  }
  return s * (all + any + bits + some + odd + (double)count);
}

// A reduction of a reduction: of nested regions, and of a variable that is private outside.
static double nested(const double *x, int n, int m) {
  double s = 0, p = 1;
#pragma omp parallel for reduction(+ : s) reduction(* : p) num_threads(2)
  for (int i = 0; i < n; i++) {
    double t = 0, most = 0;
#pragma omp parallel for reduction(+ : t) reduction(max : most)
    for (int j = 0; j < m; j++) {
      t += x[m * i + j] * x[j];
      most = fmax(most, x[m * i + j]);
    }
    s += t * most;
    p *= t;
  }
  return s + p;
}

// The accumulator is used inside, too.
static double used(const double *x, double *y, int n) {
  double s = x[0];
#pragma omp parallel for reduction(+ : s) num_threads(1)
  for (int i = 0; i < n; i++) {
    s += x[i] * s;
    y[i] = s * x[i];
  }
  return s * s;
}

GRADIENT_CHECK_BOUND(1e-10, red_constructs, Double, constructs, In(double, 9), InOut(double, 9),
                     Int(9))
GRADIENT_CHECK_BOUND(1e-10, red_products, Double, products, In(double, 9), Int(9))
GRADIENT_CHECK(red_ties, Double, ties, In(double, 9), Int(9))
GRADIENT_CHECK_BOUND(1e-10, red_sections, Double, sections, In(double, 11), InOut(double, 7),
                     Int(11), Int(3))
GRADIENT_CHECK_BOUND(1e-10, red_variance, Double, variance, In(double, 11), Int(11))
GRADIENT_CHECK_BOUND(1e-10, red_norms, Double, norms, In(double, 11), Int(11))
GRADIENT_CHECK_BOUND(1e-10, red_numbers, Double, numbers, In(double, 8), Int(8))
GRADIENT_CHECK(red_logical, Double, logical, In(double, 8), Int(8))
GRADIENT_CHECK_BOUND(1e-10, red_nested, Double, nested, In(double, 12), Int(3), Int(4))
GRADIENT_CHECK_BOUND(1e-10, red_used, Double, used, In(double, 6), Out(double, 6), Int(6))
