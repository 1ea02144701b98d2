// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams that come from elsewhere in different ways are taken for different ones: a program that
// reads one file and writes another is the usual case. Files that are opened are different ones if
// their names are constant and differ. A command uses the files that it names:
//
//   popen("sort > sorted", "w")   fopen("sorted", "r")     may be one
//   popen("sort > sorted", "w")   popen("date", "r")       two

#include "Streams.h"
#include "Exceptions.h"
#include "contraflow/core/Callee.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace contraflow {
namespace {

struct Entry {
  StreamMove::Direction Way;
  unsigned Stream, Memory;
  int Size, Count; ///< operands; none: -1
};

const StringMap<Entry> &entries() {
  static const StringMap<Entry> Table = {
#define CF_STREAM(Name, Way, Stream, Memory, Size, Count)                                          \
  {Name, Entry{StreamMove::Way, Stream, Memory, Size, Count}},
#include "Streams.def"
  };
  return Table;
}

/// True if Call starts a command, whose text is Line.
bool runs(const CallBase &Call, const Value *Line) {
  static const StringMap<unsigned> Running = {
#define CF_RUNS(Name, Command) {Name, Command},
#include "Streams.def"
  };
  const Function *F = Call.getCalledFunction();
  auto Known = F ? Running.find(F->getName()) : Running.end();
  return Known != Running.end() && Call.arg_size() > Known->second &&
         Call.getArgOperand(Known->second) == Line;
}

/// The name of the file if Call opens one: the result or, if there is one, Object, whose members
/// these are.
const Value *openedBy(const CallBase &Call, const Value *Object) {
  static const StringMap<unsigned> Opening = {
#define CF_OPENS(Name, File) {Name, File},
#define CF_RUNS(Name, Command) {Name, Command},
#include "Streams.def"
  };
  static constexpr StringLiteral Classes[] = {
#define CF_OPENS_OBJECT(Prefix) Prefix,
#include "Streams.def"
  };
  const Function *F = Call.getCalledFunction();
  if (!F)
    return nullptr;
  if (auto Known = Opening.find(F->getName()); !Object && Known != Opening.end())
    return Call.arg_size() > Known->second ? Call.getArgOperand(Known->second) : nullptr;
  const bool IsOpening = any_of(Classes, [&](StringRef Class) {
    StringRef Member = F->getName();
    return Member.consume_front(Class) &&
           (Member.starts_with("C1") || Member.starts_with("C2") || Member.starts_with("4open"));
  });
  return Object && IsOpening && Call.arg_size() > 1 &&
                 Call.getArgOperand(1)->getType()->isPointerTy() &&
                 getUnderlyingObject(Call.getArgOperand(0)) == Object
             ? Call.getArgOperand(1)
             : nullptr;
}

/// A file that is opened, or a command that is run.
struct Opened {
  const Value *Name;
  bool IsCommand;
};

/// What a stream was opened on.
SmallVector<Opened, 2> filesOf(const Value *Stream) {
  SmallVector<Opened, 2> Out;
  auto Add = [&](const CallBase &Call, const Value *Object) {
    if (const Value *File = openedBy(Call, Object))
      Out.push_back({File, runs(Call, File)});
  };
  if (auto *Call = dyn_cast<CallBase>(Stream))
    Add(*Call, nullptr);
  auto *Object = dyn_cast<AllocaInst>(Stream);
  if (!Object)
    return Out;
  SmallVector<const Value *, 8> Members = {Object};
  while (!Members.empty())
    for (const User *U : Members.pop_back_val()->users()) {
      auto *Store = dyn_cast<StoreInst>(U);
      if (isa<GEPOperator, CastInst>(U))
        Members.push_back(U);
      else if (auto *Call = dyn_cast<CallBase>(U))
        Add(*Call, Object);
      else if (Store && isa<CallBase>(Store->getValueOperand()))
        Add(*cast<CallBase>(Store->getValueOperand()), nullptr);
    }
  return Out;
}

/// True if the program may give a file of one of these names the other one.
bool mayBeRenamed(const Module &M, StringRef A, StringRef B) {
  static constexpr StringLiteral Renaming[] = {
#define CF_RENAMES(Name) Name,
#include "Streams.def"
  };
  return any_of(Renaming, [&](StringRef Name) {
    const Function *F = M.getFunction(Name);
    return F && any_of(F->users(), [&](const User *U) {
             auto *Call = dyn_cast<CallBase>(U);
             StringRef From, To;
             return !Call || Call->arg_size() < 2 ||
                    !getConstantStringInfo(Call->getArgOperand(0), From) ||
                    !getConstantStringInfo(Call->getArgOperand(1), To) || (From == A && To == B) ||
                    (From == B && To == A);
           });
  });
}

/// The words of a command, or the name of a file.
SmallVector<StringRef, 8> words(StringRef Text, bool IsCommand) {
  if (!IsCommand)
    return {Text};
  constexpr StringLiteral Apart = " \t\n<>|&;'\"()=";
  SmallVector<StringRef, 8> Out;
  for (StringRef Rest = Text.ltrim(Apart); !Rest.empty(); Rest = Rest.ltrim(Apart)) {
    Out.push_back(Rest.take_until([&](char C) { return Apart.contains(C); }));
    Rest = Rest.drop_front(Out.back().size());
  }
  return Out;
}

bool mayBeOneFile(const Opened &A, const Opened &B) {
  StringRef First, Second;
  if (!getConstantStringInfo(A.Name, First) || !getConstantStringInfo(B.Name, Second) ||
      First == Second)
    return true;
  if (A.IsCommand || B.IsCommand) {
    const auto Known = words(First, A.IsCommand);
    return any_of(words(Second, B.IsCommand), [&](StringRef W) { return is_contained(Known, W); });
  }
  auto *Name = dyn_cast<GlobalVariable>(getUnderlyingObject(A.Name));
  return Name && mayBeRenamed(*Name->getParent(), First, Second);
}

/// The object that an address is in, and how far from its beginning.
std::pair<const Value *, int64_t> placeOf(const Value *Address, const DataLayout &Layout) {
  APInt Offset(Layout.getIndexTypeSizeInBits(Address->getType()), 0);
  const Value *Base = Address->stripAndAccumulateConstantOffsets(Layout, Offset, true);
  return {Base, Offset.getSExtValue()};
}

/// True if an array was filled with the ends of one stream.
bool isPair(const Value *Array) {
  static const StringMap<unsigned> Opening = {
#define CF_OPENS_PAIR(Name, Pair) {Name, Pair},
#include "Streams.def"
  };
  return any_of(Array->users(), [&](const User *U) {
    auto *Call = dyn_cast<CallBase>(U);
    const Function *F = Call ? Call->getCalledFunction() : nullptr;
    auto Known = F ? Opening.find(F->getName()) : Opening.end();
    return Known != Opening.end() && Call->arg_size() > Known->second &&
           Call->getArgOperand(Known->second) == Array;
  });
}

} // namespace

std::optional<StreamMove> streamMove(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  auto Known = F ? entries().find(F->getName()) : entries().end();
  if (Known == entries().end() || lookupCallee(Call).Kind != CalleeKind::Inactive)
    return std::nullopt;
  const Entry &E = Known->second;
  if (int(Call.arg_size()) <= std::max({int(E.Stream), E.Size, E.Count}) ||
      !Call.getArgOperand(E.Memory)->getType()->isPointerTy())
    return std::nullopt;
  StreamMove Out{E.Way, Call.getArgOperand(E.Stream), Call.getArgOperand(E.Memory), {}};
  auto *Size = dyn_cast<ConstantInt>(Call.getArgOperand(E.Size));
  auto *Count = E.Count < 0 ? nullptr : dyn_cast<ConstantInt>(Call.getArgOperand(E.Count));
  if (Size && (Count || E.Count < 0))
    Out.Bytes = Size->getZExtValue() * (Count ? Count->getZExtValue() : 1);
  return Out;
}

bool mayBeOneStream(const Value *A, const Value *B) {
  if (A->getType()->isPointerTy() && B->getType()->isPointerTy()) {
    A = getUnderlyingObject(A);
    B = getUnderlyingObject(B);
  }
  if (A == B)
    return !isa<Constant>(A) || isa<GlobalVariable>(A);
  auto *First = dyn_cast<LoadInst>(A), *Second = dyn_cast<LoadInst>(B);
  if (First && Second) {
    const auto Place = placeOf(First->getPointerOperand(), First->getDataLayout());
    const auto Other = placeOf(Second->getPointerOperand(), First->getDataLayout());
    return Place == Other || (Place.first == Other.first && isPair(Place.first));
  }
  const auto Files = filesOf(A), OtherFiles = filesOf(B);
  return any_of(Files, [&](const Opened &File) {
    return any_of(OtherFiles, [&](const Opened &Other) { return mayBeOneFile(File, Other); });
  });
}

static std::optional<TextMove> textMove(StringRef Name) {
  constexpr int Result = TextMove::Result, Others = TextMove::Others;
  constexpr int Behind = TextMove::Behind;
  constexpr int ToStream = TextMove::ToStream, FromStream = TextMove::FromStream;
  static const StringMap<TextMove> Names = {
#define CF_TEXT_MOVE(Name, To, From) {Name, TextMove{To, From, TextMove::Plain}},
#define CF_TEXT_MOVE_AS(Name, To, From, How) {Name, TextMove{To, From, How}},
#include "Streams.def"
  };
  static const std::pair<StringRef, TextMove> Prefixes[] = {
#define CF_TEXT_MOVE_PREFIX(Prefix, To, From) {Prefix, TextMove{To, From, Behind}},
#include "Streams.def"
  };
  if (auto Known = Names.find(Name); Known != Names.end())
    return Known->second;
  for (const auto &[Prefix, Move] : Prefixes)
    if (Name.starts_with(Prefix))
      return Move;
  return std::nullopt;
}

std::optional<TextMove> textMove(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  if (!F || (F->getName() != ExceptionMessage && lookupCallee(Call).Kind != CalleeKind::Inactive))
    return std::nullopt;
  const auto Out = textMove(F->getName());
  return Out && int(Call.arg_size()) > std::max(Out->To, Out->From) ? Out : std::nullopt;
}

std::optional<EnvironmentAccess> environmentAccess(const CallBase &Call) {
  struct Operands {
    int Name, Text; // -1: none, or the result
  };
  static const StringMap<Operands> Names = {
#define CF_ENVIRONMENT(Name, Variable, Text) {Name, Operands{Variable, Text}},
#include "Streams.def"
  };
  const Function *F = Call.getCalledFunction();
  auto Known = F ? Names.find(F->getName()) : Names.end();
  if (Known == Names.end() || lookupCallee(Call).Kind != CalleeKind::Inactive ||
      int(Call.arg_size()) <= std::max(Known->second.Name, Known->second.Text))
    return std::nullopt;
  const auto [Name, Text] = Known->second;
  return EnvironmentAccess{Text < 0, Name < 0 ? nullptr : Call.getArgOperand(Name),
                           Text < 0 ? &Call : Call.getArgOperand(Text)};
}

bool mayBeOneVariable(const EnvironmentAccess &A, const EnvironmentAccess &B) {
  StringRef First, Second;
  return !A.Name || !B.Name || !getConstantStringInfo(A.Name, First) ||
         !getConstantStringInfo(B.Name, Second) || First == Second;
}

bool exchangesText(const CallBase &Call) {
  static constexpr StringLiteral Members[] = {
#define CF_TEXT_EXCHANGE(Member) Member,
#include "Streams.def"
  };
  const Function *F = Call.getCalledFunction();
  return !F || any_of(Members, [&](StringRef Member) { return F->getName().contains(Member); });
}

bool readsStreams(const Module &M) {
  return any_of(M, [](const Function &F) {
    if (auto Known = entries().find(F.getName()); Known != entries().end())
      return Known->second.Way == StreamMove::In;
    const auto Move = textMove(F.getName());
    return Move && Move->To == TextMove::Others;
  });
}

bool leavesText(const CallBase &Call) {
  const Value *Own = Call.arg_empty() || !Call.getArgOperand(0)->getType()->isPointerTy()
                         ? nullptr
                         : getUnderlyingObject(Call.getArgOperand(0));
  if (openedBy(Call, nullptr) || (Own && openedBy(Call, Own)))
    return true;
  const auto Move = textMove(Call);
  if (!Move || Move->To < 0)
    return false;
  auto *Stream = dyn_cast<LoadInst>(Call.getArgOperand(Move->To));
  auto *Variable = Stream ? dyn_cast<GlobalVariable>(Stream->getPointerOperand()) : nullptr;
  return Variable && !Variable->isDeclaration();
}

std::optional<StreamMemory> streamMemory(const Value *Stream) {
  static const StringMap<std::pair<unsigned, StreamMemory::Place>> Opening = {
#define CF_OPENS_MEMORY(Name, Memory, How) {Name, {Memory, StreamMemory::How}},
#include "Streams.def"
  };
  auto *Call = dyn_cast<CallBase>(getUnderlyingObject(Stream));
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  auto Known = F ? Opening.find(F->getName()) : Opening.end();
  if (Known == Opening.end() || lookupCallee(*Call).Kind != CalleeKind::Inactive ||
      Call->arg_size() <= Known->second.first)
    return std::nullopt;
  return StreamMemory{Known->second.second, Call->getArgOperand(Known->second.first)};
}

} // namespace contraflow
