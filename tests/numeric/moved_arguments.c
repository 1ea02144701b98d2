// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments that are cleared or copied as bytes and otherwise not touched: nothing in the program
// loads or stores a number there.
// Supports: memcpy, memmove and memset of memory that nothing else touches
#include "GradientCheck.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void __enzyme_autodiff_moved(void *, ...);
void __enzyme_fwddiff_moved(void *, ...);

static double cleared_before_return(const double *x, double *y, int n) {
  for (int i = 0; i < n; ++i)
    y[i] = 0;
  if (fmin(0.1, x[7]) < 0.9)
    return x[7] * x[7];
  y[7] = x[2] * y[3];
  return y[7];
}
GRADIENT_CHECK(moved_cleared_before_return, Double, cleared_before_return, In(double, 12),
               InOut(double, 12), Int(12))

static void cleared_parts(float *y, double *u, int n) {
  memset(y, 0, (unsigned long)n * sizeof *y);
  memset(u + 3, 0, 2 * sizeof *u);
}
GRADIENT_CHECK(moved_cleared_parts, Void, cleared_parts, InOut(float, 5), InOut(double, 7), Int(3))

static void copied_by_loop(const float *x, float *y, int n) {
  for (int i = 0; i < n; ++i)
    y[i] = x[i];
}
GRADIENT_CHECK(moved_by_loop, Void, copied_by_loop, In(float, 9), InOut(float, 9), Int(8))

static double read_over(const double *x, double *y, int n) {
  FILE *file = fopen("/dev/zero", "rb");
  const unsigned long got = fread(y, sizeof *y, (unsigned long)n, file);
  fclose(file);
  return x[1] * (double)got;
}
GRADIENT_CHECK(moved_read_over, Double, read_over, In(double, 3), InOut(double, 9), Int(6))

static double scanned_over(const double *x, double *y) {
  return x[1] * (double)sscanf("3.5 4", "%lf", y);
}
GRADIENT_CHECK(moved_scanned_over, Double, scanned_over, In(double, 3), InOut(double, 2))

struct pair {
  double *from, *to;
};
static void copy_members(struct pair *p, int n) {
  memcpy(p->to, p->from, (unsigned long)n * sizeof *p->to);
  memset(p->from, 0, sizeof *p->from);
}

/// Bytes are added to nothing but zeros: the adjoint of what is copied begins with them.
static void copied(const double *x, double *y, int n) {
  double kept[8];
  memcpy(kept, x, sizeof kept);
  memmove(y, kept, (unsigned long)n * sizeof *y);
}
static double copied_primal(void *const *v) {
  copied((const double *)v[0], (double *)v[1], 6);
  struct pair p = {(double *)v[2], (double *)v[3]};
  copy_members(&p, 5);
  return 0;
}
static double copied_tangent(void *const *v, void *const *d) {
  __enzyme_fwddiff_moved((void *)copied, enzyme_dup, v[0], d[0], enzyme_dup, v[1], d[1],
                         enzyme_const, 6);
  struct pair p = {(double *)v[2], (double *)v[3]}, p_dot = {(double *)d[2], (double *)d[3]};
  __enzyme_fwddiff_moved((void *)copy_members, enzyme_dup, &p, &p_dot, enzyme_const, 5);
  return 0;
}
static void copied_adjoint(void *const *v, void *const *d) {
  double *x_bar = (double *)d[0], fresh[8] = {0};
  __enzyme_autodiff_moved((void *)copied, enzyme_dup, v[0], fresh, enzyme_dup, v[1], d[1],
                          enzyme_const, 6);
  for (int i = 0; i < 8; ++i)
    x_bar[i] += fresh[i];
  double *u_bar = (double *)d[2], zeros[5] = {0};
  struct pair p = {(double *)v[2], (double *)v[3]}, p_bar = {zeros, (double *)d[3]};
  __enzyme_autodiff_moved((void *)copy_members, enzyme_dup, &p, &p_bar, enzyme_const, 5);
  u_bar[0] = 0;
  for (int i = 0; i < 5; ++i)
    u_bar[i] += zeros[i];
}
GRADIENT_CHECK_CUSTOM(moved_copied, Void, copied_primal, copied_tangent, copied_adjoint,
                      In(double, 8), InOut(double, 8), InOut(double, 5), InOut(double, 5))

/// Four bytes that are cleared or copied become an integer of the compiler's; one that the program
/// clears is none.
struct word {
  float *number;
  int *count;
};
static void clear_word(struct word *w) {
  memset(w->number + 1, 0, sizeof(float));
  *w->count = 0;
}
static void copy_constant(const float *x, float *y) {
  float made[3] = {0, 1, 2};
  if (x[0] > 100)
    made[1] = x[1];
  memcpy(y + 1, made, sizeof(float));
}
static double words_primal(void *const *v) {
  int count = 3;
  struct word w = {(float *)v[1], &count};
  clear_word(&w);
  copy_constant((float *)v[0], (float *)v[2]);
  return count;
}
static double words_tangent(void *const *v, void *const *d) {
  int count = 3, other = 7;
  struct word w = {(float *)v[1], &count}, w_dot = {(float *)d[1], &other};
  __enzyme_fwddiff_moved((void *)clear_word, enzyme_dup, &w, &w_dot);
  __enzyme_fwddiff_moved((void *)copy_constant, enzyme_dup, v[0], d[0], enzyme_dup, v[2], d[2]);
  return other - 7;
}
static void words_adjoint(void *const *v, void *const *d) {
  int count = 3, other = 7;
  struct word w = {(float *)v[1], &count}, w_bar = {(float *)d[1], &other};
  __enzyme_autodiff_moved((void *)clear_word, enzyme_dup, &w, &w_bar);
  __enzyme_autodiff_moved((void *)copy_constant, enzyme_dup, v[0], d[0], enzyme_dup, v[2], d[2]);
  ((float *)d[1])[0] += (float)(other - 7);
}
GRADIENT_CHECK_CUSTOM(moved_words, Void, words_primal, words_tangent, words_adjoint, In(float, 4),
                      InOut(float, 4), InOut(float, 4))

/// The steps to what is moved show that it is numbers: without TBAA, nothing else does.
struct block {
  double *from;
  struct block *next;
  double kept[4];
};
static void move_steps(struct block *b) {
  memmove(b->next->kept + 1, b->from + 3, 2 * sizeof(double));
}
static void bind_blocks(void *const *v, struct block *b) {
  b[0] = (struct block){(double *)v[0], &b[1], {0}};
  b[1] = (struct block){(double *)v[0], 0, {0}};
  memcpy(b[1].kept, v[1], sizeof b[1].kept);
}
static double steps_primal(void *const *v) {
  struct block b[2];
  bind_blocks(v, b);
  move_steps(b);
  memcpy(v[1], b[1].kept, sizeof b[1].kept);
  return 0;
}
static double steps_tangent(void *const *v, void *const *d) {
  struct block b[2], b_dot[2];
  bind_blocks(v, b);
  bind_blocks(d, b_dot);
  __enzyme_fwddiff_moved((void *)move_steps, enzyme_dup, b, b_dot);
  memcpy(v[1], b[1].kept, sizeof b[1].kept);
  memcpy(d[1], b_dot[1].kept, sizeof b[1].kept);
  return 0;
}
static void steps_adjoint(void *const *v, void *const *d) {
  struct block b[2], b_bar[2];
  bind_blocks(v, b);
  bind_blocks(d, b_bar);
  ((double *)d[0])[4] += 1;
  __enzyme_autodiff_moved((void *)move_steps, enzyme_dup, b, b_bar);
  ((double *)d[0])[4] -= 1;
  memcpy(v[1], b[1].kept, sizeof b[1].kept);
  memcpy(d[1], b_bar[1].kept, sizeof b[1].kept);
}
GRADIENT_CHECK_CUSTOM(moved_steps, Void, steps_primal, steps_tangent, steps_adjoint, In(double, 6),
                      InOut(double, 4))
