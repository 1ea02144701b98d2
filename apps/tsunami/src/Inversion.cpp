// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Inversion.hpp"

#include <algorithm>
#include <cmath>
#include <lbfgs.h>
#include <string>

namespace tsunami {
namespace {

/// Convolution with a Gaussian, symmetric, such that white noise of variance one keeps it. The
/// sea's level is not lifted on land.
class Smoother {
public:
  Smoother(const Ocean &ocean, const std::vector<double> &bed)
      : cols(ocean.mesh().cols), rows(ocean.globalRows()), alongX(kernel(ocean, ocean.mesh().dx)),
        alongY(kernel(ocean, ocean.mesh().dy)), bed(bed) {}

  /// S x
  std::vector<double> apply(std::vector<double> x) const {
    smooth(x);
    maskLand(x);
    return x;
  }
  /// S' g
  std::vector<double> applyAdjoint(std::vector<double> g) const {
    maskLand(g);
    smooth(g);
    return g;
  }

private:
  static std::vector<double> kernel(const Ocean &ocean, double width) {
    const double cells = ocean.deck().correlationLength / width / std::sqrt(2.0);
    const long reach = static_cast<long>(std::ceil(4.0 * cells));
    std::vector<double> k(reach + 1);
    double squares = 0.0;
    for (long i = 0; i <= reach; ++i) {
      k[i] = std::exp(-0.5 * (i / cells) * (i / cells));
      squares += (i == 0 ? 1.0 : 2.0) * k[i] * k[i];
    }
    // One direction takes the square root of the deviation, both together the whole.
    for (double &value : k)
      value *= std::sqrt(ocean.deck().sourceDeviation / squares);
    return k;
  }

  void smooth(std::vector<double> &field) const {
    for (long j = 0; j < rows; ++j)
      convolve(&field[j * cols], cols, 1, alongX);
    for (long i = 0; i < cols; ++i)
      convolve(&field[i], rows, cols, alongY);
  }

  static void convolve(double *line, long count, long stride, const std::vector<double> &k) {
    std::vector<double> out(count, 0.0);
    const long reach = static_cast<long>(k.size()) - 1;
    for (long i = 0; i < count; ++i)
      for (long n = std::max(0L, i - reach); n <= std::min(count - 1, i + reach); ++n)
        out[i] += k[std::abs(i - n)] * line[n * stride];
    for (long i = 0; i < count; ++i)
      line[i * stride] = out[i];
  }

  void maskLand(std::vector<double> &field) const {
    for (std::size_t i = 0; i < field.size(); ++i)
      if (bed[i] < 0.0)
        field[i] = 0.0;
  }

  long cols, rows;
  std::vector<double> alongX, alongY;
  const std::vector<double> &bed;
};

/// What rank 0 asks of all ranks.
enum Order : int { Stop, Evaluate };

class Minimiser {
public:
  Minimiser(Problem &problem, void (*report)(int, const InversionStep &))
      : problem(problem), report(report), ocean(problem.ocean()),
        bed(ocean.gather(ocean.bed().data())), smoother(ocean, bed), guess(problem.firstGuess()),
        gradient{Array(ocean.ownCells()), 0.0} {
    result.source = problem.firstGuess();
    globalGuess = ocean.gather(guess.eta0.data());
    const Deck &deck = ocean.deck();
    weight = static_cast<double>(problem.observations().times.size()) /
             (deck.gaugeDeviation * deck.gaugeDeviation);
  }

  Inversion run(int iterations) {
    if (ocean.rank() == 0)
      lead(iterations);
    else
      follow();
    ocean.scatter(best, result.source.eta0.data());
    result.source.friction = guess.friction;
    return std::move(result);
  }

private:
  void lead(int iterations) {
    lbfgs_parameter_t parameter;
    lbfgs_parameter_init(&parameter);
    parameter.max_iterations = iterations;
    parameter.epsilon = 1e-8;
    std::vector<double> x(ocean.globalCells(), 0.0);
    best = globalGuess;
    const auto addStepCall = [](void *self, const double *, const double *, const double cost,
                                const double, const double gradientNorm, const double, int, int,
                                int) {
      static_cast<Minimiser *>(self)->addStep(cost, gradientNorm);
      return 0;
    };
    const int status = lbfgs(static_cast<int>(x.size()), x.data(), nullptr, evaluateCall,
                             addStepCall, this, &parameter);
    result.message = describeStatus(status);
    order(Stop);
  }

  static std::string describeStatus(int status) {
    if (status == LBFGSERR_MAXIMUMITERATION)
      return "all steps taken";
    if (status == LBFGS_SUCCESS || status == LBFGS_STOP || status == LBFGS_ALREADY_MINIMIZED)
      return "converged";
    return "line search gave up, liblbfgs status " + std::to_string(status);
  }

  void follow() {
    while (order(Stop) == Evaluate)
      evaluateTogether({});
  }

  /// Rank 0's order, on every rank.
  int order(int wanted) {
    MPI_Bcast(&wanted, 1, MPI_INT, 0, ocean.mesh().comm);
    return wanted;
  }

  /// Misfit and its gradient with respect to eta0, on rank 0.
  std::pair<double, std::vector<double>> evaluateTogether(const std::vector<double> &eta0) {
    ocean.scatter(eta0, guess.eta0.data());
    const double misfit = problem.gradientAt(guess, gradient);
    return {misfit, ocean.gather(gradient.eta0.data())};
  }

  double evaluate(const double *x, double *g, int n) {
    std::vector<double> eta0 = smoother.apply(std::vector<double>(x, x + n));
    for (int i = 0; i < n; ++i)
      eta0[i] += globalGuess[i];
    order(Evaluate);
    const auto [misfit, bar] = evaluateTogether(eta0);
    const std::vector<double> xBar = smoother.applyAdjoint(bar);
    double cost = weight * misfit;
    for (int i = 0; i < n; ++i) {
      g[i] = x[i] + weight * xBar[i];
      cost += 0.5 * x[i] * x[i];
    }
    ++evaluations;
    lastMisfit = misfit;
    last = std::move(eta0);
    if (result.steps.empty()) {
      double squares = 0.0;
      for (int i = 0; i < n; ++i)
        squares += g[i] * g[i];
      addStep(cost, std::sqrt(squares));
    }
    return cost;
  }

  void addStep(double cost, double gradientNorm) {
    result.steps.push_back({lastMisfit, cost, gradientNorm, evaluations});
    best = last;
    report(static_cast<int>(result.steps.size()) - 1, result.steps.back());
  }

  static double evaluateCall(void *self, const double *x, double *g, const int n, const double) {
    return static_cast<Minimiser *>(self)->evaluate(x, g, n);
  }

  Problem &problem;
  void (*report)(int, const InversionStep &);
  const Ocean &ocean;
  const std::vector<double> bed;
  Smoother smoother;
  ControlVector guess, gradient;
  std::vector<double> globalGuess, last, best;
  double weight = 0.0, lastMisfit = 0.0;
  int evaluations = 0;
  Inversion result;
};

} // namespace

Inversion invert(Problem &problem, int iterations, void (*report)(int, const InversionStep &)) {
  return Minimiser(problem, report).run(iterations);
}

} // namespace tsunami
