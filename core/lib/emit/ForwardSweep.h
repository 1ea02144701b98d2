// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forward walk that tangent and augmented primal have in common: next to every pointer its
// shadow pointer, next to every store of a pointer the store of its shadow, and for every call with
// a handler the handler's part. Shadow pointers become ordinary values of the function, so that the
// planner treats them like any other value that the reverse sweep needs. A tangent may have several
// directions (lanes): what is added is added once for each, next to one primal.
//
//   %p = getelementptr %x, %i          %p  = getelementptr %x, %i
//   store ptr %q, ptr %p         ->    %p' = getelementptr %x', %i
//                                      store ptr %q, ptr %p ; store ptr %q', ptr %p'

#pragma once

#include "Unit.h"

namespace contraflow {

class ForwardSweep : public SweepBuilder {
public:
  ForwardSweep(RequestState &S, Unit &U);
  /// Builds all shadow pointers and, in tangent mode, tangents.
  llvm::Error run();
  llvm::ArrayRef<CallSite> sites() const { return Sites; }
  /// Shadow of a pointer known to have one.
  llvm::Value *shadowOf(llvm::Value *Pointer);
  /// Where a load, store or atomic update of floats finds its derivatives: the shadow of its
  /// pointer, but for memory that is its own shadow.
  llvm::Value *accessOf(llvm::Instruction &I);
  /// The primal instruction that a shadow load mirrors, or null.
  llvm::Instruction *mirrored(llvm::Value *Shadow) const { return Mirrors.lookup(Shadow); }

  llvm::IRBuilder<> &ir() override { return B; }
  llvm::Value *shadow(llvm::Value *Pointer) override;
  void setShadow(llvm::Value *Pointer, llvm::Value *Shadow) override;
  unsigned directions() const override { return ShadowLanes.size(); }
  unsigned direction() const override { return Lane; }
  llvm::Value *shadowIn(unsigned Direction, llvm::Value *Pointer) override;
  llvm::Value *isOwnShadow(llvm::Value *Pointer) override;
  /// An integer that is a double at one time and a pointer at another.
  bool carriesEither(const llvm::Value *V) const;
  /// True if such bits may be a float, too, with zeros behind it.
  bool carriesFloat(const llvm::Value *V) const;
  bool activeMemory(const llvm::Value *Pointer) const override;
  bool activeValue(const llvm::Value *V) const override { return S.Activity.active(V); }
  unsigned kinds(const llvm::Value *Pointer) const override;
  MemoryLayout layout(const llvm::Value *Pointer) const override;
  llvm::Value *owner(const llvm::Value *Pointer) const override { return S.ownerOf(Pointer, Lane); }
  llvm::Value *tape() override {
    U.UsesTape = true;
    return U.Tape;
  }
  llvm::CallInst *runtime(llvm::StringRef Name, llvm::Type *Result,
                          llvm::ArrayRef<llvm::Value *> Args) override;
  llvm::Value *takeAdjoint(llvm::Value *V) override;
  void addAdjoint(llvm::Value *V, llvm::Value *Bar) override;
  llvm::Value *tangent(llvm::Value *V) override;
  llvm::Value *tangentIn(unsigned Direction, llvm::Value *V) override;
  void setTangent(llvm::Value *V, llvm::Value *Dot) override;
  llvm::Type *floatType(const llvm::Value *V) const override;
  llvm::Expected<SplitDerivative> split(llvm::Function &Body) override;
  llvm::Expected<llvm::Function *> tangentOf(llvm::Function &Body,
                                             llvm::SmallVectorImpl<bool> &HasShadow) override;
  bool shared(const llvm::Value *Pointer) const override;
  bool inTeam() const override { return U.InTeam; }
  void replaceCall(llvm::CallBase &Call, llvm::Value *New) override { retire(Call, New); }

protected:
  bool movesPointer(const llvm::Value *V) const;
  /// What the mode adds for values that carry derivatives; called for every instruction.
  virtual llvm::Error visitFloat(llvm::Instruction &) { return llvm::Error::success(); }
  virtual llvm::Error callClosure(llvm::CallBase &I, llvm::Function &Callee);
  virtual llvm::Error callHandler(llvm::CallBase &I, const ConstructHandler &Handler);
  /// Takes an instruction out of the function; it lives on as a key until the request ends.
  void retire(llvm::Instruction &I, llvm::Value *Replacement);
  void checkOperands(llvm::CallBase &I, const ConstructHandler &Handler);
  /// Nothing may be stored where constants are that are their own shadow.
  void checkStored(llvm::Instruction &I, llvm::Value *V);
  llvm::SmallVector<llvm::Value *, 8> argumentsWithShadows(llvm::CallBase &I,
                                                           llvm::ArrayRef<bool> HasShadow);
  void placeAfter(llvm::Instruction &I);

private:
  llvm::Error visit(llvm::Instruction &I);
  void check(llvm::StringRef Name, llvm::Value *Pointer, llvm::Value *Shadow,
             const llvm::Instruction &At);
  void checkGlobalPointer(llvm::LoadInst &I, llvm::Value *Shadow);
  llvm::Value *mayVary(llvm::Value *V, unsigned &Left);
  bool mayBeOwnShadow(const llvm::Value *Pointer) const;
  bool mayReadClass(const llvm::Instruction &I) const;
  llvm::Value *comparesToShadow(llvm::Value *Pointer);
  void checkOwnShadow(llvm::Value *Pointer, llvm::Value *Shadow, const llvm::Instruction &At);
  void redirect(llvm::Instruction &I);
  llvm::Error visitPointer(llvm::Instruction &I);
  llvm::Value *flaggedShadow(llvm::Instruction &I);
  llvm::Error visitCall(llvm::CallBase &I);
  llvm::Error checkOverwrites(llvm::CallBase &I);
  llvm::Error checkUnknownCall(llvm::CallBase &I);
  llvm::Error visitStore(llvm::StoreInst &I);
  llvm::Error shadowAlloca(llvm::AllocaInst &I);
  llvm::Error shadowThrown(llvm::CallBase &I);
  llvm::Value *sizeOf(llvm::AllocaInst &I);
  llvm::CallInst *reserve(llvm::Value *Size, llvm::Align Alignment, llvm::Value *&Object);
  void moveToTape(llvm::AllocaInst &I);
  llvm::Error checkAddress(const llvm::IntToPtrInst &I) const;
  llvm::Error checkDistance(const llvm::BinaryOperator &I) const;
  bool changesActiveBits(const llvm::Instruction &I) const;
  void finishPhis();

protected:
  bool touchesActive(llvm::CallBase &I) const;
  RequestState &S;
  Unit &U;
  llvm::IRBuilder<> B;
  using ValueMap = llvm::DenseMap<llvm::Value *, llvm::Value *>;
  ValueMap &shadows() { return ShadowLanes[Lane]; }
  /// Does something for each direction.
  llvm::Error eachLane(llvm::function_ref<llvm::Error()> Step);

  unsigned Lane = 0; ///< the direction that is being built
  llvm::SmallVector<ValueMap, 1> ShadowLanes, AccessLanes;
  llvm::DenseMap<llvm::Value *, llvm::Instruction *> Mirrors;
  llvm::SmallVector<CallSite, 8> Sites;

private:
  struct PhiTwin {
    llvm::PHINode *Phi, *Twin;
    unsigned Lane;
  };
  llvm::SmallVector<PhiTwin, 8> PendingPhis;
};

/// All symbols of the runtime begin so.
inline constexpr llvm::StringLiteral RuntimePrefix = "cf_v1_";

/// Where a place is a double at one time and a pointer at another, its shadow is an adjoint or an
/// address. Addresses of user space are so small that as doubles they are below 1e-309, which no
/// adjoint that matters is: what looks like an address is one.
llvm::Value *isAddress(llvm::IRBuilderBase &B, llvm::Value *Bits);
/// A float as a double with zeros behind it, or such a double as a float, or as a vector that it is
/// the first float of; null for other types.
llvm::Value *asWordOf(llvm::IRBuilderBase &B, llvm::Value *Number, llvm::Type *T);

/// MemoryLayout as SweepBuilder promises it.
MemoryLayout layoutOf(const ActivityResult &Activity, const llvm::Value *Pointer,
                      bool Asked = false);
MemoryLayout layoutOf(const ActivityResult &Activity, Location At, bool Asked = false);

} // namespace contraflow
