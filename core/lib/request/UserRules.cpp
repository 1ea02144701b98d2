// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of functions whose derivative the user wrote. Each pointer is followed by its shadow.
//
//   norm(x, n) -> double, gradient registered as {norm, norm_aug, norm_rev}
//   forward:  {tape, r} = norm_aug(x, x', n)      reverse:  norm_rev(x, x', n, r-bar, tape)
//   with {norm, norm_fwd}:                        tangent:  {r, r-dot} = norm_fwd(x, x', n)
//
//   with {norm, norm_aug, norm_two}:              tangent:  {tape, r} = norm_aug(x, x', n)
//                                                           r-dot = norm_two(x, x', n, tape)
//
// The augmented function and the tangent stand for the call itself: they do what it does. A reverse
// function returns the adjoints of the numbers among the parameters, in order.

#include "ByValue.h"
#include "Registration.h"
#include "RequestTypes.h"
#include "RuleReads.h"
#include "callee/Instrumentation.h"
#include "contraflow/core/Callee.h"
#include "contraflow/core/Diag.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace contraflow {
namespace {

enum class Numbers { Once, Twice };

/// A number, or several as one value.
bool isNumber(Type *T) {
  auto *Parts = dyn_cast<StructType>(T);
  return Parts ? Parts->getNumElements() && all_of(Parts->elements(), isNumber)
               : T->isFPOrFPVectorTy();
}

/// The parameters that a derivative of Primal begins with. The numbers of a structure, or the parts
/// of a complex one, are followed by those of its tangent.
SmallVector<Type *, 8> leadingTypes(const Function &Primal, Numbers N, bool IntegersTwice) {
  SmallVector<Type *, 8> Out;
  for (const SourceParameter &P : sourceParameters(Primal)) {
    const ArrayRef<Type *> Pieces = Primal.getFunctionType()->params().slice(P.First, P.Count);
    Type *T = Pieces.front();
    const bool Twice = T->isPointerTy() || (isNumber(T) && N == Numbers::Twice) ||
                       (T->isIntegerTy() && IntegersTwice);
    for (unsigned I = 0; I < 1u + Twice; ++I)
      append_range(Out, Pieces);
  }
  return Out;
}

std::string list(ArrayRef<Type *> Types) {
  std::string Text;
  raw_string_ostream OS(Text);
  ListSeparator Comma;
  for (Type *T : Types)
    OS << Comma << *T;
  return Text;
}

Error misfit(const UserRule &Rule, const Function &F, const Twine &Detail) {
  return diffError(DiagId::Registration, F,
                   "'" + userName(F) + "' as a derivative of '" + userName(*Rule.Primal) + "' " +
                       Detail);
}

/// Types of the numbers that F takes: its reverse returns their adjoints.
SmallVector<Type *, 4> numberTypes(const Function &F) {
  SmallVector<Type *, 4> Out;
  for (Type *T : F.getFunctionType()->params())
    if (isNumber(T))
      Out.push_back(T);
  return Out;
}

/// Matches the parameters of F: leading ones, then one of the endings.
Error matchParameters(const UserRule &Rule, const Function &F, Numbers N,
                      ArrayRef<SmallVector<Type *, 4>> Endings, RuleConvention &Out) {
  ArrayRef<Type *> Have = F.getFunctionType()->params();
  Out.InMemory = F.hasStructRetAttr();
  if (Out.InMemory)
    Have = Have.drop_front();
  for (const SmallVector<Type *, 4> &Ending : Endings)
    for (bool IntegersTwice : {false, true}) {
      SmallVector<Type *, 8> Want = leadingTypes(*Rule.Primal, N, IntegersTwice);
      Want.append(Ending.begin(), Ending.end());
      if (Have != ArrayRef(Want))
        continue;
      Out.IntegersTwice = IntegersTwice;
      return Error::success();
    }
  SmallVector<Type *, 8> Want = leadingTypes(*Rule.Primal, N, false);
  Want.append(Endings.front().begin(), Endings.front().end());
  return misfit(Rule, F, "takes (" + list(Have) + "), expected (" + list(Want) + ")");
}

/// In registers, and if as several then numbers alone. No number is part of an integer.
bool canPass(const Function &F, const SourceParameter &P) {
  const Argument &A = *F.getArg(P.First);
  Type *T = A.getType();
  const StructureShape Shape(P.Structure, &F);
  if (T->isIntegerTy() && P.Structure && (Shape.Opaque || Shape.hasNumbers()))
    return false;
  if (P.Count > 1)
    return all_of(F.getFunctionType()->params().slice(P.First, P.Count), isNumber);
  return !A.hasByValAttr() && !A.hasStructRetAttr() &&
         (T->isPointerTy() || T->isIntegerTy() || isNumber(T));
}

Error checkPrimal(const UserRule &Rule) {
  const Function &F = *Rule.Primal;
  Type *R = F.getReturnType();
  for (const SourceParameter &P : sourceParameters(F))
    if (!canPass(F, P))
      return misfit(Rule, F, "passes a structure; let it pass a pointer");
  if (hidesStructures(F))
    return misfit(Rule, F, "passes a structure, and was optimised before; let it pass a pointer");
  if (F.isVarArg())
    return misfit(Rule, F, "takes a variable number of arguments");
  if (!R->isVoidTy() && !isNumber(R) && !R->isIntegerTy())
    return misfit(Rule, F, "returns a pointer or a structure");
  return Error::success();
}

Error resolveTangent(UserRule &Rule) {
  Function &F = *Rule.Tangent;
  if (Error E = matchParameters(Rule, F, Numbers::Twice, {{}}, Rule.OfTangent))
    return E;
  Type *R = Rule.Primal->getReturnType(), *Have = F.getReturnType();
  if (Rule.OfTangent.InMemory)
    Have = F.getParamStructRetType(0);
  if (Have == R)
    return Error::success();
  Rule.OfTangent.WithPrimal = true;
  if (isNumber(R) && laidOutAs({R, R}, Have, F.getDataLayout()))
    return Error::success();
  return misfit(Rule, F, "returns " + list({Have}) + ", expected " + list({R}));
}

Error resolveAugmented(UserRule &Rule) {
  Function &F = *Rule.Augmented;
  if (Error E = matchParameters(Rule, F, Numbers::Once, {{}}, Rule.OfAugmented))
    return E;
  Type *R = Rule.Primal->getReturnType(), *Have = F.getReturnType();
  if (F.hasStructRetAttr())
    return misfit(Rule, F, "returns more than fits in registers; put it behind one pointer");
  if (Have == R)
    return Error::success();
  Type *Tape = Have;
  auto *Pair = dyn_cast<StructType>(Have);
  if (!R->isVoidTy()) {
    if (!Pair || Pair->getNumElements() != 2 || Pair->getElementType(1) != R)
      return misfit(Rule, F, "returns " + list({Have}) + ", expected {tape, " + list({R}) + "}");
    Tape = Pair->getElementType(0);
  }
  if (auto *Parts = dyn_cast<StructType>(Tape))
    Rule.OfReverse.Tape.append(Parts->element_begin(), Parts->element_end());
  else
    Rule.OfReverse.Tape.push_back(Tape);
  return Error::success();
}

Error resolveReverse(UserRule &Rule) {
  Function &F = *Rule.Reverse;
  SmallVector<Type *, 4> Seed;
  if (Type *R = Rule.Primal->getReturnType(); auto *Parts = dyn_cast<StructType>(R))
    append_range(Seed, Parts->elements());
  else if (isNumber(R))
    Seed.push_back(R);
  SmallVector<SmallVector<Type *, 4>, 2> Endings{Seed};
  Endings[0].append(Rule.OfReverse.Tape);
  const bool NoTape = Rule.OfReverse.Tape.empty();
  Endings.push_back(Seed); // a tape that nobody reads
  if (NoTape) {            // or that nobody makes
    Endings[1].push_back(PointerType::getUnqual(F.getContext()));
    Endings.push_back(Seed);
    Endings[2].push_back(StructType::get(F.getContext()));
  }
  if (Error E = matchParameters(Rule, F, Numbers::Once, Endings, Rule.OfReverse))
    return E;
  const unsigned Leading =
      leadingTypes(*Rule.Primal, Numbers::Once, Rule.OfReverse.IntegersTwice).size();
  const unsigned Untaped = Rule.OfReverse.InMemory + Leading + Seed.size();
  if (F.arg_size() == Untaped)
    Rule.OfReverse.Tape.clear();
  Rule.OfReverse.NullTape = NoTape && F.arg_size() > Untaped;
  const SmallVector<Type *, 4> Bars = numberTypes(*Rule.Primal);
  Type *Have = Rule.OfReverse.InMemory ? F.getParamStructRetType(0) : F.getReturnType();
  const bool Fits = Bars.empty() ? Have->isVoidTy()
                                 : (Bars.size() == 1 && Have == Bars[0]) ||
                                       laidOutAs(Bars, Have, F.getDataLayout());
  if (!Fits)
    return misfit(Rule, F,
                  "returns " + list({Have}) + ", expected the adjoints (" + list(Bars) + ")");
  return Error::success();
}

/// True if a call of F may change memory that the caller sees.
bool changesMemory(const Function &F, SmallPtrSetImpl<const Function *> &Seen) {
  if (F.onlyReadsMemory() || !Seen.insert(&F).second)
    return false;
  if (F.isDeclaration()) {
    const CalleeInfo Info = lookupCallee(F);
    return Info.Kind != CalleeKind::Math && !Info.ReadOnly;
  }
  for (const Instruction &I : instructions(F)) {
    if (!I.mayWriteToMemory() || onlyKeepsItsPlace(I) || isCount(I))
      continue;
    if (const auto *Store = dyn_cast<StoreInst>(&I);
        Store && isa<AllocaInst>(getUnderlyingObject(Store->getPointerOperand())))
      continue;
    if (const auto *Copy = dyn_cast<AnyMemIntrinsic>(&I);
        Copy && isa<AllocaInst>(getUnderlyingObject(Copy->getDest())))
      continue;
    const auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || changesMemory(*Callee, Seen))
      return true;
  }
  return false;
}

enum class Way { Directly, AlsoBeyond };

bool writesThrough(const Value *P, Way W, SmallPtrSetImpl<const Value *> &Seen);

/// The same of an address that is kept in a local variable.
bool writesThroughKept(const StoreInst &Store, Way W, SmallPtrSetImpl<const Value *> &Seen) {
  const auto *Home = dyn_cast<AllocaInst>(Store.getPointerOperand());
  return !Home || any_of(Home->users(), [&](const User *Other) {
    return !isa<LoadInst, StoreInst>(Other) ||
           (isa<LoadInst>(Other) && writesThrough(Other, W, Seen));
  });
}

/// The same of an address that is passed to a call.
bool writesThroughPassed(const CallBase &Call, unsigned Number, Way W,
                         SmallPtrSetImpl<const Value *> &Seen) {
  const Function *F = Call.getCalledFunction();
  if (Call.onlyReadsMemory() || (W == Way::Directly && Call.onlyReadsMemory(Number)))
    return false;
  if (const auto *Copy = dyn_cast<AnyMemTransferInst>(&Call); Copy && Number == 1) {
    const Value *To = getUnderlyingObject(Copy->getDest());
    return isa<AllocaInst>(To) || isNoAliasCall(To); // elsewhere the copy is seen
  }
  if (F && F->isDeclaration() && !F->isIntrinsic() && lookupCallee(*F).ReadOnly)
    return false;
  return !F || F->isDeclaration() || F->isVarArg() || writesThrough(F->getArg(Number), W, Seen);
}

/// True if memory behind P, or beyond where addresses in it lead, may be written through P.
/// Unoptimised code keeps P in local variables.
bool writesThrough(const Value *P, Way W, SmallPtrSetImpl<const Value *> &Seen) {
  if (!Seen.insert(P).second)
    return false;
  for (const Use &U : P->uses()) {
    const User *I = U.getUser();
    if (isa<CmpInst>(I) || (isa<LoadInst>(I) && I->getType()->isFloatingPointTy()))
      continue;
    if (isa<LoadInst>(I)) {
      const bool MayLead = !I->getType()->isIntegerTy() ||
                           any_of(I->users(), [](const User *V) { return isa<IntToPtrInst>(V); });
      if (W == Way::AlsoBeyond && MayLead && writesThrough(I, W, Seen))
        return true;
      continue;
    }
    if (isa<GetElementPtrInst, PHINode, SelectInst, FreezeInst>(I)) {
      if (writesThrough(I, W, Seen))
        return true;
      continue;
    }
    if (const auto *Store = dyn_cast<StoreInst>(I)) {
      if (U.getOperandNo() != 0 || writesThroughKept(*Store, W, Seen))
        return true;
      continue;
    }
    const auto *Call = dyn_cast<CallBase>(I);
    if (!Call || !Call->isArgOperand(&U) ||
        writesThroughPassed(*Call, Call->getArgOperandNo(&U), W, Seen))
      return true; // who returns it may be asked for it to write there
  }
  return false;
}

bool onlyReads(const CallBase &Call, unsigned Operand) {
  const Function &F = *Call.getCalledFunction();
  SmallPtrSet<const Value *, 16> Seen;
  return Call.onlyReadsMemory(Operand) ||
         (!F.isDeclaration() && !writesThrough(F.getArg(Operand), Way::Directly, Seen));
}

/// The same of what addresses in the memory lead to.
bool onlyReadsBeyond(const CallBase &Call, unsigned Operand) {
  const Function &F = *Call.getCalledFunction();
  SmallPtrSet<const Value *, 16> Seen;
  return Call.onlyReadsMemory() ||
         (!F.isDeclaration() && !writesThrough(F.getArg(Operand), Way::AlsoBeyond, Seen));
}

/// What the numbers in T, returned or in memory, are.
SmallVector<Value *, 4> unpack(IRBuilder<> &B, Value *Result, Value *Memory,
                               ArrayRef<Type *> Types) {
  if (!Memory && Types.size() == 1 && Result->getType() == Types[0])
    return {Result};
  if (!Memory) {
    Function *F = B.GetInsertBlock()->getParent();
    Memory = IRBuilder<>(&F->getEntryBlock(), F->getEntryBlock().begin())
                 .CreateAlloca(Result->getType());
    B.CreateStore(Result, Memory);
  }
  const StructLayout *Layout =
      B.GetInsertBlock()->getDataLayout().getStructLayout(StructType::get(B.getContext(), Types));
  SmallVector<Value *, 4> Out;
  for (unsigned I = 0; I != Types.size(); ++I)
    Out.push_back(
        B.CreateLoad(Types[I], B.CreatePtrAdd(Memory, B.getInt64(Layout->getElementOffset(I)))));
  return Out;
}

class UserRuleHandler : public ConstructHandler {
public:
  UserRuleHandler(const UserRule &Rule, DerivativeMode Mode) : Rule(Rule), Mode(Mode) {}
  SmallVector<StringRef, 0> callees() const override { return {Rule.Primal->getName()}; }
  bool claims(const CallBase &Call) const override {
    return Call.getCalledFunction() == Rule.Primal &&
           Call.getFunctionType() == Rule.Primal->getFunctionType();
  }
  CallFacts facts(const CallBase &Call) const override;
  /// A tangent that stands for the call would stand for it several times.
  bool severalDirections() const override {
    return Rule.Tangent && !Rule.OfTangent.WithPrimal && isNumber(Rule.Primal->getReturnType());
  }
  Error tangent(SweepBuilder &B, CallBase &Call) const override;
  Error augment(SweepBuilder &B, CallSite &Site) const override;
  Error adjoint(SweepBuilder &B, const CallSite &Site, ArrayRef<Value *> Recalled) const override;
  void settle(const CallSite &Site, Question, Question IsOverwritten) const override;

private:
  static bool isActive(SweepBuilder &B, CallBase &Call);
  void addModel(CallFacts &Facts, Function *F, const RuleConvention &How, Numbers N) const;
  bool reads(const Function *F, const RuleConvention &How, Numbers N, unsigned Parameter) const;
  bool addsToOthers(SweepBuilder &B, const Argument &A, const Value *Own) const;
  Expected<Value *> shadow(SweepBuilder &B, CallBase &Call, unsigned Operand) const;
  Expected<SmallVector<Value *, 8>> arguments(SweepBuilder &B, CallBase &Call,
                                              const RuleConvention &How, Numbers N) const;
  static CallInst *call(IRBuilder<> &B, Function &F, const RuleConvention &How,
                        SmallVector<Value *, 8> Args, Value *&Memory);

  UserRule Rule;
  DerivativeMode Mode;
};

/// Where parameter I of the primal is among those of a derivative.
unsigned positionOf(const Function &Primal, const RuleConvention &How, Numbers N, unsigned I) {
  unsigned At = How.InMemory;
  for (Type *T : Primal.getFunctionType()->params().take_front(I))
    At += T->isPointerTy() || (isNumber(T) && N == Numbers::Twice) ||
                  (T->isIntegerTy() && How.IntegersTwice)
              ? 2
              : 1;
  return At;
}

/// A derivative shows what its primal's memory holds, in the primal and in the shadow parameters.
void UserRuleHandler::addModel(CallFacts &Facts, Function *F, const RuleConvention &How,
                               Numbers N) const {
  if (!F || F->isDeclaration())
    return;
  Closure Model;
  Model.Body = F;
  Model.Operands.assign(F->arg_size(), -1);
  for (const Argument &A : Rule.Primal->args())
    if (A.getType()->isPointerTy())
      for (unsigned Twin : {0u, 1u})
        Model.Operands[positionOf(*Rule.Primal, How, N, A.getArgNo()) + Twin] = A.getArgNo();
  Model.Detached = F == Rule.Reverse;
  Facts.Models.push_back(std::move(Model));
}

CallFacts UserRuleHandler::facts(const CallBase &Call) const {
  CallFacts Facts;
  SmallVector<Place, 8> From, To;
  for (unsigned I = 0; I < Call.arg_size(); ++I) {
    Type *T = Call.getArgOperand(I)->getType();
    if (isNumber(T))
      From.push_back(Place::value(I));
    if (!T->isPointerTy())
      continue;
    From.append({Place::memory(I), Place::pointee(I)});
    Facts.Reads.push_back(I);
    if (!onlyReadsBeyond(Call, I))
      To.push_back(Place::pointee(I));
    if (onlyReads(Call, I))
      continue;
    To.push_back(Place::memory(I));
    Facts.Writes.push_back(I);
  }
  if (isNumber(Call.getType()))
    To.push_back(Place::result());
  if (!Call.onlyReadsMemory() && !Call.onlyAccessesArgMemory())
    To.push_back(Place::outside());
  for (Place A : From)
    for (Place Z : To)
      Facts.Flows.push_back({A, Z});
  Facts.Opaque = true;
  if (!Rule.Primal->isDeclaration()) {
    Closure Model;
    Model.Body = Rule.Primal;
    for (unsigned I = 0; I < Call.arg_size(); ++I)
      Model.Operands.push_back(I);
    Facts.Models.push_back(std::move(Model));
  }
  addModel(Facts, Rule.Augmented, Rule.OfAugmented, Numbers::Once);
  addModel(Facts, Rule.Reverse, Rule.OfReverse, Numbers::Once);
  addModel(Facts, Rule.Tangent, Rule.OfTangent, Numbers::Twice);
  return Facts;
}

bool UserRuleHandler::isActive(SweepBuilder &B, CallBase &Call) {
  bool Active = B.activeValue(&Call);
  for (Value *V : Call.args())
    Active |= V->getType()->isPointerTy() ? !isa<Constant>(V) && B.shadow(V) : B.activeValue(V);
  for (Value *V : Call.args())
    Active |= isa<Constant>(V) && V->getType()->isPointerTy() && !isa<ConstantPointerNull>(V) &&
              B.shadow(V);
  return Active;
}

/// True if F may look at the shadow of a parameter.
bool UserRuleHandler::reads(const Function *F, const RuleConvention &How, Numbers N,
                            unsigned Parameter) const {
  return F && (F->isDeclaration() ||
               !F->getArg(positionOf(*Rule.Primal, How, N, Parameter) + 1)->use_empty());
}

/// Memory without a shadow: integers are their own, for numbers there is nothing to pass.
Expected<Value *> UserRuleHandler::shadow(SweepBuilder &B, CallBase &Call, unsigned I) const {
  Value *V = Call.getArgOperand(I);
  if (Value *Shadow = B.shadow(V))
    return Shadow;
  const unsigned Kinds = B.kinds(V);
  const bool Tangent = Mode == DerivativeMode::Tangent;
  const bool Asked = Tangent ? reads(Rule.Tangent, Rule.OfTangent, Numbers::Twice, I)
                             : reads(Rule.Augmented, Rule.OfAugmented, Numbers::Once, I) ||
                                   reads(Rule.Reverse, Rule.OfReverse, Numbers::Once, I);
  if (isa<ConstantPointerNull>(V) || !Asked || (Kinds && !(Kinds & SK_AnyFloat)))
    return V;
  return diffError(DiagId::MixedActivity, Call,
                   "the derivative of '" + userName(*Rule.Primal) +
                       "' asks for a shadow of argument " + Twine(I + 1) +
                       ", which is constant here");
}

Expected<SmallVector<Value *, 8>> UserRuleHandler::arguments(SweepBuilder &B, CallBase &Call,
                                                             const RuleConvention &How,
                                                             Numbers N) const {
  SmallVector<Value *, 8> Args;
  for (const SourceParameter &P : sourceParameters(*Rule.Primal)) {
    const SmallVector<Value *, 4> Pieces(Call.arg_begin() + P.First,
                                         Call.arg_begin() + P.First + P.Count);
    append_range(Args, Pieces);
    Type *T = Pieces.front()->getType();
    if (T->isPointerTy()) {
      auto Shadow = shadow(B, Call, P.First);
      if (!Shadow)
        return Shadow.takeError();
      Args.push_back(*Shadow);
    } else if (T->isIntegerTy() && How.IntegersTwice) {
      Args.push_back(Pieces.front());
    } else if (isNumber(T) && N == Numbers::Twice) {
      for (Value *Piece : Pieces)
        Args.push_back(B.tangent(Piece));
    }
  }
  return Args;
}

CallInst *UserRuleHandler::call(IRBuilder<> &B, Function &F, const RuleConvention &How,
                                SmallVector<Value *, 8> Args, Value *&Memory) {
  Memory = nullptr;
  if (How.InMemory) {
    Function *Caller = B.GetInsertBlock()->getParent();
    AllocaInst *Room = IRBuilder<>(&Caller->getEntryBlock(), Caller->getEntryBlock().begin())
                           .CreateAlloca(F.getParamStructRetType(0));
    if (MaybeAlign Wanted = F.getParamAlign(0))
      Room->setAlignment(std::max(Room->getAlign(), *Wanted));
    Memory = Room;
    Args.insert(Args.begin(), Memory);
  }
  CallInst *Call = B.CreateCall(&F, Args);
  Call->setCallingConv(F.getCallingConv());
  if (How.InMemory)
    Call->addParamAttr(0, F.getParamAttribute(0, Attribute::StructRet));
  return Call;
}

Error UserRuleHandler::tangent(SweepBuilder &B, CallBase &Call) const {
  if (!isActive(B, Call))
    return Error::success();
  Type *R = Call.getType();
  SmallPtrSet<const Function *, 8> Seen;
  const bool PrimalToo = isNumber(R) && !Rule.OfTangent.WithPrimal;
  if (PrimalToo && changesMemory(*Rule.Primal, Seen))
    return diffError(DiagId::Registration, Call,
                     "'" + userName(*Rule.Tangent) +
                         "' does not return the result of the primal, and calling both would do "
                         "twice what they do to memory; let it return both");
  auto Args = arguments(B, Call, Rule.OfTangent, Numbers::Twice);
  if (!Args)
    return Args.takeError();
  auto &IR = B.ir();
  IR.SetInsertPoint(Call.getNextNode());
  IR.SetCurrentDebugLocation(Call.getDebugLoc());
  Value *Memory = nullptr;
  CallInst *Twin = call(IR, *Rule.Tangent, Rule.OfTangent, *Args, Memory);
  if (!isNumber(R)) {
    B.replaceCall(Call, R->isVoidTy() ? nullptr : Twin);
    return Error::success();
  }
  if (PrimalToo) {
    B.setTangent(&Call, Twin);
    return Error::success();
  }
  SmallVector<Value *, 4> Both = unpack(IR, Twin, Memory, {R, R});
  B.setTangent(&Call, Both[1]);
  B.setTangent(Both[0], Both[1]);
  B.replaceCall(Call, Both[0]);
  return Error::success();
}

Error UserRuleHandler::augment(SweepBuilder &B, CallSite &Site) const {
  CallBase &Call = *Site.Anchor;
  if (!isActive(B, Call))
    return Error::success();
  auto Args = arguments(B, Call, Rule.OfAugmented, Numbers::Once);
  if (!Args)
    return Args.takeError();
  auto &IR = B.ir();
  Value *Memory = nullptr;
  CallInst *Forward = call(IR, *Rule.Augmented, Rule.OfAugmented, *Args, Memory);
  Type *R = Call.getType();
  const bool HasTape = Forward->getType() != R;
  Value *Tape = HasTape ? Forward : nullptr, *Result = Forward;
  if (HasTape && !R->isVoidTy()) {
    Tape = IR.CreateExtractValue(Forward, 0);
    Result = IR.CreateExtractValue(Forward, 1);
  }
  auto Again = arguments(B, Call, Rule.OfReverse, Numbers::Once);
  if (!Again)
    return Again.takeError();
  Site.Recorded.assign(Again->begin(), Again->end());
  if (!Rule.OfReverse.Tape.empty()) {
    if (auto *Parts = dyn_cast<StructType>(Tape->getType()))
      for (unsigned I = 0; I < Parts->getNumElements(); ++I)
        Site.Recorded.push_back(IR.CreateExtractValue(Tape, I));
    else
      Site.Recorded.push_back(Tape);
  }
  Site.Operands.push_back(&Call);
  Site.Anchor = Forward;
  if (Result != Forward)
    B.replaceCall(Call, Result);
  return Error::success();
}

/// What the derivative call has made is as it was (emit/Asked.h).
void UserRuleHandler::settle(const CallSite &Site, Question, Question IsOverwritten) const {
  for (const Argument &A : Rule.Primal->args()) {
    if (Site.Recorded.empty() || !A.getType()->isPointerTy())
      continue;
    const unsigned At = positionOf(*Rule.Primal, Rule.OfReverse, Numbers::Once, A.getArgNo());
    const bool Reads = Rule.Reverse->isDeclaration()
                           ? IsOverwritten(Site.Operands[A.getArgNo()])
                           : any_of(numbersRead(*Rule.Reverse->getArg(At)), IsOverwritten);
    if (Reads)
      warn(DiagId::RegisteredReads, *Site.Anchor,
           "'" + userName(*Rule.Reverse) + "' reads what argument " + Twine(A.getArgNo() + 1) +
               " of '" + userName(*Rule.Primal) +
               "' leads to, which may have changed by then; keep it on the tape");
  }
}

/// True if the reverse function goes on from a shadow to memory that other threads may know.
bool UserRuleHandler::addsToOthers(SweepBuilder &B, const Argument &A, const Value *Own) const {
  if (!(B.kinds(Own) & SK_Pointer) || !B.shared(Rule.Primal)) // what nobody's own is
    return false;
  SmallPtrSet<const Value *, 16> Seen;
  const unsigned At = positionOf(*Rule.Primal, Rule.OfReverse, Numbers::Once, A.getArgNo()) + 1;
  return Rule.Reverse->isDeclaration() ||
         writesThrough(Rule.Reverse->getArg(At), Way::AlsoBeyond, Seen);
}

Error UserRuleHandler::adjoint(SweepBuilder &B, const CallSite &Site,
                               ArrayRef<Value *> Recalled) const {
  if (Recalled.empty())
    return Error::success();
  auto Operands = ArrayRef(Site.Operands).drop_back();
  Value *Result = Site.Operands.back();
  for (const Argument &A : Rule.Primal->args()) {
    if (!A.getType()->isPointerTy())
      continue;
    const RuleConvention Plain{false, Rule.OfReverse.IntegersTwice, false, false, {}};
    unsigned At = positionOf(*Rule.Primal, Plain, Numbers::Once, A.getArgNo()) + 1;
    const Value *Shadow = Site.Recorded[At];
    if (Shadow != Operands[A.getArgNo()] &&
        (B.shared(Shadow) || addsToOthers(B, A, Operands[A.getArgNo()])))
      return diffError(DiagId::UnsupportedOpenMP, *Site.Anchor,
                       "the derivative of '" + userName(*Rule.Primal) +
                           "' adds to memory that other threads add to as well");
  }
  auto &IR = B.ir();
  const unsigned TapeParts = Rule.OfReverse.Tape.size();
  SmallVector<Value *, 8> Args(Recalled.drop_back(TapeParts));
  if (Type *R = Rule.Primal->getReturnType(); isNumber(R)) {
    Value *Seed = B.activeValue(Result) ? B.takeAdjoint(Result) : Constant::getNullValue(R);
    if (auto *Parts = dyn_cast<StructType>(R))
      for (unsigned I = 0; I < Parts->getNumElements(); ++I)
        Args.push_back(IR.CreateExtractValue(Seed, I));
    else
      Args.push_back(Seed);
  }
  append_range(Args, Recalled.take_back(TapeParts));
  if (Rule.OfReverse.NullTape)
    Args.push_back(Constant::getNullValue(Rule.Reverse->arg_end()[-1].getType()));
  Value *Memory = nullptr;
  CallInst *Reverse = call(IR, *Rule.Reverse, Rule.OfReverse, Args, Memory);
  const SmallVector<Type *, 4> Types = numberTypes(*Rule.Primal);
  if (Types.empty())
    return Error::success();
  SmallVector<Value *, 4> Bars = unpack(IR, Reverse, Memory, Types);
  unsigned Next = 0;
  for (Value *V : Operands)
    if (isNumber(V->getType()))
      B.addAdjoint(V, Bars[Next++]);
  return Error::success();
}

/// The two parts of a split tangent; what the first one keeps follows as for a reverse function.
Error resolveSplit(UserRule &Rule) {
  UserRule First;
  First.Primal = Rule.Primal;
  First.Augmented = Rule.Split.Augmented;
  if (Error E = resolveAugmented(First))
    return E;
  Rule.Split.OfAugmented = First.OfAugmented;
  Rule.Split.Tape = First.OfReverse.Tape;
  Function &F = *Rule.Split.Tangent;
  if (F.hasStructRetAttr())
    return misfit(Rule, F, "returns more than fits in registers");
  SmallVector<SmallVector<Type *, 4>, 2> Endings(2);
  append_range(Endings[0], Rule.Split.Tape);
  if (Error E = matchParameters(Rule, F, Numbers::Twice, Endings, Rule.Split.OfTangent))
    return E;
  const unsigned Leading =
      leadingTypes(*Rule.Primal, Numbers::Twice, Rule.Split.OfTangent.IntegersTwice).size();
  if (F.arg_size() == Leading)
    Rule.Split.Tape.clear();
  Type *R = Rule.Primal->getReturnType(), *Have = F.getReturnType();
  if (Have == R || (!isNumber(R) && Have->isVoidTy()))
    return Error::success();
  return misfit(Rule, F, "returns " + list({Have}) + ", expected " + list({R}));
}

/// The arguments of a derivative, out of the parameters of a tangent that takes integers once.
SmallVector<Value *, 8> passOn(const Function &Primal, const Function &From, Numbers N,
                               bool IntegersTwice) {
  SmallVector<Value *, 8> Args;
  unsigned Next = 0;
  auto Pass = [&](unsigned Count) {
    for (unsigned I = 0; I < Count; ++I)
      Args.push_back(From.getArg(Next++));
  };
  for (const SourceParameter &P : sourceParameters(Primal)) {
    Type *T = From.getArg(Next)->getType();
    Pass(P.Count);
    if (T->isPointerTy() || (isNumber(T) && N == Numbers::Twice))
      Pass(P.Count);
    else if (isNumber(T))
      Next += P.Count;
    else if (T->isIntegerTy() && IntegersTwice)
      Args.push_back(Args.back());
  }
  return Args;
}

/// One function that calls both parts of a split tangent.
void joinSplit(UserRule &Rule) {
  Function &Primal = *Rule.Primal;
  const UserRule::Parts &Split = Rule.Split;
  Type *R = Primal.getReturnType();
  Rule.Tangent = Function::Create(
      FunctionType::get(isNumber(R) ? StructType::get(R, R) : R,
                        leadingTypes(Primal, Numbers::Twice, /*IntegersTwice=*/false),
                        /*isVarArg=*/false),
      GlobalValue::InternalLinkage, "cf.joined." + Primal.getName(), Primal.getParent());
  Rule.OfTangent.WithPrimal = isNumber(R);
  Function &F = *Rule.Tangent;
  IRBuilder<> B(BasicBlock::Create(F.getContext(), "entry", &F));
  auto Call = [&](Function &Part, ArrayRef<Value *> Args) {
    CallInst *Result = B.CreateCall(&Part, Args);
    Result->setCallingConv(Part.getCallingConv());
    return Result;
  };
  Value *First =
      Call(*Split.Augmented, passOn(Primal, F, Numbers::Once, Split.OfAugmented.IntegersTwice));
  Value *Tape = First, *Result = First;
  if (First->getType() != R && !R->isVoidTy()) {
    Tape = B.CreateExtractValue(First, 0);
    Result = B.CreateExtractValue(First, 1);
  }
  SmallVector<Value *, 8> Args = passOn(Primal, F, Numbers::Twice, Split.OfTangent.IntegersTwice);
  for (unsigned I = 0; I < Split.Tape.size(); ++I)
    Args.push_back(Tape->getType()->isStructTy() ? B.CreateExtractValue(Tape, I) : Tape);
  Value *Dot = Call(*Split.Tangent, Args);
  if (!isNumber(R)) {
    R->isVoidTy() ? B.CreateRetVoid() : B.CreateRet(Result);
    return;
  }
  Value *Both = B.CreateInsertValue(PoisonValue::get(F.getReturnType()), Result, 0);
  B.CreateRet(B.CreateInsertValue(Both, Dot, 1));
}

} // namespace

Error resolveConventions(UserRule &Rule) {
  if (Error E = checkPrimal(Rule))
    return E;
  if (Rule.Split.Tangent)
    if (Error E = resolveSplit(Rule))
      return E;
  if (Rule.Tangent)
    if (Error E = resolveTangent(Rule))
      return E;
  if (!Rule.Reverse)
    return Error::success();
  if (Error E = resolveAugmented(Rule))
    return E;
  return resolveReverse(Rule);
}

void registerUserRules(HandlerRegistry &Registry, ArrayRef<UserRule> Rules, DerivativeMode Mode) {
  for (UserRule Rule : Rules) {
    if (Mode == DerivativeMode::Tangent && !Rule.Tangent && Rule.Split.Tangent)
      joinSplit(Rule);
    if (Mode == DerivativeMode::Tangent ? Rule.Tangent : Rule.Reverse)
      Registry.add(std::make_unique<UserRuleHandler>(Rule, Mode));
  }
}

} // namespace contraflow
