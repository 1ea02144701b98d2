// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One map from names to what is known of them, built from the tables *.def at first use, and one
// sorted list of prefixes for families of C++ names:
//
//   "sinf"                 -> Math, Sin, float           "_Znwm"    -> Allocate, size in argument 0
//   "_ZNSolsEd"            -> Inactive, by "_ZNSo"       "my_solve" -> Unknown
//
// A plain C name speaks of the library's function only where the module does not define a function
// of that name itself; allocation functions and reserved names (_Z..., __...) always do. Functions
// must have their type as well, where it is known (Math.def, Prototypes.def).

#include "Classes.h"
#include "Math.h"
#include "Prototypes.h"
#include "Silent.h"
#include "Variables.h"
#include "callee/Signals.h"
#include "callee/Views.h"
#include "contraflow/core/Callee.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include <algorithm>
#include <array>
#include <vector>

using namespace llvm;

namespace contraflow {
namespace {

/// The three floating types of C.
enum class FloatKind : uint8_t { Double, Float, LongDouble };

struct Entry {
  CalleeInfo Info;
  unsigned Fn = 0;             ///< a MathFn, or a CompoundFn
  const char *Shape = nullptr; ///< of a mathematical function
  FloatKind Float = FloatKind::Double;
  bool Compound = false;
};

struct PrefixEntry {
  StringRef Prefix;
  CalleeInfo Info;
};

struct MathText {
  const char *Name;     ///< the enumerator
  const char *CName;    ///< the double version; empty: intrinsic only
  const char *Shape;    ///< "f(ff)"
  Intrinsic::ID Intrin; ///< not_intrinsic: C only
};

constexpr std::array<MathText, NumMathFns> MathTexts = {{
#define CF_LIBM(Fn, Name, Shape) {#Fn, Name, Shape, Intrinsic::not_intrinsic},
#define CF_BOTH(Fn, Name, Shape, Id) {#Fn, Name, Shape, Intrinsic::Id},
#define CF_INTRINSIC(Fn, Shape, Id) {#Fn, "", Shape, Intrinsic::Id},
#include "Math.def"
}};

const MathText &textOf(MathFn Fn) { return MathTexts[static_cast<unsigned>(Fn)]; }

/// The name for another floating type: sinf, but lgammaf_r.
std::string withSuffix(StringRef Name, StringRef Suffix) {
  const bool Reentrant = Name.consume_back("_r");
  return (Name + Suffix + (Reentrant ? "_r" : "")).str();
}

CalleeInfo ofKind(CalleeKind Kind, bool ReadOnly = false) {
  CalleeInfo Info;
  Info.Kind = Kind;
  Info.ReadOnly = ReadOnly;
  return Info;
}

class CalleeTable {
public:
  static const CalleeTable &get() {
    static const CalleeTable Table;
    return Table;
  }

  const Entry *find(StringRef Name) const {
    auto It = Names.find(Name);
    return It == Names.end() ? nullptr : &It->second;
  }

  /// No prefix begins with another, so the last one that is not greater than Name decides.
  const PrefixEntry *findPrefix(StringRef Name) const {
    if (!Name.starts_with("_Z"))
      return nullptr;
    auto After = llvm::upper_bound(Prefixes, Name,
                                   [](StringRef N, const PrefixEntry &E) { return N < E.Prefix; });
    if (After == Prefixes.begin() || !Name.starts_with(std::prev(After)->Prefix))
      return nullptr;
    return &*std::prev(After);
  }

  SmallVector<StringRef, 0> namesOf(CalleeKind Kind) const {
    SmallVector<StringRef, 0> Out;
    for (const auto &E : Names)
      if (E.second.Info.Kind == Kind)
        Out.push_back(E.first());
    llvm::sort(Out);
    return Out;
  }

private:
  CalleeTable() {
    addMath();
    addAllocation();
    addInactive();
    llvm::sort(Prefixes,
               [](const PrefixEntry &A, const PrefixEntry &B) { return A.Prefix < B.Prefix; });
  }

  void add(StringRef Name, const CalleeInfo &Info) { Names.try_emplace(Name, Entry{Info}); }

  void addPrefix(StringRef Prefix, const CalleeInfo &Info) { Prefixes.push_back({Prefix, Info}); }

  /// All spellings of one function: sin sinf sinl, sinf64 ..., __sin_finite ....
  void addMath(StringRef Name, Entry E) {
    static constexpr std::pair<const char *, FloatKind> Suffixes[] = {
        {"", FloatKind::Double},        {"f", FloatKind::Float},   {"l", FloatKind::LongDouble},
        {"f64", FloatKind::Double},     {"f32", FloatKind::Float}, {"f32x", FloatKind::Double},
        {"f64x", FloatKind::LongDouble}};
    for (auto [Suffix, Float] : Suffixes) {
      E.Float = Float;
      Names.try_emplace(withSuffix(Name, Suffix), E);
      Names.try_emplace("__" + withSuffix(Name, Suffix) + "_finite", E);
    }
  }

  void addMath() {
    const CalleeInfo Math = ofKind(CalleeKind::Math, /*ReadOnly=*/true);
    for (const auto &[I, Text] : enumerate(MathTexts))
      if (*Text.CName)
        addMath(Text.CName, {Math, static_cast<unsigned>(I), Text.Shape});
#define CF_SPELLING(Fn, Name)                                                                      \
  addMath(Name, {Math, static_cast<unsigned>(MathFn::Fn), textOf(MathFn::Fn).Shape});
#define CF_COMPOUND(Fn, Name, Shape)                                                               \
  addMath(Name, {{}, static_cast<unsigned>(CompoundFn::Fn), Shape, {}, true});
#define CF_PAIR(Fn, Name, Shape)                                                                   \
  Names[Name] = {{}, static_cast<unsigned>(CompoundFn::Fn), Shape, FloatKind::Float, true};
#include "Math.def"
  }

  void addAllocation() {
#define CF_ALLOCATE(Name, Size, Count, Zeroed)                                                     \
  add(Name, {CalleeKind::Allocate, Size, Count, Zeroed, 0, false});
#define CF_REALLOCATE(Name, Size, Count)                                                           \
  add(Name, {CalleeKind::Reallocate, Size, Count, false, 0, false});
#define CF_REALLOCATE_SIZED(Name) add(Name, ofKind(CalleeKind::ReallocateSized));
#define CF_ALLOCATE_INTO(Name) add(Name, ofKind(CalleeKind::AllocateInto));
#define CF_FREE(Name, How) add(Name, {CalleeKind::Free, -1, -1, false, How, false});
#include "Alloc.def"
  }

  void addInactive() {
    const CalleeInfo ReadOnly = ofKind(CalleeKind::Inactive, /*ReadOnly=*/true);
    const CalleeInfo Inactive = ofKind(CalleeKind::Inactive);
    const CalleeInfo NoReturn = ofKind(CalleeKind::NoReturn);
    CalleeInfo OfClass = Inactive;
    OfClass.OwnObjects = true;
    CalleeInfo OfText = OfClass;
    OfText.Text = true;
#define CF_READ_ONLY(Name) add(Name, ReadOnly);
#define CF_INACTIVE(Name) add(Name, Inactive);
#define CF_NO_RETURN(Name) add(Name, NoReturn);
#define CF_READ_ONLY_PREFIX(Prefix) addPrefix(Prefix, ReadOnly);
#define CF_INACTIVE_PREFIX(Prefix) addPrefix(Prefix, Inactive);
#define CF_CLASS(Name) add(Name, OfClass);
#define CF_CLASS_PREFIX(Prefix) addPrefix(Prefix, OfClass);
#define CF_TEXT_PREFIX(Prefix) addPrefix(Prefix, OfText);
#define CF_NO_RETURN_PREFIX(Prefix) addPrefix(Prefix, NoReturn);
#include "Inactive.def"
  }

  StringMap<Entry> Names;
  std::vector<PrefixEntry> Prefixes;
};

Type *floatType(LLVMContext &Context, FloatKind Kind) {
  switch (Kind) {
  case FloatKind::Double:
    return Type::getDoubleTy(Context);
  case FloatKind::Float:
    return Type::getFloatTy(Context);
  case FloatKind::LongDouble:
    return Type::getX86_FP80Ty(Context);
  }
  llvm_unreachable("all kinds are handled");
}

/// What a letter of a shape stands for.
Type *typeOfLetter(char Letter, Type *Floating) {
  LLVMContext &Context = Floating->getContext();
  switch (Letter) {
  case 'i':
    return Type::getInt32Ty(Context);
  case 'j':
    return Type::getInt64Ty(Context);
  case 'l':
    return floatType(Context, FloatKind::LongDouble);
  case 'p':
    return PointerType::getUnqual(Context);
  case 'w':
    return FixedVectorType::get(Floating, 2);
  case 'c':
    return StructType::get(Floating, Floating);
  case 'v':
    return Type::getVoidTy(Context);
  case 'd':
    return floatType(Context, FloatKind::Double);
  default:
    return Floating;
  }
}

FunctionType *prototypeOf(StringRef Shape, Type *Floating) {
  SmallVector<Type *, 3> Params;
  for (char Letter : Shape.drop_front(2).drop_back())
    Params.push_back(typeOfLetter(Letter, Floating));
  return FunctionType::get(typeOfLetter(Shape.front(), Floating), Params, /*isVarArg=*/false);
}

bool hasTypeOf(const Function &F, const Entry &E) {
  return F.getFunctionType() == prototypeOf(E.Shape, floatType(F.getContext(), E.Float));
}

/// True if F has the type of the mathematical function E, and is not a definition of the user's.
bool isDeclaredAs(const Function &F, const Entry &E) {
  return (F.isDeclarationForLinker() || F.hasFnAttribute(attr::Like)) && hasTypeOf(F, E);
}

/// True if LLVM knows a C function of this name with another type. One that is declared without
/// parameters, int f(), may be anything.
bool isDeclaredOtherwise(const Function &F) {
  static const TargetLibraryInfoImpl Table{Triple("x86_64-unknown-linux-gnu")};
  const TargetLibraryInfo Library(Table);
  LibFunc Found;
  return !(F.isVarArg() && F.arg_empty()) && Library.getLibFunc(F.getName(), Found) &&
         !Library.getLibFunc(F, Found);
}

/// True if F has floating-point numbers, and the library's function of its name, a word, has none.
bool hasOwnTypes(const Function &F, StringRef Name) {
  static const StringSet<> OfNumbers = {
#define CF_OF_NUMBERS(Name) Name,
#include "Inactive.def"
  };
  if (!llvm::all_of(Name, [](char C) { return isLower(C) || isDigit(C) || C == '_'; }) ||
      OfNumbers.contains(Name))
    return false;
  auto IsOther = [](const Type *T) { return T->isFPOrFPVectorTy(); };
  return IsOther(F.getReturnType()) || any_of(F.getFunctionType()->params(), IsOther);
}

/// True if F can be the library's function of its name rather than the user's own.
bool speaksOfLibrary(const Function &F, StringRef Name, const Entry &E) {
  const CalleeKind Kind = E.Info.Kind;
  if (F.hasFnAttribute(attr::Own))
    return false;
  if (Kind == CalleeKind::Math)
    return isDeclaredAs(F, E);
  if (F.hasFnAttribute(attr::Like))
    return true;
  if (Name.starts_with("_Z") || Name.starts_with("__"))
    return true;
  const std::optional<bool> HasType = isOfLibraryType(F, Name);
  if (HasType == false)
    return false;
  if (Kind == CalleeKind::Allocate || Kind == CalleeKind::Reallocate || Kind == CalleeKind::Free)
    return !F.hasLocalLinkage();
  return F.isDeclarationForLinker() && !isDeclaredOtherwise(F) &&
         (HasType || Kind != CalleeKind::Inactive || !hasOwnTypes(F, Name));
}

/// True if the call is given no memory to write and hands out none: time(nullptr).
bool touchesNoPointer(const CallBase &Call) {
  if (Call.getType()->isPointerTy())
    return false;
  return llvm::all_of(Call.args(), [](const Use &Arg) {
    return !Arg->getType()->isPointerTy() || isa<ConstantPointerNull>(Arg.get());
  });
}

} // namespace

StringRef calleeName(const Function &F) {
  if (F.hasFnAttribute(attr::Like))
    return F.getFnAttribute(attr::Like).getValueAsString();
  if (F.hasFnAttribute(attr::Allocator))
    return "malloc";
  if (F.hasFnAttribute(attr::Deallocator))
    return "free";
  StringRef Name = F.getName();
  Name.consume_front("\1");
  return Name;
}

bool isKnownName(StringRef Name) { return CalleeTable::get().find(Name); }

bool canStandFor(const Function &F, StringRef Name) {
  const Entry *E = CalleeTable::get().find(Name);
  if (!E || E->Compound)
    return false;
  return E->Info.Kind != CalleeKind::Math || hasTypeOf(F, *E);
}

/// What the user has said about F.
static CalleeInfo declaredKind(const Function &F) {
  CalleeInfo Info;
  if (F.hasFnAttribute(attr::Inactive)) {
    Info.Kind = CalleeKind::Inactive;
    Info.Opaque = true;
  } else if (F.hasFnAttribute(attr::Allocator)) {
    Info.Kind = CalleeKind::Allocate;
    F.getFnAttribute(attr::Allocator).getValueAsString().getAsInteger(10, Info.SizeArg);
  } else if (F.hasFnAttribute(attr::Deallocator)) {
    Info.Kind = CalleeKind::Free;
    Info.FreeKind = FreeByUser;
  }
  return Info;
}

CalleeInfo lookupCallee(const Function &F) {
  if (F.isIntrinsic())
    return {};
  if (CalleeInfo Declared = declaredKind(F); Declared.Kind != CalleeKind::Unknown)
    return Declared;
  const StringRef Name = calleeName(F);
  const CalleeTable &Table = CalleeTable::get();
  if (const Entry *E = Table.find(Name))
    return speaksOfLibrary(F, Name, *E) && !runsHandlers(F) ? E->Info : CalleeInfo();
  if (const PrefixEntry *E = Table.findPrefix(Name))
    return E->Info;
  CalleeInfo Other;
  if (isOutsideInitialiser(F)) // what it reads is looked at where it is called
    Other.Kind = CalleeKind::Inactive;
  return Other;
}

bool keepsBody(const Function &F) {
  if (viewAction(F))
    return true;
  const CalleeInfo Info = lookupCallee(F);
  if (!Info.Text) // the library has what is only there to be inlined
    return Info.OwnObjects ||
           (Info.Kind == CalleeKind::Inactive && F.hasAvailableExternallyLinkage());
  static constexpr StringLiteral Words[] = {
#define CF_TEXT_BODY(Word) Word,
#include "Inactive.def"
  };
  return llvm::any_of(Words, [&](StringRef Word) { return F.getName().contains(Word); });
}

/// An object that is returned is written, and so may be what a pointer to anything but constants
/// leads to, which names of the Itanium C++ ABI tell.
bool onlyLooks(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  const CalleeInfo Info = F ? lookupCallee(*F) : CalleeInfo();
  if (!Info.OwnObjects || Info.Opaque || Call.getType()->isVoidTy())
    return false;
  return calleeName(*F).starts_with("_ZNK") && takesConstantsOnly(*F);
}

CalleeInfo lookupCallee(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  if (Call.hasFnAttr(attr::Inactive)) {
    CalleeInfo Info = ofKind(CalleeKind::Inactive);
    Info.Opaque = true;
    return Info;
  }
  if (Call.hasFnAttr(SilentMark)) {
    CalleeInfo Info = ofKind(CalleeKind::Inactive);
    Info.ReadOnly = Call.getFnAttr(SilentMark).getValueAsString().empty();
    Info.Opaque = Info.OwnObjects = !Info.ReadOnly;
    return Info;
  }
  if (!F)
    return {};
  CalleeInfo Info = lookupCallee(*F);
  if (Info.Kind == CalleeKind::Inactive && !Info.ReadOnly)
    Info.ReadOnly = touchesNoPointer(Call);
  return Info;
}

SmallVector<StringRef, 0> calleesOfKind(CalleeKind Kind) {
  return CalleeTable::get().namesOf(Kind);
}

/// The entry of a mathematical function that F can be.
static const Entry *findMath(const Function &F, bool Compound) {
  if (F.hasFnAttribute(attr::Inactive))
    return nullptr;
  const Entry *E = CalleeTable::get().find(calleeName(F));
  return E && E->Shape && E->Compound == Compound && isDeclaredAs(F, *E) ? E : nullptr;
}

std::optional<MathFn> mathFunction(const Function &F) {
  if (const Entry *E = findMath(F, /*Compound=*/false))
    return static_cast<MathFn>(E->Fn);
  return std::nullopt;
}

std::optional<CompoundFn> compoundFunction(const Function &F) {
  if (const Entry *E = findMath(F, /*Compound=*/true))
    return static_cast<CompoundFn>(E->Fn);
  return std::nullopt;
}

std::optional<MathFn> mathIntrinsic(Intrinsic::ID Id) {
  switch (Id) {
#define CF_BOTH(Fn, Name, Shape, Id)                                                               \
  case Intrinsic::Id:                                                                              \
    return MathFn::Fn;
#define CF_INTRINSIC(Fn, Shape, Id)                                                                \
  case Intrinsic::Id:                                                                              \
    return MathFn::Fn;
#include "Math.def"
  default:
    return std::nullopt;
  }
}

StringRef mathName(MathFn Fn) { return textOf(Fn).Name; }

Intrinsic::ID intrinsicFor(MathFn Fn) { return textOf(Fn).Intrin; }

FunctionType *mathType(MathFn Fn, Type *Ty) { return prototypeOf(textOf(Fn).Shape, Ty); }

bool isLibmType(const Type *Ty) {
  return Ty->isDoubleTy() || Ty->isFloatTy() || Ty->isX86_FP80Ty();
}

std::string mathSpelling(MathFn Fn, const Type *Ty) {
  const StringRef Name = textOf(Fn).CName;
  const bool DoubleOnly = textOf(Fn).Shape[0] == 'd';
  if (Name.empty() || !isLibmType(Ty) || (DoubleOnly && !Ty->isDoubleTy()))
    return {};
  return withSuffix(Name, Ty->isFloatTy() ? "f" : Ty->isX86_FP80Ty() ? "l" : "");
}

bool isPlainMath(const Instruction &I) {
  auto *Call = dyn_cast<CallInst>(&I);
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  return F && F->isDeclaration() && !I.getType()->isVoidTy() &&
         lookupCallee(*Call).Kind == CalleeKind::Math &&
         none_of(Call->args(), [](const Use &U) { return U->getType()->isPointerTy(); });
}

bool asksForLibraryVariables(const Module &M) {
  return any_of(M, [](const Function &F) {
    return F.isDeclaration() && F.arg_empty() && F.getReturnType()->isPointerTy() &&
           !F.use_empty() && lookupCallee(F).Kind == CalleeKind::Inactive;
  });
}

bool isVirtualTable(const GlobalVariable &G) { return G.getName().starts_with("_ZTV"); }

bool isTypeDescription(const GlobalVariable &G) {
  return any_of(ArrayRef<StringRef>{"_ZTI", "_ZTS", "_ZTVN10__cxxabiv1"},
                [&](StringRef Prefix) { return G.getName().starts_with(Prefix); });
}

bool isStream(const GlobalVariable &G) {
  static constexpr StringLiteral Names[] = {"stdin", "stdout", "stderr"};
  return G.isDeclaration() && G.getValueType()->isPointerTy() && is_contained(Names, G.getName());
}

} // namespace contraflow
