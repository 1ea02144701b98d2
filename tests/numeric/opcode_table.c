// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An interpreter: a program of function pointers that work on a state with a stack.
// Supports: function pointers, tables of functions, callbacks
#include "GradientCheck.h"
#include <math.h>
struct vm {
  double st[16];
  int sp;
  const double *in;
  int pc;
};
typedef void (*op)(struct vm *);
static void push(struct vm *v) { v->st[v->sp++] = v->in[v->pc % 4]; }
static void add(struct vm *v) {
  v->sp--;
  v->st[v->sp - 1] += v->st[v->sp];
}
static void mul(struct vm *v) {
  v->sp--;
  v->st[v->sp - 1] *= v->st[v->sp];
}
static void sn(struct vm *v) { v->st[v->sp - 1] = sin(v->st[v->sp - 1]); }
static void dup_(struct vm *v) {
  v->st[v->sp] = v->st[v->sp - 1];
  v->sp++;
}
static op prog[] = {push, dup_, mul, push, sn, add, push, dup_, mul, mul};
static double f(const double *x) {
  struct vm v = {.in = x};
  for (v.pc = 0; v.pc < 10; v.pc++)
    prog[v.pc](&v);
  return v.st[0];
}
GRADIENT_CHECK(opcode_table, Double, f, In(double, 4))
