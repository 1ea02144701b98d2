// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only file that knows of differentiation: `misfit` is differentiated by the compiler plugin.
//
// Every rank receives the misfit, but it is one number: the reverse sweep is seeded on one rank,
// and the mirrored Allreduce brings the seed to all.
#include "Derivatives.hpp"

extern int enzyme_const, enzyme_dup;
template <class... Args> void __enzyme_fwddiff(void *, Args...);
template <class... Args> void __enzyme_autodiff(void *, Args...);

namespace tsunami {

double simulate(const Mesh &mesh, State &work, const Controls &at, const Gauges &gauges) {
  double result = 0.0;
  misfit(&mesh, &work, at.eta0, at.friction, &gauges, &result);
  return result;
}

double derivativeAlong(const Mesh &mesh, State &work, State &workDot, const Controls &at,
                       const Controls &direction, const Gauges &gauges) {
  double result = 0.0, resultDot = 0.0;
  __enzyme_fwddiff(reinterpret_cast<void *>(misfit), enzyme_const, &mesh, enzyme_dup, &work,
                   &workDot, enzyme_dup, at.eta0, direction.eta0, enzyme_dup, at.friction,
                   direction.friction, enzyme_const, &gauges, enzyme_dup, &result, &resultDot);
  return resultDot;
}

double gradientOf(const Mesh &mesh, State &work, State &workBar, const Controls &at,
                  const Controls &gradient, const Gauges &gauges) {
  int rank = 0;
  MPI_Comm_rank(mesh.comm, &rank);
  double result = 0.0, resultBar = rank == 0 ? 1.0 : 0.0;
  __enzyme_autodiff(reinterpret_cast<void *>(misfit), enzyme_const, &mesh, enzyme_dup, &work,
                    &workBar, enzyme_dup, at.eta0, gradient.eta0, enzyme_dup, at.friction,
                    gradient.friction, enzyme_const, &gauges, enzyme_dup, &result, &resultBar);
  return result;
}

} // namespace tsunami
