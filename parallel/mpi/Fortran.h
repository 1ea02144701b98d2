// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI as Fortran calls it: everything by reference, handles are integers, the code comes last.

#pragma once

#include "contraflow/core/Construct.h"

namespace contraflow::mpi {

/// How compilers of Fortran spell MPI_Name: mpi_name_, pmpi_name_f08_, ...
llvm::SmallVector<std::string, 12> namesInFortran(llvm::StringRef Name);
/// True if the name is one of these.
bool calledFromFortran(const llvm::CallBase &Call);
/// What the call said when it was over, and where C finds the communicator that it created.
llvm::Value *codeFromFortran(llvm::IRBuilderBase &B, const llvm::CallBase &Call);
llvm::Value *communicatorFromFortran(llvm::IRBuilderBase &B, const llvm::CallBase &Call,
                                     llvm::Value *Place);
/// What a datatype was made of: a handle of C, or an integer of Fortran.
const llvm::Value *datatypeBehind(const llvm::Value *Handle);
/// Rewrites calls to those of C before anything else sees them.
void registerFortran(HandlerRegistry &Registry);

} // namespace contraflow::mpi
