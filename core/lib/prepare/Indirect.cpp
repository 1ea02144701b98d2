// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The callee of an indirect call is one of the functions of the module whose address is taken and
// whose type fits, or unknown to the compiler. So the call becomes
//
//   r = f(x)     ->     if (f == square)    r = square(x);
//                       else if (f == cube) r = cube(x);
//                       else                unknown_callee("heat.cpp:41:9");   CF307
//
// and whatever comes after sees direct calls only. The pointer compared is the primal one.
//
// Where the pointer is loaded from a table at a constant distance (a virtual call, a struct of
// operations), the functions that constant tables have at this distance are asked for, and those
// whose address goes anywhere else than into a constant table, unless the call is known to be
// virtual. Candidates come in module order.

#include "Indirect.h"
#include "Choice.h"
#include "Hooks.h"
#include "Members.h"
#include "Prepare.h"
#include "Reached.h"
#include "SharedChoices.h"
#include "Tables.h"
#include "Variadic.h"
#include "Virtual.h"
#include "Wrapped.h"
#include "callee/Bodies.h"
#include "callee/Classes.h"
#include "callee/Instrumentation.h"
#include "contraflow/core/Callee.h"
#include "contraflow/core/Construct.h"
#include "contraflow/core/Diag.h"
#include "contraflow/core/Remark.h"
#include "contraflow/core/Request.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace contraflow {
namespace {

constexpr unsigned MostCandidates = 1024;             ///< of one call
constexpr unsigned MostInlined = 8;                   ///< a choice of more keeps its calls
constexpr unsigned MostVariadic = 200;                ///< instructions: it will be inlined
constexpr StringLiteral KeepMark = "cf.keep-call";    ///< an attribute of a call
constexpr StringLiteral OptionalMark = "cf.optional"; ///< likewise

class Candidates {
public:
  Candidates(CallBase &Call, const HandlerRegistry &Handlers, FunctionIndex &Functions)
      : Call(Call), Handlers(Handlers), Functions(Functions), DL(Call.getDataLayout()),
        Read(slotOfCallee(Call)) {}
  SmallVector<Function *, 8> find();

private:
  bool fits(const Function &F) const;
  bool escapes(const Value &F) const;
  bool findDistances(const Value *Slot, SmallSetVector<int64_t, 4> &Out) const;
  bool fromTable();
  void atDistance(const GlobalVariable &G, int64_t Distance, StringRef Class);
  void everyTable();
  void add(const TableEntry &E);
  std::string obstacle(const Function &F) const;
  bool opaque(const CallBase &Inner) const;
  void keepSlots(SmallVectorImpl<Function *> &Fitting) const;
  void keepSignature(SmallVectorImpl<Function *> &Fitting) const;

  CallBase &Call;
  const HandlerRegistry &Handlers;
  FunctionIndex &Functions;
  const DataLayout &DL;
  const std::optional<MemberSlot> Read;
  SmallPtrSet<Function *, 8> Found;    ///< in tables
  SmallPtrSet<Function *, 8> AtMember; ///< those that may lie in the member that is read
};

bool Candidates::fits(const Function &F) const {
  if (F.isIntrinsic() || F.isVarArg())
    return false;
  for (unsigned I = 0; I < F.arg_size(); ++I)
    if (F.getParamByValType(I) != Call.getParamByValType(I) ||
        F.hasParamAttribute(I, Attribute::StructRet) != Call.paramHasAttr(I, Attribute::StructRet))
      return false;
  return true;
}

/// Code of -O0 has its parameters in variables. What is loaded from there goes no further if it is
/// only handed to a request, or to another variable of that kind.
static bool escapesFrom(const AllocaInst &Variable, unsigned Left = 3) {
  auto Goes = [&](const Use &U) {
    if (auto *Store = dyn_cast<StoreInst>(U.getUser())) {
      auto *Next = dyn_cast<AllocaInst>(Store->getPointerOperand());
      return !Next || Left == 0 || escapesFrom(*Next, Left - 1);
    }
    auto *Call = dyn_cast<CallBase>(U.getUser());
    return !Call || !isRequest(*Call) || U.getOperandNo() != 0;
  };
  return any_of(Variable.users(), [&](const User *U) {
    if (auto *Store = dyn_cast<StoreInst>(U))
      return Store->getValueOperand() == &Variable;
    auto *II = dyn_cast<IntrinsicInst>(U);
    return isa<LoadInst>(U) ? any_of(U->uses(), Goes) : !II || !II->isAssumeLikeIntrinsic();
  });
}

bool Candidates::escapes(const Value &F) const {
  return any_of(F.uses(), [&](const Use &U) {
    const User *By = U.getUser();
    if (auto *Store = dyn_cast<StoreInst>(By); Store && Store->getValueOperand() == &F)
      if (auto *Variable = dyn_cast<AllocaInst>(Store->getPointerOperand()))
        return escapesFrom(*Variable);
    if (auto *G = dyn_cast<GlobalVariable>(By))
      return (!isTable(*G) && !G->hasAppendingLinkage()) || isCopied(*G);
    if (isa<ConstantAggregate, ConstantExpr, GlobalAlias>(By))
      return escapes(*By);
    if (isa<ICmpInst>(By)) // choices made before
      return false;
    auto *User = dyn_cast<CallBase>(By);
    if (!User || User->isCallee(&U))
      return !User;
    if (isEntryHook(*User) || runsAtExit(*User))
      return false;
    return !Handlers.find(*User) && !(isRequest(*User) && U.getOperandNo() == 0);
  });
}

/// Adds the functions that a table holds Distance behind a place that something points to. What
/// points to an element of an array may be led to another one, by a search or in a callee. Of the
/// table of an object, the part for Class is meant, if that is known.
void Candidates::atDistance(const GlobalVariable &G, int64_t Distance, StringRef Class) {
  SmallSetVector<int64_t, 4> Places;
  bool Anywhere = false; ///< an index into the table goes somewhere
  SmallVector<std::pair<const User *, int64_t>, 8> Todo;
  for (const User *U : G.users())
    Todo.push_back({U, 0});
  while (!Todo.empty()) {
    auto [U, Offset] = Todo.pop_back_val();
    auto *Expr = dyn_cast<GEPOperator>(U);
    APInt Bytes(DL.getIndexTypeSizeInBits(G.getType()), 0);
    if (!Expr || !isa<Constant>(Expr) || !Expr->accumulateConstantOffset(DL, Bytes)) {
      Places.insert(Offset);
      Anywhere |= isa<GetElementPtrInst, PHINode, SelectInst>(U);
      continue;
    }
    for (const User *Next : U->users())
      Todo.push_back({Next, Offset + Bytes.getSExtValue()});
  }
  auto *Array = dyn_cast<ArrayType>(G.getValueType());
  const int64_t Stride = Array ? DL.getTypeAllocSize(Array->getElementType()) : 0;
  auto LeadsTo = [&](int64_t At) {
    return any_of(Places, [&](int64_t Place) {
      return At == Place || (Stride > 0 && (At - Place) % Stride == 0);
    });
  };
  functionsIn(G, [&](const TableEntry &E) {
    if ((Anywhere || LeadsTo(E.At - Distance)) && (Class.empty() || !isOfOtherBase(G, E.At, Class)))
      add(E);
  });
}

/// How far a slot is from what may be the beginning of a table. False if that is not known.
bool Candidates::findDistances(const Value *Slot, SmallSetVector<int64_t, 4> &Out) const {
  SmallSetVector<std::pair<const Value *, int64_t>, 8> Todo;
  Todo.insert({Slot, 0});
  constexpr unsigned Most = 16;
  for (unsigned I = 0; I < Todo.size(); ++I) {
    auto [V, Distance] = Todo[I];
    APInt Bytes(DL.getIndexTypeSizeInBits(V->getType()), 0);
    const Value *Base = V->stripAndAccumulateConstantOffsets(DL, Bytes, true);
    int64_t At = Distance + Bytes.getSExtValue();
    if (isa<LoadInst, Argument, CallBase>(Base))
      Out.insert(At);
    else if (auto *Phi = dyn_cast<PHINode>(Base))
      for (const Value *From : Phi->incoming_values())
        Todo.insert({From, At});
    else if (auto *Select = dyn_cast<SelectInst>(Base))
      for (const Value *From : {Select->getTrueValue(), Select->getFalseValue()})
        Todo.insert({From, At});
    else
      return false;
    if (Todo.size() > Most)
      return false;
  }
  return true;
}

/// The pointer is loaded: from a table that is known, or from tables that only their pointers are
/// known of. True if no other function can be meant.
bool Candidates::fromTable() {
  auto *Load = dyn_cast<LoadInst>(Call.getCalledOperand());
  if (!Load) {
    everyTable();
    return false;
  }
  APInt Bytes(DL.getIndexTypeSizeInBits(Load->getPointerOperandType()), 0);
  const Value *Base = Load->getPointerOperand()->stripAndAccumulateConstantOffsets(DL, Bytes, true);
  const Value *Object = Base;
  while (auto *Step = dyn_cast<GEPOperator>(Object))
    Object = Step->getPointerOperand()->stripPointerCasts();
  if (auto *G = dyn_cast<GlobalVariable>(Object); G && isTable(*G)) {
    functionsIn(*G, [&](const TableEntry &E) {
      if (Base != G || E.At == Bytes.getSExtValue())
        Found.insert(E.F);
    });
    return true;
  }
  SmallSetVector<int64_t, 4> Distances;
  if (!findDistances(Load->getPointerOperand(), Distances)) {
    everyTable();
    return false;
  }
  // Of a union, say, there are no tables: the object is one of its members.
  const StringRef Class = virtualClass(Call);
  const bool Narrows = !Class.empty() && Functions.tables().anyOfClass(Class);
  for (const GlobalVariable *G : Functions.tables().ofType(calleeType(Call)))
    if (!(Narrows && isOfOtherClass(*G, Class)))
      for (int64_t Distance : Distances)
        atDistance(*G, Distance, Narrows ? Class : StringRef());
  return false;
}

void Candidates::add(const TableEntry &E) {
  Found.insert(E.F);
  if (Read && mayBeMember(E.Structure, E.Place, *Read, DL))
    AtMember.insert(E.F);
}

void Candidates::everyTable() {
  for (const GlobalVariable *G : Functions.tables().ofType(calleeType(Call)))
    functionsIn(*G, [&](const TableEntry &E) { add(E); });
}

/// True for a call that may have to do with derivatives and that nothing is known of.
bool Candidates::opaque(const CallBase &Inner) const {
  if (Inner.isInlineAsm() || Inner.hasFnAttr(Attribute::ReturnsTwice) || isRequest(Inner))
    return true;
  const Function *F = Inner.getCalledFunction();
  if (!F || !F->isDeclaration() || F->isIntrinsic() || Handlers.find(Inner) ||
      lookupCallee(Inner).Kind != CalleeKind::Unknown || bodyOf(*F))
    return false;
  auto Moves = [](Type *T) { return T->isFPOrFPVectorTy() || T->isPointerTy(); };
  return Moves(F->getReturnType()) || any_of(Inner.args(), [&](const Use &Arg) {
           return Moves(Arg->getType()) && !isa<Constant>(Arg);
         });
}

/// Of a function that fills what its arguments point to, strtod, the call would be refused where
/// that is active memory.
static bool fillsArguments(const Function &F, const CalleeInfo &Info) {
  return Info.Kind == CalleeKind::Inactive && !Info.ReadOnly && !Info.OwnObjects &&
         any_of(F.args(), [](const Argument &A) { return A.getType()->isPointerTy(); });
}

static bool neverReturns(const Function &F) {
  return none_of(F, [](const BasicBlock &B) { return isa<ReturnInst>(B.getTerminator()); });
}

/// What keeps F from having a derivative, as the end of a sentence. Empty if nothing is known of.
std::string Candidates::obstacle(const Function &F) const {
  if (F.isDeclaration()) {
    CalleeInfo Info = lookupCallee(F);
    const bool Known = Info.Kind != CalleeKind::Unknown && !fillsArguments(F, Info);
    return Known || Handlers.find(F.getName()) || bodyOf(F) ? "" : "is defined elsewhere";
  }
  if (neverReturns(F))
    return "does not return"; // the destructor of an abstract class: a trap
  SmallPtrSet<const Function *, 16> Seen;
  SmallVector<const Function *, 16> Todo{&F};
  while (!Todo.empty()) {
    const Function *Next = Todo.pop_back_val();
    const bool Ends = Next != &F && Next->doesNotThrow() && neverReturns(*Next);
    if (!Seen.insert(Next).second || Ends || lookupCallee(*Next).Kind != CalleeKind::Unknown)
      continue;
    const bool IsLong = Next->getInstructionCount() > MostVariadic;
    if (Next->hasFnAttribute(attr::Keeps))
      return "asks for a derivative that keeps heap memory in global variables";
    if (Next->isInterposable() || (Next != &F && IsLong && readsVariableArguments(*Next)))
      return ("calls '" + Twine(userName(*Next)) + "', which has no derivative").str();
    for (const Instruction &I : instructions(*Next)) {
      auto *Inner = dyn_cast<CallBase>(&I);
      const Function *G = Inner ? Inner->getCalledFunction() : nullptr;
      if (Inner && opaque(*Inner))
        return G ? ("calls '" + Twine(userName(*G)) + "', which has no derivative").str()
                 : "has inline assembly";
      if (G && !G->isIntrinsic())
        Todo.push_back(G);
    }
  }
  return "";
}

/// Leaves out what goes into other members of structures only. Where nobody fills this one, a
/// structure that begins in the same way may stand for it.
void Candidates::keepSlots(SmallVectorImpl<Function *> &Fitting) const {
  if (!Read || Fitting.size() < 2)
    return;
  MemberIndex &Members = Functions.members();
  const bool Filled = Functions.filled().contains(*Read);
  auto Elsewhere = [&](Function *F) {
    return !AtMember.contains(F) && !Members.mayLieWhere(*F, *Read, /*Prefix=*/!Filled);
  };
  if (!all_of(Fitting, Elsewhere))
    erase_if(Fitting, Elsewhere);
  else if (!Filled)
    erase_if(Fitting, [&](Function *F) { return !Found.contains(F); });
}

/// Leaves out what a std::function of another signature calls.
void Candidates::keepSignature(SmallVectorImpl<Function *> &Fitting) const {
  auto Otherwise = [this](const Function *F) { return isWrappedOtherwise(Call, *F); };
  if (!all_of(Fitting, Otherwise))
    erase_if(Fitting, Otherwise);
}

SmallVector<Function *, 8> Candidates::find() {
  const bool Exact = fromTable() || isVirtual(Call);
  SmallVector<Function *, 8> Fitting;
  auto Escapes = [this](const Function &F) { return escapes(F); };
  for (Function *F : Functions.ofType(calleeType(Call)))
    if (fits(*F) && (Found.contains(F) || (!Exact && Functions.escapes(*F, Escapes))))
      Fitting.push_back(F);
  keepSlots(Fitting);
  keepSignature(Fitting);
  if (const auto Held = functionsOfVariable(Call))
    erase_if(Fitting, [&](const Function *F) { return !Held->contains(F); });
  Functions.keepReached(Fitting);
  if (Fitting.size() < 2)
    return Fitting;
  SmallVector<Function *, 8> Usable;
  for (Function *F : Fitting) {
    std::string Why = obstacle(*F);
    if (Why.empty())
      Usable.push_back(F);
    else
      remark(RemarkKind::Missed, "CalleeWithoutDerivative", Call,
             "'" + userName(*F) + "' may be called here, but " + Why + ": an error if it is");
  }
  return Usable.empty() ? Fitting : Usable;
}

} // namespace

Value *placeOf(IRBuilderBase &B, Instruction &At) {
  return B.CreateGlobalString(SourcePlace::of(At).str(), "cf.place");
}

void emitFailure(IRBuilderBase &B, Instruction &At, StringRef Name) {
  endProgram(B, *At.getModule(), Name, placeOf(B, At));
}

void endProgram(IRBuilderBase &B, Module &M, StringRef Name, Value *Place) {
  CallInst *End = SweepBuilder::callRuntime(B, M, Name, B.getVoidTy(), {Place});
  End->addFnAttr(Attribute::NoReturn);
  End->addFnAttr(Attribute::NoUnwind);
  End->addFnAttr(Attribute::Cold);
}

ArrayRef<const GlobalVariable *> TableIndex::ofType(FunctionType *T) {
  if (!std::exchange(Filled, true))
    for (const GlobalVariable &G : M.globals())
      if (isTable(G))
        functionsIn(G, [&](const TableEntry &E) {
          auto &Tables = ByType[E.F->getFunctionType()];
          if (Tables.empty() || Tables.back() != &G)
            Tables.push_back(&G);
        });
  auto It = ByType.find(T);
  return It == ByType.end() ? ArrayRef<const GlobalVariable *>() : It->second;
}

bool TableIndex::anyOfClass(StringRef Class) {
  auto [It, New] = OfClass.try_emplace(Class, false);
  if (New)
    It->second = any_of(M.globals(),
                        [&](const GlobalVariable &G) { return isTable(G) && isOfClass(G, Class); });
  return It->second;
}

FunctionIndex::FunctionIndex(Compilation &C, const ReachedFunctions &Reached, TableIndex &Tables,
                             std::unique_ptr<MemberIndex> &Members)
    : C(C), Reached(Reached), Tables(Tables), Members(Members) {
  for (Function &F : C.M)
    ByType[F.getFunctionType()].push_back(&F);
}

ArrayRef<Function *> FunctionIndex::ofType(FunctionType *T) const {
  auto It = ByType.find(T);
  return It == ByType.end() ? ArrayRef<Function *>() : It->second;
}

MemberIndex &FunctionIndex::members() {
  if (!Members)
    Members = std::make_unique<MemberIndex>(C.M);
  return *Members;
}

const FilledMembers &FunctionIndex::filled() const { return C.filledMembers(); }

bool FunctionIndex::escapes(const Function &F, function_ref<bool(const Function &)> Escapes) {
  auto [It, New] = Known.try_emplace(&F, false);
  if (New)
    It->second = Escapes(F);
  return It->second;
}

void FunctionIndex::keepReached(SmallVectorImpl<Function *> &Fitting) {
  auto IsReached = [this](const Function *F) { return Reached.contains(*F); };
  if (all_of(Fitting, IsReached) || none_of(Fitting, IsReached))
    return;
  LeftOut = true;
  erase_if(Fitting, [&](const Function *F) { return !IsReached(F); });
}

SmallVector<Function *, 8> FunctionIndex::takeUncalled(const CallBase &Call,
                                                       SmallVectorImpl<Function *> &Fitting) const {
  const auto Number = C.Called ? numberOf(Call) : std::nullopt;
  if (!Number)
    return {};
  const auto Of = C.Called->find(*Number);
  auto IsUncalled = [&](const Function *F) {
    return Of == C.Called->end() || !Of->second.contains(F);
  };
  SmallVector<Function *, 8> Uncalled;
  copy_if(Fitting, std::back_inserter(Uncalled), IsUncalled);
  erase_if(Fitting, IsUncalled);
  return Uncalled;
}

bool isIndirect(const CallBase &Call) {
  const Value *Callee = Call.getCalledOperand()->stripPointerCasts();
  return !Call.isInlineAsm() && !isa<Function>(Callee);
}

/// A callee, the table that it is loaded from, the object that the table is loaded from, and where
/// each of them lies.
static SmallPtrSet<const Value *, 8> pointersBehind(const Value *Callee) {
  constexpr unsigned MostLoads = 3;
  SmallPtrSet<const Value *, 8> Out{Callee};
  const Value *At = Callee;
  for (unsigned I = 0; I < MostLoads && isa<LoadInst>(At); ++I) {
    At = cast<LoadInst>(At)->getPointerOperand()->stripInBoundsConstantOffsets();
    Out.insert(At);
  }
  return Out;
}

/// True if Condition, where it is Outcome, says that one of Pointers, or what lies in one of the
/// objects there, is not null.
static bool saysNonNull(const Value *Condition, bool Outcome,
                        const SmallPtrSetImpl<const Value *> &Pointers) {
  constexpr unsigned MostParts = 8; // of a && b && c
  SmallVector<const Value *, MostParts> Todo{Condition};
  for (unsigned I = 0; I < Todo.size() && I < MostParts; ++I) {
    const Value *A, *B;
    CmpPredicate Is;
    if (Outcome ? match(Todo[I], m_LogicalAnd(m_Value(A), m_Value(B)))
                : match(Todo[I], m_LogicalOr(m_Value(A), m_Value(B)))) {
      Todo.append({A, B});
    } else if (match(Todo[I], m_ICmp(Is, m_Value(A), m_Zero())) &&
               Is == (Outcome ? CmpInst::ICMP_NE : CmpInst::ICMP_EQ)) {
      auto *Load = dyn_cast<LoadInst>(A);
      if (Pointers.contains(A) ||
          (Load && Pointers.contains(Load->getPointerOperand()->stripInBoundsConstantOffsets())))
        return true;
    }
  }
  return false;
}

/// True if the function around the call may return without it.
static bool mayBeSkipped(const CallBase &Call, const DominatorTree &Tree) {
  return any_of(*Call.getFunction(), [&](const BasicBlock &Block) {
    return isa<ReturnInst>(Block.getTerminator()) && !Tree.dominates(Call.getParent(), &Block);
  });
}

bool isOptional(const CallBase &Call, Compilation &C) {
  constexpr unsigned MostBlocks = 32;
  if (Call.getAttributes().hasFnAttr(OptionalMark))
    return true;
  if (const auto Read = slotOfCallee(Call); Read && !C.filledMembers().containsByName(*Read))
    return true;
  if (functionsOfVariable(Call))
    return true; // set by other programs
  const auto Pointers = pointersBehind(Call.getCalledOperand());
  const DominatorTree Tree(const_cast<Function &>(*Call.getFunction()));
  if (isVirtual(Call) && mayBeSkipped(Call, Tree))
    return true; // a hook for classes that this program does not have
  const auto *At = Tree.getNode(Call.getParent());
  for (unsigned Left = MostBlocks; Left && At && At->getIDom(); --Left) {
    At = At->getIDom();
    auto *Branch = dyn_cast<BranchInst>(At->getBlock()->getTerminator());
    if (!Branch || !Branch->isConditional())
      continue;
    for (const bool Outcome : {true, false})
      if (Tree.dominates({At->getBlock(), Branch->getSuccessor(Outcome ? 0 : 1)},
                         Call.getParent()) &&
          saysNonNull(Branch->getCondition(), Outcome, Pointers))
        return true;
  }
  return false;
}

void noteOptional(CallBase &Call, bool IsCallee, Compilation &C) {
  if ((IsCallee && isVirtual(Call)) || isOptional(Call, C))
    Call.addFnAttr(Attribute::get(Call.getContext(), OptionalMark));
}

bool staysCall(const CallBase &Call) { return Call.hasFnAttr(KeepMark); }

void keepCall(CallBase &Call) { Call.addFnAttr(Attribute::get(Call.getContext(), KeepMark)); }

Expected<std::optional<ChosenCalls>>
chooseCallee(CallBase &Call, const HandlerRegistry &Handlers, FunctionIndex &Functions,
             SharedChoices &Shared, bool Looks,
             function_ref<bool(ArrayRef<Function *>)> MayInline) {
  settleTable(Call);
  SmallVector<Function *, 8> Callees = Candidates(Call, Handlers, Functions).find();
  if (Callees.empty())
    return std::nullopt;
  const auto Uncalled = Functions.takeUncalled(Call, Callees);
  if (Callees.size() > MostCandidates)
    return diffError(DiagId::IndirectCall, Call,
                     Twine(Callees.size()) + " functions of this program fit");
  const bool Stays = Callees.size() > MostInlined || !MayInline(Callees);
  const bool Apart = isOfMember(Call) && !settleObject(Call, Callees);
  if (Callees.size() > MostInlined && !Looks && !Apart)
    if (CallBase *Chooser = Shared.share(Call, Callees))
      return ChosenCalls{Chooser};
  auto Name = [Stays](CallBase &Direct, Function &Callee) {
    Direct.setCalledFunction(&Callee);
    Direct.setMetadata(LLVMContext::MD_prof, nullptr);
    Direct.setMetadata(LLVMContext::MD_callees, nullptr);
    if (Stays)
      keepCall(Direct);
  };
  auto Note = [&](IRBuilderBase &B) { return callUnseen(B, Call, Uncalled); };
  auto Made = Looks && !Uncalled.empty()
                  ? replaceByChoice(Call, Call.getCalledOperand(), Callees, Name, Note)
                  : replaceByChoice(Call, Call.getCalledOperand(), Callees, Name);
  if (Apart)
    settleObjects(Made);
  return Made;
}

} // namespace contraflow
