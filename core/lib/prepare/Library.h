// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the requests of a module have in common. Functions that several requests lead to are
// prepared once; each request works on clones:
//
//   first request     prepare(f) = P,  kept as a template T with what it calls
//   later requests    P' = clone of T

#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

constexpr unsigned SmallCallee = 40; ///< instructions of what is inlined in any case

/// The code that the requests of a module lead to.
class CodeReach {
public:
  explicit CodeReach(uint64_t Size = 0) : Size(Size) {}
  /// One more request of this function.
  void add(llvm::Function &Primal);
  /// Instructions, once for each request that leads to them; without small functions.
  uint64_t size() const { return Size; }
  /// The same for one request, on average; with small functions.
  uint64_t eachWithSmall() const { return Requests ? WithSmall / Requests : 0; }
  uint64_t each() const { return Requests ? Size / Requests : 0; }
  unsigned requests() const { return Requests; }
  /// How many calls lead to a function, over all requests.
  unsigned callsOf(const llvm::Function &F) const { return Calls.lookup(&F); }

private:
  uint64_t Size, WithSmall = 0;
  unsigned Requests = 0;
  llvm::DenseMap<const llvm::Function *, unsigned> Calls;
};

/// An empty function of the same kind.
llvm::Function *declareLike(llvm::Function &F, const llvm::Twine &Name,
                            llvm::ValueToValueMapTy &Map);
/// Gives From's copy in Map a clone of its body.
void cloneBody(llvm::Function &From, llvm::ValueToValueMapTy &Map);

/// Prepared functions, before a request has changed them.
class PreparedLibrary {
public:
  PreparedLibrary() = default;
  PreparedLibrary(const PreparedLibrary &) = delete;
  PreparedLibrary &operator=(const PreparedLibrary &) = delete;
  ~PreparedLibrary() { clear(); }

  using Copy = std::pair<llvm::Function *, llvm::Function *>; ///< of an original
  using Copies = llvm::DenseMap<llvm::Function *, llvm::Function *>;

  /// Keeps templates of prepared functions that call each other and nothing else prepared.
  void keep(llvm::ArrayRef<Copy> Done);
  /// Clones F's template, and those it calls, for a request; what that has prepared already is not
  /// cloned. Nothing if there is no template.
  llvm::SmallVector<Copy, 4> instantiate(llvm::Function &F, const Copies &Prepared);
  void clear();

private:
  struct Template {
    llvm::WeakVH Original;
    llvm::Function *Body = nullptr;
  };
  const Template *find(llvm::Function &Original) const;

  llvm::DenseMap<llvm::Function *, Template> Templates;        ///< by original
  llvm::DenseMap<llvm::Function *, llvm::Function *> Original; ///< of a template
};

} // namespace contraflow
