// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A structure with its own shadow structure, passed by pointer as one duplicated argument.
// Supports: shadows of nested objects
#include "GradientCheck.h"

struct Model {
  int n;
  double scale;
  double *state;
  const double *weight;
};

static double advance(struct Model *m) {
  double sum = 0;
  for (int i = 0; i < m->n; i++) {
    m->state[i] = m->state[i] * m->scale + m->weight[i];
    sum += m->state[i] * m->weight[m->n - 1 - i];
  }
  m->scale *= sum;
  return sum;
}

void __enzyme_autodiff_model(void *, ...);
double __enzyme_fwddiff_model(void *, ...);

static struct Model bind(void *const *v) {
  return (struct Model){5, *(double *)v[2], (double *)v[0], (const double *)v[1]};
}

static double primal(void *const *v) {
  struct Model m = bind(v);
  double r = advance(&m);
  *(double *)v[2] = m.scale;
  return r;
}

static double tangent(void *const *v, void *const *d) {
  struct Model m = bind(v), shadow = bind(d);
  double r = __enzyme_fwddiff_model((void *)advance, enzyme_dup, &m, &shadow);
  *(double *)v[2] = m.scale;
  *(double *)d[2] = shadow.scale;
  return r;
}

static void adjoint(void *const *v, void *const *d) {
  struct Model m = bind(v), shadow = bind(d);
  __enzyme_autodiff_model((void *)advance, enzyme_dup, &m, &shadow);
  *(double *)v[2] = m.scale;
  *(double *)d[2] = shadow.scale;
}

GRADIENT_CHECK_CUSTOM(shadow_struct, Double, primal, tangent, adjoint, InOut(double, 5),
                      In(double, 5), InOut(double, 1))
