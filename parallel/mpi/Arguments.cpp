// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "parallel/mpi/Arguments.h"

#include "parallel/mpi/Fortran.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow::mpi {

/// Fortran's integers with Open MPI are small, those of MPICH, which are its handles in C, are not.
static ScalarKind kindOfNumber(uint64_t Number) {
  static const DenseMap<uint64_t, ScalarKind> Kinds = {
#define MPI_DATATYPE(Symbol, Kind, InFortran, Mpich) {InFortran, Kind}, {Mpich, Kind},
#include "parallel/mpi/Datatypes.def"
  };
  return Number == 0 ? SK_Unknown : Kinds.lookup(Number);
}

ScalarKind kindOfDatatype(const CallBase &Call, int Argument) {
  if (Argument < 0)
    return SK_Unknown;
  const Value *Datatype = datatypeBehind(Call.getArgOperand(Argument));
  static const StringMap<ScalarKind> Kinds = {
#define MPI_DATATYPE(Symbol, Kind, InFortran, Mpich) {#Symbol, Kind},
#include "parallel/mpi/Datatypes.def"
  };
  if (auto *Number = dyn_cast<ConstantInt>(Datatype))
    return kindOfNumber(Number->getZExtValue());
  auto *Variable = dyn_cast<GlobalVariable>(Datatype);
  return Variable ? Kinds.lookup(Variable->getName()) : SK_Unknown;
}

bool isCharacters(const Value *Datatype) {
#define MPI_DATATYPE(Symbol, Kind, InFortran, Mpich)
#define MPI_CHARACTERS(Symbol, InFortran, Mpich)                                                   \
  if (auto *Number = dyn_cast<ConstantInt>(Datatype)) {                                            \
    if (Number->equalsInt(InFortran) || Number->equalsInt(Mpich))                                  \
      return true;                                                                                 \
  } else if (isa<GlobalVariable>(Datatype) && Datatype->getName() == #Symbol) {                    \
    return true;                                                                                   \
  }
#include "parallel/mpi/Datatypes.def"
  return false;
}

bool isOfCharacters(const CallBase &Call, int Argument) {
  return Argument >= 0 && isCharacters(datatypeBehind(Call.getArgOperand(Argument)));
}

ScalarKind kindOfBuffer(const Row &R, const CallBase &Call, Role Buffer) {
  const ScalarKind Kind = kindOfDatatype(Call, Buffer.Datatype);
  const bool Bytes = Kind == SK_Int && !computes(R) && isOfCharacters(Call, Buffer.Datatype);
  return Bytes ? SK_Unknown : Kind;
}

/// The handles of MPICH say how large their datatypes are, but for those of pairs.
static int64_t sizeInMpich(uint64_t Handle) {
  constexpr int64_t Pair = 8;
  const int64_t Size = Handle >> 8 & 0xff;
  return Size ? Size : Pair;
}

int64_t sizeOfDatatype(const CallBase &Call, int Argument) {
  const Value *Datatype = datatypeBehind(Call.getArgOperand(Argument));
  auto *Number = dyn_cast<ConstantInt>(Datatype);
#define MPI_DATATYPE(Symbol, Kind, InFortran, Mpich)                                               \
  if (Mpich != 0 &&                                                                                \
      (Number ? (InFortran != 0 && Number->equalsInt(InFortran)) || Number->equalsInt(Mpich)       \
              : Datatype->getName() == #Symbol))                                                   \
    return sizeInMpich(Mpich);
#include "parallel/mpi/Datatypes.def"
  return 1;
}

bool isPacked(const CallBase &Call, Role Buffer) {
  if (Buffer.What != Role::Buf)
    return Buffer.What == Role::Packed;
  const Value *Datatype = datatypeBehind(Call.getArgOperand(Buffer.Datatype));
#define MPI_PACKED_BYTES(Symbol, InFortran, Mpich)                                                 \
  if (auto *Number = dyn_cast<ConstantInt>(Datatype))                                              \
    return Number->equalsInt(InFortran) || Number->equalsInt(Mpich);                               \
  return isa<GlobalVariable>(Datatype) && Datatype->getName() == #Symbol;
#include "parallel/mpi/Datatypes.def"
}

bool isEmpty(const CallBase &Call, Role Buffer) {
  // A buffer, a count, a datatype: others have two buffers, or counts of blocks, in between.
  if (Buffer.What != Role::Buf || Buffer.Datatype != static_cast<int>(Buffer.Argument) + 2)
    return false;
  auto *Count = dyn_cast<ConstantInt>(Call.getArgOperand(Buffer.Argument + 1));
  return Count && Count->isZero();
}

bool mayMerge(const CallBase &Call, Role Operator) {
  const Value *Handle = Call.getArgOperand(Operator.Argument)->stripPointerCasts();
  auto *Number = dyn_cast<ConstantInt>(Handle);
#define MPI_PLAIN_OPERATOR(Symbol, Mpich)                                                          \
  if (Number ? Number->equalsInt(Mpich)                                                            \
             : isa<GlobalVariable>(Handle) && Handle->getName() == #Symbol)                        \
    return false;
#include "parallel/mpi/Operators.def"
  return true;
}

bool isHandle(const Value *Pointer) {
  auto *C = dyn_cast<Constant>(Pointer);
  if (!C)
    return false;
  auto *Variable = dyn_cast<GlobalVariable>(getUnderlyingObject(C));
  return !Variable || Variable->isConstant() || !Variable->getValueType()->isSized();
}

} // namespace contraflow::mpi
