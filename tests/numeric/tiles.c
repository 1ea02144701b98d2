// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that are read tile by tile: rows of a tile lie apart, the last tiles are cut off, and one
// may be empty.
// Supports: stencils and transposition by tiles
#include "GradientCheck.h"
#include <stdlib.h>

static long least(long a, long b) { return a < b ? a : b; }

static double stencil(const double *x, long n, long tile) {
  double *in = malloc(n * n * sizeof *in), *out = calloc(n * n, sizeof *out), sum = 0;
  for (long i = 0; i < n * n; i++)
    in[i] = x[i];
  for (int s = 0; s < 3; s++) {
    for (long j = 1; j < n - 1; j += tile)
      for (long i = 2; i < n - 2; i += tile)
        for (long v = j; v < least(n - 1, j + tile); v++)
          for (long u = i; u < least(n - 2, i + tile); u++)
            out[v * n + u] += in[v * n + u - 2] * in[v * n + u] * in[v * n + u + 1] *
                              in[(v - 1) * n + u] * in[(v + 1) * n + u];
    for (long i = 0; i < n * n; i++)
      in[i] += 0.1 * out[i];
  }
  for (long i = 0; i < n * n; i++)
    sum += out[i] * in[i];
  free(in);
  free(out);
  return sum;
}

static double transposed(const double *x, long rows, long columns) {
  enum { Tile = 4 };
  double in[12 * 16], out[16 * 12] = {0}, sum = 0;
  for (long i = 0; i < rows * columns; i++)
    in[i] = x[i];
  for (int s = 0; s < 2; s++) {
    for (long j = 0; j < rows; j += Tile)
      for (long i = 0; i < columns; i += Tile)
        for (long v = j; v < least(rows, j + Tile); v++)
          for (long u = i; u < i + Tile && u < columns; u++)
            out[u * rows + v] += in[v * columns + u] * in[v * columns + u] * in[v * columns];
    for (long i = 0; i < rows * columns; i++)
      in[i] *= 1 + 0.1 * out[i];
  }
  for (long i = 0; i < rows * columns; i++)
    sum += out[i];
  return sum;
}

GRADIENT_CHECK(tiles_stencil, Double, stencil, In(double, 121), Size(11), Size(4))
GRADIENT_CHECK(tiles_one, Double, stencil, In(double, 64), Size(8), Size(64))
GRADIENT_CHECK(tiles_narrow, Double, stencil, In(double, 16), Size(4), Size(1))
GRADIENT_CHECK(tiles_transposed, Double, transposed, In(double, 110), Size(10), Size(11))
