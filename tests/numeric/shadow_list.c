// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linked list made by the caller, with a list of shadows of the same shape.
// Supports: shadows of nested objects
#include "GradientCheck.h"

struct Node {
  double value;
  struct Node *next;
};

static double walk(struct Node *head, double a) {
  double sum = 0;
  for (struct Node *p = head; p; p = p->next) {
    sum += p->value * a;
    p->value *= sum;
  }
  return sum * sum;
}

double __enzyme_autodiff_list(void *, ...);
double __enzyme_fwddiff_list(void *, ...);

enum { Length = 4 };

static void bind(struct Node *nodes, const double *values) {
  for (int i = 0; i < Length; i++) {
    nodes[i].value = values[i];
    nodes[i].next = i + 1 < Length ? &nodes[i + 1] : 0;
  }
}

static void unbind(const struct Node *nodes, double *values) {
  for (int i = 0; i < Length; i++)
    values[i] = nodes[i].value;
}

static double primal(void *const *v) {
  struct Node nodes[Length];
  bind(nodes, v[0]);
  double r = walk(nodes, *(double *)v[1]);
  unbind(nodes, v[0]);
  return r;
}

static double tangent(void *const *v, void *const *d) {
  struct Node nodes[Length], shadows[Length];
  bind(nodes, v[0]);
  bind(shadows, d[0]);
  double r = __enzyme_fwddiff_list((void *)walk, enzyme_dup, nodes, shadows, enzyme_dup,
                                   *(double *)v[1], *(double *)d[1]);
  unbind(nodes, v[0]);
  unbind(shadows, d[0]);
  return r;
}

static void adjoint(void *const *v, void *const *d) {
  struct Node nodes[Length], shadows[Length];
  bind(nodes, v[0]);
  bind(shadows, d[0]);
  *(double *)d[1] =
      __enzyme_autodiff_list((void *)walk, enzyme_dup, nodes, shadows, enzyme_out, *(double *)v[1]);
  unbind(nodes, v[0]);
  unbind(shadows, d[0]);
}

GRADIENT_CHECK_CUSTOM(shadow_list, Double, primal, tangent, adjoint, InOut(double, 4),
                      Scalar(double))
