// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Observations for a twin experiment: a run on a finer grid from the deck's true source, sampled at
// the gauges, with noise.
#pragma once

#include "Deck.hpp"

#include <mpi.h>

namespace tsunami {

/// Collective. Writes the deck's observation file.
void makeObservations(const Deck &deck, MPI_Comm comm, bool showProgress);

} // namespace tsunami
