// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of MPI under their names in Fortran, rewritten in the copy that is differentiated to
// what the library does with them itself:
//
//   mpi_irecv_(b, &n, &type, &from, &tag, &comm, &request, &code)   ->
//       slot = from_fortran(Request, request)
//       code = MPI_Irecv(b, n, from_fortran(Datatype, type), from, tag,
//                        from_fortran(Comm, comm), &slot)
//       request = to_fortran(Request, slot)
//
// What each argument is follows from the type that it has in C (abi_mpi.def). Inquiries stay as
// they are: they only run (Rows.h). What has a string among its arguments, whose length Fortran
// hands over beside it, is refused.

#include "parallel/mpi/Fortran.h"

#include "contraflow/core/Diag.h"
#include "contraflow/core/Refusal.h"
#include "parallel/mpi/Rows.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace contraflow::mpi {
namespace {

enum class Handle : unsigned {
#define CF_MPI_HANDLE_KIND(Kind, Name) Kind,
#include "contraflow/abi_mpi_handles.def"
};

struct Argument {
  enum Class {
    Through,  ///< the same pointer in both languages
    Choice,   ///< a buffer, or a constant that stands for one
    Status,   ///< one or an array, or the constant that nobody wants it
    Integer,  ///< by reference in Fortran
    Value,    ///< a handle
    InPlace,  ///< a handle that the call changes
    Requests, ///< an array of handles; the first argument says how many
    Types,    ///< an array of handles, one for each block
    Index,    ///< counted from 1 in Fortran
    Indices,  ///< an array of these; the argument before says how many
    Unsupported,
  } What;
  unsigned Bits = 0;     ///< of an integer
  unsigned Kind = 0;     ///< of a handle
  bool Incoming = false; ///< of an array of datatypes
};

constexpr StringRef FromFortran = "cf_v1_mpi_from_fortran", ToFortran = "MPI_Type_c2f";
constexpr StringRef OfNeighbours = "eighbor_", RequestsBack = "cf_v1_mpi_requests_to_fortran",
                    IndicesBack = "cf_v1_mpi_indices_to_fortran";

using Signature = SmallVector<Argument, 12>;

struct Target {
  std::string Name; ///< in C
  Signature Arguments;
  bool Refused = false;
};

std::optional<unsigned> handleKind(StringRef Type) {
  static const StringMap<unsigned> Kinds = {
#define CF_MPI_HANDLE_KIND(Kind, Name) {#Kind, unsigned(Handle::Kind)},
#include "contraflow/abi_mpi_handles.def"
  };
  auto Found = Kinds.find(Type);
  return Found == Kinds.end() ? std::nullopt : std::optional(Found->second);
}

/// Types and names of arguments in abi_mpi.def that say more than a handle does.
struct Pattern {
  StringRef Type;
  bool IsPointer;
  StringRef Name; ///< empty: any
  Argument What;
};

const Pattern Patterns[] = {
    {"void", true, "", {Argument::Choice}},
    {"Status", true, "", {Argument::Status}},
    {"char", true, "", {Argument::Unsupported}},
    {"int", true, "index", {Argument::Index}},
    {"int", true, "indices", {Argument::Indices}},
    {"Request", true, "requests", {Argument::Requests}},
    {"Datatype", true, "sendtypes", {Argument::Types}},
    {"Datatype", true, "recvtypes", {Argument::Types, 0, 0, true}},
    {"int", false, "", {Argument::Integer, 32}},
    {"Aint", false, "", {Argument::Integer, 64}},
    {"Offset", false, "", {Argument::Integer, 64}},
};
constexpr StringRef ShadowSuffix = "_shadow", SizeOfObject = "int64_t bytes";

/// "CF_MPI_HANDLE(Request) *request"
Argument argumentOf(StringRef Spelling) {
  Spelling.consume_front("const ");
  auto [Type, Name] = Spelling.rsplit(' ');
  const bool IsPointer = Name.consume_front("*");
  if (Type.consume_front("CF_MPI_HANDLE("))
    Type = Type.take_until([](char C) { return C == ')'; });
  for (const Pattern &P : Patterns)
    if (P.Type == Type && P.IsPointer == IsPointer && (P.Name.empty() || P.Name == Name))
      return P.What;
  if (auto Kind = handleKind(Type))
    return {IsPointer ? Argument::InPlace : Argument::Value, 0, *Kind};
  return {Argument::Through};
}

/// Of a function's tangent, up to what MPI itself is not told.
Signature signatureOf(StringRef Spelling, const Row &R) {
  Signature Out;
  SmallVector<StringRef, 16> Parts;
  Spelling.drop_front().drop_back().split(Parts, ", ");
  for (StringRef Part : Parts) {
    if (Part.ends_with(ShadowSuffix) || Part == SizeOfObject)
      break;
    const bool IsCell =
        any_of(R.Roles, [&](Role A) { return A.What == Role::Cell && A.Argument == Out.size(); });
    Out.push_back(IsCell ? Argument{Argument::Through} : argumentOf(Part));
  }
  return Out;
}

/// Which call of C each name in Fortran stands for.
const StringMap<Target> &targets() {
  static const StringMap<Target> Map = [] {
    StringMap<Target> M;
    auto Add = [&](StringRef Name, const Signature &Arguments) {
      for (const std::string &Spelling : namesInFortran(Name))
        M[Spelling] = {((Spelling[0] == 'p' ? "P" : "") + Name).str(), Arguments};
    };
    for (const std::string &Spelling : pointerKeepersOfFortran())
      M[Spelling].Refused = true;
    for (const Row &R : rows())
      if (R.Stem)
        for (const std::string &Name : namesOf(R))
          Add(Name, signatureOf(spellingOf(R), R));
    Add("MPI_Alloc_mem", {{Argument::Integer, 64},
                          {Argument::Value, 0, unsigned(Handle::Info)},
                          {Argument::Through}});
    Add("MPI_Free_mem", {{Argument::Through}});
    return M;
  }();
  return Map;
}

/// The call of a function that the program does not define itself.
const Target *targetOf(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  if (!F || !F->isDeclaration())
    return nullptr;
  auto Found = targets().find(F->getName());
  return Found == targets().end() ? nullptr : &Found->second;
}

/// All arguments are there, as pointers, and the code behind them; lengths of strings may follow.
bool fits(const CallBase &Call, const Target &T) {
  const Signature &Arguments = T.Arguments;
  const unsigned Known = Arguments.size() + 1;
  return !T.Refused && Call.getType()->isVoidTy() && Call.arg_size() >= Known &&
         all_of(seq(Known),
                [&](unsigned I) { return Call.getArgOperand(I)->getType()->isPointerTy(); }) &&
         none_of(Arguments, [](const Argument &A) { return A.What == Argument::Unsupported; });
}

/// A variable of the MPI library whose address stands for something else, and what C has for it.
struct Sentinel {
  StringRef Variable;
  uint64_t InC;
};
constexpr Sentinel Buffers[] = {{"mpi_fortran_bottom_", 0}, {"mpi_fortran_in_place_", 1}};
constexpr Sentinel Statuses[] = {{"mpi_fortran_status_ignore_", 0},
                                 {"mpi_fortran_statuses_ignore_", 0}};

/// A variable of the program's, which nothing of the library's is.
bool isOwnVariable(const Value *Pointer) {
  const Value *Object = getUnderlyingObject(Pointer);
  return isIdentifiedObject(Object) && !isa<llvm::Argument>(Object);
}

Value *slotIn(const Function &F, Type *Kind, const Twine &Name) {
  auto &Entry = const_cast<BasicBlock &>(F.getEntryBlock());
  return IRBuilder<>(&Entry, Entry.begin()).CreateAlloca(Kind, nullptr, Name);
}

/// Who does not want the code may leave it out; it then goes where nobody looks.
Value *placeOfCode(IRBuilderBase &B, const CallBase &Call, unsigned Argument) {
  Value *Place = Call.getArgOperand(Argument);
  if (isOwnVariable(Place))
    return Place;
  Value *Nowhere = slotIn(*Call.getFunction(), B.getInt32Ty(), "code");
  return B.CreateSelect(B.CreateIsNull(Place), Nowhere, Place);
}

/// Replaces one call.
class Rewriting {
public:
  Rewriting(CallBase &Call, const Target &T)
      : Call(Call), T(T), M(*Call.getModule()), B(&Call), Behind(Call.getNextNode()),
        Kinds(Type::getInt32Ty(Call.getContext())) {}

  void run() {
    SmallVector<Value *, 12> Args;
    for (unsigned I = 0; I < T.Arguments.size(); ++I)
      Args.push_back(argument(I));
    SmallVector<Type *, 12> Types;
    for (Value *V : Args)
      Types.push_back(V->getType());
    auto C = M.getOrInsertFunction(T.Name, FunctionType::get(Kinds, Types, false));
    Value *Code = B.CreateCall(C, Args);
    Behind.SetCurrentDebugLocation(Call.getDebugLoc());
    storeCode(Code);
    Call.eraseFromParent();
  }

private:
  Value *slot(Type *Kind, const Twine &Name) { return slotIn(*Call.getFunction(), Kind, Name); }
  Value *helper(IRBuilderBase &At, StringRef Name, Type *Result, ArrayRef<Value *> Args) {
    return SweepBuilder::callRuntime(At, M, Name, Result, Args);
  }
  Value *fromFortran(unsigned Kind, Value *Place) {
    return helper(B, "mpi_from_fortran", B.getPtrTy(),
                  {B.getInt32(Kind), B.CreateLoad(Kinds, Place)});
  }

  Value *argument(unsigned I) {
    const Argument &A = T.Arguments[I];
    Value *V = Call.getArgOperand(I);
    switch (A.What) {
    case Argument::Through:
    case Argument::Unsupported:
      return V;
    case Argument::Choice:
      return translated(V, Buffers);
    case Argument::Status:
      return translated(V, Statuses);
    case Argument::Integer:
      return B.CreateLoad(B.getIntNTy(A.Bits), V);
    case Argument::Value:
      return fromFortran(A.Kind, V);
    case Argument::InPlace:
      return inPlace(A.Kind, V);
    case Argument::Requests:
      return requests(V);
    case Argument::Types:
      return types(A, V);
    case Argument::Index:
      return index(V);
    case Argument::Indices:
      helper(Behind, "mpi_indices_to_fortran", B.getVoidTy(), {Call.getArgOperand(I - 1), V});
      return V;
    }
    llvm_unreachable("all classes are above");
  }
  Value *translated(Value *V, ArrayRef<Sentinel> Sentinels) {
    auto *Variable = dyn_cast<GlobalVariable>(getUnderlyingObject(V));
    for (const Sentinel &S : Sentinels)
      if (Variable && Variable->getName() == S.Variable)
        return constant(S);
    if (isOwnVariable(V))
      return V;
    Value *Out = V;
    for (const Sentinel &S : Sentinels) {
      Value *Address = M.getOrInsertGlobal(S.Variable, Kinds);
      Out = B.CreateSelect(B.CreateICmpEQ(V, Address), constant(S), Out);
    }
    return Out;
  }
  Constant *constant(const Sentinel &S) {
    return ConstantExpr::getIntToPtr(B.getInt64(S.InC), B.getPtrTy());
  }
  Value *inPlace(unsigned Kind, Value *Place) {
    Value *Slot = slot(B.getPtrTy(), "handle");
    B.CreateStore(fromFortran(Kind, Place), Slot);
    Value *Now = Behind.CreateLoad(B.getPtrTy(), Slot);
    Behind.CreateStore(helper(Behind, "mpi_to_fortran", Kinds, {B.getInt32(Kind), Now}), Place);
    return Slot;
  }
  Value *requests(Value *Places) {
    Value *Count = B.CreateLoad(Kinds, Call.getArgOperand(0));
    Value *Array = helper(B, "mpi_requests_from_fortran", B.getPtrTy(), {Count, Places});
    helper(Behind, "mpi_requests_to_fortran", B.getVoidTy(), {Count, Array, Places});
    return Array;
  }
  Value *types(const Argument &A, Value *Types) {
    const unsigned Comm =
        find_if(T.Arguments,
                [](const Argument &Other) {
                  return Other.What == Argument::Value && Other.Kind == unsigned(Handle::Comm);
                }) -
        T.Arguments.begin();
    const bool Near = StringRef(T.Name).contains(OfNeighbours);
    return helper(B, "mpi_types_from_fortran", B.getPtrTy(),
                  {Types, fromFortran(unsigned(Handle::Comm), Call.getArgOperand(Comm)),
                   B.getInt32(Near ? 1 + A.Incoming : 0),
                   A.Incoming ? ConstantPointerNull::get(B.getPtrTy())
                              : translated(Call.getArgOperand(0), Buffers)});
  }
  /// MPI_UNDEFINED is negative in both languages.
  Value *index(Value *Place) {
    Value *Slot = slot(Kinds, "index"), *Found = Behind.CreateLoad(Kinds, Slot);
    Value *Next = Behind.CreateAdd(Found, B.getInt32(1));
    Behind.CreateStore(Behind.CreateSelect(Behind.CreateICmpSLT(Found, B.getInt32(0)), Found, Next),
                       Place);
    return Slot;
  }
  void storeCode(Value *Code) {
    Behind.CreateStore(Code, placeOfCode(Behind, Call, T.Arguments.size()));
  }

  CallBase &Call;
  const Target &T;
  Module &M;
  IRBuilder<> B, Behind;
  Type *Kinds;
};

/// The calls that are rewritten; what is left of them does not fit.
class FortranHandler : public RefusingHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    SmallVector<StringRef, 0> Names;
    for (auto &Entry : targets())
      Names.push_back(Entry.first());
    llvm::sort(Names);
    return Names;
  }
  bool claims(const CallBase &Call) const override { return targetOf(Call); }
  bool unfold(Function &F) const override {
    SmallVector<std::pair<CallBase *, const Target *>, 8> Found;
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I))
        if (const Target *T = targetOf(*Call); T && fits(*Call, *T))
          Found.push_back({Call, T});
    for (auto [Call, T] : Found) {
      auto *Invoke = dyn_cast<InvokeInst>(Call);
      Rewriting(Invoke ? *changeToCall(Invoke) : *Call, *T).run();
    }
    return !Found.empty();
  }

private:
  Error refuse(CallBase &Call) const override {
    return diffError(DiagId::UnsupportedMPI, Call, Call.getCalledFunction()->getName());
  }
};

/// What rewritten calls ask the runtime.
class ConversionHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    return {
        FromFortran, "cf_v1_mpi_to_fortran",        "cf_v1_mpi_requests_from_fortran", RequestsBack,
        IndicesBack, "cf_v1_mpi_types_from_fortran"};
  }
  CallFacts facts(const CallBase &Call) const override {
    CallFacts Facts;
    Facts.Inactive = true;
    const StringRef Name = Call.getCalledFunction()->getName();
    if (Name == RequestsBack)
      Facts.Writes = {2};
    else if (Name == IndicesBack)
      Facts.Writes = {1};
    return Facts;
  }
  bool allDirections() const override { return true; }
  bool hasReverse(const CallBase &) const override { return false; }
  Error tangent(SweepBuilder &, CallBase &) const override { return Error::success(); }
  Error adjoint(SweepBuilder &, const CallSite &, ArrayRef<Value *>) const override {
    return Error::success();
  }
};

} // namespace

SmallVector<std::string, 12> namesInFortran(StringRef Name) {
  SmallVector<std::string, 12> Out;
  for (StringRef Prefix : {"", "p"})
    for (StringRef Suffix : {"_", "__", "_f08_", "_cptr_"})
      Out.push_back((Prefix + Name.lower() + Suffix).str());
  return Out;
}

bool calledFromFortran(const CallBase &Call) {
  return !rowsByName().contains(Call.getCalledFunction()->getName());
}

Value *codeFromFortran(IRBuilderBase &B, const CallBase &Call) {
  const unsigned Last = Call.arg_size() - 1;
  Value *Code = B.CreateLoad(B.getInt32Ty(), placeOfCode(B, Call, Last));
  return B.CreateSelect(B.CreateIsNull(Call.getArgOperand(Last)), B.getInt32(0), Code);
}

Value *communicatorFromFortran(IRBuilderBase &B, const CallBase &Call, Value *Place) {
  Value *Slot = slotIn(*Call.getFunction(), B.getPtrTy(), "communicator");
  Value *Integer = B.CreateLoad(B.getInt32Ty(), Place);
  B.CreateStore(SweepBuilder::callRuntime(B, *const_cast<Module *>(Call.getModule()),
                                          "mpi_from_fortran", B.getPtrTy(),
                                          {B.getInt32(unsigned(Handle::Comm)), Integer}),
                Slot);
  return Slot;
}

const Value *datatypeBehind(const Value *Handle) {
  auto Converted = [](const Value *V, StringRef By) -> const CallBase * {
    auto *Call = dyn_cast<CallBase>(V);
    const Function *F = Call ? Call->getCalledFunction() : nullptr;
    return F && F->getName() == By ? Call : nullptr;
  };
  if (const CallBase *Call = Converted(Handle, FromFortran)) {
    Handle = Call->getArgOperand(1);
    if (const CallBase *Back = Converted(Handle, ToFortran))
      Handle = Back->getArgOperand(0);
  }
  return Handle->stripPointerCasts();
}

void registerFortran(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<FortranHandler>());
  Registry.add(std::make_unique<ConversionHandler>());
}

} // namespace contraflow::mpi
