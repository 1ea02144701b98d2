// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BLAS and LAPACK: what a call reads and writes is in the table of routines, the formulas are in
// the runtime. The call itself stays.
//
//   dgemm(...)    tangent:  r = blas_begin(args, tangents, null) ; dgemm(...) ; blas_tangent(r)
//                 forward:  r = blas_begin(args, adjoints, tape) ; dgemm(...) ; blas_end(r)
//                 reverse:  blas_adjoint(r)

#include "callee/Blas.h"
#include "Memory.h"
#include "contraflow/core/Diag.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {
namespace {

/// The forms of arguments as the runtime knows them (runtime/lib/blas/Record.h).
enum Form : unsigned {
  SinglePrecision = 1,
  Enumerations = 2,
  ByValue = 4,
  NoSpace = 8,
  Shared = 16,
  Wide = 32,
  FirstStable = 1 << 8,
};

/// A role of a call and the operand that plays it.
struct Player {
  unsigned Role;
  char Letter;
  int Operand; ///< -1: nobody does

  bool isArray() const { return StringRef("rwo").contains(Letter); }
  bool isWritten() const { return StringRef("woqkxjc").contains(Letter); }
};

SmallVector<Player, 14> playersOf(const BlasRoutine &R) {
  SmallVector<Player, 14> Out;
  for (unsigned Role = 0; Role < R.Roles.size(); ++Role)
    Out.push_back({Role, R.Roles[Role], R.operandOf(Role)});
  return Out;
}

bool returnsNumber(const BlasRoutine &R) {
  return R.Roles.ends_with('R') || R.Roles.ends_with('Z');
}

class BlasHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return blasNames(); }
  bool claims(const CallBase &Call) const override { return findBlasRoutine(Call); }
  CallFacts facts(const CallBase &Call) const override;
  bool severalDirections() const override { return true; }
  bool isRepeatable(const CallBase &) const override { return true; }
  Error tangent(SweepBuilder &B, CallBase &Call) const override;
  Error augment(SweepBuilder &B, CallSite &Site) const override;
  Error adjoint(SweepBuilder &B, const CallSite &Site, ArrayRef<Value *> Recalled) const override;
  void settle(const CallSite &Site, Question IsStable, Question) const override;

private:
  static bool writesActive(SweepBuilder &B, const CallBase &Call, const BlasRoutine &R);
  static CallInst *begin(SweepBuilder &B, CallBase &Call, const BlasRoutine &R, Value *Tape);
};

CallFacts BlasHandler::facts(const CallBase &Call) const {
  CallFacts Facts;
  const BlasRoutine &R = *findBlasRoutine(Call);
  ScalarKind Kind = R.Single ? SK_Float : SK_Double;
  SmallVector<Place, 4> From, To;
  for (const Player &P : playersOf(R)) {
    if (P.Letter == 'R' || P.Letter == 'Z')
      To.push_back(Place::result());
    if (P.Operand < 0)
      continue;
    bool IsPointer = Call.getArgOperand(P.Operand)->getType()->isPointerTy();
    Place At = IsPointer ? Place::memory(P.Operand) : Place::value(P.Operand);
    if (P.isArray() || P.Letter == 'k' || P.Letter == 'c')
      Facts.Elements.push_back({P.Operand, Kind});
    if (P.Letter == 's' && IsPointer)
      Facts.Cells.push_back({P.Operand, Kind});
    if (StringRef("srw").contains(P.Letter))
      From.push_back(At);
    if (StringRef("wo").contains(P.Letter))
      To.push_back(At);
    if (IsPointer)
      (P.isWritten() ? Facts.Writes : Facts.Reads).push_back(P.Operand);
    if (P.Letter == 'w')
      Facts.Reads.push_back(P.Operand);
  }
  for (Place A : From)
    for (Place Z : To)
      Facts.Flows.push_back({A, Z});
  return Facts;
}

AllocaInst *roomFor(SweepBuilder &B, Type *T, const Twine &Name) {
  BasicBlock &Entry = B.ir().GetInsertBlock()->getParent()->getEntryBlock();
  return IRBuilder<>(&Entry, Entry.begin()).CreateAlloca(T, nullptr, Name);
}

Type *scalarType(SweepBuilder &B, const BlasRoutine &R) {
  return R.Single ? B.ir().getFloatTy() : B.ir().getDoubleTy();
}

bool BlasHandler::writesActive(SweepBuilder &B, const CallBase &Call, const BlasRoutine &R) {
  return any_of(playersOf(R), [&](const Player &P) {
    if (P.Letter == 'R' || P.Letter == 'Z')
      return B.activeValue(&Call);
    return P.isArray() && P.isWritten() && B.activeMemory(Call.getArgOperand(P.Operand));
  });
}

/// The shadow that the runtime gets for an operand: null if it is constant. By value, the address
/// of the tangent, or of anything for an adjoint.
Value *shadowFor(SweepBuilder &B, Value *V, Value *Room, bool IsTangent) {
  auto &IR = B.ir();
  if (V->getType()->isPointerTy()) {
    Value *Shadow = isa<ConstantPointerNull>(V) ? nullptr : B.shadow(V);
    return Shadow ? Shadow : ConstantPointerNull::get(IR.getPtrTy());
  }
  if (!B.activeValue(V))
    return ConstantPointerNull::get(IR.getPtrTy());
  if (!IsTangent)
    return Room;
  Value *Dot = roomFor(B, V->getType(), "blas.dot");
  IR.CreateStore(B.tangent(V), Dot);
  return Dot;
}

/// Calls blas_begin before the call, without a tape for a tangent.
CallInst *BlasHandler::begin(SweepBuilder &B, CallBase &Call, const BlasRoutine &R, Value *Tape) {
  auto &IR = B.ir();
  auto Players = playersOf(R);
  auto *Table = ArrayType::get(IR.getPtrTy(), Players.size());
  Value *Arguments = roomFor(B, Table, "blas.args"), *Shadows = roomFor(B, Table, "blas.shadows");
  Constant *Null = ConstantPointerNull::get(IR.getPtrTy());
  unsigned Flags = R.Single ? SinglePrecision : 0;
  if (R.Dialect == BlasDialect::Cblas)
    Flags |= Enumerations | ByValue;
  if (R.Dialect == BlasDialect::Lapacke)
    Flags |= NoSpace | ByValue;
  if (R.Wide)
    Flags |= Wide;
  for (const Player &P : Players) {
    Value *V = P.Operand < 0 ? Null : Call.getArgOperand(P.Operand), *Address = V, *Shadow = Null;
    if (!V->getType()->isPointerTy()) {
      Address = roomFor(B, V->getType(), "blas.value");
      IR.CreateStore(V, Address);
    }
    if (P.isArray() || P.Letter == 's')
      Shadow = shadowFor(B, V, Address, !Tape);
    if (Shadow != Null && V->getType()->isPointerTy() && Tape && B.shared(V))
      Flags |= Shared;
    IR.CreateStore(Address, IR.CreateConstInBoundsGEP2_32(Table, Arguments, 0, P.Role));
    IR.CreateStore(Shadow, IR.CreateConstInBoundsGEP2_32(Table, Shadows, 0, P.Role));
  }
  constexpr unsigned ColumnMajor = 102;
  Value *Order = R.HasOrder ? Call.getArgOperand(0) : IR.getInt32(ColumnMajor);
  return B.runtime(
      "blas_begin", IR.getPtrTy(),
      {IR.getInt32(R.Number), IR.getInt32(Flags), Order, Arguments, Shadows, Tape ? Tape : Null});
}

/// What LAPACKE returns says whether it succeeded.
Value *infoOf(SweepBuilder &B, CallBase &Call, const BlasRoutine &R) {
  auto &IR = B.ir();
  return R.Dialect == BlasDialect::Lapacke && Call.getType()->isIntegerTy()
             ? IR.CreateTrunc(&Call, IR.getInt32Ty())
             : static_cast<Value *>(IR.getInt32(0));
}

Error BlasHandler::tangent(SweepBuilder &B, CallBase &Call) const {
  const BlasRoutine &R = *findBlasRoutine(Call);
  if (!writesActive(B, Call, R))
    return Error::success();
  auto &IR = B.ir();
  CallInst *Record = begin(B, Call, R, nullptr);
  IR.SetInsertPoint(Call.getNextNode());
  Value *Dot = ConstantPointerNull::get(IR.getPtrTy());
  bool HasDot = returnsNumber(R);
  if (HasDot)
    Dot = roomFor(B, Call.getType(), "blas.dot");
  B.runtime("blas_tangent", IR.getVoidTy(), {Record, infoOf(B, Call, R), Dot});
  if (HasDot)
    B.setTangent(&Call, IR.CreateLoad(Call.getType(), Dot));
  return Error::success();
}

Error BlasHandler::augment(SweepBuilder &B, CallSite &Site) const {
  CallBase &Call = *Site.Anchor;
  const BlasRoutine &R = *findBlasRoutine(Call);
  if (!writesActive(B, Call, R))
    return Error::success();
  auto &IR = B.ir();
  CallInst *Record = begin(B, Call, R, B.tape());
  IR.SetInsertPoint(Call.getNextNode());
  B.runtime("blas_end", IR.getVoidTy(), {Record, infoOf(B, Call, R)});
  Site.Recorded = {Record};
  return Error::success();
}

void BlasHandler::settle(const CallSite &Site, Question IsStable, Question) const {
  if (Site.Recorded.empty())
    return;
  constexpr unsigned FormOperand = 1;
  auto *Begin = cast<CallInst>(Site.Recorded[0]);
  unsigned Flags = cast<ConstantInt>(Begin->getArgOperand(FormOperand))->getZExtValue();
  unsigned Array = 0;
  for (const Player &P : playersOf(*findBlasRoutine(*Site.Anchor))) {
    if (!P.isArray())
      continue;
    if (P.Letter == 'r' && IsStable(Site.Operands[P.Operand]))
      Flags |= FirstStable << Array;
    ++Array;
  }
  Begin->setArgOperand(FormOperand, ConstantInt::get(Type::getInt32Ty(Begin->getContext()), Flags));
}

Error BlasHandler::adjoint(SweepBuilder &B, const CallSite &Site,
                           ArrayRef<Value *> Recalled) const {
  if (Recalled.empty())
    return Error::success();
  auto &IR = B.ir();
  const BlasRoutine &R = *findBlasRoutine(*Site.Anchor);
  Type *T = scalarType(B, R);
  Value *Seed = ConstantPointerNull::get(IR.getPtrTy()), *Bars = Seed;
  if (returnsNumber(R)) {
    Value *Bar = B.takeAdjoint(Site.Anchor);
    Seed = roomFor(B, Bar->getType(), "blas.seed");
    IR.CreateStore(Bar, Seed);
  }
  SmallVector<Value *, 2> Scalars;
  for (const Player &P : playersOf(R))
    if (P.Letter == 's' && R.Dialect != BlasDialect::Fortran)
      Scalars.push_back(Site.Operands[P.Operand]);
  auto *Pair = ArrayType::get(T, 2);
  if (!Scalars.empty())
    Bars = roomFor(B, Pair, "blas.bars");
  B.runtime("blas_adjoint", IR.getVoidTy(), {Recalled[0], Seed, Bars});
  for (unsigned I = 0; I < Scalars.size(); ++I)
    if (B.activeValue(Scalars[I]))
      B.addAdjoint(Scalars[I], IR.CreateLoad(T, IR.CreateConstInBoundsGEP2_32(Pair, Bars, 0, I)));
  return Error::success();
}

/// The runtime's part in a derivative whose tangent is asked for: beside each record there is one
/// of pairs, numbers and their tangents, with the same formulas (runtime/lib/blas/Pairs.cpp).
///
///   r = blas_begin(args, shadows, tape)    r' = blas_pairs_begin(args, args', shadows, shadows')
///   blas_adjoint(r, seed, bars)            blas_pairs_adjoint(r', seed, seed', bars') before it
///
/// The record keeps both tables, which lead to all that it is about.
class NestedBlasHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return {"cf_v1_blas_pairs_*"}; }
  CallFacts facts(const CallBase &) const override { return {}; }
  bool severalDirections() const override { return true; }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    return touches(B, Call) ? refuse(Call, "a derivative of third order through BLAS or LAPACK")
                            : Error::success();
  }
  Error augment(SweepBuilder &B, CallSite &Site) const override {
    return touches(B, *Site.Anchor)
               ? refuse(*Site.Anchor, "the adjoint of a derivative that calls BLAS or LAPACK; ask "
                                      "for the tangent of the adjoint, which has the same values")
               : Error::success();
  }
  Error adjoint(SweepBuilder &, const CallSite &, ArrayRef<Value *>) const override {
    return Error::success();
  }

protected:
  /// A shadow, or null.
  static Value *shadowOrNull(SweepBuilder &B, Value *V) {
    Value *Shadow = isa<ConstantPointerNull>(V) ? nullptr : B.shadow(V);
    return Shadow ? Shadow : ConstantPointerNull::get(B.ir().getPtrTy());
  }
  static bool touches(SweepBuilder &B, const CallBase &Call) {
    return any_of(Call.args(), [&](const Use &V) {
      return V->getType()->isPointerTy() && !isa<Constant>(V) && B.shadow(V);
    });
  }

  static Error refuse(CallBase &Call, const char *What) {
    return diffError(DiagId::UnsupportedMode, Call, What);
  }
};

/// blas_begin(routine, form, order, arguments, shadows, tape).
class NestedBeginHandler : public NestedBlasHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return {"cf_v1_blas_begin"}; }
  CallFacts facts(const CallBase &Call) const override {
    CallFacts Facts;
    Facts.Keeps = {Arguments, Shadows};
    Facts.Reads = {Arguments, Shadows};
    const bool IsTangent = isa<ConstantPointerNull>(Call.getArgOperand(Tape));
    const auto Number = cast<ConstantInt>(Call.getArgOperand(0))->getZExtValue();
    const auto Form = cast<ConstantInt>(Call.getArgOperand(1))->getZExtValue();
    const ScalarKind Kind = Form & SinglePrecision ? SK_Float : SK_Double;
    SmallVector<Place, 12> From, To;
    for (auto [Role, Letter] : enumerate(blasRoles(Number))) {
      const bool Scalar = Letter == 's', Written = StringRef("wo").contains(Letter);
      if (!Scalar && !Written && Letter != 'r')
        continue;
      const int64_t Offset = Role * sizeof(void *);
      for (unsigned Table : {Arguments, Shadows}) {
        Facts.Members.push_back({Table, Offset, Kind, !Scalar});
        From.push_back(Place::pointee(Table, Offset));
      }
      if (Written || !IsTangent)
        To.push_back(Place::pointee(Shadows, Offset));
    }
    for (Place A : From)
      for (Place Z : To)
        Facts.Flows.push_back({A, Z});
    return Facts;
  }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    if (!B.shadow(&Call))
      return Error::success();
    if (isComplexBlas(cast<ConstantInt>(Call.getArgOperand(0))->getZExtValue()))
      return refuse(Call, "a derivative of second order through complex BLAS");
    auto At = [&](unsigned I) { return Call.getArgOperand(I); };
    B.ir().SetInsertPoint(Call.getNextNode());
    B.setShadow(&Call,
                B.runtime("blas_pairs_begin", B.ir().getPtrTy(),
                          {At(0), At(1), At(2), At(Arguments), shadowOrNull(B, At(Arguments)),
                           At(Shadows), shadowOrNull(B, At(Shadows)), At(Tape)}));
    return Error::success();
  }

private:
  static constexpr unsigned Arguments = 3, Shadows = 4, Tape = 5;
};

/// blas_end(record, info), blas_tangent(record, info, dot), blas_adjoint(record, seed, bars).
class NestedStepHandler : public NestedBlasHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    return {"cf_v1_blas_end", "cf_v1_blas_tangent", Adjoint};
  }
  CallFacts facts(const CallBase &Call) const override {
    CallFacts Facts;
    if (Call.arg_size() < 3)
      return Facts;
    constexpr int64_t Arguments = 0, Shadows = sizeof(void *); // in the record
    Facts.Flows = {{Place::pointee(0, Arguments, true), Place::memory(2)},
                   {Place::pointee(0, Shadows, true), Place::memory(2)}};
    Facts.Writes = {2};
    if (isAdjoint(Call)) {
      Facts.Flows.push_back({Place::memory(1), Place::pointee(0, Shadows, true)});
      Facts.Flows.push_back({Place::memory(1), Place::memory(2)});
      Facts.Reads = {1};
    }
    return Facts;
  }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    Value *Record = B.shadow(Call.getArgOperand(0)), *Second = Call.getArgOperand(1);
    if (!Record)
      return Error::success();
    Type *Void = B.ir().getVoidTy();
    if (isAdjoint(Call))
      B.runtime("blas_pairs_adjoint", Void,
                {Record, Second, shadowOrNull(B, Second), shadowOrNull(B, Call.getArgOperand(2))});
    else if (Call.arg_size() == 3)
      B.runtime("blas_pairs_tangent", Void,
                {Record, Second, shadowOrNull(B, Call.getArgOperand(2))});
    else
      B.runtime("blas_pairs_end", Void, {Record, Second});
    return Error::success();
  }

private:
  static constexpr StringLiteral Adjoint = "cf_v1_blas_adjoint";
  static bool isAdjoint(const CallBase &Call) {
    return Call.getCalledFunction()->getName() == Adjoint;
  }
};

} // namespace

void registerBlasHandlers(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<BlasHandler>());
  Registry.add(std::make_unique<NestedBlasHandler>());
  Registry.add(std::make_unique<NestedBeginHandler>());
  Registry.add(std::make_unique<NestedStepHandler>());
}

} // namespace contraflow
