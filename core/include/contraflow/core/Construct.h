// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How an operation with a derivative of its own tells the core about itself. memcpy, malloc,
// MPI_Isend and __kmpc_fork_call all come in through ConstructHandler; the core compares no names.
//
// Life of a call site:  facts (pure)  ->  augment (forward sweep, may replace the call, returns the
// values that the reverse will want)  ->  adjoint (reverse sweep, gets those values back).

#pragma once

#include "contraflow/core/Division.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>
#include <vector>

namespace llvm {
class CallBase;
class Function;
} // namespace llvm

namespace contraflow {

/// What a scalar in memory is. Bits, since a union may be several.
enum ScalarKind : unsigned {
  SK_Unknown = 0,
  SK_Int = 1,
  SK_Pointer = 2,
  SK_Float = 4,
  SK_Double = 8,
  SK_LongDouble = 16,
  SK_Half = 32,
  SK_Guessed = 64, ///< beside SK_Double: floats, but nobody says which
  SK_AnyFloat = SK_Float | SK_Double | SK_LongDouble | SK_Half,
};

/// Something a call touches: an operand's value, the memory behind an operand, the result.
struct Place {
  enum Kind { Value, Memory, Pointee, Result, Outside } What;
  unsigned Operand = 0;
  int64_t Offset = -1; ///< of a Pointee: where its address is; -1: anywhere
  bool Twice = false;  ///< of a Pointee: the memory that pointers there lead to
  static Place value(unsigned I) { return {Value, I}; }
  static Place memory(unsigned I) { return {Memory, I}; }
  /// The memory that pointers in the memory behind an operand lead to.
  static Place pointee(unsigned I) { return {Pointee, I}; }
  static Place pointee(unsigned I, int64_t Offset, bool Twice = false) {
    return {Pointee, I, Offset, Twice};
  }
  static Place result() { return {Result, 0}; }
  /// Another process: what is sent there matters, what comes from there varies.
  static Place outside() { return {Outside, 0}; }
};

/// Derivatives flow from one place to another.
struct Flow {
  Place From, To;
};

/// User code that a call runs, with the correspondence of its parameters to the call's operands
/// (-1: none, the construct itself provides the value).
struct Closure {
  llvm::Function *Body = nullptr;
  llvm::SmallVector<int, 8> Operands;
  bool Team = false;     ///< run by several threads at once
  bool Detached = false; ///< perhaps not before the call has returned
};

/// A function that a call hands to a library, which will call it on its own account. The library's
/// runtime learns its derivatives: cf_v1_<Register>(function, tangent, adjoint).
struct Callback {
  llvm::Function *Body = nullptr;
  llvm::SmallVector<bool, 8> HasShadow; ///< per parameter
  llvm::StringRef Register;
};

/// The facts about one call that the analyses ask for.
struct CallFacts {
  llvm::SmallVector<Flow, 4> Flows;      ///< how derivatives move
  llvm::SmallVector<unsigned, 4> Reads;  ///< operands whose memory is read
  llvm::SmallVector<unsigned, 4> Writes; ///< operands whose memory is written
  /// Operands that are either written or handles to objects the program cannot see.
  llvm::SmallVector<unsigned, 4> Handles;
  /// Memories that later calls may write to, and which: those that have a bit in common.
  llvm::SmallVector<std::pair<Place, unsigned>, 1> Exposes;
  unsigned WritesExposed = 0;
  /// Pointers in the memory of these operands lead to memory that other processes use as well; all
  /// of it is one object.
  llvm::SmallVector<unsigned, 1> Foreign;
  struct Copy {
    unsigned From, To, Size; ///< operands: two memories and a number of bytes
  };
  llvm::SmallVector<Copy, 1> Copies;      ///< bytes, whatever they hold, are copied
  llvm::SmallVector<unsigned, 1> Cleared; ///< operands whose memory becomes bytes of one value
  llvm::SmallVector<std::pair<unsigned, ScalarKind>, 2> Elements; ///< memory is an array of these
  llvm::SmallVector<std::pair<unsigned, ScalarKind>, 2> Cells; ///< memory begins with one of these
  /// An operand's memory is an array whose elements have as many bytes as the other operand says.
  llvm::SmallVector<std::pair<unsigned, unsigned>, 1> Arrays;
  /// Operands, and the result, lead to parts of one structure; pointers at Offsets do so, too.
  struct Structure {
    llvm::SmallVector<unsigned, 4> Operands;
    llvm::SmallVector<int64_t, 4> Offsets;
    bool Result = false;
    int64_t Stride = 0; ///< how far apart the parts may be is a multiple of this
  } Linked;
  /// Where the pointer at an offset of an operand's memory leads to: one of these, or an array;
  /// SK_Pointer: what the result leads to.
  struct Member {
    unsigned Operand;
    int64_t Offset;
    ScalarKind Kind;
    bool IsArray;
  };
  llvm::SmallVector<Member, 0> Members;
  /// The result's memory holds these operands, pointers, one after the other.
  llvm::SmallVector<unsigned, 0> Keeps;
  /// What memory holds if nobody else says floats; SK_Unknown: somewhere; SK_Int: so or text.
  llvm::SmallVector<std::pair<unsigned, ScalarKind>, 2> Carries;
  llvm::SmallVector<unsigned, 1> Packed; ///< their floats lie anywhere, whatever else is known
  bool FreshResult = false;              ///< result points to a new object
  bool Inactive = false;                 ///< runs in the forward sweep only, moves nothing
  bool Opaque = false;                  ///< may write whatever its operands and the globals lead to
  llvm::SmallVector<Closure, 3> Models; ///< not differentiated, but shows what the memory is
};

class SweepBuilder;
class ConstructHandler;

/// The scalars of an object as seen from a pointer.
struct MemoryLayout {
  struct Field {
    int64_t Offset;
    unsigned Kinds;
    bool Active;
  };
  int64_t Period = 0;   ///< fields repeat with this period; 0: they do not
  bool Aligned = false; ///< floats lie at multiples of their size
  llvm::SmallVector<Field, 4> Fields;
  bool Packed = false, Outside = false, OfSource = false, Asked = false; ///< see Fields.h
};

/// Augmented primal and reverse of a closure or of a separately differentiated function.
struct SplitDerivative {
  llvm::Function *Augmented = nullptr; ///< (primal and shadow parameters..., ptr tape)
  llvm::Function *Reverse = nullptr;   ///< (seed if the result is active, ptr frame, ptr tape)
  llvm::SmallVector<unsigned, 4> ActiveArgs; ///< parameters whose adjoints Reverse returns
  llvm::SmallVector<bool, 8> HasShadow;      ///< per parameter
  llvm::Type *ActiveResult = nullptr;        ///< float type of the result if it is active
  bool ShadowResult = false; ///< Augmented returns the shadow of its pointer result, too
};

/// One call site with a handler, from the forward sweep to the reverse.
struct CallSite {
  const ConstructHandler *Handler = nullptr;
  llvm::CallBase *Anchor = nullptr;             ///< marks the place; augment may replace it
  llvm::SmallVector<llvm::Value *, 8> Operands; ///< of the user's call
  llvm::SmallVector<llvm::Value *, 4> Recorded; ///< values that the reverse wants back
  bool OnlyWaits = false; ///< the reverse moves no adjoints: a critical section, a barrier
  bool OnlyOwn = false;   ///< the reverse adds to no memory that other threads know, nor waits
};

class ConstructHandler {
public:
  virtual ~ConstructHandler() = default;
  /// Names that the handler claims; a trailing '*' claims a prefix.
  virtual llvm::SmallVector<llvm::StringRef, 0> callees() const = 0;
  /// False if the call is not of the function meant, a user's own of the same name.
  virtual bool claims(const llvm::CallBase &) const { return true; }
  virtual CallFacts facts(const llvm::CallBase &Call) const = 0;
  virtual std::optional<Closure> closure(const llvm::CallBase &) const { return std::nullopt; }
  virtual std::optional<Division> division(const llvm::CallBase &) const { return std::nullopt; }
  virtual std::optional<Callback> callback(const llvm::CallBase &) const { return std::nullopt; }
  /// Emits the tangent beside the call.
  virtual llvm::Error tangent(SweepBuilder &B, llvm::CallBase &Call) const = 0;
  /// Emits what the forward sweep must do besides the call, before it. May replace the call and
  /// then sets Site.Anchor. Adds to Site.Recorded what adjoint() will want. Default: nothing.
  virtual llvm::Error augment(SweepBuilder &B, CallSite &Site) const;
  /// Emits the reverse; Recalled are the recorded values, available in the reverse sweep.
  virtual llvm::Error adjoint(SweepBuilder &B, const CallSite &Site,
                              llvm::ArrayRef<llvm::Value *> Recalled) const = 0;
  /// Before the reverse: nobody overwrites memory until it is over; somebody does (for rules).
  using Question = llvm::function_ref<bool(const llvm::Value *Pointer)>;
  virtual void settle(const CallSite &, Question /*IsStable*/, Question /*IsOverwritten*/) const {}
  /// True if it replaced calls by what they would run: direct ones with their metadata.
  virtual bool unfold(llvm::Function &) const { return false; }
  /// When all derivatives of the module are emitted: what stood for something else ends.
  virtual void conclude(llvm::Module &) const {}
  /// Rewrites a freshly inlined function into the form this handler's constructs are kept in.
  virtual void canonicalise(llvm::Function &) const {}
  /// True if tangent() may be asked several times about one call, once for each direction.
  virtual bool severalDirections() const { return false; }
  /// True if tangent() is asked once about a call and sees to all directions.
  virtual bool allDirections() const { return false; }
  /// True if the handler asks isOwnShadow() or does nothing to operands that are their own shadows.
  virtual bool knowsOwnShadows(const llvm::CallBase &) const { return false; }
  /// True if call and reverse may be done again: they touch only the memory that the facts name.
  virtual bool isRepeatable(const llvm::CallBase &) const { return false; }
  /// True if other processes take part in the call and its reverse: these run equally often.
  virtual bool meetsProcesses(const llvm::CallBase &) const { return false; }
  /// False if the reverse of this call would emit nothing: its blocks need not be reversed.
  virtual bool hasReverse(const llvm::CallBase &) const { return true; }
};

/// A handler that claims no call: it only rewrites functions, with unfold() or canonicalise().
class Rewriter : public ConstructHandler {
public:
  llvm::SmallVector<llvm::StringRef, 0> callees() const override { return {}; }
  CallFacts facts(const llvm::CallBase &) const override { return {}; }
  llvm::Error tangent(SweepBuilder &, llvm::CallBase &) const override {
    return llvm::Error::success();
  }
  llvm::Error adjoint(SweepBuilder &, const CallSite &,
                      llvm::ArrayRef<llvm::Value *>) const override {
    return llvm::Error::success();
  }
};

/// A handler's only door to the IR.
class SweepBuilder {
public:
  virtual ~SweepBuilder() = default;
  /// Calls cf_v1_<Name> in any function, declaring it when first used.
  static llvm::CallInst *callRuntime(llvm::IRBuilderBase &B, llvm::Module &M, llvm::StringRef Name,
                                     llvm::Type *Result, llvm::ArrayRef<llvm::Value *> Args);
  /// Room on a tape: fresh memory until it is released.
  static llvm::CallInst *reserve(llvm::IRBuilderBase &B, llvm::Value *Tape, llvm::Value *Bytes);
  virtual llvm::IRBuilder<> &ir() = 0;
  /// The shadow of a pointer, or null when its memory is inactive. Forward sweep and tangent.
  virtual llvm::Value *shadow(llvm::Value *Pointer) = 0;
  virtual void setShadow(llvm::Value *Pointer, llvm::Value *Shadow) = 0;
  /// Tangent: the number of directions, that which is being built, and the shadow in one of them.
  virtual unsigned directions() const { return 1; }
  virtual unsigned direction() const { return 0; }
  virtual llvm::Value *shadowIn(unsigned Direction, llvm::Value *Pointer) {
    return Direction == 0 ? shadow(Pointer) : nullptr;
  }
  /// Whether a pointer is its own shadow, an i1; null: it never is. Forward sweep and tangent.
  virtual llvm::Value *isOwnShadow(llvm::Value *) { return nullptr; }
  /// True if the memory holds active floats.
  virtual bool activeMemory(const llvm::Value *Pointer) const = 0;
  virtual bool activeValue(const llvm::Value *V) const = 0;
  /// Scalar kinds met in the memory behind a pointer (bits of ScalarKind).
  virtual unsigned kinds(const llvm::Value *Pointer) const = 0;
  /// Layout of the object behind a pointer: period in bytes (0: none) and (offset, kinds) pairs
  /// relative to the pointer; active fields only if asked.
  virtual MemoryLayout layout(const llvm::Value *Pointer) const = 0;
  /// If a global variable may lead to the heap object behind a pointer when the derivative call is
  /// over: the owner of what is kept so, for the runtime. Else null.
  virtual llvm::Value *owner(const llvm::Value *Pointer) const = 0;
  /// The arena of this thread, forward and reverse.
  virtual llvm::Value *tape() = 0;
  /// Calls cf_v1_<Name>.
  virtual llvm::CallInst *runtime(llvm::StringRef Name, llvm::Type *Result,
                                  llvm::ArrayRef<llvm::Value *> Args) = 0;
  /// Reverse: the adjoint of V, which is cleared; of the float that an integer carries, too.
  virtual llvm::Value *takeAdjoint(llvm::Value *V) = 0;
  virtual void addAdjoint(llvm::Value *V, llvm::Value *Bar) = 0;
  /// Tangent: of a value; zero when inactive.
  virtual llvm::Value *tangent(llvm::Value *V) = 0;
  virtual void setTangent(llvm::Value *V, llvm::Value *Dot) = 0;
  virtual llvm::Value *tangentIn(unsigned Direction, llvm::Value *V) {
    return Direction == 0 ? tangent(V) : nullptr;
  }
  /// The float type that V has or carries as an integer; null if none.
  virtual llvm::Type *floatType(const llvm::Value *V) const = 0;
  virtual llvm::Expected<SplitDerivative> split(llvm::Function &Body) = 0;
  virtual llvm::Expected<llvm::Function *> tangentOf(llvm::Function &Body,
                                                     llvm::SmallVectorImpl<bool> &HasShadow) = 0;
  /// True if several threads may add to the shadow of this memory at once.
  virtual bool shared(const llvm::Value *Pointer) const = 0;
  /// Takes the call out of the function in favour of Replacement (null: none needed).
  virtual void replaceCall(llvm::CallBase &Call, llvm::Value *Replacement) = 0;
  /// True if this function's reverse may run on several threads (it is inside a team).
  virtual bool inTeam() const = 0;
};

/// All handlers of this compilation, found by callee.
class HandlerRegistry {
public:
  void add(std::unique_ptr<ConstructHandler> Handler);
  const ConstructHandler *find(const llvm::CallBase &Call) const;
  const ConstructHandler *find(llvm::StringRef Name) const;
  void canonicalise(llvm::Function &F) const;
  bool unfold(llvm::Function &F) const;
  void conclude(llvm::Module &M) const;

private:
  std::vector<std::unique_ptr<ConstructHandler>> Handlers;
  llvm::StringMap<const ConstructHandler *> Exact;
  std::vector<std::pair<std::string, const ConstructHandler *>> Prefixes;
};

} // namespace contraflow
