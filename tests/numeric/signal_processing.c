// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters, transforms, interpolation, images, recurrences of signal processing.
#include "GradientCheck.h"
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double finiteResponse(const double *x, const double *h, double *y, int n, int taps) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int k = 0; k < taps && k <= i; k++)
      y[i] += h[k] * x[i - k];
    s += y[i] * y[i];
  }
  return s;
}

struct Biquad {
  double b0, b1, b2, a1, a2, z1, z2;
};
static double biquadStep(struct Biquad *q, double in) {
  double out = q->b0 * in + q->z1;
  q->z1 = q->b1 * in - q->a1 * out + q->z2;
  q->z2 = q->b2 * in - q->a2 * out;
  return out;
}
static double biquads(const double *x, double f, int n) {
  struct Biquad chain[2];
  for (int k = 0; k < 2; k++)
    chain[k] = (struct Biquad){0.2 * f, 0.3, 0.1, -0.4 * f, 0.2, 0, 0};
  double s = 0;
  for (int i = 0; i < n; i++) {
    double v = x[i];
    for (int k = 0; k < 2; k++)
      v = biquadStep(&chain[k], v);
    s += v * v;
  }
  return s;
}

static void fft(double complex *a, int n, int inverse) {
  for (int i = 1, j = 0; i < n; i++) {
    int bit = n >> 1;
    for (; j & bit; bit >>= 1)
      j ^= bit;
    j ^= bit;
    if (i < j) {
      double complex t = a[i];
      a[i] = a[j];
      a[j] = t;
    }
  }
  for (int len = 2; len <= n; len <<= 1) {
    double complex w = cexp((inverse ? 2 : -2) * 3.14159265358979 * I / len);
    for (int i = 0; i < n; i += len) {
      double complex turn = 1;
      for (int k = 0; k < len / 2; k++, turn *= w) {
        double complex u = a[i + k], v = a[i + k + len / 2] * turn;
        a[i + k] = u + v;
        a[i + k + len / 2] = u - v;
      }
    }
  }
}
static double spectralFilter(const double *x, int n) {
  double complex a[8];
  for (int i = 0; i < n; i++)
    a[i] = x[i];
  fft(a, n, 0);
  for (int i = 0; i < n; i++)
    a[i] *= 1 / (1.0 + (i < n / 2 ? i : n - i)) * a[i];
  fft(a, n, 1);
  double s = 0;
  for (int i = 0; i < n; i++)
    s += creal(a[i]) * (i + 1) / n;
  return s;
}

static double cosineTransform(const double *x, int n) {
  double s = 0;
  for (int k = 0; k < n; k++) {
    double c = 0;
    for (int i = 0; i < n; i++)
      c += x[i] * cos(3.14159265 / n * (i + 0.5) * k);
    s += c * c / (1 + k);
  }
  return s;
}

static double wavelet(const double *x, int n) {
  double a[16], t[16], s = 0;
  memcpy(a, x, (size_t)n * sizeof *a);
  for (int len = n; len > 1; len /= 2) {
    for (int i = 0; i < len / 2; i++) {
      t[i] = (a[2 * i] + a[2 * i + 1]) * 0.7071;
      t[len / 2 + i] = (a[2 * i] - a[2 * i + 1]) * 0.7071;
    }
    memcpy(a, t, (size_t)len * sizeof *a);
  }
  for (int i = 0; i < n; i++) {
    double magnitude = fabs(a[i]) - 0.1;
    s += magnitude > 0 ? magnitude * magnitude : 0;
  }
  return s;
}

static double spline(const double *y, double at, int n) {
  double m[8], c[8], d[8];
  for (int i = 0; i < n; i++) {
    double right = i == 0 || i == n - 1 ? 0 : 6 * (y[i + 1] - 2 * y[i] + y[i - 1]);
    double sub = i == 0 || i == n - 1 ? 0 : 1, diagonal = i == 0 || i == n - 1 ? 1 : 4;
    double pivot = diagonal - (i ? sub * c[i - 1] : 0);
    c[i] = (i == n - 1 || i == 0 ? 0 : 1) / pivot;
    d[i] = (right - (i ? sub * d[i - 1] : 0)) / pivot;
  }
  m[n - 1] = d[n - 1];
  for (int i = n - 2; i >= 0; i--)
    m[i] = d[i] - c[i] * m[i + 1];
  double place = at * (n - 2);
  int k = (int)place;
  if (k > n - 2)
    k = n - 2;
  double t = place - k, u = 1 - t;
  return u * y[k] + t * y[k + 1] + ((u * u * u - u) * m[k] + (t * t * t - t) * m[k + 1]) / 6;
}

static double bilinear(const double *image, double px, double py) {
  double s = 0;
  for (int step = 0; step < 4; step++) {
    double fx = floor(px), fy = floor(py), u = px - fx, v = py - fy;
    int i = (int)fx & 3, j = (int)fy & 3;
    double a = image[i * 5 + j], b = image[i * 5 + j + 1];
    double c = image[(i + 1) * 5 + j], d = image[(i + 1) * 5 + j + 1];
    double value = (1 - u) * ((1 - v) * a + v * b) + u * ((1 - v) * c + v * d);
    s += value;
    px += 0.7 * value;
    py += 0.3;
  }
  return s;
}

static double medianOfFive(double a[5]) {
  for (int i = 1; i < 5; i++)
    for (int j = i; j > 0 && a[j - 1] > a[j]; j--) {
      double t = a[j];
      a[j] = a[j - 1];
      a[j - 1] = t;
    }
  return a[2];
}
static double medians(const double *x, int n) {
  double s = 0;
  for (int i = 0; i + 5 <= n; i++) {
    double window[5];
    memcpy(window, x + i, sizeof window);
    double m = medianOfFive(window);
    s += m * m * x[i];
  }
  return s;
}

static double autocorrelation(const double *x, int n) {
  double r[4], a[4] = {0}, error, s = 0;
  for (int lag = 0; lag < 4; lag++) {
    r[lag] = 0;
    for (int i = lag; i < n; i++)
      r[lag] += x[i] * x[i - lag];
  }
  error = r[0] + 1;
  for (int i = 1; i < 4; i++) { // Levinson and Durbin
    double k = r[i], old[4];
    for (int j = 1; j < i; j++)
      k -= a[j] * r[i - j];
    k /= error;
    memcpy(old, a, sizeof old);
    a[i] = k;
    for (int j = 1; j < i; j++)
      a[j] = old[j] - k * old[i - j];
    error *= 1 - k * k;
  }
  for (int i = 1; i < 4; i++)
    s += a[i] * i;
  return s + error;
}

struct Kalman {
  double x[2], p[2][2];
};
static double kalman(const double *z, double q, double r, int n) {
  struct Kalman k = {{0, 0}, {{1, 0}, {0, 1}}};
  double cost = 0;
  for (int t = 0; t < n; t++) {
    struct Kalman o = k;
    k.x[0] = o.x[0] + 0.1 * o.x[1];
    k.p[0][0] = o.p[0][0] + 0.1 * (o.p[0][1] + o.p[1][0]) + 0.01 * o.p[1][1] + q;
    k.p[0][1] = o.p[0][1] + 0.1 * o.p[1][1];
    k.p[1][0] = o.p[1][0] + 0.1 * o.p[1][1];
    k.p[1][1] = o.p[1][1] + q;
    double innovation = z[t] - k.x[0], s = k.p[0][0] + r;
    double g0 = k.p[0][0] / s, g1 = k.p[1][0] / s;
    o = k;
    k.x[0] += g0 * innovation;
    k.x[1] += g1 * innovation;
    for (int j = 0; j < 2; j++) {
      k.p[0][j] -= g0 * o.p[0][j];
      k.p[1][j] -= g1 * o.p[0][j];
    }
    cost += log(s) + innovation * innovation / s;
  }
  return cost;
}

static double viterbi(const double *emission, const double *transition, int steps) {
  double score[3], next[3];
  for (int s = 0; s < 3; s++)
    score[s] = emission[s];
  for (int t = 1; t < steps; t++) {
    for (int s = 0; s < 3; s++) {
      double best = -1e300;
      for (int from = 0; from < 3; from++) {
        double candidate = score[from] + transition[from * 3 + s];
        if (candidate > best)
          best = candidate;
      }
      next[s] = best + emission[t * 3 + s];
    }
    memcpy(score, next, sizeof score);
  }
  return fmax(score[0], fmax(score[1], score[2]));
}

static double forwardAlgorithm(const double *emission, const double *transition, int steps) {
  double alpha[3] = {0.4, 0.3, 0.3}, log_likelihood = 0;
  for (int t = 0; t < steps; t++) {
    double next[3], total = 0;
    for (int s = 0; s < 3; s++) {
      next[s] = 0;
      for (int from = 0; from < 3; from++)
        next[s] += alpha[from] * exp(transition[from * 3 + s]);
      next[s] *= exp(-emission[t * 3 + s]);
      total += next[s];
    }
    for (int s = 0; s < 3; s++)
      alpha[s] = next[s] / total;
    log_likelihood += log(total);
  }
  return log_likelihood;
}

static double softAlignment(const double *a, const double *b, int n, int m) {
  double (*d)[6] = malloc(sizeof(double[7][6]));
  for (int i = 0; i <= n; i++)
    for (int j = 0; j <= m; j++) {
      if (i == 0 || j == 0) {
        d[i][j] = i == j ? 0 : 3;
        continue;
      }
      double x = d[i - 1][j], y = d[i][j - 1], z = d[i - 1][j - 1];
      double least = fmin(x, fmin(y, z));
      double soft = -log(exp(least - x) + exp(least - y) + exp(least - z)) + least;
      d[i][j] = (a[i - 1] - b[j - 1]) * (a[i - 1] - b[j - 1]) + soft;
    }
  double result = d[n][m];
  free(d);
  return result;
}

GRADIENT_CHECK(signal_finite_response, Double, finiteResponse, In(double, 8), In(double, 3),
               Out(double, 8), Int(8), Int(3))
GRADIENT_CHECK(signal_biquads, Double, biquads, In(double, 9), Scalar(double), Int(9))
GRADIENT_CHECK(signal_spectral_filter, Double, spectralFilter, In(double, 8), Int(8))
GRADIENT_CHECK(signal_cosine_transform, Double, cosineTransform, In(double, 6), Int(6))
GRADIENT_CHECK(signal_wavelet, Double, wavelet, In(double, 16), Int(16))
GRADIENT_CHECK(signal_spline, Double, spline, In(double, 7), ScalarRange(double, 0.3, 0.9), Int(7))
GRADIENT_CHECK(signal_bilinear, Double, bilinear, In(double, 25), Scalar(double), Scalar(double))
GRADIENT_CHECK(signal_medians, Double, medians, In(double, 9), Int(9))
GRADIENT_CHECK(signal_levinson, Double, autocorrelation, In(double, 9), Int(9))
GRADIENT_CHECK(signal_kalman, Double, kalman, In(double, 6), Scalar(double), Scalar(double), Int(6))
GRADIENT_CHECK(signal_viterbi, Double, viterbi, In(double, 15), In(double, 9), Int(5))
GRADIENT_CHECK(signal_forward_algorithm, Double, forwardAlgorithm, In(double, 15), In(double, 9),
               Int(5))
GRADIENT_CHECK(signal_soft_alignment, Double, softAlignment, In(double, 5), In(double, 5), Int(5),
               Int(5))
