// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions.def as a table.

#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow::mpi {

/// An argument and what it is; the datatype of a buffer is another argument.
struct Role {
  enum Kind {
    Buf,
    Packed,
    Base,
    Cell,
    Exposed,
    ExposedCell,
    Pending,
    Completes,
    Foreign,
    Directed,
    Absolute,
    Merges
  } What;
  unsigned Argument;
  int Datatype = -1;

  bool hasShadow() const { return What <= Cell; }
};

struct Row {
  const char *Name;
  const char *Stem; ///< null: inquiry
  llvm::SmallVector<Role, 2> Roles;
  int Operator = -1;        ///< argument that is a function to be differentiated
  int Created = -1;         ///< argument that says where a new communicator goes
  int Kept = -1;            ///< argument that is a pointer for those who ask later
  int Found = -1;           ///< argument that says where such a pointer goes
  bool FoundVaries = false; ///< it may lead to memory that other calls fill
  bool CallsProgram = false;
  bool Places = false;      ///< makes a datatype of places in bytes
  int Happened = -1;        ///< argument that says whether what was asked for has happened
  bool Registers = false;   ///< hands functions of the program over
  int GivenOn = -1;         ///< argument that is a pointer that these are given
  bool IsExtension = false; ///< of some libraries, under a name of its own
};

/// The functions of C.
const std::vector<Row> &rows();
/// The names of a function, without that of the profiling interface.
llvm::SmallVector<std::string, 2> namesOf(const Row &R);
/// By name, also that of the profiling interface.
const llvm::StringMap<const Row *> &rowsByName();
/// The same for inquiries under their names in Fortran (Fortran.h).
const llvm::StringMap<const Row *> &inquiriesOfFortran();
/// Those that keep an address for others, or say where a window is, under their names in Fortran:
/// there it is an integer.
std::vector<std::string> pointerKeepersOfFortran();
/// True if derivatives of derivatives may meet the function.
bool mayNest(const Row &R);
/// True if what its buffers hold is numbers to the function.
bool computes(const Row &R);
/// How the function's tangent declares what MPI is told, and then the shadows (abi_mpi.def).
llvm::StringRef spellingOf(const Row &R);
/// True if it must not be done again.
bool happensOnce(const Row &R);
/// False for a function of the program's own that has such a name: a layer above the profiling
/// interface, or a replacement for a library that is not there.
bool isOfLibrary(const llvm::Function *F);
/// Under any of these names.
const Row &rowOf(llvm::StringRef Name);

} // namespace contraflow::mpi
