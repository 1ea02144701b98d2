// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a request and a derivative say about types: the values a derivative returns, and which
// declared result types can hold them. Read by the parser (to check) and the lowering (to convert).

#pragma once

#include "contraflow/core/Request.h"

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class DataLayout;
class Type;
} // namespace llvm

namespace contraflow {

/// The types of the values that the derivative returns, in order.
llvm::SmallVector<llvm::Type *, 4> derivativeResults(const DerivativeSpec &Spec);

/// How many of those values make one of what the user receives: the scalars of a structure do.
llvm::SmallVector<unsigned, 4> resultGroups(const DerivativeRequest &Request);

/// The types of what the user receives from this request, in order.
llvm::SmallVector<llvm::Type *, 4> receivedResults(const DerivativeRequest &Request);

/// True if the augmented call of an adjoint returns the shadow of its result as well: an address.
bool returnsShadow(const DerivativeSpec &Spec);

/// The type in which the user receives results: the declared return type, or the structure behind
/// an sret pointer. Null if nothing is received.
llvm::Type *receivedType(const llvm::CallBase &Call);

/// True if Call takes the address of its result as first argument.
bool receivesInMemory(const llvm::CallBase &Call);

/// True for a floating-point number, and for what is made of nothing else.
bool isOfNumbers(llvm::Type *T);

/// True if one value of type From may be handed over as To without loss.
bool widens(llvm::Type *From, llvm::Type *To);

/// True if memory that holds Results one after the other, laid out as a C structure, is what
/// Received is loaded from: the calling convention returns small structures as {double, double} or
/// <2 x float>.
bool laidOutAs(llvm::ArrayRef<llvm::Type *> Results, llvm::Type *Received,
               const llvm::DataLayout &Layout);

} // namespace contraflow
