// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors are values with a place and a number. A DiffError remembers the numbered diagnostic of
// Diag.def, the user's source location, and the detail that fills the sentence:
//
//   return diffError(DiagId::NoRule, Call, "solve");
//   // heat.cpp:41:9: error: [CF201] no derivative is known for the call to 'solve'

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Support/Error.h"

#include <string>

namespace llvm {
class Function;
class Instruction;
class LLVMContext;
} // namespace llvm

namespace contraflow {

enum class DiagId {
#define CF_DIAG(Id, Number, Text) Id,
#include "contraflow/core/Diag.def"
#undef CF_DIAG
};

/// Where in the user's program something happens. Code that was inlined from system headers is
/// placed at the user's line that called it; a function that was made from a user's function
/// ("cf.adjoint.step", "step.omp_outlined") stands for that function.
struct SourcePlace {
  const llvm::Function *Function = nullptr; ///< of the user's module; null: not in a function
  llvm::DebugLoc Loc;                       ///< may be empty: the file has no line information

  static SourcePlace of(const llvm::Instruction &I);
  static SourcePlace of(const llvm::Function &F);
  /// "file:line:column", or "in 'name'" when there is no line information.
  std::string str() const;
};

/// The name of a function as the user wrote it: demangled, of the user's function if F was made
/// from one.
std::string userName(const llvm::Function &F);

/// Names of generated functions begin so: "cf.adjoint.energy".
inline constexpr llvm::StringLiteral GeneratedPrefix = "cf.";

/// One numbered diagnostic at one place.
class DiffError : public llvm::ErrorInfo<DiffError> {
public:
  static char ID;
  DiffError(DiagId Id, const SourcePlace &Where, const std::string &Detail);
  void log(llvm::raw_ostream &OS) const override;
  std::error_code convertToErrorCode() const override;
  DiagId id() const { return Id; }
  /// SourcePlace::str() of the place, remembered as text.
  const std::string &place() const { return Place; }
  /// The user's function, or null if it has been erased since.
  const llvm::Function *function() const;
  const llvm::DebugLoc &loc() const { return Loc; }
  /// The sentence with number, without the place.
  std::string sentence() const;

private:
  DiagId Id;
  std::string Place;
  llvm::WeakVH Function;
  llvm::DebugLoc Loc;
  std::string Detail;
};

/// A detail that is the mangled name of a function is shown as the user wrote it.
llvm::Error diffError(DiagId Id, const llvm::Instruction &At, const llvm::Twine &Detail = "");
llvm::Error diffError(DiagId Id, const llvm::Function &At, const llvm::Twine &Detail = "");

/// Reports a diagnostic as a warning (-Wbackend-plugin), now.
void warn(DiagId Id, const llvm::Instruction &At, const llvm::Twine &Detail);

/// The number of a diagnostic, 201 for CF201.
unsigned diagNumber(DiagId Id);

/// Reports every DiffError in E through the context's diagnostic handler, as errors. Identical
/// errors are reported once. Join the errors of a compilation (llvm::joinErrors) and report them
/// in one call: under opt, which has no handler, the process ends after it.
void reportErrors(llvm::LLVMContext &Context, llvm::Error E);

} // namespace contraflow
