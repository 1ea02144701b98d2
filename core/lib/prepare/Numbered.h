// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of indirect calls, by which copies of a call in the user's code are known, and what they
// are known to lead to. While that is looked for, a choice goes on where it would end the program:
//
//   if (f == take1) r = take1(x); else r = cf.unseen(f)      of call 7: take2, take3

#pragma once

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

#include <map>
#include <optional>

namespace llvm {
class CallBase;
class Function;
class Module;
} // namespace llvm

namespace contraflow {

/// By number: the functions that an indirect call leads to.
using CalledFunctions = std::map<unsigned, llvm::SmallPtrSet<const llvm::Function *, 4>>;

/// Indirect calls of a module have numbers as long as this lives.
class NumberedCalls {
public:
  explicit NumberedCalls(llvm::Module &M);
  NumberedCalls(const NumberedCalls &) = delete;
  NumberedCalls &operator=(const NumberedCalls &) = delete;
  ~NumberedCalls();
  /// True of a module without indirect calls.
  bool none() const { return Count == 0; }

private:
  llvm::Module &M;
  unsigned Count = 0;
};

std::optional<unsigned> numberOf(const llvm::CallBase &Call);

/// What stands for the functions of a choice that are not known to be called.
struct UnseenCall {
  const llvm::Value *Pointer; ///< the callee
  bool IsVirtual;             ///< it lies in a table of virtual functions
  unsigned Number;
  llvm::SmallVector<const llvm::Function *, 8> Functions; ///< it may be
};

/// Calls what stands for Functions; the result is as that of Call, which has a number.
llvm::Value *callUnseen(llvm::IRBuilderBase &B, const llvm::CallBase &Call,
                        llvm::ArrayRef<llvm::Function *> Functions);
std::optional<UnseenCall> unseenCall(const llvm::CallBase &Call);

} // namespace contraflow
