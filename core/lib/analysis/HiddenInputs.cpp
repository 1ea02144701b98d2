// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   void next(const int64_t *x, int64_t *y, int n) { for (i) y[i] = x[i] + 1; }    bits of doubles
//
// If y is read as an array of doubles elsewhere, and nothing else is known of x, x[i] + 1 looks
// like a count in a union. Counts that the caller declares active are rare, so what comes from x is
// followed to memory that holds floats. It is known for integers if it is an index, is converted to
// a float, or is compared with a small number. So is what is read beside floats, such as the first
// number of an array whose others are used as such, unless the language says that it is an integer.

#include "HiddenInputs.h"
#include "BitSources.h"
#include "Reach.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace contraflow {
namespace {

bool isInteger(const Type *T) { return T->isIntOrIntVectorTy() && !T->isIntOrIntVectorTy(1); }

class Follower {
public:
  Follower(const ActivityQuestion &Q, const ActivityResult &Activity, const HandlerRegistry &H)
      : Q(Q), Activity(Activity), G(Activity.memory()), H(H), Cells(G.cellCount()) {}
  const Instruction *follow(unsigned Node);

private:
  void visit(const Instruction &I);
  void visitCall(const CallBase &Call);
  void visitStore(const StoreInst &Store);
  bool isFollowed(const Value *V) const { return Values.contains(V); }
  bool isPlain(const Value *V) const { return Plain.contains(V); }
  bool holds(const Value *Pointer, int64_t Size) const;
  void add(const Value *V, bool IsCopy) {
    News |= Values.insert(V).second;
    News |= IsCopy && Plain.insert(V).second;
  }

  const ActivityQuestion &Q;
  const ActivityResult &Activity;
  const MemoryGraph &G;
  const HandlerRegistry &H;
  DenseSet<const Value *> Values, Plain; ///< Plain: copied or counted only
  BitVector Cells;
  bool News = false, AreIntegers = false;
  std::optional<unsigned> Mixed; ///< the argument's object, if it holds floats as well
  const Instruction *Found = nullptr;
};

bool Follower::holds(const Value *Pointer, int64_t Size) const {
  bool Any = false;
  G.overlapping(G.find(Pointer), Size, [&](unsigned C) { Any |= Cells.test(C); });
  return Any;
}

void Follower::visitStore(const StoreInst &Store) {
  const Value *V = Store.getValueOperand();
  if (!isFollowed(V))
    return;
  const Location At = G.find(Store.getPointerOperand());
  const int64_t Size = G.layout().getTypeStoreSize(V->getType()).getFixedValue();
  G.overlapping(At, Size, [&](unsigned C) {
    News |= !Cells.test(C);
    Cells.set(C);
  });
  if (At && (G.kindsAt(At, Size) & SK_AnyFloat) && Activity.useful(At.Node))
    Found = &Store;
}

void Follower::visitCall(const CallBase &Call) {
  if (const ConstructHandler *Handler = H.find(Call)) {
    for (const CallFacts::Copy &C : Handler->facts(Call).Copies) {
      if (!holds(Call.getArgOperand(C.From), -1))
        continue;
      G.overlapping(G.find(Call.getArgOperand(C.To)), -1, [&](unsigned Cell) {
        News |= !Cells.test(Cell) && (G.kindsOfCell(Cell) & SK_Int);
        if (G.kindsOfCell(Cell) & SK_Int)
          Cells.set(Cell);
      });
    }
    return;
  }
  const Function *F = Call.getCalledFunction();
  if (F && !F->isDeclaration() && is_contained(Q.Closure, F)) {
    for (const Argument &A : F->args())
      if (A.getArgNo() < Call.arg_size() && isFollowed(Call.getArgOperand(A.getArgNo())))
        add(&A, isPlain(Call.getArgOperand(A.getArgNo())));
    for (const BasicBlock &B : *F)
      if (auto *Return = dyn_cast<ReturnInst>(B.getTerminator()))
        if (isFollowed(Return->getReturnValue()))
          add(&Call, isPlain(Return->getReturnValue()));
  } else if (isa<IntrinsicInst>(Call) &&
             any_of(Call.args(), [&](const Use &V) { return isFollowed(V); })) {
    add(&Call, false);
  }
}

/// True of what is only done to integers.
static bool provesInteger(const Instruction &I, const Value *V) {
  constexpr unsigned CountBits = 20;
  if (auto *Compare = dyn_cast<ICmpInst>(&I)) {
    auto *C = dyn_cast<ConstantInt>(Compare->getOperand(1));
    const bool IsSign = C && C->getValue().abs().ule(1); // of a float as well
    return C && !IsSign && C->getValue().getSignificantBits() <= CountBits;
  }
  return isa<GetElementPtrInst, SIToFPInst, UIToFPInst>(I) ||
         (isa<SwitchInst>(I) && I.getOperand(0) == V);
}

void Follower::visit(const Instruction &I) {
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return visitStore(*Store);
  if (auto *Call = dyn_cast<CallBase>(&I))
    return visitCall(*Call);
  if (auto *Load = dyn_cast<LoadInst>(&I)) {
    const int64_t Size = G.layout().getTypeStoreSize(I.getType()).getFixedValue();
    const Location At = G.find(Load->getPointerOperand());
    // A member, or a place of which more is known (a sanitizer reads beside it, a frame on a tape
    // shares its flags with the numbers that it leads to): no hidden number.
    const bool IsKnown = Mixed && At &&
                         ((G.kindsAt(At, Size) & (SK_AnyFloat | SK_Pointer)) ||
                          (G.canonical(At.Node) == *Mixed && typeAccessed(I)));
    if (isInteger(I.getType()) && !IsKnown && holds(Load->getPointerOperand(), Size))
      add(&I, true);
    return;
  }
  bool Any = false, Copies = !isa<BinaryOperator>(I) || I.getOpcode() == Instruction::Add ||
                             I.getOpcode() == Instruction::Sub;
  for (const Value *V : I.operands()) {
    if (!isFollowed(V))
      continue;
    Any = true;
    AreIntegers |= isPlain(V) && provesInteger(I, V);
    Copies &= isPlain(V);
  }
  if (!Any)
    return;
  auto *Operation = dyn_cast<BinaryOperator>(&I);
  if (isa<BitCastInst>(I) && I.getType()->isFPOrFPVectorTy())
    Found = &I;
  else if (isInteger(I.getType()) && !(Operation && dropsDigits(*Operation)))
    add(&I, Copies);
}

const Instruction *Follower::follow(unsigned Node) {
  if (G.kindsOf(Node) & (SK_AnyFloat | SK_Pointer))
    Mixed = Node;
  for (auto [Offset, C] : G.fields(Node))
    if (!(G.kindsOfCell(C) & (SK_AnyFloat | SK_Pointer)))
      Cells.set(G.canonicalCell(C));
  if (Cells.none())
    return nullptr;
  do {
    News = false;
    for (const Function *F : Q.Closure)
      for (const Instruction &I : instructions(*F))
        visit(I);
  } while (News && !AreIntegers);
  return AreIntegers ? nullptr : Found;
}

} // namespace

/// Objects that active arguments lead to.
static BitVector activeObjects(const ActivityQuestion &Q, const MemoryGraph &G) {
  BitVector Reached(G.nodeCount());
  for (const Argument &A : Q.Root->args())
    if (const Activity Given = Q.Spec->Args[A.getArgNo()];
        A.getType()->isPointerTy() && (Given == Activity::Dup || Given == Activity::DupNoNeed))
      reach(G, &A, Reached);
  return Reached;
}

const Instruction *findHiddenInput(const ActivityQuestion &Question, const ActivityResult &Activity,
                                   const HandlerRegistry &Handlers) {
  const BitVector Objects = activeObjects(Question, Activity.memory());
  for (unsigned Node : Objects.set_bits())
    if (const Instruction *I = Follower(Question, Activity, Handlers).follow(Node))
      return I;
  return nullptr;
}

} // namespace contraflow
