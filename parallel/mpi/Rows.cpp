// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions.def as a table.

#include "parallel/mpi/Rows.h"

#include "parallel/mpi/Fortran.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace contraflow::mpi {

const std::vector<Row> &rows() {
  static const std::vector<Row> Rows = {
#define Buf(I, T) {Role::Buf, I, T},
#define Packed(I) {Role::Packed, I},
#define Base(I) {Role::Base, I},
#define Cell(I) {Role::Cell, I},
#define Exposed(I) {Role::Exposed, I},
#define ExposedCell(I) {Role::ExposedCell, I},
#define Pending(I) {Role::Pending, I},
#define Completes {Role::Completes, 0},
#define Foreign(I) {Role::Foreign, I},
#define Directed {Role::Directed, 0},
#define Absolute(I) {Role::Absolute, I},
#define Merges(I) {Role::Merges, I},
#define MPI_FN(Name, Stem, Roles) {"MPI_" #Name, #Stem, {Roles}},
#define MPI_PERSISTENT(Name, Stem, Roles)                                                          \
  {"MPI_" #Name, #Stem, {Roles}, -1, -1, -1, -1, false, false, false, -1, false, -1, true},
#define MPI_INQUIRY(Name) {"MPI_" #Name, nullptr, {}},
#define MPI_OPERATOR(Name, Function) {"MPI_" #Name, nullptr, {}, Function},
#define MPI_CREATOR(Name, Place) {"MPI_" #Name, nullptr, {}, -1, Place},
#define MPI_SETTER(Name, Pointer) {"MPI_" #Name, nullptr, {}, -1, -1, Pointer, -1, false, true},
#define MPI_GETTER(Name, Place, Varies)                                                            \
  {"MPI_" #Name, nullptr, {}, -1, -1, -1, Place, Varies, false},
#define MPI_LOOK(Name, Found)                                                                      \
  {"MPI_" #Name, nullptr, {}, -1, -1, -1, -1, false, false, false, Found},
#define MPI_PLACER(Name) {"MPI_" #Name, nullptr, {}, -1, -1, -1, -1, false, false, true},
#define MPI_CALLER(Name) {"MPI_" #Name, nullptr, {}, -1, -1, -1, -1, false, true},
#define MPI_REGISTRAR(Name, Given)                                                                 \
  {"MPI_" #Name, nullptr, {}, -1, -1, -1, -1, false, false, false, -1, true, Given},
#include "parallel/mpi/Functions.def"
#undef MPI_FN
#undef MPI_PERSISTENT
#undef MPI_INQUIRY
#undef MPI_OPERATOR
#undef MPI_CREATOR
#undef MPI_SETTER
#undef MPI_GETTER
#undef MPI_LOOK
#undef MPI_PLACER
#undef MPI_CALLER
#undef MPI_REGISTRAR
#undef MPI_NESTED
#undef MPI_COMPUTES
#undef MPI_ONCE
#undef Buf
#undef Packed
#undef Base
#undef Cell
#undef Exposed
#undef ExposedCell
#undef Pending
#undef Completes
#undef Foreign
#undef Directed
#undef Absolute
#undef Merges
  };
  return Rows;
}

SmallVector<std::string, 2> namesOf(const Row &R) {
  SmallVector<std::string, 2> Names = {R.Name};
  if (R.IsExtension)
    Names.push_back((Twine("MPIX_") + StringRef(R.Name).drop_front(strlen("MPI_"))).str());
  return Names;
}

const StringMap<const Row *> &rowsByName() {
  static const StringMap<const Row *> Map = [] {
    StringMap<const Row *> M;
    for (const Row &R : rows())
      for (const std::string &Name : namesOf(R)) {
        M[Name] = &R;
        M["P" + Name] = &R;
      }
    return M;
  }();
  return Map;
}

bool mayNest(const Row &R) {
  static const StringSet<> Stems = {
#define MPI_NESTED(Stem) #Stem,
#include "parallel/mpi/Functions.def"
#undef MPI_NESTED
#undef MPI_COMPUTES
#undef MPI_ONCE
  };
  return R.Stem && Stems.contains(R.Stem);
}

bool computes(const Row &R) {
  static const StringSet<> Stems = {
#define MPI_COMPUTES(Stem) #Stem,
#include "parallel/mpi/Functions.def"
#undef MPI_NESTED
#undef MPI_COMPUTES
#undef MPI_ONCE
  };
  return R.Stem && Stems.contains(R.Stem);
}

StringRef spellingOf(const Row &R) {
  static const StringMap<StringRef> Map = {
#define CF_FN(name, ret, args) {#name, #args},
#define CF_MPI_NOTE(name, args)
#include "contraflow/abi_mpi.def"
#undef CF_FN
  };
  return Map.lookup(("mpi_" + Twine(R.Stem) + "_tangent").str());
}

bool happensOnce(const Row &R) {
  static const StringRef Starts[] = {
#define MPI_ONCE(Start) "MPI_" #Start,
#include "parallel/mpi/Functions.def"
#undef MPI_NESTED
#undef MPI_COMPUTES
#undef MPI_ONCE
  };
  return any_of(Starts, [&](StringRef Start) { return StringRef(R.Name).starts_with(Start); });
}

static bool keepsPointers(const Row &R) { return R.Kept >= 0 || R.FoundVaries; }

std::vector<std::string> pointerKeepersOfFortran() {
  std::vector<std::string> Out;
  for (const Row &R : rows())
    if (keepsPointers(R))
      append_range(Out, namesInFortran(R.Name));
  return Out;
}

/// Fortran hands over integers where C has pointers to keep, and functions of its own kind.
static Row inquiryOfFortran(const Row &R) {
  Row Out = R;
  Out.Operator = Out.Kept = Out.Found = Out.GivenOn = -1;
  return Out;
}

const StringMap<const Row *> &inquiriesOfFortran() {
  static const std::vector<Row> Inquiries = [] {
    std::vector<Row> Out;
    for (const Row &R : rows())
      if (!R.Stem && !keepsPointers(R))
        Out.push_back(inquiryOfFortran(R));
    return Out;
  }();
  static const StringMap<const Row *> Map = [] {
    StringMap<const Row *> M;
    for (const Row &R : Inquiries)
      for (const std::string &Name : namesInFortran(R.Name))
        M[Name] = &R;
    return M;
  }();
  return Map;
}

bool isOfLibrary(const Function *F) { return !F || F->isDeclaration() || F->isInterposable(); }

const Row &rowOf(StringRef Name) {
  const Row *C = rowsByName().lookup(Name);
  return C ? *C : *inquiriesOfFortran().lookup(Name);
}

} // namespace contraflow::mpi
