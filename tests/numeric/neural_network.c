// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two layers with tanh and a squared error over a batch.
#include "GradientCheck.h"
#include <math.h>

static void layer(const double *w, const double *in, double *out, int n, int m) {
  for (int i = 0; i < m; i++) {
    double sum = w[i * (n + 1) + n];
    for (int j = 0; j < n; j++)
      sum += w[i * (n + 1) + j] * in[j];
    out[i] = tanh(sum);
  }
}

static double loss(const double *w1, const double *w2, const double *data, int batch) {
  double total = 0;
  for (int b = 0; b < batch; b++) {
    double hidden[4], out[2];
    layer(w1, data + 5 * b, hidden, 3, 4);
    layer(w2, hidden, out, 4, 2);
    for (int k = 0; k < 2; k++) {
      double e = out[k] - data[5 * b + 3 + k];
      total += e * e;
    }
  }
  return total / batch;
}

GRADIENT_CHECK(neural_network, Double, loss, InRange(double, 16, -0.5, 0.5),
               InRange(double, 10, -0.5, 0.5), ConstRange(double, 20, -1, 1), Int(4))
