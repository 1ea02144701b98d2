// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A second plugin, of clang itself: makes annotations of the attributes that tell something about a
// function or a variable. Code generation hands annotations on to the plugin that differentiates.
//
//   __attribute__((enzyme_function_like("log"))) double quick(double);
//   [[enzyme::inactive]] void report(double);
//   -> annotate("enzyme_function_like=log"), annotate("enzyme_inactive")
//
// And of what only the source tells: a C function of the program's own that has the name of one of
// the library and, for code generation, the types of it.
//
//   int stat(const double *x, double *mean);        -> annotate("contraflow_own")
//   int uname(void *sums);
//
// Variables that tell something about functions are emitted, whether the program uses them or not:
//
//   static void *__enzyme_register_gradient_f[] = {f, ...};        -> used
//   inline void *__enzyme_inactivefn = (void *)report;

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/StringSet.h"

#include <array>
#include <string>

using namespace clang;

namespace contraflow {
namespace {

enum class Kind { Inactive, Hint, Like };
struct Attribute {
  const char *Word;
  bool TakesName;
};
constexpr Attribute Known[] = {
#define CF_ATTRIBUTE(Word, What) {Word, Kind::What == Kind::Like},
#include "request/Registration.def"
};

/// "enzyme_inactive" as a name in a scope: "enzyme::inactive".
std::string scoped(StringRef Word) {
  const auto [Scope, Name] = Word.split('_');
  return (Scope + "::" + Name).str();
}

template <size_t Index> class Annotating : public ParsedAttrInfo {
public:
  Annotating() {
    Spellings = Spelled;
    NumArgs = Known[Index].TakesName;
  }

  bool diagAppertainsToDecl(Sema &S, const ParsedAttr &Attr, const Decl *D) const override {
    if (isa<FunctionDecl>(D))
      return true;
    const auto *Variable = dyn_cast<VarDecl>(D);
    if (Variable && Variable->hasGlobalStorage() && !Variable->hasExternalStorage())
      return true;
    report(S, Attr,
           "%0 belongs to a function, or to the definition of a global variable; what is defined "
           "elsewhere is named in __enzyme_inactive_global");
    return false;
  }

  AttrHandling handleDeclAttribute(Sema &S, Decl *D, const ParsedAttr &Attr) const override {
    std::string Text = Known[Index].Word;
    if (Known[Index].TakesName) {
      StringRef Name;
      if (!S.checkStringLiteralArgumentAttr(Attr, 0, Name))
        return AttributeNotApplied;
      Text += "=" + Name.str();
    }
    D->addAttr(AnnotateAttr::Create(S.Context, Text, nullptr, 0, Attr));
    return AttributeApplied;
  }

private:
  template <size_t Length>
  static void report(Sema &S, const ParsedAttr &Attr, const char (&Text)[Length]) {
    S.Diag(Attr.getLoc(), S.getDiagnostics().getCustomDiagID(DiagnosticsEngine::Error, Text))
        << Attr;
  }

  const std::string Scoped = scoped(Known[Index].Word);
  const std::string Bare = StringRef(Known[Index].Word).split('_').second.str();
  // clang reads the argument of a scoped attribute only if it knows its name without the scope.
  const std::array<Spelling, 6> Spelled = {
      {{ParsedAttr::AS_GNU, Known[Index].Word},
       {ParsedAttr::AS_CXX11, Known[Index].Word},
       {ParsedAttr::AS_C23, Known[Index].Word},
       {ParsedAttr::AS_CXX11, Scoped.c_str()},
       {ParsedAttr::AS_C23, Scoped.c_str()},
       {Known[Index].TakesName ? ParsedAttr::AS_CXX11 : ParsedAttr::AS_GNU,
        Known[Index].TakesName ? Bare.c_str() : Known[Index].Word}}};
};

/// Linked into clang's list where it stands: never copied.
template <size_t Index> struct Entry {
  ParsedAttrInfoRegistry::Add<Annotating<Index>> Node{Known[Index].Word, ""};
};
template <size_t... Index> struct Registered : Entry<Index>... {};
template <size_t... Index> Registered<Index...> registered(std::index_sequence<Index...>);

[[maybe_unused]] const decltype(registered(
    std::make_index_sequence<std::size(Known)>{})) Attributes;

constexpr unsigned DeepestStructure = 4;

/// True if T is, or has members of, a floating type, or leads to such, or to what is not said.
bool isOfFloats(QualType T, unsigned Depth = 0) {
  const bool IsAddress = T->isPointerType();
  while (!T->getPointeeType().isNull())
    T = T->getPointeeType();
  if (IsAddress && T->isVoidType())
    return true;
  if (const auto *Array = T->getAsArrayTypeUnsafe())
    return isOfFloats(Array->getElementType(), Depth);
  if (T->isFloatingType() || T->isVectorType())
    return true;
  const RecordDecl *Structure = T->getAsRecordDecl();
  const RecordDecl *Body = Structure ? Structure->getDefinition() : nullptr;
  return Body && Depth < DeepestStructure &&
         llvm::any_of(
             Body->fields(),
             [&](const FieldDecl *F) { return isOfFloats(F->getType(), Depth + 1); });
}

/// True if Name is that of a function of the library that neither takes nor returns numbers.
bool isLibraryName(StringRef Name) {
  static const llvm::StringSet<> Names = {
#define CF_READ_ONLY(Name) Name,
#define CF_INACTIVE(Name) Name,
#include "callee/Inactive.def"
  };
  static const llvm::StringSet<> OfNumbers = {
#define CF_OF_NUMBERS(Name) Name,
#include "callee/Inactive.def"
  };
  return Names.contains(Name) && !OfNumbers.contains(Name);
}

/// True if Name is that of a variable that tells something about functions.
bool isRegistration(StringRef Name) {
  static constexpr StringRef Parts[] = {
#define CF_REGISTRATION(Part, Kind, Entries) Part,
#include "request/Registration.def"
  };
  return llvm::any_of(Parts, [&](StringRef Part) { return Name.contains(Part); });
}

class Declarations : public ASTConsumer {
public:
  explicit Declarations(const SourceManager &Sources) : Sources(Sources) {}
  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    for (Decl *D : Group)
      visit(*D);
    return true;
  }
  void HandleCXXStaticMemberVarInstantiation(VarDecl *D) override { visit(*D); }

private:
  void visit(Decl &D);
  bool isOwn(const FunctionDecl &F) const;

  const SourceManager &Sources;
};

bool Declarations::isOwn(const FunctionDecl &F) const {
  if (!F.getIdentifier() || !F.isExternC() || F.getBuiltinID() || !isLibraryName(F.getName()) ||
      llvm::any_of(F.redecls(), [&](const FunctionDecl *Other) {
        return Sources.isInSystemHeader(Other->getLocation());
      }))
    return false;
  return isOfFloats(F.getReturnType()) || llvm::any_of(F.parameters(), [](const ParmVarDecl *P) {
           return isOfFloats(P->getType());
         });
}

void Declarations::visit(Decl &D) {
  if (isa<LinkageSpecDecl, NamespaceDecl, CXXRecordDecl>(D))
    for (Decl *Inner : cast<DeclContext>(D).decls())
      visit(*Inner);
  auto *Variable = dyn_cast<VarDecl>(&D);
  if (Variable && Variable->getIdentifier() && isRegistration(Variable->getName()) &&
      Variable->isThisDeclarationADefinition() && !Variable->isTemplated())
    Variable->addAttr(UsedAttr::CreateImplicit(Variable->getASTContext()));
  auto *F = dyn_cast<FunctionDecl>(&D);
  if (F && isOwn(*F))
    F->addAttr(AnnotateAttr::CreateImplicit(F->getASTContext(), "contraflow_own", nullptr, 0));
}

class ReadDeclarations : public PluginASTAction {
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI, StringRef) override {
    return std::make_unique<Declarations>(CI.getSourceManager());
  }
  bool ParseArgs(const CompilerInstance &, const std::vector<std::string> &) override {
    return true;
  }
  ActionType getActionType() override { return AddBeforeMainAction; }
};

[[maybe_unused]] const FrontendPluginRegistry::Add<ReadDeclarations>
    Action("contraflow", "finds what only the source tells");

} // namespace
} // namespace contraflow
