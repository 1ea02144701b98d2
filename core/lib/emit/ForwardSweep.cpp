// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk in program order. A pointer's shadow is built by the same instruction on shadow
// operands; phis are completed at the end, when all incoming shadows exist.

#include "ForwardSweep.h"
#include "Asked.h"
#include "BitSets.h"
#include "IntegerAddresses.h"
#include "Steps.h"
#include "analysis/MovedWords.h"
#include "analysis/Strides.h"
#include "callee/Exceptions.h"
#include "contraflow/core/Callee.h"
#include "contraflow/core/Remark.h"
#include "contraflow/core/Rule.h"
#include "prepare/Bits.h"
#include "prepare/Indirect.h"
#include "rules/Smooth.h"
#include "support/Assignments.h"
#include "support/ShadowAlign.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace contraflow {

constexpr unsigned PointerBits = 64; ///< fewer bits of an integer carry no pointer

CallInst *SweepBuilder::callRuntime(IRBuilderBase &B, Module &M, StringRef Name, Type *Result,
                                    ArrayRef<Value *> Args) {
  SmallVector<Type *, 8> Types;
  for (Value *V : Args)
    Types.push_back(V->getType());
  FunctionCallee F =
      M.getOrInsertFunction((RuntimePrefix + Name).str(), FunctionType::get(Result, Types, false));
  if (auto *Fn = dyn_cast<Function>(F.getCallee()))
    Fn->addFnAttr(Attribute::NoUnwind);
  return B.CreateCall(F, Args);
}

CallInst *SweepBuilder::reserve(IRBuilderBase &B, Value *Tape, Value *Bytes) {
  Module &M = *B.GetInsertBlock()->getModule();
  CallInst *Room = callRuntime(B, M, "tape_reserve", B.getPtrTy(), {Tape, Bytes});
  Room->addRetAttr(Attribute::NoAlias);
  return Room;
}

MemoryLayout layoutOf(const ActivityResult &Activity, const Value *Pointer, bool Asked) {
  return layoutOf(Activity, Activity.memory().find(Pointer), Asked);
}

MemoryLayout layoutOf(const ActivityResult &Activity, Location At, bool Asked) {
  MemoryLayout Out;
  Out.Asked = Asked;
  const MemoryGraph &G = Activity.memory();
  if (!At)
    return Out;
  Out.Period = G.period(At.Node);
  Out.Aligned = G.isAligned(At.Node);
  Out.Packed = G.isPacked(At.Node);
  Out.Outside = G.isExternal(At.Node);
  const auto Array = At.Stride ? G.repeatedAt(At) : std::nullopt;
  SmallVector<std::pair<int64_t, unsigned>, 16> Fields;
  if (Array) {
    Out.Period = Array->Period;
    append_range(Fields, Array->Fields);
  } else {
    append_range(Fields, G.fields(At.Node));
  }
  for (auto [Offset, Cell] : Fields) {
    int64_t Relative = Offset - At.Offset;
    if (Out.Period)
      Relative = ((Relative % Out.Period) + Out.Period) % Out.Period;
    Out.Fields.push_back({Relative, G.kindsOfCell(Cell), Activity.activeCell(Cell)});
  }
  return Out;
}

ForwardSweep::ForwardSweep(RequestState &S, Unit &U)
    : S(S), U(U), B(U.Forward->getContext()), ShadowLanes(S.Spec.Width), AccessLanes(S.Spec.Width) {
  for (auto [Map, Params] : zip(ShadowLanes, U.Shadows))
    for (auto [Primal, Shadow] : zip(U.Primals, Params))
      if (Shadow && Shadow->getType() == Primal->getType()) // not the tangent of an integer
        Map[Primal] = Shadow;
}

Error ForwardSweep::eachLane(function_ref<Error()> Step) {
  Error E = Error::success();
  for (Lane = 0; Lane < S.Spec.Width && !E; ++Lane)
    E = joinErrors(std::move(E), Step());
  Lane = 0;
  return E;
}

/// Two numbers of half its width in one integer, such as a structure of two ints that is a key. It
/// may lie where other objects have an address but is none.
static bool isPair(const MemoryGraph &Graph, const Value *V) {
  auto IsNumber = [&](Value *Half) {
    Value *Whole = nullptr;
    match(Half, m_And(m_Value(Whole), m_Constant()));
    return !(Graph.carried(Whole ? Whole : Half) & SK_Pointer);
  };
  Value *High = nullptr, *Low = nullptr;
  return match(V, m_c_Or(m_Shl(m_Value(High), m_SpecificInt(PointerBits / 2)), m_Value(Low))) &&
         IsNumber(High) && IsNumber(Low);
}

bool ForwardSweep::movesPointer(const Value *V) const {
  if (V->getType()->isPointerTy())
    return true;
  if (V->getType()->isIntegerTy() && V->getType()->getIntegerBitWidth() >= PointerBits &&
      !isa<Constant>(V))
    return isa<PtrToIntInst>(V) || // whatever else lies where it is stored
           ((S.Graph.carried(V) & SK_Pointer) && !isPair(S.Graph, V));
  return false;
}

bool ForwardSweep::activeMemory(const Value *Pointer) const {
  return S.Activity.activeAt(S.Graph.find(Pointer), -1);
}

bool ForwardSweep::carriesEither(const Value *V) const {
  if (!V->getType()->isIntegerTy(64) || isa<Constant>(V))
    return false;
  unsigned Kinds = S.Graph.carried(V);
  return (Kinds & SK_Pointer) && (Kinds & SK_Double);
}

bool ForwardSweep::carriesFloat(const Value *V) const { return S.Graph.carried(V) & SK_Float; }

Value *isAddress(IRBuilderBase &B, Value *Bits) {
  Value *Wide = B.CreateZExtOrTrunc(Bits, B.getInt64Ty());
  return B.CreateICmpULT(B.CreateSub(Wide, B.getInt64(1)), B.getInt64((1ull << AddressBits) - 1));
}

Value *asWordOf(IRBuilderBase &B, Value *Number, Type *T) {
  Type *Half = B.getInt32Ty(), *Word = B.getInt64Ty();
  if (Number->getType()->isFloatTy() && T->isDoubleTy())
    return B.CreateBitCast(B.CreateZExt(B.CreateBitCast(Number, Half), Word), T);
  if (Number->getType()->isDoubleTy() && T->isFloatTy())
    return B.CreateBitCast(B.CreateTrunc(B.CreateBitCast(Number, Word), Half), T);
  auto *Pair = FixedVectorType::get(B.getFloatTy(), 2);
  if ((Number->getType()->isDoubleTy() && T == Pair) ||
      (Number->getType() == Pair && T->isDoubleTy()))
    return B.CreateBitCast(Number, T);
  return nullptr;
}

unsigned ForwardSweep::kinds(const Value *Pointer) const {
  Location At = S.Graph.find(Pointer);
  return At ? S.Graph.kindsOf(At.Node) : unsigned(SK_Unknown);
}

MemoryLayout ForwardSweep::layout(const Value *Pointer) const {
  return layoutOf(S.Activity, Pointer, isAsked(S, Pointer));
}

Type *ForwardSweep::floatType(const Value *V) const { return floatTypeOf(V, S.Graph); }

CallInst *ForwardSweep::runtime(StringRef Name, Type *Result, ArrayRef<Value *> Args) {
  return SweepBuilder::callRuntime(B, S.C.M, Name, Result, Args);
}

Value *ForwardSweep::takeAdjoint(Value *) { llvm_unreachable("no adjoints in a forward sweep"); }
void ForwardSweep::addAdjoint(Value *, Value *) { llvm_unreachable("no adjoints here"); }
Value *ForwardSweep::tangent(Value *) { llvm_unreachable("tangents only in tangent mode"); }
void ForwardSweep::setTangent(Value *, Value *) {
  llvm_unreachable("tangents only in tangent mode");
}

Expected<SplitDerivative> ForwardSweep::split(Function &Body) {
  U.UsesTape = true;
  return S.unitFor(Body).Split;
}

Expected<Function *> ForwardSweep::tangentOf(Function &Body, SmallVectorImpl<bool> &HasShadow) {
  Unit &Inner = S.unitFor(Body);
  HasShadow.assign(Inner.Split.HasShadow.begin(), Inner.Split.HasShadow.end());
  return Inner.Forward;
}

bool ForwardSweep::shared(const Value *) const { return U.InTeam || U.Foreign; }

Value *ForwardSweep::shadowOf(Value *Pointer) {
  if (auto *C = dyn_cast<Constant>(Pointer))
    return S.shadowConstant(C, Lane);
  Value *Found = shadows().lookup(Pointer);
  return Found ? Found : Pointer;
}

Value *ForwardSweep::shadow(Value *Pointer) {
  if (!isa<ConstantPointerNull>(Pointer) && !S.Activity.hasShadow(Pointer))
    return nullptr;
  return shadowOf(Pointer);
}

Value *ForwardSweep::shadowIn(unsigned Direction, Value *Pointer) {
  const unsigned Before = std::exchange(Lane, Direction);
  Value *Shadow = shadow(Pointer);
  Lane = Before;
  return Shadow;
}

Value *ForwardSweep::tangentIn(unsigned Direction, Value *V) {
  const unsigned Before = std::exchange(Lane, Direction);
  Value *Dot = tangent(V);
  Lane = Before;
  return Dot;
}

void ForwardSweep::setShadow(Value *Pointer, Value *Shadow) { shadows()[Pointer] = Shadow; }

void ForwardSweep::placeAfter(Instruction &I) {
  if (isa<PHINode>(I))
    B.SetInsertPoint(&*I.getParent()->getFirstInsertionPt());
  else if (I.isTerminator())
    B.SetInsertPoint(&I);
  else
    B.SetInsertPoint(I.getNextNode());
  B.SetCurrentDebugLocation(I.getDebugLoc());
}

void ForwardSweep::retire(Instruction &I, Value *Replacement) {
  if (Replacement) {
    S.Graph.alias(Replacement, S.Graph.original(&I));
    I.replaceAllUsesWith(Replacement);
    for (ValueMap &Map : ShadowLanes)
      if (Value *Shadow = Map.lookup(&I))
        Map[Replacement] = Shadow;
  }
  I.removeFromParent();
  I.dropAllReferences();
  U.Retired.push_back(&I);
}

Value *ForwardSweep::sizeOf(AllocaInst &I) {
  Type *I64 = B.getInt64Ty();
  Value *Size = ConstantInt::get(I64, S.Graph.layout().getTypeAllocSize(I.getAllocatedType()));
  if (!I.isArrayAllocation())
    return Size;
  return B.CreateMul(Size, B.CreateZExtOrTrunc(I.getArraySize(), I64));
}

/// Reverse: the tape goes back to where the object lies.
class TapeObjectHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return {}; }
  CallFacts facts(const CallBase &) const override { return {}; }
  Error tangent(SweepBuilder &, CallBase &) const override { return Error::success(); }
  Error adjoint(SweepBuilder &B, const CallSite &, ArrayRef<Value *> Recalled) const override {
    B.runtime("tape_release", B.ir().getVoidTy(), {B.tape(), Recalled[0]});
    return Error::success();
  }
};

/// Room on the tape; Object is where it begins once aligned.
CallInst *ForwardSweep::reserve(Value *Size, Align Alignment, Value *&Object) {
  U.UsesTape = true;
  constexpr uint64_t TapeAlign = 16;
  uint64_t Wanted = Alignment.value();
  if (Wanted > TapeAlign)
    Size = B.CreateAdd(Size, B.getInt64(Wanted));
  CallInst *Room = SweepBuilder::reserve(B, U.Tape, Size);
  Object = Room;
  if (Wanted > TapeAlign)
    Object = B.CreateIntrinsic(Intrinsic::ptrmask, {B.getPtrTy(), B.getInt64Ty()},
                               {B.CreatePtrAdd(Room, B.getInt64(Wanted - 1)), B.getInt64(-Wanted)});
  return Room;
}

/// An object whose size is known at run time only must outlive its scope, and the function if its
/// reverse is another one: it goes to the tape, its shadow behind it.
void ForwardSweep::moveToTape(AllocaInst &I) {
  static const TapeObjectHandler Handler;
  B.SetInsertPoint(&I);
  int64_t Unit = std::max<int64_t>(I.getAlign().value(), 16);
  Value *Size = B.CreateAnd(B.CreateAdd(sizeOf(I), B.getInt64(Unit - 1)), B.getInt64(-Unit));
  bool HasShadow = S.Activity.hasShadow(&I);
  Value *Object = nullptr;
  CallInst *Room = reserve(HasShadow ? B.CreateShl(Size, 1) : Size, I.getAlign(), Object);
  if (HasShadow) {
    Value *Shadow = B.CreatePtrAdd(Object, Size, I.getName() + ".shadow");
    B.CreateMemSet(Shadow, B.getInt8(0), Size, I.getAlign());
    shadows()[&I] = Shadow;
  }
  retire(I, Object);
  Sites.push_back({&Handler, Room, {}, {Room}});
}

Error ForwardSweep::shadowAlloca(AllocaInst &I) {
  Value *Size = sizeOf(I), *Shadow;
  if (U.Kind == SweepKind::Split) {
    reserve(Size, I.getAlign(), Shadow);
  } else {
    auto *Twin = cloneForShadow(I);
    Twin->setName(I.getName() + ".shadow");
    B.Insert(Twin);
    Shadow = Twin;
  }
  B.CreateMemSet(Shadow, B.getInt8(0), Size, I.getAlign());
  shadows()[&I] = Shadow;
  return Error::success();
}

/// An exception that is caught here has a handler. One that leaves takes its object along, and
/// nobody looks at the shadow once it is thrown.
Error ForwardSweep::shadowThrown(CallBase &I) {
  AllocaInst *Shadow = B.CreateAlloca(B.getInt8Ty(), I.getArgOperand(0), I.getName() + ".shadow");
  Shadow->setAlignment(Align(16));
  B.CreateMemSet(Shadow, B.getInt8(0), I.getArgOperand(0), Shadow->getAlign());
  shadows()[&I] = Shadow;
  return Error::success();
}

/// The runtime compares the two and keeps neither: functions that pointers lead to go nowhere here.
void ForwardSweep::check(StringRef Name, Value *Pointer, Value *Shadow, const Instruction &At) {
  Value *Place = B.CreateGlobalString(SourcePlace::of(At).str(), "cf.place");
  CallInst *Call = runtime(Name, B.getVoidTy(), {Pointer, Shadow, Place});
  const auto None = Attribute::getWithCaptureInfo(Call->getContext(), CaptureInfo::none());
  for (unsigned I = 0; I < Call->arg_size(); ++I)
    Call->addParamAttr(I, None);
}

/// A global pointer that is set before the derivative call leads to memory without a shadow, which
/// only the program's run can tell.
void ForwardSweep::checkGlobalPointer(LoadInst &I, Value *Shadow) {
  const Value *Place = I.getPointerOperand()->stripInBoundsConstantOffsets();
  if (auto *OfThread = dyn_cast<IntrinsicInst>(Place);
      OfThread && OfThread->getIntrinsicID() == Intrinsic::threadlocal_address)
    Place = OfThread->getArgOperand(0);
  auto *Global = dyn_cast<GlobalVariable>(Place);
  const bool Kept = !Global && S.ownerOf(I.getPointerOperand(), Lane);
  bool Used = any_of(I.users(), [](User *U) {
    return isa<GetElementPtrInst, LoadInst, StoreInst, PHINode, CallBase>(U);
  });
  if (!I.getType()->isPointerTy() || !Used || !(Kept || (Global && !Global->isConstant())))
    return;
  check("check_global", &I, Shadow, I);
}

/// An integer that no pointer has been made of, on its way to where there may be one.
static bool isNoAddress(const Instruction &I) {
  return isa<SExtInst, FPToSIInst, FPToUIInst>(I) ||
         is_contained({Instruction::Mul, Instruction::SDiv, Instruction::UDiv, Instruction::SRem},
                      I.getOpcode());
}

/// A float in a word that may be an address at another time.
static bool isFloatInWord(const MemoryGraph &Graph, const Instruction &I) {
  constexpr unsigned Most = 16;
  if (!isa<ZExtInst>(I))
    return false;
  SmallSetVector<const Value *, 4> Todo;
  Todo.insert(I.getOperand(0));
  for (unsigned Next = 0; Next < Todo.size() && Next < Most; ++Next) {
    const Value *V = Todo[Next];
    if (auto *Cast = dyn_cast<BitCastInst>(V); Cast && Cast->getSrcTy()->isFPOrFPVectorTy())
      return true;
    auto *Load = dyn_cast<LoadInst>(V);
    if (Load && (Graph.kindsAt(Graph.find(Load->getPointerOperand()), 4) & SK_Float))
      return true;
    if (isa<PHINode, SelectInst, FreezeInst>(V))
      Todo.insert_range(cast<Instruction>(V)->operand_values());
  }
  return false;
}

/// An integer that is calculated from constants, narrow integers and truth values alone.
static bool isCounted(const Instruction &I) {
  constexpr unsigned Most = 64;
  SmallSetVector<const Value *, 8> Todo;
  Todo.insert(&I);
  for (unsigned Next = 0; Next < Todo.size(); ++Next) {
    const Value *V = Todo[Next];
    auto *From = dyn_cast<Instruction>(V);
    const bool IsNarrow = V->getType()->isIntegerTy() && V->getType()->getIntegerBitWidth() <= 32;
    if (isa<ConstantInt>(V) || IsNarrow || (From && isNoAddress(*From)))
      continue;
    if (Todo.size() > Most || !From || !isa<PHINode, SelectInst, BinaryOperator, ZExtInst>(From))
      return false;
    Todo.insert_range(From->operand_values());
  }
  return true;
}

/// True if the integer, or what it is chosen or summed up to, goes where others find it.
static bool leavesRegisters(const Instruction &I) {
  constexpr unsigned Most = 64;
  SmallSetVector<const Instruction *, 8> Todo;
  Todo.insert(&I);
  for (unsigned Next = 0; Next < Todo.size(); ++Next)
    for (const User *By : Todo[Next]->users()) {
      auto *User = cast<Instruction>(By);
      auto *Call = dyn_cast<CallBase>(User);
      if (isa<ICmpInst, GetElementPtrInst, IntToPtrInst, MemIntrinsic, AssumeInst>(User) ||
          User->isShift() || isNoAddress(*User) ||
          (Call && !isa<IntrinsicInst>(Call) && lookupCallee(*Call).Kind != CalleeKind::Unknown))
        continue;
      if (Todo.size() == Most || !User->getType()->isIntegerTy() ||
          !isa<PHINode, SelectInst, FreezeInst, BinaryOperator, MinMaxIntrinsic>(User))
        return true;
      Todo.insert(User);
    }
  return false;
}

/// The distance of two addresses, which is that of their shadows. Where one of them is null it is
/// an address: vectors that may be empty have an end of null + (end - begin).
static bool isDistance(const Instruction &I) {
  return strideOf(&I).IsDifference && !leavesRegisters(I);
}

/// The address with a shadow that a sum is some bytes away from. Or null.
static Value *addressUnder(const ActivityResult &Activity, const Instruction &I) {
  for (auto *Sum = &I; Sum;) {
    Value *Address = addressInSum(*Sum);
    if (!Address || Activity.hasShadow(Address))
      return Address;
    Sum = dyn_cast<Instruction>(Address);
  }
  return nullptr;
}

/// True if V is loaded or handed over, however it is chosen: no distance, see isDistance.
static bool comesFromElsewhere(const Value *V) {
  SmallSetVector<const Value *, 8> Seen;
  Seen.insert(V);
  for (size_t Next = 0; Next < Seen.size(); ++Next) {
    const Value *From = Seen[Next];
    if (isa<PHINode, SelectInst, FreezeInst, SExtInst, ZExtInst, TruncInst>(From))
      Seen.insert_range(cast<User>(From)->operand_values());
    else if (!isa<LoadInst, Argument, ConstantInt>(From) && !From->getType()->isIntegerTy(1))
      return false;
  }
  return true;
}

/// A number instead of an address has no shadow, and leads equally far. Where other words are
/// addresses, so does one that counts elements, or bytes of a known object.
static bool isNumberOfSteps(const Use &Op, const Value *Shadow) {
  auto *Step = dyn_cast<GetElementPtrInst>(Op.getUser());
  if (!Step || Op.getOperandNo() == 0)
    return false;
  auto *None = dyn_cast<Constant>(Shadow);
  const bool MayBeAddress = Step->getSourceElementType()->isIntegerTy(8) &&
                            !isIdentifiedObject(getUnderlyingObject(Step->getPointerOperand()));
  return (None && None->isNullValue()) || (!MayBeAddress && comesFromElsewhere(Op));
}

/// The shadow of an address that has got or lost flags, or moved. Low bits that are zero in all
/// addresses of floats are so in a shadow, and another derivative sees flags again; for others, the
/// shadow may have other ones and leads equally far.
Value *ForwardSweep::flaggedShadow(Instruction &I) {
  constexpr unsigned ZeroBits = 2, FlagBits = 12;
  if (Value *Whole = withoutFlags(I, ZeroBits); Whole && S.Activity.hasShadow(Whole)) {
    Instruction *Twin = cloneForShadow(I);
    Twin->dropPoisonGeneratingFlags();
    Twin->replaceUsesOfWith(Whole, shadowOf(Whole));
    return B.Insert(Twin, I.getName() + ".shadow");
  }
  Value *From = withoutFlags(I, FlagBits);
  if (const auto Words = wordsOfBits(I, Word::MayBeAddress); !From && !Words.empty())
    return shadowOfBits(B, I, Words, [&](Value *Word) {
      return S.Activity.hasShadow(Word) ? shadowOf(Word) : Constant::getNullValue(Word->getType());
    });
  if (!From)
    From = addressUnder(S.Activity, I);
  if (!From)
    return nullptr;
  Value *Distance = B.CreateSub(&I, From);
  Value *Shadow = S.Activity.hasShadow(From) ? shadowOf(From) : From;
  return B.CreateAdd(Shadow, Distance, I.getName() + ".shadow");
}

Error ForwardSweep::visitPointer(Instruction &I) {
  if (auto *A = dyn_cast<AllocaInst>(&I))
    return shadowAlloca(*A);
  if (auto *Phi = dyn_cast<PHINode>(&I)) {
    PHINode *Twin =
        PHINode::Create(I.getType(), Phi->getNumIncomingValues(), I.getName() + ".shadow");
    Twin->insertBefore(Phi->getIterator());
    shadows()[&I] = Twin;
    PendingPhis.push_back({Phi, Twin, Lane});
    return Error::success();
  }
  if ((isa<BitCastInst>(I) && I.getOperand(0)->getType()->isFPOrFPVectorTy()) || isNoAddress(I) ||
      isFloatInWord(S.Graph, I) ||
      (isa<BinaryOperator>(I) && (isCounted(I) || isOnlyCompared(I)))) {
    shadows()[&I] = Constant::getNullValue(I.getType()); // a number where there may be a pointer
    return Error::success();
  }
  if (auto *Load = dyn_cast<LoadInst>(&I))
    if (auto *G = dyn_cast<GlobalVariable>(Load->getPointerOperand()); G && isStream(*G)) {
      shadows()[&I] = &I;
      return Error::success();
    }
  if (Value *Shadow = flaggedShadow(I)) {
    shadows()[&I] = Shadow;
    return Error::success();
  }
  bool Copies = isa<GetElementPtrInst, SelectInst, FreezeInst, AddrSpaceCastInst, LoadInst,
                    IntToPtrInst, PtrToIntInst, TruncInst, ZExtInst, CallBase>(I) ||
                isDistance(I) || joinsAddresses(I);
  if (!Copies && sizesMemory(I)) {
    shadows()[&I] = Constant::getNullValue(I.getType());
    return Error::success();
  }
  if (!Copies)
    return diffError(DiagId::UnsupportedInstruction, I,
                     Twine("a pointer to active memory is made by '") + I.getOpcodeName() + "'");
  Instruction *Twin = cloneForShadow(I);
  if (isa<BinaryOperator>(Twin))
    Twin->dropPoisonGeneratingFlags();
  if (auto *Load = dyn_cast<LoadInst>(Twin)) {
    Load->setVolatile(false);
    Load->setAlignment(shadowAlign(Load->getAlign()));
    Twin->dropUnknownNonDebugMetadata({LLVMContext::MD_tbaa});
    Mirrors[Twin] = &I;
  }
  for (Use &Op : Twin->operands())
    if (movesPointer(Op) && S.Activity.hasShadow(Op.get()))
      if (Value *Shadow = shadowOf(Op); !isNumberOfSteps(Op, Shadow))
        Op.set(Shadow);
  shadows()[&I] = B.Insert(Twin, I.hasName() ? I.getName() + ".shadow" : "");
  if (auto *Load = dyn_cast<LoadInst>(&I))
    checkGlobalPointer(*Load, Twin);
  return Error::success();
}

Error ForwardSweep::visitStore(StoreInst &I) {
  if ((hidesFloats(S.Activity, I) && !S.OwnStores.contains(&I)) || changesBits(S.Activity, I) ||
      copiesPartOfFloat(S.Activity, I) || copiesHalves(S.Activity, I) || copiesHalf(S.Activity, I))
    return diffError(DiagId::UnknownType, I, "bits are stored into active memory");
  if (copiesPartOfPointer(S.Activity, I))
    return diffError(DiagId::UnknownType, I, "a pointer to active memory is copied in parts");
  if (!(movesPointer(I.getValueOperand()) || movesAskedInteger(S, I)) ||
      !S.Activity.hasShadow(I.getPointerOperand()))
    return Error::success();
  auto *Twin = cloneForShadow(I);
  Twin->setVolatile(false);
  Twin->setAlignment(shadowAlign(I.getAlign()));
  Value *Shadow = shadowOf(I.getValueOperand()), *To = shadowOf(I.getPointerOperand());
  if (mayBeOwnShadow(I.getPointerOperand()) && Shadow != I.getValueOperand()) {
    Value *Differs = B.CreateICmpNE(Shadow, I.getValueOperand());
    Value *Null = ConstantPointerNull::get(B.getPtrTy());
    checkOwnShadow(B.CreateSelect(Differs, I.getPointerOperand(), Null), To, I);
  }
  if (U.Kind != SweepKind::Tangent && carriesEither(I.getValueOperand())) {
    Value *Old = B.CreateAlignedLoad(Shadow->getType(), To, Twin->getAlign());
    Shadow = B.CreateSelect(isAddress(B, Shadow), Shadow, Old);
  }
  Twin->setOperand(0, Shadow);
  Twin->setOperand(1, To);
  B.Insert(Twin);
  return Error::success();
}

SmallVector<Value *, 8> ForwardSweep::argumentsWithShadows(CallBase &I, ArrayRef<bool> HasShadow) {
  SmallVector<Value *, 8> Args;
  for (unsigned A = 0; A < I.arg_size(); ++A) {
    Args.push_back(I.getArgOperand(A));
    if (HasShadow[A])
      Args.push_back(shadowOf(I.getArgOperand(A)));
  }
  return Args;
}

Error ForwardSweep::callClosure(CallBase &I, Function &Callee) {
  Unit &Inner = S.unitFor(Callee);
  U.UsesTape = true;
  SmallVector<Value *, 8> Args = argumentsWithShadows(I, Inner.Split.HasShadow);
  Args.push_back(U.Tape);
  CallInst *Call = B.CreateCall(Inner.Split.Augmented, Args);
  Call->setMetadata(attr::Caught, I.getMetadata(attr::Caught));
  CallSite Site{nullptr, Call, {I.arg_begin(), I.arg_end()}, {}, false};
  unsigned Next = 0;
  Value *Result = I.getType()->isVoidTy() ? nullptr : B.CreateExtractValue(Call, Next++);
  if (Inner.Split.ShadowResult)
    shadows()[&I] = B.CreateExtractValue(Call, Next++);
  Site.Recorded.push_back(B.CreateExtractValue(Call, Next));
  S.Graph.alias(Call, &I);
  retire(I, Result);
  Sites.push_back(std::move(Site));
  return Error::success();
}

/// True if the reverse of a call moves no adjoints: it enters or leaves a critical section.
static bool onlyWaits(const CallBase &I, const ConstructHandler &Handler) {
  if (Handler.closure(I))
    return false;
  const CallFacts Facts = Handler.facts(I);
  return Facts.Flows.empty() && Facts.Reads.empty() && Facts.Writes.empty() &&
         Facts.Handles.empty() && Facts.Exposes.empty() && !Facts.WritesExposed &&
         Facts.Copies.empty() && Facts.Linked.Operands.empty() && !Facts.FreshResult &&
         !Facts.Opaque && Facts.Models.empty();
}

Error ForwardSweep::callHandler(CallBase &I, const ConstructHandler &Handler) {
  checkOperands(I, Handler);
  CallSite Site{&Handler, &I, {I.arg_begin(), I.arg_end()}, {}, onlyWaits(I, Handler)};
  if (Error E = Handler.augment(*this, Site))
    return E;
  if (Site.Anchor != &I)
    S.Writes.moved(I, *Site.Anchor);
  if (Site.Anchor != &I && I.getParent())
    retire(I, I.getType()->isVoidTy() ? nullptr : Site.Anchor);
  Sites.push_back(std::move(Site));
  return Error::success();
}

bool ForwardSweep::touchesActive(CallBase &I) const {
  auto Touches = [&](const Value *V) {
    return V->getType()->isPointerTy() ? S.Activity.hasShadow(V) : S.Activity.active(V);
  };
  return Touches(&I) || any_of(I.args(), [&](const Use &Arg) { return Touches(Arg.get()); });
}

Error ForwardSweep::visitCall(CallBase &I) {
  B.SetInsertPoint(&I);
  if (U.Kind != SweepKind::Tangent && I.getIntrinsicID() == Intrinsic::stackrestore) {
    S.Writes.dropped(I);
    retire(I, nullptr);
    return Error::success();
  }
  if (const ConstructHandler *Handler = S.C.Handlers.find(I)) {
    if (S.Spec.Width == 1 || Handler->allDirections() || !touchesActive(I))
      return callHandler(I, *Handler);
    if (!Handler->severalDirections())
      return diffError(DiagId::UnsupportedMode, I,
                       "'enzyme_width' with the call of '" + I.getCalledFunction()->getName() +
                           "'");
    return eachLane([&] {
      B.SetInsertPoint(&I);
      return callHandler(I, *Handler);
    });
  }
  Function *F = I.getCalledFunction();
  if (F && is_contained(S.Closure.Functions, F))
    return callClosure(I, *F);
  bool WantsShadow = I.getType()->isPointerTy() && S.Activity.hasShadow(&I);
  if (passesPointer(I))
    return WantsShadow ? eachLane([&] { return visitPointer(I); }) : Error::success();
  if (Error E = checkUnknownCall(I))
    return E;
  if (shadows().contains(&I)) // of a call that never returns
    return Error::success();
  if (WantsShadow && exceptionStep(I) == ExceptionStep::Allocate)
    return eachLane([&] { return shadowThrown(I); });
  if (WantsShadow)
    return diffError(DiagId::MixedActivity, I, "the result of this call has no shadow");
  return Error::success();
}

/// True if V is calculated, in one of the cases that it is chosen from.
static bool isCalculated(const Value *V) {
  SmallSetVector<const Value *, 8> Todo;
  Todo.insert(V);
  for (unsigned Next = 0; Next < Todo.size(); ++Next) {
    auto *I = dyn_cast<Instruction>(Todo[Next]);
    if (isa_and_nonnull<BinaryOperator, TruncInst, ZExtInst, ExtractElementInst, FPToUIInst,
                        FPToSIInst, IntrinsicInst>(I))
      return true;
    if (auto *Call = dyn_cast_or_null<CallBase>(I); // strtoul
        Call && lookupCallee(*Call).Kind == CalleeKind::Inactive)
      return true;
    if (isa_and_nonnull<PHINode, FreezeInst>(I))
      Todo.insert_range(I->operand_values());
    else if (auto *Choice = dyn_cast_or_null<SelectInst>(I))
      Todo.insert_range(drop_begin(Choice->operand_values()));
  }
  return false;
}

/// An address that was put together from numbers leads to memory whose shadow nobody knows.
Error ForwardSweep::checkAddress(const IntToPtrInst &I) const {
  Location At = S.Graph.find(&I);
  if (!isCalculated(I.getOperand(0)) || !At || S.Activity.hasShadow(&I) ||
      !(S.Graph.kindsOf(At.Node) & (SK_AnyFloat | SK_Pointer)))
    return Error::success();
  return diffError(DiagId::UnsupportedInstruction, I,
                   "an address that is put together from numbers");
}

/// True if the integer I, or what it is chosen for or part of, may be stored in the object.
static bool isStoredIn(const MemoryGraph &Graph, unsigned Object, const Instruction &I) {
  constexpr unsigned Most = 64;
  SmallSetVector<const User *, 8> Todo;
  Todo.insert_range(I.users());
  for (unsigned Next = 0; Next < Todo.size(); ++Next) {
    if (Next == Most)
      return true;
    if (auto *Store = dyn_cast<StoreInst>(Todo[Next])) {
      Location To = Graph.find(Store->getPointerOperand());
      if (To && To.Node == Object)
        return true;
    } else if (isa<PHINode, SelectInst, FreezeInst, BinaryOperator>(Todo[Next])) {
      Todo.insert_range(Todo[Next]->users());
    }
  }
  return false;
}

/// How far another object is, kept in the one that it is counted from, is an address. The shadows
/// are another distance apart, and nothing else may say what lies there.
Error ForwardSweep::checkDistance(const BinaryOperator &I) const {
  Value *To, *From;
  if (!match(&I, m_Sub(m_PtrToInt(m_Value(To)), m_PtrToInt(m_Value(From)))))
    return Error::success();
  const Location End = S.Graph.find(To), Begin = S.Graph.find(From);
  if (!End || !Begin || End.Node == Begin.Node || !isStoredIn(S.Graph, Begin.Node, I))
    return Error::success();
  return diffError(DiagId::UnsupportedInstruction, I, "the distance of two objects, which is kept");
}

/// Two numbers in one integer that is taken apart in a way that prepare/WideLoads.cpp does not
/// know.
static bool takesApart(const ActivityResult &Activity, const Instruction &I) {
  const auto *Load = dyn_cast<LoadInst>(&I);
  if (!Load || !I.getType()->isIntegerTy() || I.getType()->getIntegerBitWidth() <= PointerBits)
    return false;
  const MemoryGraph &Graph = Activity.memory();
  const int64_t Size = Graph.layout().getTypeStoreSize(I.getType()).getFixedValue();
  return Activity.activeAt(Graph.find(Load->getPointerOperand()), Size) &&
         any_of(I.users(), [](const User *U) { return !isa<StoreInst>(U); });
}

Error ForwardSweep::visit(Instruction &I) {
  if (auto *Address = dyn_cast<IntToPtrInst>(&I))
    if (Error E = checkAddress(*Address))
      return E;
  if (auto *Distance = dyn_cast<BinaryOperator>(&I))
    if (Error E = checkDistance(*Distance))
      return E;
  if (auto *Call = dyn_cast<CallBase>(&I); Call && (S.C.Handlers.find(*Call) || !findRule(I))) {
    B.SetCurrentDebugLocation(I.getDebugLoc());
    return visitCall(*Call);
  }
  if (auto *A = dyn_cast<AllocaInst>(&I);
      A && U.Kind != SweepKind::Tangent && goesToTape(S, U, *A)) {
    moveToTape(*A);
    return Error::success();
  }
  placeAfter(I);
  if (auto *Call = dyn_cast<CallBase>(&I); Call && isStray(*Call) && S.Activity.active(&I))
    emitFailure(B, I, "lost_digits");
  if (auto *Store = dyn_cast<StoreInst>(&I))
    if (Error E = eachLane([&] { return visitStore(*Store); }))
      return E;
  if (calculatesBits(S.Activity, I) || takesApart(S.Activity, I))
    return diffError(DiagId::UnsupportedInstruction, I, "bits of numbers are calculated with");
  if (changesActiveBits(I))
    return diffError(DiagId::UnsupportedInstruction, I,
                     isa<AtomicRMWInst>(I) ? "atomic update of bits"
                                           : "atomic compare and exchange");
  if (movesPointer(&I) && S.Activity.hasShadow(&I))
    if (Error E = eachLane([&] { return visitPointer(I); }))
      return E;
  return eachLane([&] {
    redirect(I);
    return visitFloat(I);
  });
}

void ForwardSweep::finishPhis() {
  for (auto [Phi, Twin, Direction] : PendingPhis) {
    Lane = Direction;
    for (unsigned I = 0; I < Phi->getNumIncomingValues(); ++I)
      Twin->addIncoming(shadowOf(Phi->getIncomingValue(I)), Phi->getIncomingBlock(I));
  }
  Lane = 0;
}

Error ForwardSweep::run() {
  SmallVector<Instruction *, 64> Order;
  auto IsOwn = [&](Instruction &I) { // of the tape, not of the user
    return &I == U.Tape || (isa<CallInst>(I) && U.Tape && is_contained(I.operands(), U.Tape));
  };
  for (BasicBlock *Block : ReversePostOrderTraversal<Function *>(U.Forward))
    for (Instruction &I : *Block)
      if (!IsOwn(I))
        Order.push_back(&I);
  Error Errors = Error::success();
  for (Instruction *I : Order)
    if (Error E = visit(*I))
      Errors = joinErrors(std::move(Errors), std::move(E));
  if (!Errors)
    finishPhis();
  return Errors;
}

} // namespace contraflow
