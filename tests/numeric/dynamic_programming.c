// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Soft alignment of two sequences, and a best path through a trellis.
#include "GradientCheck.h"
#include <math.h>

static double softMinimum(double a, double b, double c) {
  double m = fmin(a, fmin(b, c));
  return m - log(exp(m - a) + exp(m - b) + exp(m - c));
}

static double align(const double *x, const double *y, int n, int m) {
  double d[7][8];
  for (int i = 0; i <= n; i++)
    for (int j = 0; j <= m; j++)
      d[i][j] = i == 0 && j == 0 ? 0 : 50;
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= m; j++) {
      double e = x[i - 1] - y[j - 1];
      d[i][j] = e * e + softMinimum(d[i - 1][j], d[i][j - 1], d[i - 1][j - 1]);
    }
  return d[n][m];
}

static double bestPath(const double *score, const double *move, int steps, int states) {
  double best[4] = {0, 0, 0, 0}, next[4];
  for (int t = 0; t < steps; t++) {
    for (int s = 0; s < states; s++) {
      double top = -1e300;
      for (int r = 0; r < states; r++) {
        double candidate = best[r] + move[r * states + s] * score[t * states + s];
        if (candidate > top)
          top = candidate;
      }
      next[s] = top;
    }
    for (int s = 0; s < states; s++)
      best[s] = next[s];
  }
  double top = best[0];
  for (int s = 1; s < states; s++)
    top = fmax(top, best[s]);
  return top;
}

GRADIENT_CHECK(soft_alignment, Double, align, In(double, 6), In(double, 7), Int(6), Int(7))
GRADIENT_CHECK(best_path, Double, bestPath, In(double, 15), In(double, 9), Int(5), Int(3))
