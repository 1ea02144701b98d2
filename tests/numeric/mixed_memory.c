// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs of floats, integers and pointers copied as bytes, swapped pointers, volatile, arguments
// that overlap, arrays of length zero, mutable globals.
#include "GradientCheck.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct item {
  int id;
  float weight;
  double value;
  double *link;
  char tag[3];
};

static double copies(double *x, int n) {
  struct item a[6], b[6];
  for (int i = 0; i < n; i++)
    a[i] = (struct item){i, 0.5f * i, x[i] * x[i], &x[(i + 1) % n], "ab"};
  memcpy(b, a, sizeof a);
  memmove(&b[1], &b[0], sizeof b[0]);
  struct item c = b[2];
  double s = 0;
  for (int i = 0; i < n; i++) {
    *b[i].link *= c.value;
    s += b[i].value * b[i].weight * *a[i].link + b[i].id;
  }
  return s;
}

static double swapped(const double *x, int n, int steps) {
  double *old = malloc(n * sizeof *old), *now = malloc(n * sizeof *now);
  memcpy(old, x, n * sizeof *old);
  for (int s = 0; s < steps; s++) {
    for (int i = 0; i < n; i++)
      now[i] = old[i] * old[(i + 1) % n] + x[i];
    double *t = old;
    old = now;
    now = t;
  }
  double r = old[0] * old[n - 1];
  free(old);
  free(now);
  return r;
}

static double volatiles(const double *x, int n) {
  volatile double v = 1;
  volatile int k = 2;
  for (int i = 0; i < n; i++) {
    v = v * x[i];
    if (k > 1)
      v += x[i] * k;
  }
  return v * v;
}

static double overlap(double *x, int n) {
  double *a = x, *b = x + 1;
  for (int i = 0; i + 1 < n; i++)
    b[i] = a[i] * b[i] + a[n - 1 - i];
  memmove(x + 2, x, (n - 2) * sizeof *x);
  double s = 0;
  for (int i = 0; i < n; i++)
    s += x[i] * x[i] * i;
  return s;
}

static double none(const double *x, int n) {
  double s = 1;
  for (int i = 0; i < n; i++)
    s *= x[i];
  double empty[1];
  memcpy(empty, x, n * sizeof *x);
  return s;
}

static double counter;
static _Thread_local double history[4];
static double globals(const double *x, int n) {
  counter = 0;
  for (int i = 0; i < n; i++) {
    history[i % 4] = x[i] * (i > 0 ? history[(i - 1) % 4] : 1);
    counter += history[i % 4];
    if (i % 2)
      counter *= x[i];
  }
  return counter;
}

GRADIENT_CHECK(mixed_copies, Double, copies, InOut(double, 6), Int(6))
GRADIENT_CHECK(mixed_swapped, Double, swapped, In(double, 5), Int(5), Int(3))
GRADIENT_CHECK(mixed_volatile, Double, volatiles, In(double, 4), Int(4))
GRADIENT_CHECK(mixed_overlap, Double, overlap, InOut(double, 7), Int(7))
GRADIENT_CHECK(mixed_none, Double, none, In(double, 1), Int(0))
GRADIENT_CHECK(mixed_globals, Double, globals, In(double, 7), Int(7))

// Numbers, pointers and short integers at indices that are not known: sorted, copied and exchanged.
struct Site {
  double key;
  int id;
  double at[3];
  double *out;
  short tag[3];
};

static int byKey(const void *a, const void *b) {
  const double d = ((const struct Site *)a)->key - ((const struct Site *)b)->key;
  return d < 0 ? -1 : d > 0;
}

static double sites(const double *x, double *y, int n) {
  struct Site *p = malloc(n * sizeof *p), *q = malloc(n * sizeof *q);
  for (int i = 0; i < n; i++) {
    p[i].key = x[i] * x[i];
    p[i].id = i;
    p[i].out = y + i;
    for (int k = 0; k < 3; k++) {
      p[i].at[k] = x[(i + k) % n];
      p[i].tag[k] = k + i;
    }
  }
  qsort(p, n, sizeof *p, byKey);
  memcpy(q, p, n * sizeof *p);
  for (int i = 0; i < n; i++) {
    const int j = (i * 2 + 1) % n;
    const struct Site kept = q[i];
    q[i] = q[j];
    q[j] = kept;
  }
  double sum = 0;
  for (int i = 0; i < n; i++)
    *q[i].out = q[i].at[q[i].tag[i % 3] % 3] * p[i].at[q[i].id % 3] * q[i].key;
  for (int i = 0; i < n; i++)
    sum += y[i] * p[i].key * (q[i].id + 1);
  free(p);
  free(q);
  return sum;
}
GRADIENT_CHECK(mixed_sites, Double, sites, In(double, 5), Out(double, 5), Int(5))

/* Records that an index leads to, and no index to their members: what is beside the number moves,
 * too. */
struct Handle {
  double d;
  double *p;
};
static double handles(const double *x, int from, int n) {
  double kept[8];
  struct Handle *a = malloc(5 * sizeof *a), ring[3];
  unsigned put = 0, got = 0;
  double s = 0;
  for (int i = 0; i < n; i++)
    kept[i] = 0.5 * x[i];
  for (int i = 0; i < 5; i++)
    a[i] = (struct Handle){x[i], kept + i};
  for (int i = 0; i < 8; i++) {
    if (put - got < 3 && ((from + i * 3) & 4))
      ring[put++ % 3] = a[i % 5];
    else if (put != got)
      a[(i + 1) % 5] = ring[got++ % 3];
  }
  for (int i = 0; i < 5; i++)
    s += *a[i].p * (i + 1);
  free(a);
  return s;
}
GRADIENT_CHECK(mixed_handles, Double, handles, In(double, 6), Int(5), Int(6))

/* One pointer leads into records and to numbers: where a number lies among them is told where it is
 * read, in records that are copied as well. */
struct Record {
  double d;
  int i[2];
};
int mixedOrder[8] = {7, 0, 4, 4, 2, 6, 0, 4};
static struct Record first, second;
struct Record *mixedLast;
__attribute__((noinline)) static double digest(const struct Record *r) {
  return 0.72 * r->d + 0.01 * r->i[1] * r->i[0];
}
static double records(const double *x) {
  const int *k = mixedOrder;
  double w[8], acc = 0.1 * x[0];
  struct Record *r = malloc(5 * sizeof *r);
  struct {
    double *at, old;
  } log[8];
  int n = 0;
  for (int i = 0; i < 8; i++)
    w[i] = 0.5 * x[i];
  for (int i = 0; i < 5; i++) {
    r[i].d = x[i];
    r[i].i[0] = k[i];
    r[i].i[1] = k[i + 1];
  }
  for (int i = 0; i < 4; i++) {
    double *p = k[i] & 1 ? &r[k[3] % 5].d : &w[i];
    log[n].at = p;
    log[n++].old = *p;
    *p = sin(*p + x[i]);
    acc += *p;
  }
  while (n-- > k[5] % 3)
    *log[n].at = log[n].old;
  first = r[k[7] % 5];
  first.d *= x[4];
  acc += 0.5 * first.d;
  r[k[7] % 5] = first;
  second = r[k[2] % 5];
  mixedLast = &r[k[2] % 5];
  mixedLast->d *= x[6];
  acc += 0.5 * second.d;
  r[k[6] % 5] = second;
  for (int i = 0; i < 5; i++)
    acc += digest(&r[i]) * (0.3 + 0.1 * i);
  free(r);
  return acc;
}
GRADIENT_CHECK(mixed_records, Double, records, In(double, 8))

/* Records that change places word by word: the addresses in them, too. */
static double words(const double *x, int k, int n) {
  double kept[8], s = 0;
  struct Handle *a = malloc(3 * sizeof *a);
  for (int i = 0; i < n; i++)
    kept[i] = x[i] * x[i];
  for (int i = 0; i < 3; i++)
    a[i] = (struct Handle){x[i], kept + i};
  char *p = (char *)&a[k % 3], *q = (char *)&a[2];
  for (size_t left = sizeof *a; left >= 8; left -= 8, p += 8, q += 8) {
    uint64_t b, c;
    memcpy(&b, p, 8);
    memcpy(&c, q, 8);
    memcpy(p, &c, 8);
    memcpy(q, &b, 8);
  }
  for (int i = 0; i < 3; i++)
    s += *a[i].p * a[i].d * (i + 1);
  free(a);
  return s;
}
GRADIENT_CHECK(mixed_words_swapped, Double, words, In(double, 6), Int(4), Int(6))
