// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One line of the table gives four names, and those of libraries whose integers have 64 bits:
//
//   gemm, Matrix   ->   cblas_dgemm  cblas_sgemm  dgemm_  sgemm_      (zgemm: cgemm; dznrm2:
//   scnrm2)
//                       cblas_dgemm64_  cblas_dgemm_64  dgemm_64_  ...
//
// A function of that name is the library's if the module does not define it and if it is called
// with the arguments of the table. In C a call shows how wide integers are, whatever the name is.

#include "Blas.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace contraflow {
namespace {

struct TableRow {
  const char *Stem, *Prefix; ///< of the name in C
  bool HasOrder;
  unsigned Letters; ///< at the start of the stem, that say the precision; 0: one before it
  const char *Roles;
};

constexpr struct {
  const char *Prefix;
  bool HasOrder;
  unsigned Letters;
} Vector = {"cblas_", false, 0}, Matrix = {"cblas_", true, 0}, Lapack = {"LAPACKE_", true, 0},
  LapackVector = {"LAPACKE_", false, 0}, ComplexVector = {"cblas_", false, 1},
  ComplexMatrix = {"cblas_", true, 1}, MixedVector = {"cblas_", false, 2};

constexpr TableRow Table[] = {
#define CF_BLAS(Stem, Library, Roles)                                                              \
  {#Stem, Library.Prefix, Library.HasOrder, Library.Letters, Roles},
#include "contraflow/abi_blas.def"
};

/// What a name may mean: with integers of either width.
using Readings = SmallVector<BlasRoutine, 2>;

std::string nameOf(const TableRow &Row, bool Single) {
  std::string Name = Row.Letters ? Row.Stem : (Single ? "s" : "d") + std::string(Row.Stem);
  for (unsigned I = 0; Single && I < Row.Letters; ++I)
    Name[I] = Name[I] == 'z' ? 'c' : 's';
  return Name;
}

const StringMap<Readings> &routines() {
  static const StringMap<Readings> Map = [] {
    StringMap<Readings> M;
    for (unsigned Number = 0; Number < std::size(Table); ++Number) {
      const TableRow &Row = Table[Number];
      BlasDialect InC =
          Row.Prefix == StringRef(Lapack.Prefix) ? BlasDialect::Lapacke : BlasDialect::Cblas;
      for (bool Single : {false, true}) {
        std::string Name = nameOf(Row, Single);
        BlasRoutine Narrow = {Number, Row.Roles, InC, Single, Row.HasOrder, false}, Wide = Narrow;
        Wide.Wide = true;
        M[Row.Prefix + Name] = {Narrow, Wide};
        for (const char *Suffix : {"64_", "_64"})
          M[Row.Prefix + Name + Suffix] = {Wide};
        M[Name + "_"] = {{Number, Row.Roles, BlasDialect::Fortran, Single, false, false}};
        M[Name + "_64_"] = {{Number, Row.Roles, BlasDialect::Fortran, Single, false, true}};
      }
    }
    return M;
  }();
  return Map;
}

/// What LAPACKE does by itself, and what the others do.
bool isSpace(char Role, BlasDialect Dialect) {
  return StringRef(Dialect == BlasDialect::Lapacke ? "klxj" : "c").contains(Role);
}

bool fits(const Type *T, char Role, const BlasRoutine &R) {
  if (R.Dialect == BlasDialect::Fortran)
    return T->isPointerTy();
  switch (Role) {
  case 'f':
    return T->isIntegerTy(R.Dialect == BlasDialect::Cblas ? 32 : 8);
  case 'i':
    return T->isIntegerTy(R.Wide ? 64 : 32);
  case 's':
    return R.Single ? T->isFloatTy() : T->isDoubleTy();
  default:
    return T->isPointerTy();
  }
}

/// As x86 and most others return a complex number: two registers, or one for two floats.
bool isComplex(Type *T, bool Single) {
  if (auto *Pair = dyn_cast<FixedVectorType>(T))
    return Single && Pair->getNumElements() == 2 && Pair->getElementType()->isFloatTy();
  auto *Parts = dyn_cast<StructType>(T);
  Type *Part = Single ? Type::getFloatTy(T->getContext()) : Type::getDoubleTy(T->getContext());
  return Parts && Parts->getNumElements() == 2 &&
         all_of(Parts->elements(), [&](const Type *E) { return E == Part; });
}

bool resultFits(Type *T, const BlasRoutine &R) {
  if (R.Roles.ends_with('Z'))
    return isComplex(T, R.Single);
  if (R.Roles.ends_with('R'))
    return R.Single ? T->isFloatTy() : T->isDoubleTy();
  if (R.Dialect == BlasDialect::Lapacke)
    return T->isIntegerTy(R.Wide ? 64 : 32);
  return T->isVoidTy() || (R.Dialect == BlasDialect::Fortran && T->isIntegerTy(32));
}

bool means(const CallBase &Call, const BlasRoutine &R) {
  unsigned Operands = R.HasOrder;
  for (unsigned Role = 0; Role < R.Roles.size(); ++Role) {
    int Operand = R.operandOf(Role);
    if (Operand < 0)
      continue;
    ++Operands;
    if (unsigned(Operand) >= Call.arg_size() ||
        !fits(Call.getArgOperand(Operand)->getType(), R.Roles[Role], R))
      return false;
  }
  // Compilers of Fortran add the lengths of the letters.
  if (R.Dialect != BlasDialect::Fortran && Call.arg_size() != Operands)
    return false;
  if (R.HasOrder && !Call.getArgOperand(0)->getType()->isIntegerTy(32))
    return false;
  return resultFits(Call.getType(), R);
}

} // namespace

int BlasRoutine::operandOf(unsigned Role) const {
  if (Roles[Role] == 'R' || Roles[Role] == 'Z' || isSpace(Roles[Role], Dialect))
    return -1;
  unsigned Before = 0;
  for (char Other : Roles.take_front(Role))
    Before += !isSpace(Other, Dialect);
  return Before + HasOrder;
}

bool isComplexBlas(unsigned Number) { return Table[Number].Letters != 0; }
StringRef blasRoles(unsigned Number) { return Table[Number].Roles; }

SmallVector<StringRef, 0> blasNames() {
  SmallVector<StringRef, 0> Names;
  for (auto &Entry : routines())
    Names.push_back(Entry.first());
  llvm::sort(Names);
  return Names;
}

const BlasRoutine *findBlasRoutine(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  auto It = F && F->isDeclaration() ? routines().find(F->getName()) : routines().end();
  if (It == routines().end())
    return nullptr;
  const auto *Found = find_if(It->second, [&](const BlasRoutine &R) { return means(Call, R); });
  return Found == It->second.end() ? nullptr : Found;
}

} // namespace contraflow
