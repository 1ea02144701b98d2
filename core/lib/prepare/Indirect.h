// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls through pointers become choices between direct calls; see Indirect.cpp.

#pragma once

#include "Numbered.h"
#include "Slots.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace llvm {
class CallBase;
class Instruction;
class Function;
class FunctionType;
class GlobalVariable;
class IRBuilderBase;
class Module;
class Value;
} // namespace llvm

namespace contraflow {

class HandlerRegistry;
class ReachedFunctions;
class SharedChoices;
struct Compilation;

/// True for a call through a pointer; inline assembly is none.
bool isIndirect(const llvm::CallBase &Call);

/// The constant tables of a module by what is in them. Valid until one is erased.
class TableIndex {
public:
  explicit TableIndex(const llvm::Module &M) : M(M) {}
  /// Those that hold a function of type T, in module order.
  llvm::ArrayRef<const llvm::GlobalVariable *> ofType(llvm::FunctionType *T);
  /// True if one is the table of Class or of a class derived from it.
  bool anyOfClass(llvm::StringRef Class);

private:
  const llvm::Module &M;
  bool Filled = false;
  llvm::DenseMap<llvm::FunctionType *, llvm::SmallVector<const llvm::GlobalVariable *, 4>> ByType;
  llvm::StringMap<bool> OfClass;
};

/// The functions of a module by type, in module order. Valid until one is erased.
class FunctionIndex {
public:
  /// Members is made when first asked for.
  FunctionIndex(Compilation &C, const ReachedFunctions &Reached, TableIndex &Tables,
                std::unique_ptr<MemberIndex> &Members);
  llvm::ArrayRef<llvm::Function *> ofType(llvm::FunctionType *T) const;
  /// True if the address of F goes where an indirect call may find it, other than constant tables.
  /// Escapes(F) is asked once.
  bool escapes(const llvm::Function &F, llvm::function_ref<bool(const llvm::Function &)> Escapes);
  MemberIndex &members();
  const FilledMembers &filled() const;
  TableIndex &tables() { return Tables; }
  /// Leaves out functions that the request cannot reach, unless there are no others.
  void keepReached(llvm::SmallVectorImpl<llvm::Function *> &Fitting);
  /// The functions that the call does not lead to, where it is known what it leads to.
  llvm::SmallVector<llvm::Function *, 8>
  takeUncalled(const llvm::CallBase &Call, llvm::SmallVectorImpl<llvm::Function *> &Fitting) const;
  /// True if keepReached has left out some.
  bool leftOut() const { return LeftOut; }

private:
  Compilation &C;
  const ReachedFunctions &Reached;
  TableIndex &Tables;
  std::unique_ptr<MemberIndex> &Members;
  bool LeftOut = false;
  llvm::DenseMap<llvm::FunctionType *, llvm::SmallVector<llvm::Function *, 4>> ByType;
  llvm::DenseMap<const llvm::Function *, bool> Known;
};

/// The direct calls that an indirect one was replaced by.
using ChosenCalls = llvm::SmallVector<llvm::CallBase *, 8>;

/// Replaces an indirect call by a choice. Nothing, if no function of the module fits. MayInline is
/// asked about all candidates at once. A choice among many may be made in a function of Shared.
/// What the call does not lead to is left out, and noted where Looks is set.
llvm::Expected<std::optional<ChosenCalls>>
chooseCallee(llvm::CallBase &Call, const HandlerRegistry &Handlers, FunctionIndex &Functions,
             SharedChoices &Shared, bool Looks,
             llvm::function_ref<bool(llvm::ArrayRef<llvm::Function *>)> MayInline);

/// True for a call that is made only where its callee, or another pointer or flag beside it, is not
/// null, or whose callee nobody sets, and for a virtual call that the function around it may return
/// without: an optional function, which may never be there.
bool isOptional(const llvm::CallBase &Call, Compilation &C);
/// Notes it of a call that no function fits, for pieces of a function know nothing of what is asked
/// around them. A virtual call in a callee may not be reached: of its class there is no object.
void noteOptional(llvm::CallBase &Call, bool IsCallee, Compilation &C);

/// True for a call made by chooseCallee that had better stay a call.
bool staysCall(const llvm::CallBase &Call);
void keepCall(llvm::CallBase &Call);

/// Ends the program by a runtime function that is told where Call is.
void emitFailure(llvm::IRBuilderBase &B, llvm::Instruction &At, llvm::StringRef Name);
/// The same with Place, which is what placeOf has given.
void endProgram(llvm::IRBuilderBase &B, llvm::Module &M, llvm::StringRef Name, llvm::Value *Place);
llvm::Value *placeOf(llvm::IRBuilderBase &B, llvm::Instruction &At);

} // namespace contraflow
