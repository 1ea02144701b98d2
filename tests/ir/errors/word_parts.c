// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records that are exchanged by parts of a word: each of them may be the front or the rear of a
// double. The derivative was that of records that stay where they are, and nothing said so. Whole
// words are accepted.
//
// RUN: %not %clang -O0 -DPART=uint32_t -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O1 -DPART=uint32_t -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O1 -DPART=uint16_t -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang -O0 -DPART=uint64_t -c %s -o %t.o
// CHECK: [CF203] {{.*}}bits are stored into active memory
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct Record {
  double value;
  int id, count;
};
void __enzyme_autodiff(void *, ...);

static void exchange(void *one, void *other, size_t size) {
  char *p = one, *q = other;
  for (; size >= sizeof(PART); size -= sizeof(PART)) {
    PART a, b;
    memcpy(&a, p, sizeof a);
    memcpy(&b, q, sizeof b);
    memcpy(p, &b, sizeof b);
    memcpy(q, &a, sizeof a);
    p += sizeof(PART);
    q += sizeof(PART);
  }
}
static double sum(double *x, int n) {
  struct Record r[6];
  for (int i = 0; i < n; i++)
    r[i] = (struct Record){x[i] * x[i], i, 1};
  exchange(&r[2], &r[n - 1], sizeof *r);
  double s = 0;
  for (int i = 0; i < n; i++)
    s += r[i].value * (r[i].id + 1) * (i + 2);
  return s;
}
void derivative(double *x, double *dx, int n) { __enzyme_autodiff((void *)sum, x, dx, n); }
