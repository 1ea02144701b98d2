// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program and its derivatives leave behind in MPI. The linker's --wrap brings every call
// that makes or ends an object here, those of the runtime (PMPI_...) as well.
#ifndef CONTRAFLOW_TEST_MPILEAKS_H
#define CONTRAFLOW_TEST_MPILEAKS_H

#include <string>

namespace contraflow::test {

/// Objects alive on this rank.
struct MpiObjects {
  long Requests = 0, Communicators = 0, Datatypes = 0, Windows = 0;
};
MpiObjects mpiObjects();

/// Requests made so far on this rank, by the program and by its derivatives.
long mpiRequestsMade();

/// "", or what there is more of than before. All ranks call it: a message that nobody has received
/// is found on any communicator.
std::string mpiLeaks(const MpiObjects &Before);

} // namespace contraflow::test

#endif
