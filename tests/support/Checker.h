// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one checker of derivatives. A program is a map F from all its active values S to its result r
// and all its active arrays afterwards, S'. With v a random direction and w random weights:
//
//   differences   the tangent F'(S) v is the central difference of F along v
//   taylor        |F(S + h v) - F(S) - h F'(S) v| falls with order two in h
//   dot product   <(1, w), F'(S) v> = <F'(S)^T (1, w), v>, over all ranks
//   accumulation  an input's shadow s becomes s + gradient
//   consumption   the shadow of an array that was overwritten is zero afterwards
//   primal        after the tangent and after the adjoint, every array is what the primal makes it
//   directions    of a tangent in two directions, the second is right as well
//   memory        nothing is written next to an argument or its shadow
//
// Steps are tried from large to small, so that a kink of F close to S does not count as an error: a
// wrong derivative fails at all of them. In single precision the remainder drowns in rounding
// before its order shows, and the differences stand alone.
#ifndef CONTRAFLOW_TEST_CHECKER_H
#define CONTRAFLOW_TEST_CHECKER_H

#include "Arguments.h"

#include <string>
#include <vector>

namespace contraflow::test {

struct Settings {
  std::uint64_t Seed = 1;
  int Directions = 2;
  double DotProductBound = 1e-12; ///< relative to the sum of the products' magnitudes
  double PrimalBound = 0;         ///< 0: to the bit
};

struct Failure {
  std::string Check;
  std::string Text;
};

std::vector<Failure> check(const Program &P, const Settings &S, const Ranks &R);

/// The adjoint of all active values, gathered over the ranks: the same for every team size and, for
/// programs whose active arguments are blocks of a field or the same everywhere, for every number
/// of ranks.
std::vector<double> gradient(const Program &P, const Settings &S, const Ranks &R);

/// True for a program whose gradient does not depend on the number of ranks.
bool isRankInvariant(const Program &P);

/// "" or where the two gradients differ by more than Bound relative to the largest component.
std::string compareGradients(const std::vector<double> &A, const std::vector<double> &B,
                             double Bound);

} // namespace contraflow::test

#endif
