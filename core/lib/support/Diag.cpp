// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbered errors at the user's source line, through the diagnostic handler of whatever tool has
// loaded the plugin.
//
//   clang   heat.cpp:41:9: error: [CF201] no derivative is known for the call to 'solve'; ...
//   opt     error: heat.cpp:41:9: [CF201] ...
//
// clang turns a DiagnosticInfoUnsupported into a caret at the location; without line information
// it looks the function up by name and points at its definition. Every other kind it prints as
// text. Tools that print diagnostics themselves (opt, lld) call print(), which is ours.

#include "contraflow/core/Diag.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>

using namespace llvm;

namespace contraflow {
namespace {

struct DiagText {
  unsigned Number;
  const char *Sentence;
};

constexpr DiagText DiagTexts[] = {
#define CF_DIAG(Id, Number, Text) {Number, Text},
#include "contraflow/core/Diag.def"
#undef CF_DIAG
};

const DiagText &textOf(DiagId Id) { return DiagTexts[static_cast<unsigned>(Id)]; }

/// True for files of the compiler, the C and C++ libraries and our own headers: what happens there
/// is due to the user's line that got there.
bool isSystemFile(const DILocation &Loc) {
  SmallString<128> Path;
  if (!sys::path::is_absolute(Loc.getFilename()))
    Path = Loc.getDirectory();
  sys::path::append(Path, Loc.getFilename());
  const StringRef File = Path;
  return File.starts_with("/usr/include/") || File.starts_with("/usr/lib/") ||
         File.starts_with("/usr/local/include/") || File.contains("/include/c++/") ||
         File.contains("/lib/clang/") || File.contains("/include/contraflow/");
}

/// The innermost line of the user's own files: steps out of inlined system headers.
DebugLoc userLocation(const DebugLoc &Loc) {
  for (const DILocation *At = Loc.get(); At; At = At->getInlinedAt())
    if (At->getLine() != 0 && !isSystemFile(*At))
      return At;
  return Loc && Loc.getLine() != 0 ? Loc : DebugLoc();
}

/// The function of the user's source that F was made from: generated functions are called
/// "cf.<what>.<user>", outlined and specialised ones "<user>.<what>", copies have a number behind.
const Function &userFunction(const Function &F) {
  const Module *M = F.getParent();
  StringRef Name = F.getName();
  while (Name.consume_front(GeneratedPrefix))
    Name = Name.split('.').second;
  if (!M || Name.empty())
    return F;
  const Function *User = M->getFunction(Name.split('.').first);
  if (!User)
    User = M->getFunction(Name);
  return User ? *User : F;
}

/// The kind of diagnostic that clang shows best, with a print() for everybody else.
class PlacedDiagnostic : public DiagnosticInfoUnsupported {
public:
  PlacedDiagnostic(const Function &F, const Twine &Message LLVM_LIFETIME_BOUND, const DebugLoc &Loc,
                   StringRef Place)
      : DiagnosticInfoUnsupported(F, Message, Loc), Place(Place) {}
  void print(DiagnosticPrinter &DP) const override { DP << Place << ": " << getMessage(); }

private:
  StringRef Place;
};

/// LLVMContext::diagnose ends the process at the first error that no handler takes. This handler
/// prints such errors, so that the user sees all of them.
class PrintingHandler : public DiagnosticHandler {
public:
  PrintingHandler(std::unique_ptr<DiagnosticHandler> Inner) : Inner(std::move(Inner)) {}

  bool handleDiagnostics(const DiagnosticInfo &DI) override {
    if (Inner && Inner->handleDiagnostics(DI))
      return true;
    DiagnosticPrinterRawOStream DP(errs());
    errs() << LLVMContext::getDiagnosticMessagePrefix(DI.getSeverity()) << ": ";
    DI.print(DP);
    errs() << '\n';
    ++Printed;
    return true;
  }

  std::unique_ptr<DiagnosticHandler> Inner;
  unsigned Printed = 0;
};

void reportOne(LLVMContext &Context, const DiffError &E) {
  std::string Message = E.sentence();
  const Function *F = E.function();
  if (!F) {
    Context.diagnose(DiagnosticInfoGeneric(Twine(E.place()) + ": " + Message));
    return;
  }
  if (!E.loc())
    Message += " (-gline-tables-only shows the line)";
  Context.diagnose(PlacedDiagnostic(*F, Message, E.loc(), E.place()));
}

} // namespace

SourcePlace SourcePlace::of(const Instruction &I) {
  SourcePlace Place;
  if (I.getParent() && I.getFunction())
    Place = of(*I.getFunction());
  if (const DebugLoc Loc = userLocation(I.getDebugLoc()))
    Place.Loc = Loc;
  return Place;
}

SourcePlace SourcePlace::of(const llvm::Function &F) {
  SourcePlace Place;
  Place.Function = &userFunction(F);
  DISubprogram *Program = F.getSubprogram();
  if (!Program)
    Program = Place.Function->getSubprogram();
  if (Program)
    Place.Loc = DILocation::get(F.getContext(), Program->getLine(), 1, Program);
  return Place;
}

std::string SourcePlace::str() const {
  if (const DILocation *At = Loc.get())
    return (At->getFilename() + ":" + Twine(At->getLine()) + ":" + Twine(At->getColumn())).str();
  return Function ? "in '" + userName(*Function) + "'" : "in generated code";
}

std::string userName(const Function &F) { return demangle(userFunction(F).getName()); }

char DiffError::ID = 0;

DiffError::DiffError(DiagId Id, const SourcePlace &Where, const std::string &Detail)
    : Id(Id), Place(Where.str()), Function(const_cast<llvm::Function *>(Where.Function)),
      Loc(Where.Loc), Detail(demangle(Detail)) {}

void DiffError::log(raw_ostream &OS) const { OS << Place << ": " << sentence(); }

std::error_code DiffError::convertToErrorCode() const { return inconvertibleErrorCode(); }

const llvm::Function *DiffError::function() const {
  Value *V = Function;
  return cast_or_null<llvm::Function>(V);
}

std::string DiffError::sentence() const {
  const auto [Head, Tail] = StringRef(textOf(Id).Sentence).split("%0");
  return ("[CF" + Twine(diagNumber(Id)) + "] " + Head + Detail + Tail).str();
}

Error diffError(DiagId Id, const Instruction &At, const Twine &Detail) {
  return make_error<DiffError>(Id, SourcePlace::of(At), Detail.str());
}

Error diffError(DiagId Id, const Function &At, const Twine &Detail) {
  return make_error<DiffError>(Id, SourcePlace::of(At), Detail.str());
}

unsigned diagNumber(DiagId Id) { return textOf(Id).Number; }

void warn(DiagId Id, const Instruction &At, const Twine &Detail) {
  const DiffError E(Id, SourcePlace::of(At), Detail.str());
  At.getContext().diagnose(DiagnosticInfoGeneric(E.place() + ": " + E.sentence(), DS_Warning));
}

void reportErrors(LLVMContext &Context, Error E) {
  auto Owned = std::make_unique<PrintingHandler>(Context.getDiagnosticHandler());
  PrintingHandler *Handler = Owned.get();
  Context.setDiagnosticHandler(std::move(Owned));
  StringSet<> Seen;
  handleAllErrors(
      std::move(E),
      [&](const DiffError &Diff) {
        if (Seen.insert(Diff.place() + Diff.sentence()).second)
          reportOne(Context, Diff);
      },
      [&](const ErrorInfoBase &Other) {
        Context.diagnose(DiagnosticInfoGeneric("[CF901] internal fault: " + Other.message()));
      });
  const unsigned Printed = Handler->Printed;
  Context.setDiagnosticHandler(std::move(Handler->Inner), /*RespectFilters=*/true);
  if (Printed)
    Context.diagnose(DiagnosticInfoGeneric("differentiation failed: " + Twine(Printed) +
                                           (Printed == 1 ? " error" : " errors")));
}

} // namespace contraflow
