// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What flang makes of `a = b` for arrays: a call of its library with two descriptors. The library's
// function is another one's to the compiler; here it is a name for assign() below.
#include "GradientCheck.h"

struct Array {
  void *base;
  long bytes;
  int version;
  signed char rank, type, attribute, extra;
  long dimension[2][3]; // lower bound, extent, stride in bytes
};

void _FortranAAssign(struct Array *to, const struct Array *from, const char *file, int line);
__asm__(".globl _FortranAAssign\n.set _FortranAAssign, cf_test_fortran_assign\n");

static char *element(const struct Array *a, long i, long j) {
  return (char *)a->base + (a->rank > 0 ? i * a->dimension[0][2] : 0) +
         (a->rank > 1 ? j * a->dimension[1][2] : 0);
}

__attribute__((used)) void cf_test_fortran_assign(struct Array *to, const struct Array *from,
                                                  const char *file, int line);
__attribute__((used, noinline)) void
cf_test_fortran_assign(struct Array *to, const struct Array *from, const char *file, int line) {
  double copy[64];
  (void)file, (void)line;
  const long n = to->dimension[0][1], m = to->rank > 1 ? to->dimension[1][1] : 1;
  for (long j = 0; j < m; j++)
    for (long i = 0; i < n; i++)
      copy[n * j + i] = *(double *)element(from, i, j);
  for (long j = 0; j < m; j++)
    for (long i = 0; i < n; i++)
      *(double *)element(to, i, j) = copy[n * j + i];
}

static void describe(struct Array *a, const double *base, int rank) {
  a->base = (void *)base;
  a->bytes = 8;
  a->version = 20240719;
  a->rank = (signed char)rank;
  a->type = 28; // double
  a->attribute = a->extra = 0;
}

static void dimension(struct Array *a, int k, long extent, long step) {
  a->dimension[k][0] = 1;
  a->dimension[k][1] = extent;
  a->dimension[k][2] = step * 8;
}

static void line(struct Array *a, const double *base, long extent, long step) {
  describe(a, base, 1);
  dimension(a, 0, extent, step);
}

// a(1:n-1) = a(2:n); a = a(n:1:-1); y(1:n:2) = a(1:n:2)
static void lines(const double *x, double *y, int n) {
  double a[16];
  struct Array low, high, whole, reversed, odd, from;
  for (int i = 0; i < n; i++)
    a[i] = x[i] * x[0];
  line(&low, a, n - 1, 1);
  line(&high, a + 1, n - 1, 1);
  _FortranAAssign(&low, &high, "lines", 1);
  line(&whole, a, n, 1);
  line(&reversed, a + n - 1, n, -1);
  _FortranAAssign(&whole, &reversed, "lines", 2);
  for (int i = 0; i < n; i++)
    y[i] = x[i];
  line(&odd, y, (n + 1) / 2, 2);
  line(&from, a, (n + 1) / 2, 2);
  _FortranAAssign(&odd, &from, "lines", 3);
}

// m = transpose(m), of n times n numbers; m(:, 1) = s
static double planes(const double *x, int n, double s) {
  double m[36], value = s * x[0], sum = 0;
  struct Array to, from, column, scalar;
  for (int i = 0; i < n * n; i++)
    m[i] = x[i] * (i + 1);
  describe(&to, m, 2);
  dimension(&to, 0, n, 1);
  dimension(&to, 1, n, n);
  describe(&from, m, 2);
  dimension(&from, 0, n, n);
  dimension(&from, 1, n, 1);
  _FortranAAssign(&to, &from, "planes", 1);
  line(&column, m, n, 1);
  describe(&scalar, &value, 0);
  _FortranAAssign(&column, &scalar, "planes", 2);
  for (int i = 0; i < n * n; i++)
    sum += m[i] * m[i] * x[i];
  return sum;
}

// Rank, type and attribute stored as one vector, as LLVM makes of flang's stores of structures.
typedef signed char Four __attribute__((vector_size(4)));
static double vectors(const double *x, int n) {
  double a[16], sum = 0;
  struct Array to, from;
  describe(&to, a, 1);
  describe(&from, x, 1);
#ifdef __OPTIMIZE__
  *(Four *)&to.rank = *(Four *)&from.rank = (Four){1, 28, 0, 0};
#endif
  dimension(&to, 0, n, 1);
  dimension(&from, 0, n, 1);
  _FortranAAssign(&to, &from, "vectors", 1);
  for (int i = 0; i < n; i++)
    sum += a[i] * a[i];
  return sum;
}

GRADIENT_CHECK(fortran_lines, Void, lines, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(fortran_planes, Double, planes, In(double, 16), Int(4), Scalar(double))
GRADIENT_CHECK(fortran_vectors, Double, vectors, In(double, 9), Int(9))
