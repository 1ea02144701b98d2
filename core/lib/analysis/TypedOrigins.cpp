// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that is allocated has no type. The members that are accessed in it tell what it is:
//
//   p = malloc(n * 32)
//   q = getelementptr i8, p, 32 * i        as large as the structure: from one to the next
//   store float %w, q + 28                 the member at 28 of a structure of 32 bytes
//
// so p is an array of them. A constant is what it is: behind other members that the array lies in,
// p would begin with these.

#include "TypedOrigins.h"
#include "PlaceList.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr unsigned MostSteps = 64; ///< back from an access

/// Where Step starts, Offset bytes less; null where it may lead to another member.
const Value *stepBack(const GEPOperator &Step, const DataLayout &DL, int64_t Size,
                      int64_t &Offset) {
  const unsigned Bits = DL.getIndexTypeSizeInBits(Step.getType());
  SmallMapVector<Value *, APInt, 4> Indices;
  APInt Constant(Bits, 0);
  if (!Step.collectOffset(DL, Bits, Indices, Constant))
    return nullptr;
  for (const auto &[Index, Scale] : Indices)
    if (Scale.abs().getSExtValue() < Size)
      return nullptr;
  Offset -= Constant.getSExtValue();
  return Step.getPointerOperand();
}

} // namespace

void addTyped(const Value *Pointer, const LayoutPlaces &Places, TypedPointers &Typed) {
  const auto [It, New] = Typed.try_emplace(Pointer, &Places);
  if (!New && It->second != &Places)
    It->second = nullptr;
}

void addTypedOrigins(const Value &Pointer, const LayoutReader::Evidence &What, const DataLayout &DL,
                     TypedPointers &Typed) {
  const int64_t Size = sizeOf(*What.Places);
  SmallVector<std::pair<const Value *, int64_t>, 8> Todo{{&Pointer, What.Offset}};
  SmallSet<const Value *, 8> Seen;
  for (unsigned Steps = 0; !Todo.empty() && Steps < MostSteps; ++Steps) {
    auto [V, Offset] = Todo.pop_back_val();
    if (!Seen.insert(V).second)
      continue;
    if (!Offset)
      addTyped(V, *What.Places, Typed);
    if (auto *Step = dyn_cast<GEPOperator>(V)) {
      if (const Value *From = stepBack(*Step, DL, Size, Offset))
        Todo.push_back({From, Offset});
    } else if (auto *Cast = dyn_cast<AddrSpaceCastOperator>(V)) {
      Todo.push_back({Cast->getPointerOperand(), Offset});
    } else if (auto *Phi = dyn_cast<PHINode>(V)) {
      for (const Use &In : Phi->incoming_values())
        Todo.push_back({In.get(), Offset});
    } else if (auto *Choice = dyn_cast<SelectInst>(V)) {
      Todo.push_back({Choice->getTrueValue(), Offset});
      Todo.push_back({Choice->getFalseValue(), Offset});
    }
  }
}

} // namespace contraflow
