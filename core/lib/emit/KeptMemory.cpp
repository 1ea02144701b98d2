// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A global variable may lead to heap objects that were there before the call, because the program
// or an earlier call made them. They are constants then, but the call may well write active values
// there, and so they have shadows, which hold nothing when the call begins:
//
//   static double *work;   main: work = malloc(n)        note_block(work, n)
//                          call: kept_root(&work, &work.shadow), kept_begin: work.shadow = a zeroed
//                                block of n bytes
//
// The runtime follows pointers by shapes, which are the nodes of the memory graph. It finds objects
// by the addresses that the program holds; whoever changes a pointer between two calls changes
// where its shadow leads. Two nodes are two objects: a program for which that is not so, since its
// pointers were set where the graph does not look, is ended (CF390).

#include "KeptMemory.h"

#include "ForwardSweep.h"
#include "callee/Variables.h"
#include "construct/Fields.h"
#include "contraflow/core/Callee.h"

#include "llvm/IR/Constants.h"

using namespace llvm;

namespace contraflow {

static void findKept(RequestState &S) {
  S.Kept.Known = true;
  for (GlobalVariable &G : S.C.M.globals())
    if (Location At = S.Graph.find(&G); At && !G.isConstant() && !isTypeDescription(G))
      S.Kept.Globals.insert(S.Graph.canonical(At.Node));
  SmallVector<unsigned, 16> Work(S.Kept.Globals.begin(), S.Kept.Globals.end());
  while (!Work.empty())
    for (auto [Offset, Cell] : S.Graph.fields(Work.pop_back_val()))
      if (auto Target = S.Graph.pointee(Cell)) {
        const unsigned Node = S.Graph.canonical(Target->Node);
        if (!S.Graph.isCallers(Node) && S.Kept.Nodes.insert(Node).second)
          Work.push_back(Node);
      }
}

static GlobalVariable *ownerGlobal(RequestState &S) {
  if (!S.Kept.Owner) {
    auto *Bytes = ArrayType::get(Type::getInt8Ty(S.C.M.getContext()), S.Spec.Width);
    S.Kept.Owner = new GlobalVariable(S.C.M, Bytes, false, GlobalValue::InternalLinkage,
                                      Constant::getNullValue(Bytes), "cf.owner");
  }
  return S.Kept.Owner;
}

static Constant *ownerFor(RequestState &S, unsigned Lane) {
  LLVMContext &Context = S.C.M.getContext();
  return ConstantExpr::getGetElementPtr(Type::getInt8Ty(Context), ownerGlobal(S),
                                        ConstantInt::get(Type::getInt64Ty(Context), Lane));
}

Constant *RequestState::ownerOf(const Value *Pointer, unsigned Lane) {
  if (!Kept.Known)
    findKept(*this);
  const Location At = Graph.find(Pointer);
  if (!At || !Kept.Nodes.contains(Graph.canonical(At.Node)))
    return nullptr;
  return ownerFor(*this, Lane);
}

namespace {

/// What a member of a shape says instead of a shape (struct cf_member).
constexpr int64_t NotFollowed = -1;

/// The table of shapes: nodes get their numbers when they are first met.
class ShapeTable {
public:
  explicit ShapeTable(RequestState &S) : S(S), Context(S.C.M.getContext()) {}
  unsigned numberOf(unsigned Node);
  Constant *emit();

private:
  Constant *shape(unsigned Node);
  Constant *member(const FieldRow &Row, std::optional<Location> Target);
  Constant *integer(int64_t V, unsigned Bits) {
    return ConstantInt::getSigned(IntegerType::get(Context, Bits), V);
  }
  GlobalVariable *table(ArrayRef<Constant *> Rows, Type *Row, const char *Name) {
    auto *T = ArrayType::get(Row, Rows.size());
    return new GlobalVariable(S.C.M, T, true, GlobalValue::PrivateLinkage,
                              ConstantArray::get(T, Rows), Name);
  }

  RequestState &S;
  LLVMContext &Context;
  MapVector<unsigned, unsigned> Numbers;
};

unsigned ShapeTable::numberOf(unsigned Node) {
  Node = S.Graph.canonical(Node);
  return Numbers.insert({Node, Numbers.size()}).first->second;
}

Constant *ShapeTable::member(const FieldRow &Row, std::optional<Location> Target) {
  const unsigned Node = Target ? S.Graph.canonical(Target->Node) : 0;
  int64_t Number = NotFollowed;
  if (Target && S.Kept.Nodes.contains(Node))
    Number = numberOf(Node);
  else if (Target && S.Kept.Globals.contains(Node))
    Number = NotFollowed - 1 - int64_t(numberOf(Node));
  return ConstantStruct::getAnon({integer(Row.Offset, 64), integer(Row.Kind, 32),
                                  integer(Number, 32), integer(Target ? Target->Offset : 0, 64)});
}

Constant *ShapeTable::shape(unsigned Node) {
  const MemoryLayout Layout = layoutOf(S.Activity, Location{Node, 0});
  SmallVector<Constant *, 8> Rows;
  for (const FieldRow &Row : pointerFields(Layout)) {
    std::optional<Location> Target;
    S.Graph.overlapping({Node, Row.Offset}, 1, [&](unsigned Cell) {
      if (!Target)
        Target = S.Graph.pointee(Cell);
    });
    Rows.push_back(member(Row, Target));
  }
  const unsigned Pointers = Rows.size();
  for (const FieldRow &Row : activeFields(Layout))
    if (!isPointerRow(Row))
      Rows.push_back(member(Row, std::nullopt));
  const int64_t Matters = S.Activity.varied(Node) + 2 * S.Activity.useful(Node);
  Constant *Members = ConstantPointerNull::get(PointerType::getUnqual(Context));
  if (!Rows.empty())
    Members = table(Rows, Rows[0]->getType(), "cf.members");
  return ConstantStruct::getAnon({integer(S.Graph.period(Node), 64), Members, integer(Pointers, 32),
                                  integer(Rows.size(), 32), integer(S.Activity.hasShadow(Node), 32),
                                  integer(Matters, 32)});
}

Constant *ShapeTable::emit() {
  SmallVector<Constant *, 8> Rows;
  for (unsigned I = 0; I < Numbers.size(); ++I) // grows meanwhile
    Rows.push_back(shape((Numbers.begin() + I)->first));
  return table(Rows, Rows[0]->getType(), "cf.shapes");
}

/// True if a pointer in the global variable may have led somewhere else in the call before.
bool leadsOn(const RequestState &S, const GlobalVariable &G) {
  const Location At = S.Graph.find(&G);
  return !G.isConstant() && any_of(S.Graph.fields(At.Node), [&](auto &Field) {
    auto Target = S.Graph.pointee(Field.second);
    const unsigned Node = Target ? S.Graph.canonical(Target->Node) : 0;
    return Target && S.Activity.hasShadow(Node) &&
           (S.Kept.Nodes.contains(Node) || S.Kept.Globals.contains(Node));
  });
}

/// True if an object is written and a heap object is read, or the other way round, in ways that
/// would matter if they were one.
bool mayMeet(const RequestState &S) {
  unsigned Varied[2] = {}, Useful[2] = {}, Both[2] = {};
  for (bool Heap : {false, true})
    for (unsigned Node : Heap ? S.Kept.Nodes : S.Kept.Globals) {
      Varied[Heap] += S.Activity.varied(Node);
      Useful[Heap] += S.Activity.useful(Node);
      Both[Heap] += S.Activity.varied(Node) && S.Activity.useful(Node);
    }
  auto Pairs = [&](bool A, bool B) { return Varied[A] * Useful[B] - (A == B ? Both[A] : 0); };
  return Pairs(true, true) || Pairs(true, false) || Pairs(false, true);
}

SmallVector<GlobalVariable *, 8> findRoots(RequestState &S) {
  if (!S.Kept.Known)
    findKept(S);
  SmallVector<GlobalVariable *, 8> Roots;
  for (GlobalVariable &G : S.C.M.globals())
    if (!isVirtualTable(G) && !givenShadow(G) && S.Graph.find(&G) && G.getValueType()->isSized() &&
        (S.ShadowGlobals.contains({&G, 0}) || !G.isConstant()))
      Roots.push_back(&G);
  return Roots;
}

bool isKeptByThreads(const RequestState &S, const GlobalVariable &G) {
  return G.isThreadLocal() && leadsOn(S, G);
}

/// For each lane: the roots, then whatever Enter calls with their owner and the shapes.
void tellRoots(RequestState &S, ForwardSweep &Sweep, ArrayRef<GlobalVariable *> Roots,
               function_ref<void(Constant *Owner, Constant *Table)> Enter) {
  auto &IR = Sweep.ir();
  IR.GetInsertBlock()->getParent()->addFnAttr(attr::Keeps);
  auto Address = [&](GlobalVariable *G) -> Value * {
    return G->isThreadLocal() ? IR.CreateThreadLocalAddress(G) : cast<Value>(G);
  };
  Value *None = ConstantPointerNull::get(IR.getPtrTy());
  ShapeTable Shapes(S);
  Constant *Table = nullptr;
  for (unsigned Lane = 0; Lane < S.Spec.Width; ++Lane) {
    for (GlobalVariable *G : Roots) {
      const Location At = S.Graph.find(G);
      GlobalVariable *Shadow = S.ShadowGlobals.lookup({G, Lane});
      const uint64_t Bytes = S.C.M.getDataLayout().getTypeAllocSize(G->getValueType());
      Sweep.runtime("kept_root", IR.getVoidTy(),
                    {Address(G), Shadow ? Address(Shadow) : None, IR.getInt64(Bytes),
                     IR.getInt32(Shapes.numberOf(At.Node)), IR.getInt64(At.Offset)});
    }
    if (!Table)
      Table = Shapes.emit();
    Enter(ownerFor(S, Lane), Table);
  }
}

/// True if the call before may have left derivatives where this one finds them.
bool isKept(RequestState &S, ArrayRef<GlobalVariable *> Roots) {
  return mayMeet(S) || any_of(Roots, [&](GlobalVariable *G) { return leadsOn(S, *G); });
}

} // namespace

void enterKeptMemory(RequestState &S, ForwardSweep &Sweep) {
  const SmallVector<GlobalVariable *, 8> Roots = findRoots(S);
  if (!isKept(S, Roots))
    return;
  S.C.KeepsMemory = true;
  tellRoots(S, Sweep, Roots, [&](Constant *Owner, Constant *Table) {
    Sweep.runtime("kept_begin", Sweep.ir().getVoidTy(), {Owner, Table});
  });
}

Error checkKeptMemory(RequestState &S) {
  if (!isKept(S, findRoots(S)))
    return Error::success();
  for (unsigned Node : S.Kept.Nodes) {
    const MemoryLayout Layout = layoutOf(S.Activity, Location{Node, 0});
    if (Layout.Packed && (allKinds(Layout) & SK_Pointer) &&
        any_of(Layout.Fields, [](auto &F) { return F.Active; }))
      return diffError(
          DiagId::UnknownType, *S.Spec.Primal,
          "memory that a global variable leads to holds packed bytes beside addresses");
  }
  return Error::success();
}

bool threadsKeepMemory(RequestState &S) {
  return any_of(findRoots(S), [&](GlobalVariable *G) { return isKeptByThreads(S, *G); });
}

void joinKeptMemory(RequestState &S, ForwardSweep &Sweep) {
  SmallVector<GlobalVariable *, 8> Roots, Shared;
  for (GlobalVariable *G : findRoots(S))
    if (isKeptByThreads(S, *G))
      Roots.push_back(G);
    else if (!G->isThreadLocal())
      Shared.push_back(G);
  Value *Own = Sweep.ir().getInt32(Roots.size());
  append_range(Roots, Shared);
  tellRoots(S, Sweep, Roots, [&](Constant *Owner, Constant *Table) {
    Sweep.runtime(S.Spec.Split ? "kept_join_split" : "kept_join", Sweep.ir().getVoidTy(),
                  {Owner, Table, Own});
  });
}

} // namespace contraflow
