// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members that nobody looks at here go with the structure that is assigned: where they are, and
// what they are, follows from its type. The optimiser makes words of such copies.
//
// RUN: %cf_clang -O0 %s -o %t && %t | FileCheck %s
// RUN: %cf_clang -O2 -DNAMED %s -o %t && %t | FileCheck %s --check-prefixes=CHECK,NAMED
// RUN: %cf_clang -O2 -fno-strict-aliasing %s -o %t && %t | FileCheck %s
// RUN: %cf_clang -O0 -g -DNAMED %s -o %t && %t | FileCheck %s --check-prefixes=CHECK,NAMED
// RUN: %cf_clang -O2 -g -fno-strict-aliasing -DNAMED %s -o %t && %t | FileCheck %s --check-prefixes=CHECK,NAMED
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int enzyme_dup;
void __enzyme_autodiff(void *, ...);

struct wave {
  double _Complex z;
  float k;
};
struct entry {
  float value;
  char mark;
};
struct triple {
  float x[3];
};
struct part {
  double x, y;
  float w;
};

static double moved_wave(struct wave *to, const struct wave *from) {
  to[0] = from[0];
  return __real__ to[0].z;
}
static void moved_entry(struct entry *e) { e[0] = e[1]; }
static void moved_triple(struct triple *t) {
  t[0] = t[1];
  t[0].x[2] *= t[0].x[2];
}
struct couple {
  float x[2];
};
static void moved_couple(struct couple *to, const struct couple *from) { *to = *from; }
struct row {
  struct entry of[3];
  double sum;
};
static void moved_row(struct row *to, const struct row *from) { *to = *from; }
static void moved_part(struct part *to, const struct part *from) { to[0] = from[0]; }

#pragma pack(push, 4)
struct counted {
  int n;
  double sum;
};
#pragma pack(pop)
static void moved_sum(struct counted *to, const struct counted *from) {
  memcpy(&to->sum, &from->sum, sizeof to->sum);
}
struct key {
  float value;
  char mark;
  double weight;
  float limit;
};
// memcpy copies padding, too.
static int same(struct key *to, const struct key *from) {
  memcpy(to, from, sizeof *to);
  return memcmp(to, from, sizeof *to) == 0;
}

int main(void) {
  struct wave a = {0}, b = {2, 3}, a_bar = {1, 4}, b_bar = {8, 16};
  __imag__ a_bar.z = 2;
  __enzyme_autodiff((void *)moved_wave, enzyme_dup, &a, &a_bar, enzyme_dup, &b, &b_bar);
  // CHECK: 10 2 20, 0 0
  printf("%g %g %g, %g %g\n", __real__ b_bar.z, __imag__ b_bar.z, b_bar.k, __imag__ a_bar.z,
         a_bar.k);
  struct entry e[2] = {{1, 'a'}, {2, 'b'}}, e_bar[2] = {{3, 0}, {4, 0}};
  __enzyme_autodiff((void *)moved_entry, enzyme_dup, e, e_bar);
  // CHECK: 0 7, bb
  printf("%g %g, %c%c\n", e_bar[0].value, e_bar[1].value, e[0].mark, e[1].mark);
  struct triple t[2] = {{{0}}, {{1, 2, 3}}}, t_bar[2] = {{{1, 2, 3}}, {{4, 5, 6}}};
  __enzyme_autodiff((void *)moved_triple, enzyme_dup, t, t_bar);
  // CHECK: 0 0 0, 5 7 24
  printf("%g %g %g, %g %g %g\n", t_bar[0].x[0], t_bar[0].x[1], t_bar[0].x[2], t_bar[1].x[0],
         t_bar[1].x[1], t_bar[1].x[2]);
  struct part p = {0}, q = {0}, p_bar = {1, 2, 3}, q_bar = {4, 5, 6};
  __enzyme_autodiff((void *)moved_part, enzyme_dup, &p, &p_bar, enzyme_dup, &q, &q_bar);
  // CHECK: 0 0 0, 5 7 9
  printf("%g %g %g, %g %g %g\n", p_bar.x, p_bar.y, p_bar.w, q_bar.x, q_bar.y, q_bar.w);
#ifdef NAMED // by TBAA or debug information alone
  struct couple u = {0}, v = {0}, u_bar = {{1, 2}}, v_bar = {{4, 5}};
  __enzyme_autodiff((void *)moved_couple, enzyme_dup, &u, &u_bar, enzyme_dup, &v, &v_bar);
  // NAMED: 0 0, 5 7
  printf("%g %g, %g %g\n", u_bar.x[0], u_bar.x[1], v_bar.x[0], v_bar.x[1]);
  struct row *rows = calloc(4, sizeof *rows);
  for (int i = 0; i < 2; i++) {
    struct row *bar = &rows[2 + i];
    for (int k = 0; k < 3; k++)
      bar->of[k].value = 10 * i + k + 1;
    bar->sum = 10 * i + 4;
  }
  __enzyme_autodiff((void *)moved_row, enzyme_dup, rows, rows + 2, enzyme_dup, rows + 1, rows + 3);
  // NAMED: 0 0 0 0, 12 14 16 18
  for (int i = 2; i < 4; i++)
    printf("%g %g %g %g%s", rows[i].of[0].value, rows[i].of[1].value, rows[i].of[2].value,
           rows[i].sum, i == 2 ? ", " : "\n");
  free(rows);
#endif
  struct counted c_bar = {0, 1}, d_bar = {0, 10}, c = {0, 0}, d = {0, 0};
  __enzyme_autodiff((void *)moved_sum, enzyme_dup, &c, &c_bar, enzyme_dup, &d, &d_bar);
  // CHECK: packed: 0 11
  printf("packed: %g %g\n", c_bar.sum, d_bar.sum);
  struct key filled, *copies = calloc(2, sizeof *copies);
  memset(&filled, 0x5a, sizeof filled);
  filled.value = 1;
  memcpy(&copies[1], &filled, sizeof filled);
  // CHECK: same: 1 1
  printf("same: %d %d\n", same(copies, &filled), memcmp(&copies[1], &filled, sizeof filled) == 0);
  free(copies);
  return 0;
}
