// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of an array the front end does not say what its bytes are when they are copied, nor of a buffer
// (StructCopies.h), but what else is done there tells: each word is a double, here and there.
//
//   typedef double Place[3];   memcpy(to[i], from[j], sizeof(Place))   ->   three loads, three
//   stores

#include "NumberCopies.h"
#include "ForwardSweep.h"
#include "prepare/StructCopies.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr int64_t Word = 8;

/// True if a double begins at Place, relative to the pointer, and nothing else lies there.
bool holdsDouble(const MemoryLayout &Layout, int64_t Place) {
  bool Found = false;
  if (Layout.Period)
    Place %= Layout.Period;
  for (const MemoryLayout::Field &F : Layout.Fields) {
    const int64_t Behind = F.Offset - Place;
    const bool Reaches = Behind > -2 * Word && Behind < Word;
    if (Behind == 0 ? F.Kinds != SK_Double
                    : Reaches && (Behind > 0 || Behind % Word != 0 || (F.Kinds & SK_LongDouble)))
      return false;
    Found |= Behind == 0;
  }
  return Found;
}

bool holdsDoubles(const ActivityResult &Activity, const Value *Pointer, int64_t Bytes) {
  const Location At = Activity.memory().find(Pointer);
  if (!At || (At.Stride && !Activity.memory().repeatedAt(At)))
    return false;
  const MemoryLayout Layout = layoutOf(Activity, At);
  if (Layout.Packed || Layout.Period % Word != 0)
    return false;
  for (int64_t Place = 0; Place < Bytes; Place += Word)
    if (!holdsDouble(Layout, Place))
      return false;
  return true;
}

} // namespace

void splitNumberCopies(ArrayRef<Function *> Closure, const ActivityResult &Activity) {
  constexpr uint64_t MostBytes = 8 * Word;
  for (Function *F : Closure)
    for (Instruction &I : make_early_inc_range(instructions(*F))) {
      auto *Copy = dyn_cast<MemTransferInst>(&I);
      const auto *Size = Copy ? dyn_cast<ConstantInt>(Copy->getLength()) : nullptr;
      if (!Size || Copy->isVolatile() || Size->getValue().ugt(MostBytes) || Size->isZero())
        continue;
      const int64_t Bytes = Size->getSExtValue();
      if (Bytes % Word != 0 || !holdsDoubles(Activity, Copy->getRawSource(), Bytes) ||
          !holdsDoubles(Activity, Copy->getRawDest(), Bytes))
        continue;
      SmallVector<CopiedNumber, 8> Numbers;
      for (int64_t Place = 0; Place < Bytes; Place += Word)
        Numbers.push_back(
            {static_cast<uint64_t>(Place), Type::getDoubleTy(F->getContext()), nullptr});
      copyByNumbers(*Copy, Numbers);
    }
}

} // namespace contraflow
