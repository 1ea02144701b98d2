// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads global variables that register facts and derivatives, and attributes of functions and
// variables (which reach us as annotations). A variable may be one pointer, an
// array or a structure of pointers, or an array of such structures; its scalars are read in order.
//
//   void *__enzyme_function_like_mine[] = {(void *)my_log, (void *)"log"};
//   -> attributes of my_log:  noinline "enzyme_math"="log"

#include "Registration.h"
#include "callee/Variables.h"
#include "contraflow/core/Callee.h"
#include "contraflow/core/Diag.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace contraflow {
namespace {

enum class RegistrationKind {
  Gradient,        ///< primal, augmented, reverse
  Derivative,      ///< primal, tangent
  SplitDerivative, ///< primal, augmented, split tangent
  Inactive,
  InactiveGlobal,
  Hint,       ///< nothing follows from it
  Like,       ///< function, name
  Own,        ///< the program's, whatever its name
  Allocation, ///< function, index of the size, arguments of the deallocation, its function
};

struct RegistrationSpelling {
  StringRef Name;
  RegistrationKind Kind;
  unsigned Entries;
};

constexpr RegistrationSpelling Spellings[] = {
#define CF_REGISTRATION(Name, Kind, Entries) {Name, RegistrationKind::Kind, Entries},
#include "Registration.def"
};

const RegistrationSpelling *findRegistration(StringRef Name) {
  for (const RegistrationSpelling &Spelling : Spellings)
    if (Name.contains(Spelling.Name))
      return &Spelling;
  return nullptr;
}

struct AnnotationSpelling {
  StringRef Word;
  RegistrationKind Kind;
};

constexpr AnnotationSpelling Annotations[] = {
#define CF_ANNOTATION(Word, Kind) {Word, RegistrationKind::Kind},
#include "Registration.def"
};

const AnnotationSpelling *findAnnotation(StringRef Word) {
  for (const AnnotationSpelling &Spelling : Annotations)
    if (Word == Spelling.Word)
      return &Spelling;
  return nullptr;
}

/// Metadata of an allocation: what gives its memory back.
constexpr StringLiteral Deallocation = "enzyme_deallocator_fn";
constexpr StringLiteral Told = "enzyme_deallocator"; ///< what that is told

/// Appends the scalars of an initialiser, casts removed.
void appendScalars(Constant *C, SmallVectorImpl<Constant *> &Out) {
  if (isa<ConstantAggregate, ConstantAggregateZero, ConstantDataSequential>(C)) {
    for (unsigned I = 0; Constant *Element = C->getAggregateElement(I); ++I)
      appendScalars(Element, Out);
    return;
  }
  while (auto *Cast = dyn_cast<ConstantExpr>(C)) {
    if (!Cast->isCast())
      break;
    C = Cast->getOperand(0);
  }
  Out.push_back(C);
}

Function *asFunction(Constant *C) { return dyn_cast<Function>(C->stripPointerCastsAndAliases()); }

std::optional<StringRef> asText(Constant *C) {
  auto *G = dyn_cast<GlobalVariable>(C->stripPointerCastsAndAliases());
  auto *Text =
      G && G->hasInitializer() ? dyn_cast<ConstantDataSequential>(G->getInitializer()) : nullptr;
  if (!Text || !Text->isCString())
    return std::nullopt;
  return Text->getAsCString();
}

class RegistrationReader {
public:
  RegistrationReader(Module &M, SmallVectorImpl<UserRule> &Rules) : M(M), Rules(Rules) {}
  Error read(GlobalVariable &G, const RegistrationSpelling &Spelling);
  Error readAnnotations(GlobalVariable &List);
  Error readAllocator(Function &F);
  Error readMetadata(Function &F);

private:
  Error readAnnotation(Constant *Object, StringRef Text);
  Error readOne(ArrayRef<Constant *> Entries);
  Error readRule(ArrayRef<Constant *> Entries);
  Error readLike(Function &F, StringRef Name);
  Error readAllocation(Function &F, ArrayRef<Constant *> Entries);
  Error allocates(Function &F, uint64_t Size, std::optional<StringRef> Operands, Function *Free);
  Error fail(const Function *F, const Twine &Detail) const;
  UserRule &ruleOf(Function &Primal);
  void protect(Function &F);

  Module &M;
  SmallVectorImpl<UserRule> &Rules;
  std::string Where; ///< what says so
  RegistrationKind Kind = RegistrationKind::Inactive;
};

Error RegistrationReader::fail(const Function *F, const Twine &Detail) const {
  std::string Text = ("'" + Where + "': " + Detail).str();
  if (F)
    return diffError(DiagId::Registration, *F, Text);
  return make_error<DiffError>(DiagId::Registration, SourcePlace(), Text);
}

/// Calls of F stay calls.
void RegistrationReader::protect(Function &F) {
  F.removeFnAttr(Attribute::AlwaysInline);
  F.addFnAttr(Attribute::NoInline);
}

UserRule &RegistrationReader::ruleOf(Function &Primal) {
  for (UserRule &Rule : Rules)
    if (Rule.Primal == &Primal)
      return Rule;
  Rules.push_back({});
  Rules.back().Primal = &Primal;
  return Rules.back();
}

Error RegistrationReader::readRule(ArrayRef<Constant *> Entries) {
  SmallVector<Function *, 3> F;
  for (Constant *Entry : Entries) {
    F.push_back(asFunction(Entry));
    if (!F.back())
      return fail(F.front(), "entry " + Twine(F.size()) + " is not a function");
  }
  protect(*F[0]);
  UserRule New;
  New.Primal = F[0];
  const bool Gradient = Kind == RegistrationKind::Gradient;
  if (Gradient) {
    New.Augmented = F[1];
    New.Reverse = F[2];
  } else if (Kind == RegistrationKind::Derivative) {
    New.Tangent = F[1];
  } else {
    New.Split.Augmented = F[1];
    New.Split.Tangent = F[2];
  }
  if (Error E = resolveConventions(New))
    return E;
  F[0]->addFnAttr(attr::Registered);
  UserRule &Rule = ruleOf(*F[0]);
  if ((Gradient && Rule.Reverse && Rule.Reverse != New.Reverse) ||
      (New.Tangent && Rule.Tangent && Rule.Tangent != New.Tangent) ||
      (New.Split.Tangent && Rule.Split.Tangent && Rule.Split.Tangent != New.Split.Tangent))
    return fail(F[0], "'" + userName(*F[0]) + "' has another derivative already");
  if (Gradient) {
    Rule.Augmented = New.Augmented;
    Rule.Reverse = New.Reverse;
    Rule.OfAugmented = New.OfAugmented;
    Rule.OfReverse = New.OfReverse;
  } else if (New.Tangent) {
    Rule.Tangent = New.Tangent;
    Rule.OfTangent = New.OfTangent;
  } else {
    Rule.Split = New.Split;
  }
  return Error::success();
}

Error RegistrationReader::readLike(Function &F, StringRef Name) {
  if (!canStandFor(F, Name))
    return fail(&F, "'" + userName(F) + "' cannot stand for '" + Name +
                        "': no function of this name and type is known");
  protect(F);
  F.addFnAttr(attr::Like, Name);
  F.addFnAttr(attr::Registered);
  return Error::success();
}

/// True if Free takes what Operands lists: the memory, and integers that Allocate was given.
static bool takesBack(const Function &Allocate, const Function &Free, StringRef Operands) {
  SmallVector<StringRef, 3> List;
  Operands.split(List, ',');
  if (List.size() != Free.arg_size() || List.size() > 3 || Free.isVarArg() ||
      List.front().trim() != "-1" || !Free.getArg(0)->getType()->isPointerTy())
    return false;
  for (unsigned I = 1; I < List.size(); ++I) {
    unsigned From = 0;
    Type *T = Free.getArg(I)->getType();
    if (List[I].trim().getAsInteger(10, From) || From >= Allocate.arg_size() ||
        Allocate.getArg(From)->getType() != T || !T->isIntegerTy() || T->getIntegerBitWidth() > 64)
      return false;
  }
  return true;
}

/// True if somebody asks what it returned: it is called later than there, behind all derivatives.
static bool isAsked(const Function &Free) {
  return any_of(Free.users(), [&](const User *U) {
    auto *Call = dyn_cast<CallBase>(U);
    return Call && Call->getCalledOperand() == &Free && !Call->use_empty();
  });
}

Error RegistrationReader::allocates(Function &F, uint64_t Size, std::optional<StringRef> Operands,
                                    Function *Free) {
  if (Size >= F.arg_size() || !F.getArg(Size)->getType()->isIntegerTy() ||
      !F.getReturnType()->isPointerTy())
    return fail(&F, "entry 2 is not the index of a parameter that is a size");
  if (!Free)
    return fail(&F, "no function gives the memory back (entry 4)");
  if (!Operands || !takesBack(F, *Free, *Operands))
    return fail(&F, "the deallocation has to take the pointer (\"-1\"), and behind it up to two "
                    "integers that the allocation is given (\"-1,0\")");
  if (isAsked(*Free))
    return fail(&F, "the result of the deallocation is used, which is put off until the derivative "
                    "is known");
  protect(F);
  protect(*Free);
  F.addFnAttr(attr::Allocator, utostr(Size));
  F.setMetadata(Deallocation, MDNode::get(F.getContext(), {ConstantAsMetadata::get(Free)}));
  F.setMetadata(Told, MDNode::get(F.getContext(), {MDString::get(F.getContext(), *Operands)}));
  Free->addFnAttr(attr::Deallocator);
  return Error::success();
}

Error RegistrationReader::readAllocation(Function &F, ArrayRef<Constant *> Entries) {
  auto *Size = dyn_cast<ConstantInt>(Entries[1]);
  const uint64_t Index = Size                                   ? Size->getZExtValue()
                         : isa<ConstantPointerNull>(Entries[1]) ? 0
                                                                : ~0ull;
  return allocates(F, Index, asText(Entries[2]), asFunction(Entries[3]));
}

/// What the metadata of a kind says first; null if there is none.
Metadata *firstOf(const Function &F, StringRef Kind) {
  const MDNode *List = F.getMetadata(Kind);
  return List && List->getNumOperands() ? List->getOperand(0).get() : nullptr;
}

/// The same as other front ends say it: an attribute of the allocation, and two pieces of metadata,
/// which we add where there are none, since a module may be read twice.
Error RegistrationReader::readAllocator(Function &F) {
  Where = attr::Allocator;
  uint64_t Size = ~0ull;
  if (F.getFnAttribute(attr::Allocator).getValueAsString().getAsInteger(10, Size))
    Size = ~0ull;
  F.removeFnAttr(attr::Allocator);
  const auto *Text = dyn_cast_or_null<MDString>(firstOf(F, Told));
  return allocates(F, Size, Text ? Text->getString() : StringRef("-1"),
                   mdconst::dyn_extract_or_null<Function>(firstOf(F, Deallocation)));
}

/// Derivatives that are named by metadata of their primal, one kind for each entry of a
/// registration.
Error RegistrationReader::readMetadata(Function &F) {
  Error Errors = Error::success();
  auto Read = [&](RegistrationKind K, StringRef First, ArrayRef<StringRef> Others) {
    if (!F.hasMetadata(First))
      return;
    Kind = K;
    Where = First;
    SmallVector<Constant *, 3> Entries{&F};
    for (StringRef Name : Others)
      Entries.push_back(mdconst::dyn_extract_or_null<Constant>(firstOf(F, Name)));
    for (Constant *Named : Entries) // metadata alone holds nothing
      if (auto *Rule = dyn_cast_or_null<Function>(Named); Rule && Rule != &F)
        appendToCompilerUsed(M, {Rule});
    Errors = joinErrors(std::move(Errors),
                        is_contained(Entries, nullptr)
                            ? fail(&F, "names no function; it takes all of " + join(Others, ", "))
                            : readOne(Entries));
  };
  Read(RegistrationKind::Gradient, "enzyme_gradient", {"enzyme_augment", "enzyme_gradient"});
  Read(RegistrationKind::Derivative, "enzyme_derivative", {"enzyme_derivative"});
  return Errors;
}

/// What is loaded from an inactive variable has lost its derivative; a value taken straight from a
/// store to it would not have.
static void keepLoads(Value &Address) {
  for (User *U : Address.users()) {
    if (auto *Load = dyn_cast<LoadInst>(U))
      Load->setVolatile(true);
    else if (isa<GEPOperator>(U))
      keepLoads(*U);
  }
}

Error RegistrationReader::readOne(ArrayRef<Constant *> Entries) {
  if (Kind == RegistrationKind::InactiveGlobal) {
    auto *Marked = dyn_cast<GlobalVariable>(Entries[0]->stripPointerCastsAndAliases());
    if (!Marked)
      return fail(nullptr, "the entry is not a global variable");
    Marked->addAttribute(attr::Inactive);
    keepLoads(*Marked);
    return Error::success();
  }
  Function *F = asFunction(Entries[0]);
  if (!F)
    return fail(nullptr, "the first entry is not a function known at compile time");
  switch (Kind) {
  case RegistrationKind::Inactive:
    protect(*F);
    F->addFnAttr(attr::Inactive);
    F->addFnAttr(attr::Registered);
    return Error::success();
  case RegistrationKind::Hint:
    return Error::success();
  case RegistrationKind::Own:
    F->addFnAttr(attr::Own);
    return Error::success();
  case RegistrationKind::Like:
    if (auto Name = asText(Entries[1]))
      return readLike(*F, *Name);
    return fail(F, "entry 2 is not the name of a function");
  case RegistrationKind::Allocation:
    return readAllocation(*F, Entries);
  default:
    return readRule(Entries);
  }
}

/// What an attribute of the source says: annotate("enzyme_inactive"), or the like.
Error RegistrationReader::readAnnotation(Constant *Object, StringRef Text) {
  Where = Text;
  const auto [Word, Value] = Text.split('=');
  const AnnotationSpelling *Spelling = findAnnotation(Word);
  if (!Spelling)
    return Error::success(); // somebody else's
  Kind = Spelling->Kind;
  if (Kind == RegistrationKind::Inactive && isa<GlobalVariable>(Object))
    Kind = RegistrationKind::InactiveGlobal;
  if (Kind == RegistrationKind::Like && asFunction(Object))
    return readLike(*asFunction(Object), Value);
  return readOne(Object);
}

/// The list that the front end makes: {object, text, file, line, values}.
Error RegistrationReader::readAnnotations(GlobalVariable &List) {
  Error Errors = Error::success();
  for (unsigned I = 0; Constant *Entry = List.getInitializer()->getAggregateElement(I); ++I)
    if (auto Text = asText(Entry->getAggregateElement(1)))
      Errors = joinErrors(std::move(Errors), readAnnotation(Entry->getAggregateElement(0u), *Text));
  return Errors;
}

Error RegistrationReader::read(GlobalVariable &Variable, const RegistrationSpelling &Spelling) {
  Where = Variable.getName();
  Kind = Spelling.Kind;
  if (!Variable.hasInitializer())
    return Error::success(); // defined in another file, which says what it means
  SmallVector<Constant *, 8> Entries;
  appendScalars(Variable.getInitializer(), Entries);
  // Lists of one entry each may be longer than what they hold, or end with a null.
  while (Spelling.Entries == 1 && Entries.size() > 1 && Entries.back()->isNullValue())
    Entries.pop_back();
  if (Entries.empty() || Entries.size() % Spelling.Entries)
    return fail(Entries.empty() ? nullptr : asFunction(Entries[0]),
                "has " + Twine(Entries.size()) + " entries, not " + Twine(Spelling.Entries));
  appendToCompilerUsed(M, {&Variable});
  Error Errors = Error::success();
  for (unsigned I = 0; I < Entries.size(); I += Spelling.Entries)
    Errors = joinErrors(std::move(Errors), readOne(ArrayRef(Entries).slice(I, Spelling.Entries)));
  return Errors;
}

} // namespace

SmallVector<UserRule, 0> readRegistrations(Module &M, Error &Errors) {
  SmallVector<UserRule, 0> Rules;
  RegistrationReader Reader(M, Rules);
  SmallVector<GlobalVariable *, 8> Variables;
  for (GlobalVariable &G : M.globals())
    Variables.push_back(&G);
  for (Function &F : M)
    if (F.hasFnAttribute(attr::Allocator))
      Errors = joinErrors(std::move(Errors), Reader.readAllocator(F));
  for (Function &F : M)
    Errors = joinErrors(std::move(Errors), Reader.readMetadata(F));
  for (GlobalVariable *G : Variables)
    if (GlobalVariable *Shadow = givenShadow(*G))
      appendToCompilerUsed(M, {G, Shadow});
  if (GlobalVariable *List = M.getNamedGlobal("llvm.global.annotations"))
    Errors = joinErrors(std::move(Errors), Reader.readAnnotations(*List));
  for (GlobalVariable *G : Variables)
    if (const RegistrationSpelling *Spelling = findRegistration(G->getName()))
      Errors = joinErrors(std::move(Errors), Reader.read(*G, *Spelling));
  return Rules;
}

void releaseRegistrations(Module &M) {
  SmallPtrSet<const Constant *, 8> Held;
  for (GlobalVariable &G : M.globals()) {
    if (findRegistration(G.getName()))
      Held.insert(&G);
    if (const GlobalVariable *Shadow = givenShadow(G))
      Held.insert({&G, Shadow});
  }
  removeFromUsedLists(M, [&](Constant *C) { return Held.contains(C); });
}

} // namespace contraflow
