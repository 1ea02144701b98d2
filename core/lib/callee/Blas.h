// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spellings of the routines of BLAS and LAPACK that have derivatives (abi_blas.def).

#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class CallBase;
} // namespace llvm

namespace contraflow {

enum class BlasDialect { Fortran, Cblas, Lapacke };

struct BlasRoutine {
  unsigned Number; ///< the line of abi_blas.def
  llvm::StringRef Roles;
  BlasDialect Dialect;
  bool Single;   ///< float, else double
  bool HasOrder; ///< the first operand is CblasRowMajor or the like
  bool Wide;     ///< integers have 64 bits

  /// The operand that a role stands for; -1: this spelling has none.
  int operandOf(unsigned Role) const;
};

/// The roles of the routine on a line of abi_blas.def.
llvm::StringRef blasRoles(unsigned Number);
bool isComplexBlas(unsigned Number);
/// Every name of a routine.
llvm::SmallVector<llvm::StringRef, 0> blasNames();
/// The routine that a call means, if it has its type; null otherwise.
const BlasRoutine *findBlasRoutine(const llvm::CallBase &Call);

} // namespace contraflow
