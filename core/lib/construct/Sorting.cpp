// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// qsort permutes an array. The runtime sorts, and says where every element came from; its reverse
// takes the adjoints back there. The comparator gives an order and has no derivative.
//
//   qsort(y, n, size, f)   forward: p = sort(y, n, size, f), pointers in y' move by p
//                          reverse: y'[p[i]] = y'[i] for all i at once
//   qsort_r(y, n, size, f, c)   order_with(f, c) is what qsort is given: it calls f(a, b, c)
//   r = bsearch(k, y, ...)          r' = y' + (r - y), and so for lfind, dynamic_cast

#include "Fields.h"
#include "Memory.h"
#include "callee/Instrumentation.h"
#include "contraflow/core/Callee.h"
#include "contraflow/core/Diag.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace contraflow {
namespace {

/// The parameter that an address is a place in, also where unoptimised code has put it; or null.
const Argument *parameterOf(const Value *V) {
  V = getUnderlyingObject(V);
  auto *Load = dyn_cast<LoadInst>(V);
  auto *Kept = Load ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr;
  if (!Kept)
    return dyn_cast<Argument>(V);
  const Argument *Only = nullptr;
  for (const User *U : Kept->users())
    if (auto *Store = dyn_cast<StoreInst>(U)) {
      if (Only || Store->getPointerOperand() != Kept)
        return nullptr;
      Only = dyn_cast<Argument>(Store->getValueOperand());
      if (!Only)
        return nullptr;
    } else if (!isa<LoadInst>(U)) {
      return nullptr;
    }
  return Only;
}

/// Looks at what an order and the functions that it calls write. They may write variables of
/// their own, and those that a caller among them hands over: a structure that is returned.
class Writes {
public:
  explicit Writes(const Function &Order) { Reached.insert(&Order); }
  /// True if something else may be written.
  bool any();

private:
  static constexpr unsigned Most = 256;
  SmallSetVector<const Function *, 16> Reached;
  SmallVector<const CallBase *, 16> Calls;
  SmallSetVector<const Argument *, 8> Handed;

  bool writesElsewhere(const Function &F);
  bool isOwn(const Value *Place);
  bool follow(const Function &F);
};

/// Whether what a parameter leads to belongs to a caller is asked later.
bool Writes::isOwn(const Value *Place) {
  if (isa<AllocaInst>(getUnderlyingObject(Place)))
    return true;
  const Argument *A = parameterOf(Place);
  if (!A || A->getParent() == Reached.front() || A->getParent()->hasAddressTaken())
    return false;
  Handed.insert(A);
  return true;
}

bool Writes::writesElsewhere(const Function &F) {
  return any_of(instructions(F), [&](const Instruction &I) {
    if (isCount(I) || onlyKeepsItsPlace(I))
      return false;
    if (auto *Store = dyn_cast<StoreInst>(&I))
      return !isOwn(Store->getPointerOperand());
    auto *Move = dyn_cast<AnyMemIntrinsic>(&I);
    return isa<AtomicRMWInst, AtomicCmpXchgInst>(I) || (Move && !isOwn(Move->getDest()));
  });
}

/// Adds what a call may lead to: through a pointer, what has that type here. False if nothing has.
bool addCallees(const CallBase &Call, SmallSetVector<const Function *, 16> &Out) {
  if (const Function *Callee = Call.getCalledFunction()) {
    Out.insert(Callee);
    return true;
  }
  bool Any = false;
  for (const Function &F : *Call.getModule())
    if (F.getFunctionType() == Call.getFunctionType() && F.hasAddressTaken()) {
      Out.insert(&F);
      Any = true;
    }
  return Any && !Call.isInlineAsm();
}

/// Adds what F calls. False if nobody knows what that writes.
bool Writes::follow(const Function &F) {
  for (const Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I); Call && Call->mayWriteToMemory() &&
                                             !isa<AnyMemIntrinsic>(Call) && !isCount(I) &&
                                             !onlyKeepsItsPlace(I)) {
      if (!addCallees(*Call, Reached))
        return false;
      Calls.push_back(Call);
    }
  return true;
}

bool Writes::any() {
  for (unsigned At = 0; At < Reached.size(); ++At) {
    const Function &F = *Reached[At];
    if (F.onlyReadsMemory() || F.doesNotAccessMemory())
      continue;
    if (F.isDeclaration()) {
      const CalleeInfo Info = lookupCallee(F);
      if (!F.isIntrinsic() && !Info.ReadOnly && Info.Kind != CalleeKind::NoReturn)
        return true;
      continue;
    }
    if (At == Most || writesElsewhere(F) || !follow(F))
      return true;
  }
  for (unsigned At = 0; At < Handed.size(); ++At) // grows
    for (const CallBase *Call : Calls)
      if (Call->getCalledFunction() == Handed[At]->getParent() &&
          !isOwn(Call->getArgOperand(Handed[At]->getArgNo())))
        return true;
  return false;
}

/// What a comparison takes elements of this size for, that it reads with one instruction each: a
/// kind of float, or an address; unknown if they are anything else.
ScalarKind comparedAs(const Function &Order, uint64_t Size) {
  Type *Seen = nullptr;
  for (const Instruction &I : instructions(Order)) {
    auto *Load = dyn_cast<LoadInst>(&I);
    const Value *Place = Load ? Load->getPointerOperand() : nullptr;
    if (!Load || isa<AllocaInst>(Place) || !parameterOf(Place))
      continue;
    if ((Seen && Seen != Load->getType()) || (!isa<Argument, LoadInst>(Place)))
      return SK_Unknown;
    Seen = Load->getType();
  }
  if (!Seen || Order.getDataLayout().getTypeAllocSize(Seen) != Size)
    return SK_Unknown;
  return Seen->isDoubleTy()    ? SK_Double
         : Seen->isFloatTy()   ? SK_Float
         : Seen->isPointerTy() ? SK_Pointer
                               : SK_Unknown;
}

ScalarKind comparedAs(const Value *Order, const Value *Size) {
  auto *F = dyn_cast<Function>(Order->stripPointerCasts());
  auto *Bytes = dyn_cast<ConstantInt>(Size);
  return F && Bytes ? comparedAs(*F, Bytes->getZExtValue()) : SK_Unknown;
}

/// What is sorted: addresses, if that is what is compared, wherever the array lies.
MemoryLayout sortedLayout(SweepBuilder &B, Value *Array, const Value *Order, const Value *Size) {
  if (comparedAs(Order, Size) != SK_Pointer)
    return B.layout(Array);
  MemoryLayout Layout;
  Layout.Period = sizeof(void *);
  Layout.Fields = {{0, SK_Pointer, false}};
  return Layout;
}

/// Pointers in an array of the stack.
Value *tableOf(SweepBuilder &B, CallBase &Call, ArrayRef<Value *> Pointers) {
  auto &IR = B.ir();
  auto *Table = ArrayType::get(IR.getPtrTy(), Pointers.size());
  BasicBlock &Entry = Call.getFunction()->getEntryBlock();
  Value *Array = IRBuilder<>(&Entry, Entry.begin()).CreateAlloca(Table, nullptr, "sorted");
  for (unsigned I = 0; I < Pointers.size(); ++I)
    IR.CreateStore(Pointers[I], IR.CreateConstInBoundsGEP2_32(Table, Array, 0, I));
  return Array;
}

/// Nobody sees what a comparison writes, be the array active or not.
Error checkComparison(const CallBase &Call, unsigned Operand) {
  auto *Order = dyn_cast<Function>(Call.getArgOperand(Operand)->stripPointerCasts());
  if (Order && Writes(*Order).any())
    return diffError(DiagId::UnsupportedMemory, Call, "a comparison that writes memory");
  return Error::success();
}

/// The operands are those of qsort; the same of another array that is moved likewise.
Error checkSorted(SweepBuilder &B, CallBase &Call, unsigned Array = 0) {
  if (!isa<ConstantInt>(Call.getArgOperand(2)))
    return diffError(DiagId::UnsupportedMemory, Call, "the size of what is sorted is not constant");
  if (!B.activeMemory(Call.getArgOperand(Array)))
    return Error::success();
  if (comparedAs(Call.getArgOperand(3), Call.getArgOperand(2)) == SK_Pointer)
    return Error::success();
  const MemoryLayout Layout = B.layout(Call.getArgOperand(Array));
  if (looksAtWords(Layout))
    return diffError(DiagId::UnknownType, Call,
                     "what is sorted holds floats where others hold addresses");
  return checkLayout(Layout, Call);
}

class SortHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return {"qsort"}; }
  bool claims(const CallBase &Call) const override {
    return Call.getCalledFunction()->isDeclaration() && Call.arg_size() == 4 &&
           Call.getArgOperand(0)->getType()->isPointerTy() &&
           Call.getArgOperand(3)->getType()->isPointerTy();
  }
  /// What is sorted in place may be seen by the comparison alone.
  CallFacts facts(const CallBase &Call) const override {
    CallFacts Facts;
    Facts.Reads = Facts.Writes = {0};
    Facts.Arrays = {{0, 2}};
    Facts.Carries = {{0, SK_Unknown}};
    const ScalarKind Kind = comparedAs(Call.getArgOperand(3), Call.getArgOperand(2));
    if (Kind & SK_AnyFloat)
      Facts.Elements = {{0, Kind}};
    return Facts;
  }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    if (Error E = checkComparison(Call, 3))
      return E;
    Value *Shadow = B.shadow(Call.getArgOperand(0));
    if (!Shadow)
      return Error::success();
    if (Error E = checkSorted(B, Call))
      return E;
    if (B.directions() > 1)
      sortAll(B, Call);
    else
      B.runtime("sort_both", B.ir().getVoidTy(), arguments(B, Call, {Shadow}));
    B.replaceCall(Call, nullptr);
    return Error::success();
  }
  bool allDirections() const override { return true; }
  bool isRepeatable(const CallBase &) const override { return true; }
  Error augment(SweepBuilder &B, CallSite &Site) const override;
  Error adjoint(SweepBuilder &B, const CallSite &Site, ArrayRef<Value *> Recalled) const override;

private:
  static void sortAll(SweepBuilder &B, CallBase &Call) {
    SmallVector<Value *, 4> Shadows;
    for (unsigned D = 0; D < B.directions(); ++D)
      Shadows.push_back(B.shadowIn(D, Call.getArgOperand(0)));
    Value *Table = tableOf(B, Call, Shadows);
    B.runtime("sort_all", B.ir().getVoidTy(),
              arguments(B, Call, {Table, B.ir().getInt32(Shadows.size())}));
  }
  static SmallVector<Value *, 8> arguments(SweepBuilder &B, CallBase &Call,
                                           ArrayRef<Value *> More) {
    auto &IR = B.ir();
    SmallVector<Value *, 8> Args{
        Call.getArgOperand(0), IR.CreateZExtOrTrunc(Call.getArgOperand(1), IR.getInt64Ty()),
        IR.CreateZExtOrTrunc(Call.getArgOperand(2), IR.getInt64Ty()), Call.getArgOperand(3)};
    Args.append(More.begin(), More.end());
    return Args;
  }
};

Error SortHandler::augment(SweepBuilder &B, CallSite &Site) const {
  CallBase &Call = *Site.Anchor;
  if (Error E = checkComparison(Call, 3))
    return E;
  Value *Shadow = B.shadow(Site.Operands[0]);
  if (!Shadow)
    return Error::success();
  if (Error E = checkSorted(B, Call))
    return E;
  auto &IR = B.ir();
  SmallVector<Value *, 8> Args = arguments(B, Call, {B.tape()});
  CallInst *Order = B.runtime("sort_recorded", IR.getPtrTy(), Args);
  const MemoryLayout Layout = sortedLayout(B, Site.Operands[0], Site.Operands[3], Site.Operands[2]);
  auto Pointers = pointerFields(Layout);
  if (!Pointers.empty())
    callFields(B, "permute_forward", {Shadow, Args[1], Args[2], Order}, Layout, Pointers);
  Site.Recorded = {Shadow, Args[1], Order};
  Site.Anchor = Order;
  return Error::success();
}

Error SortHandler::adjoint(SweepBuilder &B, const CallSite &Site,
                           ArrayRef<Value *> Recalled) const {
  if (Recalled.empty())
    return Error::success();
  auto &IR = B.ir();
  const MemoryLayout Layout = sortedLayout(B, Site.Operands[0], Site.Operands[3], Site.Operands[2]);
  auto Floats = activeFields(Layout);
  Value *Size = IR.CreateZExtOrTrunc(Site.Operands[2], IR.getInt64Ty());
  if (!Floats.empty())
    callFields(B, "permute_adjoint", {Recalled[0], Recalled[1], Size, Recalled[2]}, Layout, Floats);
  B.runtime("tape_release", IR.getVoidTy(), {B.tape(), Recalled[2]});
  return Error::success();
}

/// What qsort_r compares with, and the context that is handed on: no derivative.
class OrderHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return {With, "cf_v1_order_done"}; }
  CallFacts facts(const CallBase &) const override { return {}; }
  bool hasReverse(const CallBase &) const override { return false; }
  bool severalDirections() const override { return true; }
  bool isRepeatable(const CallBase &) const override { return true; }
  Error tangent(SweepBuilder &, CallBase &Call) const override {
    return Call.getCalledFunction()->getName() == With ? checkComparison(Call, 0)
                                                       : Error::success();
  }
  Error augment(SweepBuilder &B, CallSite &Site) const override { return tangent(B, *Site.Anchor); }
  Error adjoint(SweepBuilder &, const CallSite &, ArrayRef<Value *>) const override {
    return Error::success();
  }

private:
  static constexpr StringLiteral With = "cf_v1_order_with";
};

/// A call whose result points into the object of an operand, or is null.
class InsideHandler : public ConstructHandler {
public:
  explicit InsideHandler(unsigned Base) : Base(Base) {}
  bool claims(const CallBase &Call) const override {
    return Call.getCalledFunction()->isDeclaration() && Call.arg_size() > Base &&
           Call.getArgOperand(Base)->getType()->isPointerTy() && Call.getType()->isPointerTy();
  }
  bool hasReverse(const CallBase &) const override { return false; }
  bool knowsOwnShadows(const CallBase &) const override { return true; }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    Value *Object = Call.getArgOperand(Base), *Shadow = B.shadow(Object);
    if (!Shadow || !B.shadow(&Call))
      return Error::success();
    auto &IR = B.ir();
    IR.SetInsertPoint(Call.getNextNode());
    Value *Distance = IR.CreateSub(IR.CreatePtrToInt(&Call, IR.getInt64Ty()),
                                   IR.CreatePtrToInt(Object, IR.getInt64Ty()));
    B.setShadow(&Call,
                IR.CreateSelect(IR.CreateIsNull(&Call), &Call, IR.CreatePtrAdd(Shadow, Distance)));
    return Error::success();
  }
  bool severalDirections() const override { return true; }
  bool isRepeatable(const CallBase &) const override { return true; }
  Error augment(SweepBuilder &B, CallSite &Site) const override { return tangent(B, *Site.Anchor); }
  Error adjoint(SweepBuilder &, const CallSite &, ArrayRef<Value *>) const override {
    return Error::success();
  }

private:
  unsigned Base;
};

class SearchHandler : public InsideHandler {
public:
  SearchHandler() : InsideHandler(1) {}
  SmallVector<StringRef, 0> callees() const override { return {"bsearch", "lfind"}; }
  bool claims(const CallBase &Call) const override {
    return Call.arg_size() == 5 && InsideHandler::claims(Call);
  }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    if (Error E = checkComparison(Call, 4))
      return E;
    return InsideHandler::tangent(B, Call);
  }
  CallFacts facts(const CallBase &Call) const override {
    constexpr unsigned Count = 2; // lfind has its address
    CallFacts Facts;
    Facts.Reads = {0, 1};
    if (Call.getArgOperand(Count)->getType()->isPointerTy())
      Facts.Reads.push_back(Count);
    Facts.Arrays = {{1, 3}};
    Facts.Linked.Operands = {1};
    Facts.Linked.Result = true;
    return Facts;
  }
};

/// dynamic_cast: to another base, at a distance that only the object knows.
class DynamicCastHandler : public InsideHandler {
public:
  DynamicCastHandler() : InsideHandler(0) {}
  SmallVector<StringRef, 0> callees() const override { return {Name}; }
  void canonicalise(Function &F) const override { stepToBases(F, Name); }
  CallFacts facts(const CallBase &) const override {
    CallFacts Facts;
    Facts.Reads = {0};
    Facts.Linked.Operands = {0};
    Facts.Linked.Result = true;
    Facts.Linked.Stride = sizeof(void *);
    return Facts;
  }

private:
  static constexpr StringLiteral Name = "__dynamic_cast";
};

/// The runtime's part in a derivative whose derivative is asked for. In a tangent, what moves the
/// elements moves those of the tangents, too.
///
///   p = sort_recorded(y, n, size, f, tape)     sort_again(y', n, size, p) after it
///   sort_both(y, n, size, f, ydot)             sort_all(y, n, size, f, {ydot, y', ydot'}, 3)
///   permute_...(ybar, n, ...)                  permute_...(ybar', n, ...)
///
/// In an adjoint, pointers move like that and floats go back in reverse; permute_forward undoes
/// permute_adjoint, and sort_both is sort_recorded, and sort_again of ydot.
class NestedSortHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return {Recorded, Both, Pointers, Floats}; }
  CallFacts facts(const CallBase &Call) const override {
    CallFacts Facts;
    Facts.Reads = Facts.Writes = {0};
    Facts.Arrays = {{0, 2}};
    if (isCalled(Call, Both)) {
      Facts.Reads = Facts.Writes = {0, Second};
      Facts.Arrays.push_back({Second, 2});
    }
    return Facts;
  }
  bool severalDirections() const override { return false; }
  Error tangent(SweepBuilder &B, CallBase &Call) const override {
    auto &IR = B.ir();
    Value *Shadow = B.shadow(Call.getArgOperand(0));
    if (isCalled(Call, Both)) {
      moveAll(B, Call, Shadow, B.shadow(Call.getArgOperand(Second)));
    } else if (Shadow && isCalled(Call, Recorded)) {
      IR.SetInsertPoint(Call.getNextNode());
      B.runtime("sort_again", IR.getVoidTy(),
                {Shadow, Call.getArgOperand(1), Call.getArgOperand(2), &Call});
    } else if (Shadow) {
      auto *Twin = cast<CallBase>(Call.clone());
      Twin->setArgOperand(0, Shadow);
      IR.Insert(Twin);
    }
    return Error::success();
  }
  bool hasReverse(const CallBase &Call) const override { return !isCalled(Call, Pointers); }
  Error augment(SweepBuilder &B, CallSite &Site) const override;
  Error adjoint(SweepBuilder &B, const CallSite &Site, ArrayRef<Value *> Recalled) const override;

private:
  static constexpr StringLiteral Recorded = "cf_v1_sort_recorded", Both = "cf_v1_sort_both";
  static constexpr StringLiteral Pointers = "cf_v1_permute_forward";
  static constexpr StringLiteral Floats = "cf_v1_permute_adjoint";
  static constexpr unsigned Second = 4; ///< operand: the other array of sort_both
  static bool isCalled(const CallBase &Call, StringRef Name) {
    return Call.getCalledFunction()->getName() == Name;
  }
  static void moveAll(SweepBuilder &B, CallBase &Call, Value *First, Value *Other) {
    if (!First && !Other)
      return;
    auto &IR = B.ir();
    Value *Null = ConstantPointerNull::get(IR.getPtrTy());
    Value *Others[] = {Call.getArgOperand(Second), First ? First : Null, Other ? Other : Null};
    SmallVector<Value *, 6> Args(Call.arg_begin(), Call.arg_begin() + Second);
    Args.append({tableOf(B, Call, Others), IR.getInt32(std::size(Others))});
    B.runtime("sort_all", IR.getVoidTy(), Args);
    B.replaceCall(Call, nullptr);
  }
  static Error augmentSort(SweepBuilder &B, CallSite &Site);
  static Error augmentPermutation(SweepBuilder &B, CallSite &Site, Value *Shadow);
};

Error NestedSortHandler::augment(SweepBuilder &B, CallSite &Site) const {
  if (isCalled(*Site.Anchor, Recorded) || isCalled(*Site.Anchor, Both))
    return augmentSort(B, Site);
  Value *Shadow = B.shadow(Site.Operands[0]);
  return Shadow ? augmentPermutation(B, Site, Shadow) : Error::success();
}

/// Records the order, the number of elements, and for each array its shadow or null.
Error NestedSortHandler::augmentSort(SweepBuilder &B, CallSite &Site) {
  CallBase &Call = *Site.Anchor;
  const bool Two = isCalled(Call, Both);
  SmallVector<std::pair<unsigned, Value *>, 2> Shadows{{0, B.shadow(Site.Operands[0])}};
  if (Two)
    Shadows.push_back({Second, B.shadow(Site.Operands[Second])});
  if (none_of(Shadows, [](auto &S) { return S.second; }))
    return Error::success();
  auto &IR = B.ir();
  CallBase *Order = &Call;
  if (Two) {
    Order = B.runtime(
        "sort_recorded", IR.getPtrTy(),
        {Site.Operands[0], Site.Operands[1], Site.Operands[2], Site.Operands[3], B.tape()});
    B.runtime("sort_again", IR.getVoidTy(),
              {Site.Operands[Second], Site.Operands[1], Site.Operands[2], Order});
  } else {
    IR.SetInsertPoint(Call.getNextNode());
  }
  Site.Recorded = {Order, Site.Operands[1]};
  for (auto [I, Shadow] : Shadows) {
    Site.Recorded.push_back(Shadow ? Shadow : ConstantPointerNull::get(IR.getPtrTy()));
    if (!Shadow)
      continue;
    if (Error E = checkSorted(B, Call, I))
      return E;
    const MemoryLayout Layout =
        sortedLayout(B, Site.Operands[I], Site.Operands[3], Site.Operands[2]);
    if (auto Rows = pointerFields(Layout); !Rows.empty())
      callFields(B, "permute_forward", {Shadow, Site.Operands[1], Site.Operands[2], Order}, Layout,
                 Rows);
  }
  Site.Anchor = Order;
  return Error::success();
}

/// A permutation of pointers is the same of their shadows; one of floats goes back in reverse.
Error NestedSortHandler::augmentPermutation(SweepBuilder &B, CallSite &Site, Value *Shadow) {
  CallBase &Call = *Site.Anchor;
  if (isCalled(Call, Pointers)) {
    auto *Twin = cast<CallBase>(Call.clone());
    Twin->setArgOperand(0, Shadow);
    B.ir().Insert(Twin);
    return Error::success();
  }
  if (any_of(activeFields(B.layout(Site.Operands[0])), isPointerRow))
    return diffError(DiagId::UnsupportedMode, Call,
                     "the adjoint of an adjoint that sorts places of numbers and pointers");
  Site.Recorded = {Site.Operands[3], Site.Operands[1], Shadow};
  return Error::success();
}

Error NestedSortHandler::adjoint(SweepBuilder &B, const CallSite &Site,
                                 ArrayRef<Value *> Recalled) const {
  if (Recalled.empty())
    return Error::success();
  auto &IR = B.ir();
  Value *Order = Recalled[0], *N = Recalled[1], *Size = Site.Operands[2];
  if (isCalled(*Site.Anchor, Floats)) {
    SmallVector<Value *, 8> Args{Recalled[2], N, Size, Order};
    Args.append(Site.Operands.begin() + Args.size(), Site.Operands.end()); // constants
    B.runtime("permute_forward", IR.getVoidTy(), Args);
    return Error::success();
  }
  const bool Two = Recalled.size() == 4; // then the order is on our tape
  for (unsigned K = 0; K != (Two ? 2u : 1u); ++K) {
    const MemoryLayout Layout =
        sortedLayout(B, Site.Operands[K == 0 ? 0 : Second], Site.Operands[3], Site.Operands[2]);
    auto Rows = activeFields(Layout);
    if (!isa<Constant>(Recalled[2 + K]) && !Rows.empty())
      callFields(B, "permute_adjoint", {Recalled[2 + K], N, Size, Order}, Layout, Rows);
  }
  if (Two)
    B.runtime("tape_release", IR.getVoidTy(), {B.tape(), Order});
  return Error::success();
}

} // namespace

void registerSortingHandlers(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<SortHandler>());
  Registry.add(std::make_unique<OrderHandler>());
  Registry.add(std::make_unique<SearchHandler>());
  Registry.add(std::make_unique<DynamicCastHandler>());
  Registry.add(std::make_unique<NestedSortHandler>());
}

} // namespace contraflow
