// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Supports: derivatives of derivatives through archives of bytes that are copied twice
//
// Hessian-vector products through numbers in bytes that nothing aligns: adjoints of two copies are
// added where a number was put, and so are their tangents.
#include "Hessian.h"

#include <math.h>

enum { n = 5 };

struct archive {
  char bytes[128];
  int end;
};

static void put(struct archive *a, const void *from, int size) {
  memcpy(a->bytes + a->end, from, (size_t)size);
  a->end += size;
}

static double taken(const char *at, double weight) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    int which;
    double v;
    memcpy(&which, at, sizeof which);
    memcpy(&v, at + sizeof which, sizeof v);
    at += sizeof which + sizeof v;
    sum += weight * (which + 1) * v * sin(v);
  }
  return sum;
}

static double hessian_archives(const double *x) {
  struct archive a = {{0}, 0};
  for (int i = 0; i < n; ++i) {
    const double v = x[i] * x[(i + 1) % n];
    put(&a, &i, sizeof i);
    put(&a, &v, sizeof v);
  }
  char first[sizeof a.bytes], second[sizeof a.bytes];
  memcpy(first, a.bytes, sizeof first);
  memcpy(second, a.bytes, sizeof second);
  return taken(first, 1) * taken(second, x[0]) + taken(a.bytes, x[1]);
}
HESSIAN(hessian_archives)
