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
#include "contraflow/core/Refusal.h"
#include "parallel/mpi/Announce.h"
#include "parallel/mpi/Arguments.h"
#include "parallel/mpi/Characters.h"
#include "parallel/mpi/Elsewhere.h"
#include "parallel/mpi/Fortran.h"
#include "parallel/mpi/Memory.h"
#include "parallel/mpi/Nested.h"
#include "parallel/mpi/ReadOnly.h"
#include "parallel/mpi/Register.h"
#include "parallel/mpi/Registered.h"
#include "parallel/mpi/Rows.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace contraflow::mpi {

static const Row &rowOf(const CallBase &Call) { return rowOf(Call.getCalledFunction()->getName()); }

namespace {

std::string symbol(const Row &R, StringRef Suffix) {
  return (Twine("mpi_") + R.Stem + Suffix).str();
}

/// Buffers may be written; other pointers are requests, statuses, results, or handles.
void describeWrites(const CallBase &Call, const Row &R, CallFacts &Facts) {
  for (unsigned I = 0; I < Call.arg_size(); ++I) {
    if (!Call.getArgOperand(I)->getType()->isPointerTy() || isHandle(Call.getArgOperand(I)))
      continue;
    bool IsBuffer =
        any_of(R.Roles, [I](Role B) { return B.What <= Role::Base && B.Argument == I; });
    (IsBuffer ? Facts.Writes : Facts.Handles).push_back(I);
  }
}

/// Bytes that a scalar has at most.
int64_t widthOf(unsigned Kinds) {
  if (Kinds & SK_LongDouble)
    return 16;
  return Kinds & (SK_Double | SK_Int | SK_Pointer) ? 8 : 4;
}

/// As cf_field has it.
enum FieldKind { Float, Double, LongDouble, Unknown = 5, UnknownEnd };
using PlacedKind = std::pair<int64_t, FieldKind>;

/// The active floats of a layout, and the bytes in which the program has not looked for any: it may
/// pass them on.
SmallVector<PlacedKind, 8> floatsOf(const MemoryLayout &Layout) {
  constexpr int64_t Smallest = sizeof(float);
  SmallVector<MemoryLayout::Field, 8> Fields(Layout.Fields.begin(), Layout.Fields.end());
  llvm::sort(Fields, [](auto &A, auto &B) {
    return std::pair(A.Offset, A.Kinds) < std::pair(B.Offset, B.Kinds);
  });
  SmallVector<PlacedKind, 8> Out;
  int64_t Known = 0;
  auto SkipTo = [&](int64_t Offset) {
    Known = alignTo(Known, Smallest);
    if (Offset - Known >= Smallest)
      Out.append({{Known, Unknown}, {Offset, UnknownEnd}});
  };
  for (const MemoryLayout::Field &F : Fields) {
    if (F.Offset >= 0)
      SkipTo(F.Offset);
    Known = std::max(Known, F.Offset + widthOf(F.Kinds));
    if (F.Active && F.Offset >= 0)
      Out.push_back({F.Offset, F.Kinds & SK_Float    ? Float
                               : F.Kinds & SK_Double ? Double
                                                     : LongDouble});
  }
  if (Layout.Period)
    SkipTo(Layout.Period);
  else
    Out.push_back({Known, Unknown});
  return Out;
}

/// A constant array of {i64 offset, i32 kind}.
Constant *fieldTable(Module &M, const MemoryLayout &Layout, unsigned &Count) {
  LLVMContext &C = M.getContext();
  auto *Field = StructType::get(C, {Type::getInt64Ty(C), Type::getInt32Ty(C)});
  SmallVector<Constant *, 8> Rows;
  for (auto [Offset, Kind] : floatsOf(Layout))
    Rows.push_back(ConstantStruct::get(Field, {ConstantInt::get(Type::getInt64Ty(C), Offset),
                                               ConstantInt::get(Type::getInt32Ty(C), Kind)}));
  Count = Rows.size();
  auto *Table = ArrayType::get(Field, Count);
  return new GlobalVariable(M, Table, true, GlobalValue::PrivateLinkage,
                            ConstantArray::get(Table, Rows), "cf.fields");
}

/// Pointer arithmetic has blurred the places of floats, or the program looks at single bytes, which
/// may be parts of anything.
bool isBlurred(const MemoryLayout &Layout) {
  if (Layout.Period && Layout.Period < int64_t{sizeof(float)})
    return true;
  return any_of(Layout.Fields, [&](const MemoryLayout::Field &F) {
    const int64_t Width = (F.Kinds & SK_AnyFloat) == SK_Float ? sizeof(float) : sizeof(double);
    return F.Active && Layout.Period && Layout.Period < Width;
  });
}

/// A number here is a part of another one there, or of another size, and only what reads or writes
/// it tells which.
bool meets(const MemoryLayout &Layout) {
  int64_t End = INT64_MIN, First = INT64_MAX;
  SmallVector<std::pair<int64_t, int64_t>, 8> Numbers;
  for (const MemoryLayout::Field &F : Layout.Fields) {
    const unsigned Floats = F.Kinds & SK_AnyFloat;
    if (F.Active && (Floats & (Floats - 1)))
      return true;
    if (F.Active && Floats)
      Numbers.push_back({F.Offset, F.Offset + widthOf(Floats)});
  }
  llvm::sort(Numbers);
  for (auto [Begin, Behind] : Numbers) {
    if (Begin < End)
      return true;
    First = std::min(First, Begin);
    End = Behind;
  }
  return Layout.Period && !Numbers.empty() && End - Layout.Period > First;
}

/// True if what begins at a place is an active float: in memory that is used for integers at other
/// times only if it travels in pieces that are no integers of their own, such as characters.
bool startsWithFloat(const MemoryLayout &Layout, int64_t Size) {
  const unsigned Others = Size == 1 ? SK_Pointer : SK_Int | SK_Pointer;
  return any_of(Layout.Fields, [&](const MemoryLayout::Field &F) {
    return F.Offset == 0 && F.Active && (F.Kinds & SK_AnyFloat) && !(F.Kinds & Others);
  });
}

/// Where the first active float behind the beginning is, or nothing.
std::optional<int64_t> nextFloat(const MemoryLayout &Layout) {
  std::optional<int64_t> First;
  for (const MemoryLayout::Field &F : Layout.Fields)
    if (F.Active && F.Offset > 0 && (F.Kinds & SK_AnyFloat) && !(F.Kinds & (SK_Int | SK_Pointer)))
      First = std::min(First.value_or(F.Offset), F.Offset);
  return First;
}

bool isAbsolute(Role A) { return A.What == Role::Absolute; }

/// True if a function of the module is handed MPI_BOTTOM as a buffer. Where it is handed nothing at
/// all, the datatype is mostly a predefined one, that is a constant.
bool handsOverBottom(const Module &M) {
  auto IsNull = [](const CallBase &Call, Role A) {
    return A.What == Role::Buf && A.Argument < Call.arg_size() &&
           isa<ConstantPointerNull>(Call.getArgOperand(A.Argument)) &&
           !isa<Constant>(Call.getArgOperand(A.Datatype));
  };
  for (const auto &Entry : rowsByName())
    if (const Function *F = M.getFunction(Entry.first()))
      for (const User *U : F->users())
        if (auto *Call = dyn_cast<CallBase>(U))
          if (any_of(Entry.second->Roles, [&](Role A) { return IsNull(*Call, A); }))
            return true;
  return false;
}

/// The address is of no use for messages.
bool onlyAsks(const CallBase &Call, const Row &R) {
  return any_of(R.Roles, isAbsolute) && !leadsElsewhere(Call) &&
         !handsOverBottom(*Call.getModule());
}

class CommunicationHandler : public ConstructHandler {
public:
  bool claims(const CallBase &Call) const override { return isOfLibrary(Call.getCalledFunction()); }
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
    const Row &R = rowOf(Call);
    if (onlyAsks(Call, R)) {
      describeWrites(Call, {R.Name, nullptr, {}}, Facts);
      return Facts;
    }
    describeWrites(Call, R, Facts);
    Facts.WritesExposed = any_of(R.Roles, isAbsolute) ? 0 : Anyone;
    for (Role A : R.Roles) {
      Place Memory = A.What == Role::Cell || A.What == Role::ExposedCell
                         ? Place::pointee(A.Argument)
                         : Place::memory(A.Argument);
      if (A.What == Role::Completes)
        Facts.WritesExposed |= Completion;
      else if (A.What == Role::Foreign)
        Facts.Foreign.push_back(A.Argument);
      else if (!A.hasShadow() && A.What != Role::Directed && !isAbsolute(A))
        Facts.Exposes.push_back({Memory, A.What == Role::Pending ? Completion : Anyone});
      if (!A.hasShadow() || isEmpty(Call, A))
        continue;
      carry(Facts, R, Call, A, A.Argument);
      if (isPacked(Call, A))
        Facts.Packed.push_back(A.Argument);
      Facts.Flows.push_back({Memory, Place::outside()});
      Facts.Flows.push_back({Place::outside(), Memory});
    }
    return Facts;
  }
  /// Of the user's call, or of what augment() has put in its place.
  bool hasReverse(const CallBase &Call) const override {
    const Row *R = rowsByName().lookup(Call.getCalledFunction()->getName());
    return !R || !onlyAsks(Call, *R);
  }
  bool allDirections() const override { return true; }
  bool isRepeatable(const CallBase &Call) const override { return !happensOnce(rowOf(Call)); }
  bool meetsProcesses(const CallBase &) const override { return true; }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    const Row &R = rowOf(Call);
    if (Error E = checkRegistered(B, Call))
      return E;
    if (onlyAsks(Call, R))
      return Error::success();
    auto Args = arguments(B, Call, R);
    if (!Args)
      return Args.takeError();
    if (any_of(R.Roles, isAbsolute))
      forgetAtReturns(B, *Call.getFunction());
    const bool Told =
        any_of(R.Roles, [](Role A) { return A.hasShadow() || A.What == Role::Directed; });
    const bool Several = B.directions() > 1 && Told;
    if (Several)
      announceDirections(B, Call, R, *Args);
    CallInst *Tangent = B.runtime(symbol(R, "_tangent"), Call.getType(), *Args);
    if (Several)
      announce(B, 1, ConstantPointerNull::get(B.ir().getPtrTy()), 0);
    B.replaceCall(Call, Tangent);
    return Error::success();
  }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    CallBase &Call = *Site.Anchor;
    const Row &R = rowOf(Call);
    if (Error E = checkRegistered(B, Call))
      return E;
    if (onlyAsks(Call, R))
      return Error::success();
    auto &IR = B.ir();
    BasicBlock &Entry = Call.getFunction()->getEntryBlock();
    Value *Cell = IRBuilder<>(&Entry, Entry.begin()).CreateAlloca(IR.getPtrTy(), nullptr, "record");
    auto Args = arguments(B, Call, R);
    if (!Args)
      return Args.takeError();
    Args->append({B.tape(), Cell});
    Site.Anchor = B.runtime(symbol(R, "_augment"), Call.getType(), *Args);
    Site.Recorded = {IR.CreateLoad(IR.getPtrTy(), Cell, R.Stem), IR.getInt32(&R - rows().data())};
    return Error::success();
  }
  Error adjoint(SweepBuilder &B, const CallSite &, ArrayRef<Value *> Recalled) const override {
    if (Recalled.empty())
      return Error::success();
    const Row &R = rows()[cast<ConstantInt>(Recalled[1])->getZExtValue()];
    B.runtime(symbol(R, "_adjoint"), B.ir().getVoidTy(), {Recalled[0]});
    return Error::success();
  }

private:
  /// The user's arguments and the shadows of the buffers among them. Datatypes that do not say what
  /// memory holds are helped by what the compiler knows of it.
  static Expected<SmallVector<Value *, 12>> arguments(SweepBuilder &B, CallBase &Call,
                                                      const Row &R) {
    announceMerging(B, Call, R);
    SmallVector<Value *, 12> Args(Call.arg_begin(), Call.arg_end());
    for (Role A : R.Roles)
      if (isAbsolute(A))
        Args.push_back(bytesFrom(B, Call.getArgOperand(A.Argument)));
    for (Role A : R.Roles) {
      if (!A.hasShadow())
        continue;
      Value *Buffer = Call.getArgOperand(A.Argument), *Shadow = B.shadow(Buffer);
      Args.push_back(Shadow ? Shadow : ConstantPointerNull::get(B.ir().getPtrTy()));
      ScalarKind Kind = kindOfBuffer(R, Call, A);
      if (!Shadow || A.What != Role::Buf || (Kind & SK_AnyFloat))
        continue;
      MemoryLayout Layout = B.layout(Buffer);
      if (Kind == SK_Unknown) {
        describeBytes(B, *Call.getModule(), Shadow, Layout);
        announceCharacters(B, Call, A, Layout);
      } else if (Error E = checkIntegers(B, Call, A, Layout)) {
        return std::move(E);
      }
    }
    return Args;
  }
  /// Floats do not travel as integers: how far a message of integers reaches is known when it is
  /// sent. Where there is no count, there are many of them, of blocks.
  static Error checkIntegers(SweepBuilder &B, CallBase &Call, Role A, const MemoryLayout &Layout) {
    const int64_t Size = sizeOfDatatype(Call, A.Datatype);
    if (startsWithFloat(Layout, Size))
      return diffError(DiagId::UnsupportedMPI, Call,
                       rowOf(Call).Name +
                           StringRef(" moves active floating-point memory as integers"));
    const std::optional<int64_t> Next = nextFloat(Layout);
    Value *Count = Call.getArgOperand(A.Argument + 1);
    const bool Single =
        A.Datatype == static_cast<int>(A.Argument) + 1; // a handle, maybe an integer
    if (!Next || Single || !Count->getType()->isIntegerTy())
      return Error::success();
    auto &IR = B.ir();
    Value *Bytes = IR.CreateMul(IR.CreateSExt(Count, IR.getInt64Ty()), IR.getInt64(Size));
    auto *Known = dyn_cast<ConstantInt>(Bytes);
    if (!Known || Known->getSExtValue() > *Next)
      B.runtime("mpi_integers", IR.getVoidTy(), {Bytes, IR.getInt64(*Next)});
    return Error::success();
  }
  /// Of the object that a pointer leads into, from there on, at least; 0 where nobody knows.
  static Value *bytesFrom(SweepBuilder &B, Value *Pointer) {
    auto &IR = B.ir();
    Value *Yes = IR.getTrue();
    return IR.CreateIntrinsic(Intrinsic::objectsize, {IR.getInt64Ty(), Pointer->getType()},
                              {Pointer, Yes, Yes, Yes});
  }
  static void forgetAtReturns(SweepBuilder &B, Function &F) {
    constexpr StringLiteral Name = "mpi_addresses_forget";
    IRBuilder<>::InsertPointGuard Guard(B.ir());
    for (BasicBlock &Block : F)
      if (auto *Return = dyn_cast<ReturnInst>(Block.getTerminator())) {
        auto *Last = dyn_cast_or_null<CallInst>(Return->getPrevNode());
        if (Last && Last->getCalledFunction() &&
            Last->getCalledFunction()->getName().ends_with(Name))
          continue;
        B.ir().SetInsertPoint(Return);
        B.runtime(Name, B.ir().getVoidTy(), {});
      }
  }
  static void announce(SweepBuilder &B, unsigned Width, Value *Rows, unsigned Count) {
    auto &IR = B.ir();
    B.runtime("mpi_directions", IR.getVoidTy(), {IR.getInt32(Width), Rows, IR.getInt32(Count)});
  }
  /// Makes a table of the shadows in all directions, and its rows what the call is given as
  /// shadows.
  static void announceDirections(SweepBuilder &B, CallBase &Call, const Row &R,
                                 SmallVectorImpl<Value *> &Args) {
    auto &IR = B.ir();
    const unsigned Width = B.directions();
    auto *RowType = ArrayType::get(IR.getPtrTy(), Width);
    unsigned Next = Call.arg_size() + count_if(R.Roles, isAbsolute), Count = 0;
    auto *Table = ArrayType::get(RowType, Args.size() - Next);
    BasicBlock &Entry = Call.getFunction()->getEntryBlock();
    Value *Rows = IRBuilder<>(&Entry, Entry.begin()).CreateAlloca(Table, nullptr, "directions");
    for (Role A : R.Roles) {
      Value *Buffer = Call.getArgOperand(A.Argument);
      if (!A.hasShadow())
        continue;
      Value *Row = IR.CreateConstInBoundsGEP2_32(Table, Rows, 0, Count++);
      const bool Active = B.shadow(Buffer);
      for (unsigned D = 0; D < Width; ++D)
        IR.CreateStore(Active ? B.shadowIn(D, Buffer) : ConstantPointerNull::get(IR.getPtrTy()),
                       IR.CreateConstInBoundsGEP2_32(RowType, Row, 0, D));
      if (Active)
        Args[Next] = Row;
      ++Next;
    }
    announce(B, Width, Rows, Count);
  }
  static void describeBytes(SweepBuilder &B, Module &M, Value *Shadow, const MemoryLayout &Layout) {
    unsigned Count = 0;
    Constant *Table = fieldTable(M, Layout, Count);
    auto &IR = B.ir();
    bool Unknown = Layout.Packed || isBlurred(Layout) || meets(Layout) ||
                   any_of(Layout.Fields, [](auto &F) { return F.Kinds & SK_Guessed; });
    const int Nothing = Layout.Packed ? -2 : -1; // as cf_v1_mpi_describe has it
    B.runtime("mpi_describe", IR.getVoidTy(),
              {Shadow, IR.getInt64(Layout.Period), Table, IR.getInt32(Unknown ? Nothing : Count)});
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
    for (auto &E : inquiriesOfFortran())
      Names.push_back(E.first());
    llvm::sort(Names);
    return Names;
  }
  bool claims(const CallBase &Call) const override {
    const Function *F = Call.getCalledFunction();
    return calledFromFortran(Call) ? F->isDeclaration() : isOfLibrary(F);
  }
  CallFacts facts(const CallBase &Call) const override {
    CallFacts Facts;
    const Row &R = rowOf(Call);
    describeWrites(Call, R, Facts);
    if (R.CallsProgram || R.Created >= 0) {
      Facts.WritesExposed = Anyone;
      Facts.Opaque = registersFunctions(*Call.getModule());
    }
    if (R.GivenOn >= 0)
      keep(Facts, Place::memory(R.GivenOn));
    if (R.Kept >= 0)
      keep(Facts, Place::memory(R.Kept));
    if (R.Found >= 0)
      keep(Facts, Place::pointee(R.Found));
    if (R.FoundVaries)
      Facts.Flows.push_back({Place::outside(), Place::pointee(R.Found)});
    return Facts;
  }
  std::optional<Callback> callback(const CallBase &Call) const override {
    const Row &R = rowOf(Call);
    auto *Body = R.Operator < 0 ? nullptr : dyn_cast<Function>(Call.getArgOperand(R.Operator));
    if (!Body || Body->isDeclaration() || Body->arg_size() != 4 ||
        !all_of(Body->args(), [](Argument &A) { return A.getType()->isPointerTy(); }))
      return std::nullopt;
    return Callback{Body, {true, true, false, false}, "mpi_operator"};
  }
  bool hasReverse(const CallBase &Call) const override { return rowOf(Call).Created >= 0; }
  bool allDirections() const override { return true; }
  bool isRepeatable(const CallBase &Call) const override { return !happensOnce(rowOf(Call)); }
  bool meetsProcesses(const CallBase &) const override { return true; }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    const Row &R = rowOf(Call);
    if (R.Created >= 0)
      announceCreation(B, Call, R, "mpi_communicator_tangent", {});
    noteLook(B, Call, R);
    return checkPointers(B, Call, R);
  }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    CallBase &Call = *Site.Anchor;
    const Row &R = rowOf(Call);
    noteLook(B, Call, R);
    if (Error E = checkPointers(B, Call, R); E || R.Created < 0)
      return E;
    auto &IR = B.ir();
    BasicBlock &Entry = Call.getFunction()->getEntryBlock();
    Value *Cell = IRBuilder<>(&Entry, Entry.begin()).CreateAlloca(IR.getPtrTy(), nullptr, "record");
    announceCreation(B, Call, R, "mpi_communicator_augment", {B.tape(), Cell});
    Site.Recorded = {IR.CreateLoad(IR.getPtrTy(), Cell, "communicator")};
    return Error::success();
  }
  Error adjoint(SweepBuilder &B, const CallSite &, ArrayRef<Value *> Recalled) const override {
    if (!Recalled.empty())
      B.runtime("mpi_communicator_adjoint", B.ir().getVoidTy(), {Recalled[0]});
    return Error::success();
  }

private:
  /// Others may find the memory, and read or write it.
  static void keep(CallFacts &Facts, Place Memory) {
    Facts.Exposes.push_back({Memory, Anyone});
    Facts.Flows.push_back({Memory, Place::outside()});
  }
  /// False of null and of integers that travel as pointers.
  static bool leadsSomewhere(const Value &Pointer) {
    return !isa<ConstantPointerNull>(Pointer) &&
           Operator::getOpcode(&Pointer) != Instruction::IntToPtr;
  }
  /// Nobody knows the shadow of a pointer that comes back from MPI.
  static Error checkPointers(SweepBuilder &B, CallBase &Call, const Row &R) {
    if (Error E = checkRegistered(B, Call))
      return E;
    for (int Argument : {R.Kept, R.Found, R.GivenOn})
      if (Argument >= 0 && leadsSomewhere(*Call.getArgOperand(Argument)) &&
          B.shadow(Call.getArgOperand(Argument)))
        return diffError(DiagId::UnsupportedMPI, Call,
                         R.Name + StringRef(" of a pointer to active memory"));
    return Error::success();
  }
  /// Behind the call: its code, and whether anything has happened.
  static void noteLook(SweepBuilder &B, CallBase &Call, const Row &R) {
    if (R.Happened < 0 || calledFromFortran(Call))
      return;
    B.ir().SetInsertPoint(Call.getNextNode());
    B.runtime("mpi_looked", B.ir().getVoidTy(), {&Call, Call.getArgOperand(R.Happened)});
  }
  /// Behind the call: its code, where the new communicator is, and what else is wanted.
  static void announceCreation(SweepBuilder &B, CallBase &Call, const Row &R, StringRef Name,
                               ArrayRef<Value *> More) {
    auto &IR = B.ir();
    IR.SetInsertPoint(Call.getNextNode());
    Value *Code = &Call, *Place = Call.getArgOperand(R.Created);
    if (calledFromFortran(Call)) {
      Code = codeFromFortran(IR, Call);
      Place = communicatorFromFortran(IR, Call, Place);
    }
    SmallVector<Value *, 4> Args = {Code, Place};
    Args.append(More.begin(), More.end());
    B.runtime(Name, IR.getVoidTy(), Args);
  }
};

/// The rest of MPI is refused by name.
class RestHandler : public RefusingHandler {
public:
  bool claims(const CallBase &Call) const override { return isOfLibrary(Call.getCalledFunction()); }
  SmallVector<StringRef, 0> callees() const override { return {"MPI_*", "PMPI_*"}; }

private:
  Error refuse(CallBase &Call) const override {
    return diffError(DiagId::UnsupportedMPI, Call, Call.getCalledFunction()->getName());
  }
};

} // namespace

void registerHandlers(HandlerRegistry &Registry) {
  registerFortran(Registry);
  Registry.add(std::make_unique<CommunicationHandler>());
  Registry.add(std::make_unique<InquiryHandler>());
  registerMemory(Registry);
  registerElsewhere(Registry);
  registerReadOnly(Registry);
  Registry.add(std::make_unique<RestHandler>());
  registerNested(Registry);
}

} // namespace contraflow::mpi
