// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recurrent cell over a sequence, the state in place.
#include "GradientCheck.h"
#include <math.h>

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

static void cell(const double *w, const double *in, double *hidden, double *memory, int n) {
  for (int i = 0; i < n; i++) {
    double forget = sigmoid(in[i] * w[i] + hidden[i] * w[n + i]);
    double ingate = sigmoid(hidden[i] * w[2 * n + i] + in[i]);
    double outgate = sigmoid(in[i] * w[3 * n + i]);
    double change = tanh(hidden[i] * w[4 * n + i] + w[5 * n + i]);
    memory[i] = memory[i] * forget + ingate * change;
    hidden[i] = outgate * tanh(memory[i]);
  }
}

static double sequence(const double *w, const double *x, double *state, int n, int steps) {
  double loss = 0;
  for (int t = 0; t < steps; t++) {
    cell(w, x + t * n, state, state + n, n);
    double sum = 0;
    for (int i = 0; i < n; i++)
      sum += exp(state[i]);
    loss += log(2 + sum);
  }
  return loss;
}

GRADIENT_CHECK(lstm, Double, sequence, In(double, 18), Const(double, 15), InOut(double, 6), Int(3),
               Int(5))
