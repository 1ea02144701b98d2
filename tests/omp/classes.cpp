// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A solver class whose member functions hold the regions, over std::vector.
// Supports: captured scalars, records, classes
#include "GradientCheck.h"
#include <algorithm>
#include <cmath>
#include <omp.h>
#include <vector>

namespace {

class Diffusion {
public:
  Diffusion(const double *u, int n) : U(u, u + n), V(n) {}

  void step(double k) {
    const int n = static_cast<int>(U.size());
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      const double left = U[std::max(i - 1, 0)], right = U[std::min(i + 1, n - 1)];
      V[i] = U[i] + k * (left - 2 * U[i] + right) * std::sqrt(U[i]);
    }
    U.swap(V);
  }

  double energy() const {
    double sum = 0;
    const int n = static_cast<int>(U.size());
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; ++i)
      sum += U[i] * U[i];
    return sum;
  }

private:
  std::vector<double> U, V;
};

double simulate(const double *u, double k, int n, int steps) {
  Diffusion d(u, n);
  for (int s = 0; s < steps; ++s)
    d.step(k);
  return d.energy();
}

// Two loops, of which the inner one may be empty, over arrays that are members.
class Plate {
public:
  Plate(const double *in, int n) : N(n), Now(in, in + n * n), Next(Now) {}
  void step() {
#pragma omp parallel for
    for (int i = 1; i < N - 1; i++)
      for (int j = Skip; j < N - 1; j++)
        Next[i * N + j] = Now[i * N + j] * (Now[(i - 1) * N + j] + Now[(i + 1) * N + j]);
    Now.swap(Next);
  }
  void skip(int columns) { Skip = columns; }
  [[nodiscard]] double sum() const {
    double s = 0;
    for (const double x : Now)
      s += x * x;
    return s;
  }

private:
  int N, Skip = 1;
  std::vector<double> Now, Next;
};

double plates(const double *in) {
  double s = 0;
  for (const int n : {0, 1, 2, 6}) {
    Plate p(in, n);
    for (int t = 0; t < 3; ++t) {
      p.skip(n - t);
      p.step();
    }
    s += p.sum();
  }
  return s;
}

// C++ expects that omp_fulfill_event may throw.
double event(const double *x, double *y, int n) {
  std::vector<double> squares(n);
  double product = 0;
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t done;
#pragma omp task detach(done) shared(product, squares)
    {
      std::vector<double> kept(x, x + n);
      for (int i = 0; i < n; ++i)
        squares[i] = kept[i] * kept[i];
      product = squares[0] * squares[n - 1];
      omp_fulfill_event(done);
    }
#pragma omp taskwait
    product *= omp_get_max_teams() >= 0 ? product : 0;
  }
  for (int i = 0; i < n; ++i)
    y[i] = squares[i] * product;
  return product;
}

} // namespace

GRADIENT_CHECK(classes, Double, simulate, In(double, 17), ScalarRange(double, 0.1, 0.2), Int(17),
               Int(3))
GRADIENT_CHECK(classes_plates, Double, plates, In(double, 36))
GRADIENT_CHECK(classes_event, Double, event, In(double, 5), Out(double, 5), Int(5))
