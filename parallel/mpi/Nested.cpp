// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tangent of a derivative that communicates. What the runtime does with shadows is linear, so
// the tangent of its call is the same call in more directions (runtime/lib/mpi/Directions.h); there
// is one primal message as before:
//
//   send_tangent(b, ..., b')          rows[0] = {b', dot(b'), dot(b)}
//                                     nested(3, 0, rows, 1); send_tangent(b, ..., rows[0])
//   send_augment(b, ..., b-bar, &r)   rows[0] = {b-bar, dot(b-bar), dot(b)}
//                                     nested(3, 2, rows, 1); send_augment(b, ..., rows[0], &r)
//   send_adjoint(r)                   as it is: the record has both adjoints
//
// Every call is announced, also where nothing is active: the other side may see that differently.
// Reductions whose weights depend on what is reduced are refused by the runtime (CF353), other
// functions and adjoints of derivatives here.

#include "parallel/mpi/Nested.h"

#include "contraflow/core/Construct.h"
#include "contraflow/core/Diag.h"
#include "parallel/mpi/Arguments.h"
#include "parallel/mpi/Characters.h"
#include "parallel/mpi/Rows.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow::mpi {
namespace {

Error refuse(const CallBase &Call, const Twine &What) {
  return diffError(DiagId::UnsupportedMode, Call, What);
}

constexpr const char *AdjointOfDerivative =
    "the adjoint of a derivative that communicates by MPI; ask for the tangent of the adjoint, "
    "which has the same values";

/// One of the three parts that a function of MPI has in the runtime, or what goes with it.
class PartHandler : public ConstructHandler {
public:
  explicit PartHandler(StringRef Suffix) : Suffix(Suffix) {}
  SmallVector<StringRef, 0> callees() const override {
    if (Symbols.empty())
      for (const Row &R : rows())
        if (R.Stem)
          Symbols[("cf_v1_mpi_" + Twine(R.Stem) + Suffix).str()] = &R;
    SmallVector<StringRef, 0> Names;
    for (const auto &Entry : Symbols)
      Names.push_back(Entry.first());
    llvm::sort(Names);
    return Names;
  }
  CallFacts facts(const CallBase &) const override { return {}; }
  bool allDirections() const override { return true; }
  Error augment(SweepBuilder &, CallSite &Site) const override {
    return refuse(*Site.Anchor, AdjointOfDerivative);
  }
  Error adjoint(SweepBuilder &, const CallSite &, ArrayRef<Value *>) const override {
    return Error::success();
  }

protected:
  const Row &rowOf(const CallBase &Call) const {
    return *Symbols.lookup(Call.getCalledFunction()->getName());
  }
  static Error check(const CallBase &Call, const Row &R) {
    return mayNest(R) ? Error::success()
                      : refuse(Call, Twine("the derivative of a derivative that calls ") + R.Name);
  }

private:
  StringRef Suffix;
  mutable StringMap<const Row *> Symbols;
};

/// mpi_f_tangent(arguments, shadows), mpi_f_augment(arguments, shadows, tape, &record).
class CommunicatingPart : public PartHandler {
public:
  CommunicatingPart(StringRef Suffix, unsigned Behind) : PartHandler(Suffix), Behind(Behind) {}
  CallFacts facts(const CallBase &Call) const override {
    const Row &R = rowOf(Call);
    CallFacts Facts;
    Facts.WritesExposed = Anyone;
    SmallVector<unsigned, 4> Buffers;
    unsigned Shadow = firstShadow(Call, R);
    for (Role A : R.Roles) {
      if (!A.hasShadow()) {
        describeBuffer(A, R, Call, Facts);
        continue;
      }
      const bool IsCell = A.What == Role::Cell;
      for (unsigned Memory : {A.Argument, Shadow}) {
        const Place There = IsCell ? Place::pointee(Memory) : Place::memory(Memory);
        if (!IsCell)
          Buffers.push_back(Memory);
        carry(Facts, R, Call, A, Memory);
        if (isPacked(Call, A))
          Facts.Packed.push_back(Memory);
        Facts.Flows.push_back({There, Place::outside()});
        Facts.Flows.push_back({Place::outside(), There});
      }
      Facts.Exposes.push_back({IsCell ? Place::pointee(Shadow) : Place::memory(Shadow), Anyone});
      ++Shadow;
    }
    for (unsigned I = 0; I < Call.arg_size(); ++I)
      if (Call.getArgOperand(I)->getType()->isPointerTy() && !isHandle(Call.getArgOperand(I)))
        (is_contained(Buffers, I) ? Facts.Writes : Facts.Handles).push_back(I);
    return Facts;
  }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    const Row &R = rowOf(Call);
    if (Error E = check(Call, R))
      return E;
    if (none_of(R.Roles, [](Role A) { return A.hasShadow() || A.What == Role::Directed; }))
      return Error::success();
    if (B.directions() > 1)
      return refuse(Call,
                    "several directions of the tangent of a derivative that communicates by MPI");
    SmallVector<Value *, 16> Args(Call.args());
    announce(B, Call, R, Args);
    CallInst *Twin = B.runtime(Call.getCalledFunction()->getName().drop_front(strlen("cf_v1_")),
                               Call.getType(), Args);
    auto &IR = B.ir();
    B.runtime("mpi_directions", IR.getVoidTy(),
              {IR.getInt32(1), ConstantPointerNull::get(IR.getPtrTy()), IR.getInt32(0)});
    B.replaceCall(Call, Twin);
    return Error::success();
  }

private:
  unsigned firstShadow(const CallBase &Call, const Row &R) const {
    return Call.arg_size() - Behind - count_if(R.Roles, [](Role A) { return A.hasShadow(); });
  }
  /// What a row says of a buffer besides that it is one.
  void describeBuffer(Role A, const Row &R, const CallBase &Call, CallFacts &Facts) const {
    switch (A.What) {
    case Role::Completes:
      Facts.WritesExposed |= Completion;
      return;
    case Role::Pending:
      Facts.Exposes.push_back({Place::memory(A.Argument), Completion});
      return;
    case Role::Exposed:
      Facts.Exposes.push_back({Place::memory(A.Argument), Anyone});
      return;
    case Role::ExposedCell:
      Facts.Exposes.push_back({Place::pointee(A.Argument), Anyone});
      return;
    case Role::Foreign: // the only buffer
      append_range(Facts.Foreign, ArrayRef<unsigned>{A.Argument, firstShadow(Call, R)});
      return;
    default:
      return;
    }
  }
  static Value *shadowOrNull(SweepBuilder &B, Value *V) {
    Value *Shadow = isa<ConstantPointerNull>(V) ? nullptr : B.shadow(V);
    return Shadow ? Shadow : ConstantPointerNull::get(B.ir().getPtrTy());
  }
  /// Makes rows of shadows what the call is given as shadows.
  void announce(SweepBuilder &B, CallBase &Call, const Row &R,
                SmallVectorImpl<Value *> &Args) const {
    auto &IR = B.ir();
    constexpr unsigned Width = 3;
    const unsigned First = firstShadow(Call, R), Count = Args.size() - Behind - First;
    auto *RowType = ArrayType::get(IR.getPtrTy(), Width);
    auto *Table = ArrayType::get(RowType, Count);
    BasicBlock &Entry = Call.getFunction()->getEntryBlock();
    Value *Rows = IRBuilder<>(&Entry, Entry.begin()).CreateAlloca(Table, nullptr, "directions");
    unsigned Next = 0;
    for (Role A : R.Roles) {
      if (!A.hasShadow())
        continue;
      Value *Own = Args[First + Next], *Row = IR.CreateConstInBoundsGEP2_32(Table, Rows, 0, Next);
      Value *OfBuffer = shadowOrNull(B, Call.getArgOperand(A.Argument));
      Value *Entries[Width] = {Own, shadowOrNull(B, Own), OfBuffer};
      for (unsigned D = 0; D < Width; ++D)
        IR.CreateStore(Entries[D], IR.CreateConstInBoundsGEP2_32(RowType, Row, 0, D));
      Args[First + Next++] = Row;
    }
    const unsigned Adjoints = Behind ? 2 : 0;
    B.runtime("mpi_nested", IR.getVoidTy(),
              {IR.getInt32(Width), IR.getInt32(Adjoints), Rows, IR.getInt32(Count)});
  }

  unsigned Behind; ///< arguments behind the shadows
};

/// mpi_f_adjoint(record).
class ReversePart : public PartHandler {
public:
  ReversePart() : PartHandler("_adjoint") {}
  CallFacts facts(const CallBase &) const override {
    CallFacts Facts;
    Facts.WritesExposed = Anyone;
    return Facts;
  }
  Error tangent(SweepBuilder &, CallBase &Call) const override { return check(Call, rowOf(Call)); }
};

/// Notes about communicators and memory, which the runtime has taken already.
class NoteHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    return {"cf_v1_mpi_communicator_tangent",
            "cf_v1_mpi_communicator_augment",
            "cf_v1_mpi_communicator_adjoint",
            "cf_v1_mpi_describe",
            "cf_v1_mpi_looked",
            "cf_v1_mpi_integers"};
  }
  CallFacts facts(const CallBase &) const override { return {}; }
  bool allDirections() const override { return true; }
  Error tangent(SweepBuilder &, CallBase &) const override { return Error::success(); }
  Error augment(SweepBuilder &, CallSite &Site) const override {
    return refuse(*Site.Anchor, AdjointOfDerivative);
  }
  Error adjoint(SweepBuilder &, const CallSite &, ArrayRef<Value *>) const override {
    return Error::success();
  }
};

/// Calls that have several directions already.
class AnnouncedHandler : public NoteHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    return {"cf_v1_mpi_directions", "cf_v1_mpi_nested"};
  }
  Error tangent(SweepBuilder &, CallBase &Call) const override {
    return refuse(Call, "the derivative of a derivative of second order, or in several directions, "
                        "that communicates by MPI");
  }
};

} // namespace

void registerNested(HandlerRegistry &Registry) {
  constexpr unsigned TapeAndRecord = 2;
  Registry.add(std::make_unique<CommunicatingPart>("_tangent", 0));
  Registry.add(std::make_unique<CommunicatingPart>("_augment", TapeAndRecord));
  Registry.add(std::make_unique<ReversePart>());
  Registry.add(std::make_unique<NoteHandler>());
  Registry.add(std::make_unique<AnnouncedHandler>());
}

} // namespace contraflow::mpi
