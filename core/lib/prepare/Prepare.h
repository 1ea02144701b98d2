// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Brings the code behind a request into the form that the analyses rely on: a private copy of every
// function concerned, with calls inlined as far as they go, each parallel region's body in a copy
// of its own, memory in registers, natural loops with preheaders and dedicated exits, one return.

#pragma once

#include "Numbered.h"
#include "Slots.h"
#include "contraflow/core/Construct.h"

#include "llvm/IR/PassManager.h"

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace contraflow {

class ClosureTemplates;
class CodeReach;
class PreparedLibrary;
class TwinTable;

/// What a stage needs of the surrounding compilation.
struct Compilation {
  llvm::Module &M;
  llvm::PassBuilder &PB;
  llvm::FunctionAnalysisManager &FAM;
  const HandlerRegistry &Handlers;
  bool KeepsMemory = false; ///< a derivative asks the runtime what global variables lead to
  /// What the requests of the module have in common; null: nothing is known about others.
  const CodeReach *Reach = nullptr;
  PreparedLibrary *Library = nullptr;
  TwinTable *Twins = nullptr;
  ClosureTemplates *Closures = nullptr;
  /// Where the requests lead to much code, what several calls lead to is not inlined.
  bool Sparing = true;
  bool Spared = false; ///< that was so of something
  /// A log of what is read outside does not help: it cannot tell that from memory of its own.
  bool NoLog = false;
  /// An adjoint that runs again takes back addresses as well, and frees nothing of its caller's.
  bool TakesAddresses = false;
  /// What indirect calls lead to, by number. Null: all whose types and classes fit.
  const CalledFunctions *Called = nullptr;
  bool LooksForCallees = false; ///< what else they may lead to is noted where they are made
  /// What is prepared will be differentiated again, which no task graph can be.
  bool TasksAtOnce = false;
  /// Shadows may be two functions and no memory: each addition to one is read and written.
  bool HasViews = false;
  /// The program asks for errno: mathematical functions set it, also where nobody uses their
  /// result.
  bool AsksErrno = false;
  std::optional<FilledMembers> Filled = {}; ///< see filledMembers

  const FilledMembers &filledMembers() { return Filled ? *Filled : Filled.emplace(M); }
};

/// Originals and their copies.
using PreparedPairs = llvm::SmallVector<std::pair<llvm::Function *, llvm::Function *>, 8>;

/// The functions a derivative is made of, privately cloned. They are erased with the object.
class PreparedClosure {
public:
  PreparedClosure() = default;
  PreparedClosure(PreparedClosure &&) = default;
  PreparedClosure &operator=(PreparedClosure &&) = delete;
  ~PreparedClosure();

  llvm::Function *Root = nullptr;
  llvm::SmallVector<llvm::Function *, 4> Functions; ///< Root first
  /// Bodies run by a team of threads.
  llvm::SmallVector<llvm::Function *, 4> TeamBodies;
  bool GivenByLibrary = false; ///< some functions
  bool Detached = false;       ///< some body may run while the code behind its call goes on
  /// Functions that threads of a team may call or fork: several of them at once.
  llvm::DenseSet<llvm::Function *> UsedInTeams;
  /// Per team body: parameters that differ from thread to thread.
  llvm::DenseMap<llvm::Function *, llvm::SmallVector<unsigned, 2>> ThreadParams;
  /// Those that were not prepared for another request, and whether they run in a task.
  llvm::SmallVector<std::pair<llvm::Function *, bool>, 4> New;
};

/// Whether loop nests get a version for arrays that do not overlap: helps what is recorded.
enum class NestVersions { One, Two };

/// Clones and canonicalises F and what it calls.
llvm::Expected<PreparedClosure> prepareClosure(llvm::Function &F, Compilation &C, NestVersions V);

} // namespace contraflow
