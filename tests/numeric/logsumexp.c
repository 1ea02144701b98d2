// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The maximum first, then a sum of exponentials; and softmax.
#include "GradientCheck.h"
#include <math.h>

static double logsumexp(const double *x, int n) {
  double largest = x[0];
  for (int i = 1; i < n; i++)
    if (x[i] > largest)
      largest = x[i];
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += exp(x[i] - largest);
  return largest + log(sum);
}

static void softmax(double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] = exp(x[i]);
  for (int i = 0; i < n; i++)
    x[i] /= sum;
}

GRADIENT_CHECK(logsumexp, Double, logsumexp, In(double, 12), Int(12))
GRADIENT_CHECK(softmax, Void, softmax, InOut(double, 9), Int(9))
