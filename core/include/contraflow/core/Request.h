// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A derivative request as one ordered value. "__enzyme_autodiff(f, enzyme_dup, x, dx, n)" becomes
//
//   {Primal = f, Mode = Adjoint, Args = [{Dup, x, dx}, {Const, n}], Result = Const}

#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Support/Error.h"

namespace llvm {
class CallBase;
class Function;
class FunctionType;
class Module;
} // namespace llvm

namespace contraflow {

enum class DerivativeMode { Tangent, Adjoint };

/// Const: no derivative.  Active: by value, its adjoint is returned (adjoint mode only).
/// Dup: primal and shadow.  DupNoNeed: as Dup, the primal value is of no interest afterwards.
enum class Activity { Const, Active, Dup, DupNoNeed };

/// What identifies a derivative function; memoised on.
struct DerivativeSpec {
  llvm::Function *Primal = nullptr;
  DerivativeMode Mode = DerivativeMode::Adjoint;
  llvm::SmallVector<Activity, 8> Args; ///< one per parameter of Primal
  /// Adjoint: Active if the result is a float that is seeded; tangent: Dup if its tangent is
  /// wanted; Const otherwise.
  Activity Result = Activity::Const;
  bool ReturnPrimal = false;
};

/// The signature of the function that implements a spec. Parameters: for each parameter of the
/// primal the primal value, followed by its shadow (tangent) if its activity is Dup or DupNoNeed;
/// then, in adjoint mode with an active result, the seed. It returns a literal struct (void when
/// empty) of: the primal result if ReturnPrimal; in tangent mode the tangent of the result if
/// Result is Dup; in adjoint mode the adjoint of every Active parameter in order.
llvm::FunctionType *derivativeType(const DerivativeSpec &Spec);

/// Values as the user's call passes them; lowerRequest converts them to the primal's types.
struct RequestArg {
  Activity Kind = Activity::Const;
  llvm::WeakTrackingVH Primal;
  llvm::WeakTrackingVH Shadow;    ///< null unless Kind is Dup or DupNoNeed
  bool PrimalByReference = false; ///< Primal is the address of the value (a C++ reference)
  bool ShadowByReference = false;
};

struct DerivativeRequest {
  llvm::CallBase *Call = nullptr; ///< the user's call to __enzyme_...
  DerivativeSpec Spec;
  llvm::SmallVector<RequestArg, 8> Args;
};

/// True if the callee's name is one of the request spellings.
bool isRequest(const llvm::CallBase &Call);

/// All request calls of a module in program order.
llvm::SmallVector<llvm::CallBase *, 4> findRequests(llvm::Module &M);

/// Reads one call and checks all of it; changes nothing. Errors name what is wrong with which
/// argument.
llvm::Expected<DerivativeRequest> parseRequest(llvm::CallBase &Call);

/// Replaces the user's call or invoke by one of Derivative (of type derivativeType(Spec)),
/// converting between the result type that the user declared (void, scalar, struct, sret) and the
/// struct returned. The seed of an active result is one. Other requests stay valid.
llvm::Error lowerRequest(const DerivativeRequest &Request, llvm::Function &Derivative);

/// Called when every request of the module is lowered: removes what is left of the request
/// functions and markers, so that no undefined symbol remains.
void retireRequests(llvm::Module &M);

} // namespace contraflow
