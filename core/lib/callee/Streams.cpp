// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams that come from elsewhere in different ways are taken for different ones: a program that
// reads one file and writes another is the usual case.

#include "Streams.h"
#include "contraflow/core/Callee.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {
namespace {

struct Entry {
  StreamMove::Direction Way;
  unsigned Stream, Memory;
  int Size, Count; ///< operands; none: -1
};

const StringMap<Entry> &entries() {
  static const StringMap<Entry> Table = {
#define CF_STREAM(Name, Way, Stream, Memory, Size, Count)                                          \
  {Name, Entry{StreamMove::Way, Stream, Memory, Size, Count}},
#include "Streams.def"
  };
  return Table;
}

/// The name of the file that a stream was opened under.
const Value *fileOf(const Value *Stream) {
  static const StringMap<unsigned> Opening = {
#define CF_OPENS(Name, File) {Name, File},
#include "Streams.def"
  };
  auto *Call = dyn_cast<CallBase>(Stream);
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  auto Known = F ? Opening.find(F->getName()) : Opening.end();
  return Known != Opening.end() && Call->arg_size() > Known->second
             ? Call->getArgOperand(Known->second)
             : nullptr;
}

bool isOneFile(const Value *A, const Value *B) {
  StringRef First, Second;
  return A && B &&
         (A == B ||
          (getConstantStringInfo(A, First) && getConstantStringInfo(B, Second) && First == Second));
}

/// The object that an address is in, and how far from its beginning.
std::pair<const Value *, int64_t> placeOf(const Value *Address, const DataLayout &Layout) {
  APInt Offset(Layout.getIndexTypeSizeInBits(Address->getType()), 0);
  const Value *Base = Address->stripAndAccumulateConstantOffsets(Layout, Offset, true);
  return {Base, Offset.getSExtValue()};
}

} // namespace

std::optional<StreamMove> streamMove(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  auto Known = F ? entries().find(F->getName()) : entries().end();
  if (Known == entries().end() || lookupCallee(Call).Kind != CalleeKind::Inactive)
    return std::nullopt;
  const Entry &E = Known->second;
  if (int(Call.arg_size()) <= std::max({int(E.Stream), E.Size, E.Count}) ||
      !Call.getArgOperand(E.Memory)->getType()->isPointerTy())
    return std::nullopt;
  StreamMove Out{E.Way, Call.getArgOperand(E.Stream), Call.getArgOperand(E.Memory), {}};
  auto *Size = dyn_cast<ConstantInt>(Call.getArgOperand(E.Size));
  auto *Count = E.Count < 0 ? nullptr : dyn_cast<ConstantInt>(Call.getArgOperand(E.Count));
  if (Size && (Count || E.Count < 0))
    Out.Bytes = Size->getZExtValue() * (Count ? Count->getZExtValue() : 1);
  return Out;
}

bool mayBeOneStream(const Value *A, const Value *B) {
  if (A->getType()->isPointerTy() && B->getType()->isPointerTy()) {
    A = getUnderlyingObject(A);
    B = getUnderlyingObject(B);
  }
  if (A == B)
    return !isa<Constant>(A) || isa<GlobalVariable>(A);
  auto *First = dyn_cast<LoadInst>(A), *Second = dyn_cast<LoadInst>(B);
  if (First && Second)
    return placeOf(First->getPointerOperand(), First->getDataLayout()) ==
           placeOf(Second->getPointerOperand(), First->getDataLayout());
  return isOneFile(fileOf(A), fileOf(B));
}

std::optional<StreamMemory> streamMemory(const Value *Stream) {
  static const StringMap<std::pair<unsigned, StreamMemory::Place>> Opening = {
#define CF_OPENS_MEMORY(Name, Memory, How) {Name, {Memory, StreamMemory::How}},
#include "Streams.def"
  };
  auto *Call = dyn_cast<CallBase>(getUnderlyingObject(Stream));
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  auto Known = F ? Opening.find(F->getName()) : Opening.end();
  if (Known == Opening.end() || lookupCallee(*Call).Kind != CalleeKind::Inactive ||
      Call->arg_size() <= Known->second.first)
    return std::nullopt;
  return StreamMemory{Known->second.second, Call->getArgOperand(Known->second.first)};
}

} // namespace contraflow
