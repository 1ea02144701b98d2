// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One handler for all of MPI. Which arguments are buffers is in Functions.def; everything else is
// known at run time: the augmented call performs the primal call and leaves a record on the tape,
// the adjoint call reads the record. See docs/design/mpi-mirrors.md.
//
//   MPI_Isend(b, ...)   forward: mpi_isend_augment(b, ..., b-bar, tape, &record)
//                       reverse: mpi_isend_adjoint(record)

#include "contraflow/core/Construct.h"
#include "contraflow/core/Diag.h"
#include "parallel/mpi/Register.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow::mpi {
namespace {

struct Row {
  const char *Name;
  const char *Stem; ///< null: inquiry
  SmallVector<unsigned, 2> Buffers;
};

const std::vector<Row> &rows() {
  static const std::vector<Row> Rows = {
#define Buf(I) I,
#define MPI_FN(Name, Stem, Roles) {"MPI_" #Name, #Stem, {Roles}},
#define MPI_INQUIRY(Name) {"MPI_" #Name, nullptr, {}},
#include "parallel/mpi/Functions.def"
#undef MPI_FN
#undef MPI_INQUIRY
#undef Buf
  };
  return Rows;
}

const StringMap<const Row *> &rowsByName() {
  static const StringMap<const Row *> Map = [] {
    StringMap<const Row *> M;
    for (const Row &R : rows()) {
      M[R.Name] = &R;
      M[(Twine("P") + R.Name).str()] = &R;
    }
    return M;
  }();
  return Map;
}

const Row &rowOf(StringRef Name) { return *rowsByName().lookup(Name); }

/// Buffers may be written; other pointers are requests, statuses, results, or handles.
void describeWrites(const CallBase &Call, ArrayRef<unsigned> Buffers, CallFacts &Facts) {
  for (unsigned I = 0; I < Call.arg_size(); ++I)
    if (Call.getArgOperand(I)->getType()->isPointerTy() && !isa<Constant>(Call.getArgOperand(I)))
      (is_contained(Buffers, I) ? Facts.Writes : Facts.Handles).push_back(I);
}

class CommunicationHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    SmallVector<StringRef, 0> Names;
    for (auto &E : rowsByName())
      if (E.second->Stem)
        Names.push_back(E.first());
    llvm::sort(Names);
    return Names;
  }
  CallFacts facts(const CallBase &Call) const override {
    CallFacts Facts;
    ArrayRef<unsigned> Buffers = rowOf(Call.getCalledFunction()->getName()).Buffers;
    describeWrites(Call, Buffers, Facts);
    for (unsigned Buffer : Buffers) {
      Facts.Flows.push_back({Place::memory(Buffer), Place::outside()});
      Facts.Flows.push_back({Place::outside(), Place::memory(Buffer)});
    }
    return Facts;
  }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    const Row &R = rowOf(Call.getCalledFunction()->getName());
    Value *New = B.runtime(symbol(R, "_tangent"), Call.getType(), arguments(B, Call, R));
    B.replaceCall(Call, New);
    return Error::success();
  }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    CallBase &Call = *Site.Anchor;
    const Row &R = rowOf(Call.getCalledFunction()->getName());
    auto &IR = B.ir();
    BasicBlock &Entry = Call.getFunction()->getEntryBlock();
    Value *Cell = IRBuilder<>(&Entry, Entry.begin()).CreateAlloca(IR.getPtrTy(), nullptr, "record");
    SmallVector<Value *, 12> Args = arguments(B, Call, R);
    Args.append({B.tape(), Cell});
    Site.Anchor = B.runtime(symbol(R, "_augment"), Call.getType(), Args);
    Site.Recorded = {IR.CreateLoad(IR.getPtrTy(), Cell, R.Stem), IR.getInt32(&R - rows().data())};
    return Error::success();
  }
  Error adjoint(SweepBuilder &B, const CallSite &, ArrayRef<Value *> Recalled) const override {
    const Row &R = rows()[cast<ConstantInt>(Recalled[1])->getZExtValue()];
    B.runtime(symbol(R, "_adjoint"), B.ir().getVoidTy(), {Recalled[0]});
    return Error::success();
  }

private:
  static std::string symbol(const Row &R, StringRef Suffix) {
    return (Twine("mpi_") + R.Stem + Suffix).str();
  }
  static SmallVector<Value *, 12> arguments(SweepBuilder &B, CallBase &Call, const Row &R) {
    SmallVector<Value *, 12> Args(Call.arg_begin(), Call.arg_end());
    for (unsigned Buffer : R.Buffers) {
      Value *Shadow = B.shadow(Call.getArgOperand(Buffer));
      Args.push_back(Shadow ? Shadow : ConstantPointerNull::get(B.ir().getPtrTy()));
    }
    return Args;
  }
};

/// Functions that are asked in the forward sweep only.
class InquiryHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    SmallVector<StringRef, 0> Names;
    for (auto &E : rowsByName())
      if (!E.second->Stem)
        Names.push_back(E.first());
    llvm::sort(Names);
    return Names;
  }
  CallFacts facts(const CallBase &Call) const override {
    CallFacts Facts;
    describeWrites(Call, {}, Facts);
    return Facts;
  }
  bool hasReverse(const CallBase &) const override { return false; }
  Error tangent(SweepBuilder &, CallBase &) const override { return Error::success(); }
  Error adjoint(SweepBuilder &, const CallSite &, ArrayRef<Value *>) const override {
    return Error::success();
  }
};

/// The rest of MPI is refused by name.
class RefusalHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return {"MPI_*", "PMPI_*"}; }
  CallFacts facts(const CallBase &) const override { return {}; }
  Error tangent(SweepBuilder &, CallBase &Call) const override { return refuse(Call); }
  Error augment(SweepBuilder &, CallSite &Site) const override { return refuse(*Site.Anchor); }
  Error adjoint(SweepBuilder &, const CallSite &, ArrayRef<Value *>) const override {
    return Error::success();
  }

private:
  static Error refuse(CallBase &Call) {
    return diffError(DiagId::UnsupportedMPI, Call, Call.getCalledFunction()->getName());
  }
};

} // namespace

void registerHandlers(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<CommunicationHandler>());
  Registry.add(std::make_unique<InquiryHandler>());
  Registry.add(std::make_unique<RefusalHandler>());
}

} // namespace contraflow::mpi
