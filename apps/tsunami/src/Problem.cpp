// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Problem.hpp"

namespace tsunami {
namespace {

Ocean oceanWithTimeStep(const Deck &deck, MPI_Comm comm) {
  Ocean ocean(deck, 1, comm);
  ocean.chooseTimeStep(ocean.surface(deck.firstGuess).data());
  return ocean;
}

} // namespace

Problem::Problem(const Deck &deck, MPI_Comm comm)
    : sea(oceanWithTimeStep(deck, comm)), records(readObservations(deck)), gaugeSet(sea, &records),
      work(sea.mesh(), gaugeSet.count()), shadow(sea.mesh(), gaugeSet.count()) {}

ControlVector Problem::firstGuess() const {
  return {sea.surface(sea.deck().firstGuess), sea.deck().manning};
}

double Problem::misfitAt(ControlVector &at) {
  return simulate(sea.mesh(), work.state(), at.controls(), gaugeSet.gauges());
}

double Problem::derivativeAt(ControlVector &at, ControlVector &direction) {
  shadow.clear();
  return derivativeAlong(sea.mesh(), work.state(), shadow.state(), at.controls(),
                         direction.controls(), gaugeSet.gauges());
}

double Problem::gradientAt(ControlVector &at, ControlVector &gradient) {
  shadow.clear();
  gradient.eta0.fill(0.0);
  gradient.friction = 0.0;
  const double misfit = gradientOf(sea.mesh(), work.state(), shadow.state(), at.controls(),
                                   gradient.controls(), gaugeSet.gauges());
  MPI_Allreduce(MPI_IN_PLACE, &gradient.friction, 1, MPI_DOUBLE, MPI_SUM, sea.mesh().comm);
  return misfit;
}

double Problem::dot(const ControlVector &a, const ControlVector &b) const {
  double own = 0.0, all = 0.0;
  for (long i = 0; i < a.eta0.size(); ++i)
    own += a.eta0[i] * b.eta0[i];
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, sea.mesh().comm);
  return all + a.friction * b.friction;
}

} // namespace tsunami
