// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the instructions of a closure into the memory graph. A load or store ties a field to the
// value that moves; arithmetic tells integers from floats in disguise; calls inside the closure
// tie arguments to parameters; handlers speak for the calls they claim.

#include "AssumedFloats.h"
#include "CopiedBytes.h"
#include "Counts.h"
#include "Integers.h"
#include "MemoryGraph.h"
#include "MovedWords.h"
#include "Origins.h"
#include "Strides.h"
#include "contraflow/core/Callee.h"
#include "contraflow/core/ObjectType.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstVisitor.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

#include <numeric>

using namespace llvm;

namespace contraflow {

static void describeGlobals(MemoryGraph &Graph, const Module &M);

namespace {

using Reach = MemoryGraph::Reach;

bool isCarrier(const Type *T) { return T->isIntegerTy() && T->getIntegerBitWidth() >= 16; }

class Describer : public InstVisitor<Describer> {
public:
  Describer(MemoryGraph &Graph, const HandlerRegistry &Handlers, ArrayRef<Function *> Closure)
      : Graph(Graph), Handlers(Handlers), Closure(Closure.begin(), Closure.end()),
        Layouts(*Closure.front()->getParent()),
        Integers(findPlainIntegers(Closure, Handlers, Layouts)), Moved(findMovedAddresses(Closure)),
        Root(Closure.front()) {}

  /// Visits everything, once more if need be.
  void visitAll(ArrayRef<Function *> Functions);
  /// Says where structures lie, as far as it is known by now.
  void describeLayouts();
  /// Lets objects fold, or arrays inside them, until nothing changes. True if that is news.
  bool settlePlaces(ArrayRef<Function *> Functions);

  void visitAllocaInst(AllocaInst &I) { begin(&I, I.getAllocatedType()); }
  void visitLoadInst(LoadInst &I) {
    access(I.getPointerOperand(), &I);
    noteAlignment(I.getPointerOperand(), I.getType(), I.getAlign());
  }
  void visitStoreInst(StoreInst &I) {
    access(I.getPointerOperand(), I.getValueOperand());
    noteAlignment(I.getPointerOperand(), I.getValueOperand()->getType(), I.getAlign());
  }
  void visitAtomicRMWInst(AtomicRMWInst &I) {
    access(I.getPointerOperand(), I.getValOperand());
    tie(&I, I.getValOperand());
  }
  void visitAtomicCmpXchgInst(AtomicCmpXchgInst &I) {
    access(I.getPointerOperand(), I.getNewValOperand());
    access(I.getPointerOperand(), I.getCompareOperand());
  }
  void visitGetElementPtrInst(GetElementPtrInst &I);
  void visitPHINode(PHINode &I);
  void visitSelectInst(SelectInst &I) {
    tie(&I, I.getTrueValue());
    tie(&I, I.getFalseValue());
  }
  void visitFreezeInst(FreezeInst &I) { tie(&I, I.getOperand(0)); }
  void visitCastInst(CastInst &I);
  void visitBinaryOperator(BinaryOperator &I);
  void linkAddresses(BinaryOperator &I);
  void visitReturnInst(ReturnInst &I);
  void visitCallBase(CallBase &I);
  void visitExtractValueInst(ExtractValueInst &I);
  void visitInsertValueInst(InsertValueInst &I);
  void visitInstruction(Instruction &) {}
  /// Visits the functions that show what memory is without being differentiated, and what they
  /// call.
  void visitModels();
  /// Indices that hold the difference of two pointers, as far as it is known by now that both are
  /// in one object; where GiveUp is set, the others may be anything. True if that is news.
  bool beginDifferences();
  bool settleDifferences(bool GiveUp);
  /// Places to which constants are stored, now that it is known what else they hold. True if that
  /// is news.
  bool settleConstants();

private:
  void access(Value *Pointer, Value *V);
  void flow(unsigned Into, Value *V);
  void begin(Value *Object, Type *T);
  void beginAt(Value *Object, const LayoutPlaces *Places);
  void note(Instruction &Access, const LayoutReader::Evidence &E);
  void land(Value &V);
  void landAll(Function &F);
  void noteAlignment(Value *Pointer, Type *T, Align Known);
  void linkInteger(unsigned Field, Value *V);
  void tie(Value *A, Value *B);
  int64_t offsetIn(Type *T, ArrayRef<unsigned> Indices);
  void describeStructure(CallBase &I, const CallFacts::Structure &Linked);
  void applyFacts(CallBase &I, const CallFacts &Facts);
  void bindClosure(CallBase &I, const contraflow::Closure &C);
  void bindCall(CallBase &I, Function &F);

  struct Step {
    GetElementPtrInst *I;
    PointerDifference Index;
    int64_t Scale, Constant;
    bool Exact; ///< the index is the difference and nothing else
    bool Unknown = false, Begun = false;
  };
  bool settle(const Step &S);

  MemoryGraph &Graph;
  const HandlerRegistry &Handlers;
  SmallPtrSet<Function *, 8> Closure;
  SmallVector<Step, 8> Steps;
  SmallVector<unsigned, 8> Constants; ///< cells to which a constant of type float is stored
  SmallSetVector<Function *, 4> Models;
  Location Foreign; ///< what other processes use as well
  LayoutReader Layouts;
  DenseSet<const Value *> Integers;
  DenseSet<const Value *> Moved; ///< addresses that may be numbers

  struct Said {
    Value *Pointer;
    LayoutReader::Evidence What;
  };
  Function *Root;
  std::vector<Said> Evidence;
  TypedPointers Typed;
};

void Describer::access(Value *Pointer, Value *V) {
  Location At = Graph.locate(Pointer);
  if (!At)
    return;
  Type *T = V->getType();
  if (T->isAggregateType())
    return Graph.unifyLocations(At, Graph.aggregate(V));
  if (auto *Vec = dyn_cast<FixedVectorType>(T)) {
    int64_t Size = Graph.layout().getTypeStoreSize(Vec->getElementType());
    for (unsigned I = 0; I < Vec->getNumElements(); ++I)
      Graph.addKind(Graph.fieldCell({At.Node, At.Offset + I * Size}), kindOfType(T));
    return;
  }
  unsigned Field = Graph.fieldCell(At);
  if (T->isFloatTy() && isa<ConstantFP>(V))
    return Constants.push_back(Field);
  Graph.addKind(Field, kindOfType(T));
  if (T->isPointerTy())
    flow(Field, V);
  else if (T->isIntegerTy())
    linkInteger(Field, V);
}

/// What is stored may be loaded; both directions.
void Describer::flow(unsigned Into, Value *V) {
  const Location Target = Graph.locate(V);
  if (!Target)
    return;
  Graph.pointTo(Into, Target);
  if (Moved.contains(V))
    Graph.linkCells(Into, Graph.cellOf(V));
}

void Describer::noteAlignment(Value *Pointer, Type *T, Align Known) {
  T = T->getScalarType();
  if (!T->isFloatTy() && !T->isDoubleTy())
    return;
  if (Location At = Graph.locate(Pointer))
    Graph.noteAlignment(At, Known >= Graph.layout().getTypeStoreSize(T));
}

/// The load factor of a hash table lies where a node, for which its header passes, has a pointer
/// or a double. If nothing else at that place is a float, no derivative is stored there either.
bool Describer::settleConstants() {
  bool Changed = false;
  for (unsigned Field : Constants) {
    if (Graph.kindsOfCell(Field) & (SK_Float | SK_Double | SK_Pointer))
      continue;
    Graph.addKind(Field, SK_Float);
    Changed = true;
  }
  return Changed;
}

/// A constant that would be no sensible float: too small for a normal one, or a NaN.
static bool isCount(const APInt &Value) {
  constexpr unsigned CountBits = 20;
  return !Value.isZero() && (Value.getActiveBits() <= CountBits || Value.isAllOnes());
}

/// What is known to be a number says nothing about what else may be at its place.
void Describer::linkInteger(unsigned Field, Value *V) {
  if (!isCarrier(V->getType()) || Integers.contains(V))
    Graph.addKind(Field, SK_Int);
  else if (auto *C = dyn_cast<ConstantInt>(V); C && isCount(C->getValue()))
    Graph.addKind(Field, SK_Int);
  else if (!isa<Constant>(V))
    Graph.linkCells(Field, Graph.cellOf(V));
}

/// Where an object of one class and one of another are first met, it is settled which of their
/// places are one. An address that has been stepped from says less of that than one that has not:
///
///   child = phi [end of the map], [node + 8], [node]      the end is laid on node, not on node + 8
void Describer::visitPHINode(PHINode &I) {
  for (bool Stepped : {false, true})
    for (Value *V : I.incoming_values())
      if (isa<GetElementPtrInst>(V) == Stepped)
        tie(&I, V);
}

void Describer::tie(Value *A, Value *B) {
  Type *T = A->getType();
  if (T->isPointerTy()) {
    if (Location To = Graph.locate(B))
      Graph.pointTo(Graph.cellOf(A), To);
    if (Moved.contains(A) && Moved.contains(B))
      Graph.linkCells(Graph.cellOf(A), Graph.cellOf(B));
  } else if (isCarrier(T) && !isa<Constant>(B)) {
    Graph.linkCells(Graph.cellOf(A), Graph.cellOf(B));
  } else if (T->isAggregateType() && !isa<Constant>(B)) {
    Graph.unifyLocations(Graph.aggregate(A), Graph.aggregate(B));
  }
}

/// Where an index that leads to Offset and every Stride bytes comes into an object in front of
/// which nothing is: events[n - 1].
static int64_t firstInside(int64_t Offset, int64_t Stride) {
  return Offset < 0 && Stride ? Offset % Stride + (Offset % Stride ? Stride : 0) : Offset;
}

/// True of strides[n - 1]: as many steps back are among those that an index makes from the
/// beginning of the array; what lies in front of it is another member.
static bool isBackBySteps(int64_t By, int64_t Stride) {
  return By < 0 && Stride && By % Stride == 0;
}

void Describer::visitGetElementPtrInst(GetElementPtrInst &I) {
  if (!I.getType()->isPointerTy())
    return;
  Location At = Graph.locate(I.getPointerOperand());
  if (!At)
    return;
  unsigned Bits = Graph.layout().getIndexTypeSizeInBits(I.getType());
  SmallMapVector<Value *, APInt, 4> Variable;
  APInt Constant(Bits, 0);
  if (!cast<GEPOperator>(I).collectOffset(Graph.layout(), Bits, Variable, Constant))
    return Graph.fold(At, 1);
  bool Exact = false;
  int64_t Steps = At.Stride;
  for (auto &[Index, Scale] : Variable) {
    Stride Step = strideOf(Index);
    const int64_t By = Scale.getSExtValue() * int64_t(Step.Multiple);
    Graph.fold(At, By, Reach::Objects);
    Steps = std::gcd(Steps, By);
    Constant += Scale * APInt(Bits, startOf(Index), /*isSigned=*/true);
    Exact = Step.IsDifference && Variable.size() == 1 && Scale.isOne();
    for (PointerDifference D : Step.Differences)
      this->Steps.push_back({&I, D, Scale.getSExtValue(), Constant.getSExtValue(), Exact});
    if (isCarrier(Index->getType()) && !isa<llvm::Constant>(Index))
      Graph.addKind(Graph.cellOf(Index), SK_Int);
  }
  const int64_t Ahead = Constant.getSExtValue();
  const int64_t Offset = At.Offset + (isBackBySteps(Ahead, Steps) ? 0 : Ahead);
  const bool Enters = At.Offset >= 0 && !Variable.empty();
  if (!Exact)
    Graph.pointTo(Graph.cellOf(&I), {At.Node, Enters ? firstInside(Offset, Steps) : Offset, Steps});
}

/// new + (position - old): as far from the beginning as in the other object.
bool Describer::settle(const Step &S) {
  const Location Base = Graph.locate(S.I->getPointerOperand());
  const Location To = Graph.find(S.Index.To), From = Graph.find(S.Index.From);
  const Location Old = Graph.find(S.I);
  const int64_t OldPeriod = Graph.period(Base.Node);
  const int64_t Walk = S.Unknown ? 1 : std::gcd(To.Stride, From.Stride);
  const int64_t Period = S.Unknown ? 1 : std::gcd(Graph.period(To.Node), Walk);
  const int64_t Distance = To.Offset - From.Offset;
  if (S.Exact) {
    Graph.fold(Base, Period);
    Graph.pointTo(Graph.cellOf(S.I), {Base.Node, Base.Offset + S.Constant + Distance, Walk});
  } else {
    Graph.fold(Base, S.Index.multipleOf(std::gcd(Period, Distance)) * S.Scale);
  }
  const Location New = Graph.find(S.I);
  return !Old || New.Node != Old.Node || New.Offset != Old.Offset ||
         Graph.period(Graph.locate(S.I->getPointerOperand()).Node) != OldPeriod;
}

/// end = new + (end - begin), where nothing else leads to the end than that both are null at first.
/// What goes round is added when the two are known to be in one object.
bool Describer::beginDifferences() {
  bool News = false;
  for (Step &S : Steps) {
    const Location To = Graph.find(S.Index.To), From = Graph.find(S.Index.From);
    if (!S.Exact || S.Unknown || S.Begun || (To && From && To.Node == From.Node) ||
        !isNullOr(*S.Index.To, *S.I))
      continue;
    const Location Base = Graph.locate(S.I->getPointerOperand());
    Graph.pointTo(Graph.cellOf(S.I), {Base.Node, Base.Offset + S.Constant});
    S.Begun = News = true;
  }
  return News;
}

bool Describer::settleDifferences(bool GiveUp) {
  bool News = false;
  for (Step &S : Steps) {
    Location To = Graph.find(S.Index.To), From = Graph.find(S.Index.From);
    bool Related = To && From && To.Node == From.Node;
    if (!Related && !GiveUp && !S.Unknown)
      continue;
    S.Unknown |= !Related;
    News |= settle(S);
  }
  return News;
}

void Describer::visitCastInst(CastInst &I) {
  Value *From = I.getOperand(0);
  Type *To = I.getType();
  if (isa<BitCastInst>(I)) {
    if (isCarrier(To) && From->getType()->isFloatingPointTy())
      Graph.addKind(Graph.cellOf(&I), kindOfType(From->getType()));
    else if (isCarrier(From->getType()) && To->isFloatingPointTy() && !isa<Constant>(From))
      Graph.addKind(Graph.cellOf(From), kindOfType(To));
    return;
  }
  if (isa<TruncInst>(I) || isa<ZExtInst>(I)) { // floats cross a fork as the low half of an i64
    if (isCarrier(To) && isCarrier(From->getType()) && !isa<Constant>(From))
      Graph.linkCells(Graph.cellOf(&I), Graph.cellOf(From));
    return;
  }
  if ((isa<PtrToIntInst>(I) && isCarrier(To)) || (isa<AddrSpaceCastInst>(I) && To->isPointerTy())) {
    if (Location At = Graph.locate(From))
      Graph.pointTo(Graph.cellOf(&I), At);
  } else if (isa<IntToPtrInst>(I) && isCarrier(From->getType()) && !isa<Constant>(From)) {
    Graph.linkCells(Graph.cellOf(&I), Graph.cellOf(From));
  } else if ((isa<SExtInst>(I) || isa<SIToFPInst>(I) || isa<UIToFPInst>(I)) &&
             isCarrier(From->getType()) && !isa<Constant>(From)) {
    Graph.addKind(Graph.cellOf(From), SK_Int);
  }
}

void Describer::visitBinaryOperator(BinaryOperator &I) {
  if (!isCarrier(I.getType()))
    return;
  auto Op = I.getOpcode();
  bool Bitwise = Op == Instruction::And || Op == Instruction::Or || Op == Instruction::Xor ||
                 Op == Instruction::LShr || Op == Instruction::Shl;
  if (Op == Instruction::Xor)
    linkAddresses(I);
  if (Bitwise)
    return;
  Graph.addKind(Graph.cellOf(&I), SK_Int);
}

/// Two addresses in one word, of which one gives the other back.
void Describer::linkAddresses(BinaryOperator &I) {
  if (!joinsAddresses(I) ||
      none_of(I.operands(), [&](const Use &Op) { return Graph.carried(Op) & SK_Pointer; }))
    return;
  for (Value *Op : I.operands())
    Graph.linkCells(Graph.cellOf(&I), Graph.cellOf(Op));
}

void Describer::visitReturnInst(ReturnInst &I) {
  Value *V = I.getReturnValue();
  if (!V || isa<Constant>(V))
    return;
  Function *F = I.getFunction();
  if (V->getType()->isPointerTy()) {
    if (Location To = Graph.locate(V))
      Graph.pointTo(Graph.returnCell(F), To);
  } else if (isCarrier(V->getType())) {
    Graph.linkCells(Graph.returnCell(F), Graph.cellOf(V));
  } else if (V->getType()->isAggregateType()) {
    Graph.unifyLocations(Graph.returnAggregate(F), Graph.aggregate(V));
  }
}

int64_t Describer::offsetIn(Type *T, ArrayRef<unsigned> Indices) {
  int64_t Offset = 0;
  for (unsigned Index : Indices) {
    if (auto *S = dyn_cast<StructType>(T)) {
      Offset += Graph.layout().getStructLayout(S)->getElementOffset(Index);
      T = S->getElementType(Index);
    } else {
      T = cast<ArrayType>(T)->getElementType();
      Offset += Index * int64_t(Graph.layout().getTypeAllocSize(T));
    }
  }
  return Offset;
}

void Describer::visitExtractValueInst(ExtractValueInst &I) {
  Location At = Graph.aggregate(I.getAggregateOperand());
  At.Offset += offsetIn(I.getAggregateOperand()->getType(), I.getIndices());
  Type *T = I.getType();
  if (T->isAggregateType())
    return Graph.unifyLocations(At, Graph.aggregate(&I));
  unsigned Field = Graph.fieldCell(At);
  Graph.addKind(Field, kindOfType(T));
  if (T->isPointerTy())
    Graph.pointTo(Field, Graph.locate(&I));
  else if (T->isIntegerTy())
    linkInteger(Field, &I);
}

void Describer::visitInsertValueInst(InsertValueInst &I) {
  if (!isa<Constant>(I.getAggregateOperand()))
    Graph.unifyLocations(Graph.aggregate(&I), Graph.aggregate(I.getAggregateOperand()));
  Location At = Graph.aggregate(&I);
  At.Offset += offsetIn(I.getType(), I.getIndices());
  Value *V = I.getInsertedValueOperand();
  Type *T = V->getType();
  if (T->isAggregateType()) {
    if (!isa<Constant>(V))
      Graph.unifyLocations(At, Graph.aggregate(V));
    return;
  }
  unsigned Field = Graph.fieldCell(At);
  Graph.addKind(Field, kindOfType(T));
  if (T->isPointerTy()) {
    if (Location To = Graph.locate(V))
      Graph.pointTo(Field, To);
  } else if (T->isIntegerTy()) {
    linkInteger(Field, V);
  }
}

void Describer::bindClosure(CallBase &I, const contraflow::Closure &C) {
  for (unsigned P = 0; P < C.Operands.size(); ++P)
    if (C.Operands[P] >= 0)
      tie(C.Body->getArg(P), I.getArgOperand(C.Operands[P]));
}

void Describer::describeStructure(CallBase &I, const CallFacts::Structure &Linked) {
  Location First;
  auto Join = [&](Value *V) {
    Location At = Graph.locate(V);
    if (First)
      Graph.unifyLocations(First, At);
    else
      First = At;
  };
  for (unsigned Operand : Linked.Operands)
    Join(I.getArgOperand(Operand));
  if (Linked.Result)
    Join(&I);
  if (First)
    Graph.fold(First, Linked.Stride);
  for (int64_t Offset : Linked.Offsets)
    if (First)
      Graph.pointTo(Graph.fieldCell({First.Node, First.Offset + Offset}), First);
}

void Describer::applyFacts(CallBase &I, const CallFacts &Facts) {
  for (const CallFacts::Copy &C : Facts.Copies)
    addCopyOf(Graph, I, C);
  describeStructure(I, Facts.Linked);
  for (auto [Operand, SizeOperand] : Facts.Arrays) {
    auto *Size = dyn_cast<ConstantInt>(I.getArgOperand(SizeOperand));
    Graph.fold(Graph.locate(I.getArgOperand(Operand)), Size ? Size->getSExtValue() : 1);
  }
  for (auto [Operand, Kind] : Facts.Elements)
    if (Location At = Graph.locate(I.getArgOperand(Operand))) {
      Graph.fold(At, widthOfKinds(Kind));
      Graph.addKind(Graph.fieldCell(At), Kind);
    }
  for (auto [Operand, Kind] : Facts.Cells)
    if (Location At = Graph.locate(I.getArgOperand(Operand)))
      Graph.addKind(Graph.fieldCell(At), Kind);
  for (const CallFacts::Member &M : Facts.Members)
    if (Location Table = Graph.locate(I.getArgOperand(M.Operand))) {
      const unsigned Cell = Graph.fieldCell({Table.Node, Table.Offset + M.Offset});
      if (M.Kind == SK_Pointer) {
        Graph.pointTo(Cell, Graph.locate(&I));
      } else if (auto At = Graph.pointee(Cell)) {
        if (M.IsArray)
          Graph.fold(*At, widthOfKinds(M.Kind));
        Graph.addKind(Graph.fieldCell(*At), M.Kind);
      }
    }
  for (unsigned K = 0; K < Facts.Keeps.size(); ++K)
    if (Location To = Graph.locate(I.getArgOperand(Facts.Keeps[K]))) {
      Location At = Graph.locate(&I);
      At.Offset += K * sizeof(void *);
      Graph.pointTo(Graph.fieldCell(At), To);
    }
  for (unsigned Operand : Facts.Foreign) {
    if (!Foreign)
      Foreign = Graph.aggregate(&I); // of a call that returns none
    Graph.pointTo(Graph.fieldCell(Graph.locate(I.getArgOperand(Operand))), Foreign);
  }
  for (const contraflow::Closure &Model : Facts.Models) {
    bindClosure(I, Model);
    Models.insert(Model.Body);
  }
}

void Describer::visitModels() {
  for (unsigned Next = 0; Next < Models.size(); ++Next) {
    Function &F = *Models[Next];
    for (Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (Callee && !Callee->isDeclaration() && !Closure.count(Callee) && !Handlers.find(*Call)) {
        Models.insert(Callee);
        bindCall(*Call, *Callee);
      }
      visit(I);
    }
  }
}

void Describer::visitCallBase(CallBase &I) {
  Function *F = I.getCalledFunction();
  beginAt(&I, Layouts.ofAllocated(I));
  if (const ConstructHandler *H = Handlers.find(I)) {
    applyFacts(I, H->facts(I));
    begin(&I, notedObjectType(I));
    if (auto C = H->closure(I))
      bindClosure(I, *C);
    return;
  }
  if (passesPointer(I)) {
    tie(&I, I.getArgOperand(0));
    if (I.getIntrinsicID() == Intrinsic::ptrmask)
      Graph.fold(Graph.locate(&I), 1);
  }
  if (F && Closure.count(F))
    bindCall(I, *F);
}

void Describer::bindCall(CallBase &I, Function &F) {
  for (Argument &A : F.args())
    if (A.getArgNo() < I.arg_size())
      tie(&A, I.getArgOperand(A.getArgNo()));
  if (I.getType() != F.getReturnType())
    return;
  if (I.getType()->isPointerTy() || isCarrier(I.getType()))
    Graph.linkCells(Graph.cellOf(&I), Graph.returnCell(&F));
  else if (I.getType()->isAggregateType())
    Graph.unifyLocations(Graph.aggregate(&I), Graph.returnAggregate(&F));
}

void Describer::beginAt(Value *Object, const LayoutPlaces *Places) {
  if (!Places)
    return;
  Evidence.push_back({Object, {Places, 0}});
  addTyped(Object, *Places, Typed);
}

/// What an object begins with; of others than variables, the code that uses them tells.
void Describer::begin(Value *Object, Type *T) {
  const LayoutPlaces *Places = Layouts.ofType(T);
  if (!Places)
    return;
  Type *Element = T;
  while (auto *A = dyn_cast<ArrayType>(Element))
    Element = A->getElementType();
  const DataLayout &DL = Graph.layout();
  if (DL.getTypeAllocSize(T) > DL.getTypeAllocSize(Element))
    Graph.noteElements(Graph.locate(Object), DL.getTypeAllocSize(Element));
  beginAt(Object, Places);
}

/// An array of structures is told from their arrays by its stride, which is larger.
void Describer::describeLayouts() {
  for (const Said &S : Evidence)
    if (Location At = Graph.find(S.Pointer)) {
      At.Offset -= S.What.Offset;
      Graph.addPlaces(At, *S.What.Places);
    }
}

void Describer::visitAll(ArrayRef<Function *> Functions) {
  Steps.clear();
  Constants.clear();
  Evidence.clear();
  Graph.forgetCopies();
  for (Function *F : Functions)
    for (Instruction &I : instructions(*F)) {
      visit(I);
      if (const LayoutReader::Evidence E = Layouts.of(I); E && getLoadStorePointerOperand(&I))
        note(I, E); // atomic updates and copies may name a structure as well
      if (const LayoutPlaces *Behind = Layouts.pointee(I))
        Evidence.push_back({&I, {Behind, 0}});
    }
  visitModels();
  describeGlobals(Graph, *Root->getParent());
  for (GlobalVariable &G : Root->getParent()->globals())
    if (Graph.find(&G))
      begin(&G, G.getValueType());
}

void Describer::note(Instruction &Access, const LayoutReader::Evidence &E) {
  Value &Pointer = *getLoadStorePointerOperand(&Access);
  Evidence.push_back({&Pointer, E});
  const DataLayout &DL = Graph.layout();
  if (E.isInteger(DL.getTypeStoreSize(getLoadStoreType(&Access)).getFixedValue()))
    Graph.noteDeclaredInteger(&Access, E.hasOthers());
  addTypedOrigins(Pointer, E, DL, Typed);
}

/// True of what keeps an address or hands it back. Where it comes to light again, nothing says that
/// an index has led to it.
static bool keeps(const Use &U) {
  const User *By = U.getUser();
  return isa<ReturnInst, InsertValueInst, InsertElementInst>(By) ||
         (isa<StoreInst, AtomicRMWInst, AtomicCmpXchgInst>(By) && U.get() != getPointerOperand(By));
}

/// An address that an index or a walk has led to is used.
void Describer::land(Value &V) {
  const Location At = V.getType()->isPointerTy() ? Graph.find(&V) : Location();
  if (!At || !At.Stride)
    return;
  for (const Use &U : V.uses()) {
    auto *Call = dyn_cast<CallBase>(U.getUser());
    const bool Passed = Call && !passesPointer(*Call) && !Closure.count(Call->getCalledFunction());
    const bool Accessed =
        isa<AtomicRMWInst, AtomicCmpXchgInst>(U.getUser()) ||
        (isa<LoadInst, StoreInst>(U.getUser()) && U.get() == getPointerOperand(U.getUser()));
    if (Passed || keeps(U))
      return Graph.fold(At, At.Stride, Reach::Members);
    if (Accessed)
      Graph.fold(At, At.Stride, movesWord(U.getUser()) ? Reach::Words : Reach::Place);
  }
}

void Describer::landAll(Function &F) {
  for (Argument &A : F.args())
    land(A);
  for (Instruction &I : instructions(F))
    land(I);
}

bool Describer::settlePlaces(ArrayRef<Function *> Functions) {
  bool News = false;
  while (Graph.hasArrays() || !News) {
    const unsigned Before = Graph.changes();
    Graph.setWaiting(true);
    if (News)
      visitAll(Functions);
    for (Function *F : Functions)
      landAll(*F);
    for (Function *F : Models)
      landAll(*F);
    Graph.settleFolds([&] { describeLayouts(); });
    Graph.setWaiting(false);
    noteOrigins(Graph, Layouts, Functions, Models.getArrayRef(), Typed);
    Graph.settlePlaces();
    if (Graph.changes() == Before && !Graph.foldPutOff())
      break;
    News = true;
  }
  return News;
}

} // namespace

bool passesPointer(const CallBase &Call) {
  return is_contained({Intrinsic::threadlocal_address, Intrinsic::ptrmask,
                       Intrinsic::ptr_annotation, Intrinsic::launder_invariant_group,
                       Intrinsic::strip_invariant_group, Intrinsic::ssa_copy},
                      Call.getIntrinsicID());
}

/// Integer arithmetic whose result is a float in disguise had floats for operands; differentiation
/// has to see them.
static bool spreadKinds(MemoryGraph &Graph, Instruction &I) {
  if (!isCarrier(I.getType()) || !isa<BinaryOperator, IntrinsicInst>(I))
    return false;
  unsigned Kinds = Graph.carried(&I) & (SK_Float | SK_Double);
  bool Changed = false;
  for (Value *V : I.operands()) {
    if (!isCarrier(V->getType()) || isa<Constant>(V) || (Graph.carried(V) & Kinds) == Kinds)
      continue;
    Graph.addKind(Graph.cellOf(V), Kinds);
    Changed = true;
  }
  return Changed;
}

/// What the initialiser of a global variable leads to.
static void describeConstant(MemoryGraph &Graph, Location At, const Constant *C) {
  if (C->getType()->isPointerTy()) {
    if (Location Target = Graph.locate(C))
      Graph.pointTo(Graph.fieldCell(At), Target);
    return;
  }
  const DataLayout &DL = Graph.layout();
  auto *Aggregate = dyn_cast<ConstantAggregate>(C);
  for (unsigned I = 0; Aggregate && I < Aggregate->getNumOperands(); ++I) {
    int64_t Offset = 0;
    if (auto *S = dyn_cast<StructType>(C->getType()))
      Offset = DL.getStructLayout(S)->getElementOffset(I);
    else if (auto *T = dyn_cast<ArrayType>(C->getType()))
      Offset = I * int64_t(DL.getTypeAllocSize(T->getElementType()));
    describeConstant(Graph, {At.Node, At.Offset + Offset}, Aggregate->getOperand(I));
  }
}

/// Globals that are met, and those that their initialisers lead to.
static void describeGlobals(MemoryGraph &Graph, const Module &M) {
  SmallPtrSet<const GlobalVariable *, 16> Done;
  bool Changed = true;
  while (Changed) {
    Changed = false;
    for (const GlobalVariable &G : M.globals())
      if (G.hasInitializer() && Graph.find(&G) && Done.insert(&G).second) {
        describeConstant(Graph, Graph.locate(&G), G.getInitializer());
        Changed = true;
      }
  }
}

void describeMemory(MemoryGraph &Graph, ArrayRef<Function *> Closure,
                    const HandlerRegistry &Handlers) {
  Describer D(Graph, Handlers, Closure);
  Graph.setWaiting(true);
  D.visitAll(Closure);
  noteCounts(Graph, Closure);
  Graph.inferHeaders();
  Graph.settleFolds([&] { D.describeLayouts(); });
  Graph.setWaiting(false);
  D.settlePlaces(Closure);
  auto Settle = [&](function_ref<bool(Instruction &)> Step) {
    bool Changed = false;
    Graph.settleCopies();
    for (Function *F : Closure)
      for (Instruction &I : instructions(*F))
        Changed |= Step(I);
    return Changed;
  };
  auto Spread = [&](Instruction &I) { return spreadKinds(Graph, I); };
  do {
    do
      while (Settle(Spread) || spreadMovedNumbers(Graph, Closure) ||
             spreadMovedFloats(Graph, Closure))
        ;
    while (D.settlePlaces(Closure) || D.settleDifferences(/*GiveUp=*/false) ||
           D.beginDifferences() || D.settleDifferences(/*GiveUp=*/true));
    Graph.settleCopies();
  } while (D.settleConstants() || assumeCarried(Graph, Closure, Handlers) ||
           assumeMoved(Graph, Closure, Handlers) || Graph.foldPutOff());
  noteShiftedCopies(Graph, Closure);
}

} // namespace contraflow
