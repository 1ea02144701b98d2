// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the first of two calls leaves for the second: a record at the beginning of the tape. It
// remembers whose it is, since another function, or other markers, would read another layout.

#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace contraflow {

class SplitHandle {
public:
  /// Tape; the root frame of an adjoint and its reverse function; the log of a tangent, or null.
  /// Behind them the shadows that the frame leads to.
  enum Field { Tape, Frame, Which, Log };
  static constexpr int64_t Bytes = 32;

  SplitHandle(llvm::IRBuilderBase &B, llvm::Value *Address) : B(B), Address(Address) {}
  /// As the user gives it, which may be null: then all its fields are.
  static SplitHandle given(llvm::IRBuilderBase &B, llvm::Value *Address) {
    llvm::Module &M = *B.GetInsertBlock()->getModule();
    auto *T = llvm::ArrayType::get(B.getPtrTy(), Bytes / sizeof(void *));
    auto *None = new llvm::GlobalVariable(M, T, true, llvm::GlobalValue::PrivateLinkage,
                                          llvm::Constant::getNullValue(T), "cf.none");
    return SplitHandle(B, B.CreateSelect(B.CreateIsNull(Address), None, Address));
  }
  llvm::Value *address() const { return Address; }
  llvm::Value *get(Field F) { return B.CreateLoad(B.getPtrTy(), place(F)); }
  void set(Field F, llvm::Value *V) { B.CreateStore(V, place(F)); }
  llvm::Value *shadow(unsigned I) {
    return B.CreateLoad(B.getPtrTy(), place(Bytes / sizeof(void *) + I));
  }
  void setShadow(unsigned I, llvm::Value *V) {
    B.CreateStore(V, place(Bytes / sizeof(void *) + I));
  }

private:
  llvm::Value *place(unsigned F) { return B.CreateConstGEP1_64(B.getPtrTy(), Address, F); }

  llvm::IRBuilderBase &B;
  llvm::Value *Address;
};

} // namespace contraflow
