// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory behind a vector is asked for by a function whose name says what it is for:
//
//   std::__new_allocator<Particle>::allocate(unsigned long, void const *)
//     %p = call ptr @_Znwm(i64 %n) "contraflow.elements"="0 8 8 5,8 8 8 5,16 4 1 0"
//
// The code that fills it often has the address from the vector. The note is text at the call, which
// stays when the call is inlined below a handler, as no metadata does, and means the same in every
// file that is linked. For each place: offset, width, kind, and what it is part of.

#include "AllocatedTypes.h"
#include "PointedStructures.h"
#include "callee/Classes.h"
#include "contraflow/core/Callee.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr StringLiteral NoteName = "contraflow.elements";
constexpr size_t MostNoted = 256; ///< places of one structure
enum PartOf : unsigned { Array = 1, Struct = 2, Element = 4 };

std::string textOf(const LayoutPlaces &Places) {
  std::string Text;
  raw_string_ostream OS(Text);
  for (const auto &[Offset, P] : Places)
    OS << (Text.empty() ? "" : ",") << Offset << ' ' << P.Width << ' ' << P.Kind << ' '
       << P.IsArray * Array + P.IsStruct * Struct + P.IsElement * Element;
  return Text;
}

/// What allocators of the library ask for.
class Allocated {
public:
  explicit Allocated(Module &M) : Structures(M), Layouts(M) {}
  void note(Function &Allocator);

private:
  PointedStructures Structures;
  LayoutReader Layouts;
};

/// LLVM's types of a function's classes are not called after the function.
StringRef withoutFunction(StringRef Class) {
  constexpr StringLiteral End = ")::", Unnamed = "(anonymous";
  const size_t Around = Class.contains(Unnamed) ? StringRef::npos : Class.rfind(End);
  return Around == StringRef::npos ? Class : Class.drop_front(Around + End.size());
}

/// Another class may have the same name in LLVM's types: at least its objects are as large.
bool asksForSize(const Function &Allocator, int64_t Size) {
  return any_of(instructions(Allocator), [Size](const Instruction &I) {
    const auto *By =
        I.getOpcode() == Instruction::Mul ? dyn_cast<ConstantInt>(I.getOperand(1)) : nullptr;
    return By && By->getSExtValue() == Size;
  });
}

void Allocated::note(Function &Allocator) {
  const std::string Class = classAllocated(Allocator);
  StructType *T = Class.empty() ? nullptr : Structures.called(withoutFunction(Class));
  const LayoutPlaces *Places = Layouts.ofType(T);
  if (!Places || Places->size() > MostNoted ||
      !asksForSize(Allocator, Allocator.getDataLayout().getTypeAllocSize(T).getFixedValue()))
    return;
  const Attribute Note = Attribute::get(Allocator.getContext(), NoteName, textOf(*Places));
  for (Instruction &I : instructions(Allocator))
    if (auto *Call = dyn_cast<CallBase>(&I);
        Call && lookupCallee(*Call).Kind == CalleeKind::Allocate)
      Call->addFnAttr(Note);
}

} // namespace

void noteAllocated(Module &M) {
  Allocated Objects(M);
  for (Function &F : M)
    Objects.note(F);
}

Attribute noteOfAllocated(const CallBase &Call) { return Call.getAttributes().getFnAttr(NoteName); }

LayoutPlaces placesIn(StringRef Note) {
  LayoutPlaces Out;
  for (StringRef Place : split(Note, ',')) {
    int64_t Offset = 0;
    unsigned Part = 0;
    LayoutPlace P;
    const auto Next = [&Place](auto &Number) {
      Place.consumeInteger(10, Number);
      Place = Place.ltrim();
    };
    Next(Offset);
    Next(P.Width);
    Next(P.Kind);
    Next(Part);
    P.IsArray = Part & Array;
    P.IsStruct = Part & Struct;
    P.IsElement = Part & Element;
    Out[Offset] = P;
  }
  return Out;
}

} // namespace contraflow
