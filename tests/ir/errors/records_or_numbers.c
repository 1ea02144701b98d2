// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pointer to records that leads to plain numbers at other times, which variables and functions
// show, while one code exchanges either. An integer of a record is half of a number there.
//
// RUN: %not %clang -O0 -g -DNUMBERS=steps -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O1 -g -DNUMBERS=steps -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -g -DNUMBERS=steps -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O0 -g -DNUMBERS=passes -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -g -DNUMBERS=passes -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O0 -g -DNUMBERS=returns -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O1 -g -DNUMBERS=returns -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang -O0 -DNUMBERS=none -c %s -o %t.o
// RUN: %clang -O1 -DNUMBERS=none -c %s -o %t.o
struct record {
  double x[3];
  int id;
  float w;
};
struct set {
  struct record *records;
  int are_numbers, count;
  double step;
};
void __enzyme_autodiff(void *, ...);
extern int enzyme_dup;

static double sum(const double *numbers, int count) {
  double s = 0;
  for (int i = 0; i < count; ++i)
    s += numbers[i] * numbers[i * 3 % count];
  return s;
}
static void *give(struct set *s) { return s->records; }

static double steps(struct set *s) {
  void *any = s->records;
  double *numbers = any, all = 0;
  for (int i = 0; i < 4 * s->count; ++i)
    all += numbers[i] * numbers[i];
  return all;
}
static double passes(struct set *s) { return sum((double *)s->records, 4 * s->count); }
static double returns(struct set *s) {
  const double *numbers = give(s);
  return sum(numbers, 4 * s->count);
}
static double none(struct set *s) { return s->step; }

static double value(struct set *s) {
  struct record *r = s->records, t = r[0];
  r[0] = r[2];
  r[2] = t;
  if (s->are_numbers)
    return NUMBERS(s) * s->step;
  double all = 0;
  for (int i = 0; i < s->count; ++i)
    for (int d = 0; d < 3; ++d)
      all += r[i].x[d] * r[(i + 1) % s->count].x[d] * r[i].w * r[i].id;
  return all;
}

void gradient(struct set *s, struct set *bar) {
  __enzyme_autodiff((void *)value, enzyme_dup, s, bar);
  // CHECK: error: [CF203]
}
