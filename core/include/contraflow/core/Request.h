// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A derivative request as one ordered value. "__enzyme_autodiff(f, enzyme_dup, x, dx, n)" becomes
//
//   {Primal = f, Mode = Adjoint, Args = [{Dup, x, dx}, {Const, n}], Result = Const}

#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Support/Error.h"

#include <optional>

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

/// A whole derivative is one call. A split adjoint is two, with a tape in between; its size is
/// asked for by a third. The first of them may go before a tangent (Replay) as well. A batch is no
/// derivative: the function itself is called several times.
/// The shadow of a function is what stands for its address in a shadow. An inactive call is a batch
/// of one, of which no derivative is taken either. An error estimate is a whole tangent.
enum class RequestPart {
  Whole,
  Augmented,
  TapeSize,
  Reverse,
  Replay,
  Batch,
  FunctionShadow,
  InactiveCall,
  ErrorEstimate
};

/// What identifies a derivative function; memoised on.
struct DerivativeSpec {
  llvm::Function *Primal = nullptr;
  DerivativeMode Mode = DerivativeMode::Adjoint;
  llvm::SmallVector<Activity, 8> Args; ///< one per parameter of Primal
  /// Parameters that are Const because they are integers, in a structure that has a shadow.
  llvm::SmallVector<unsigned, 0> IntegerMembers;
  /// DupNoNeed parameters without memory for the primal values: the address passed is null or,
  /// false, another small number.
  llvm::SmallVector<std::pair<unsigned, bool>, 0> Absent;
  /// Adjoint: Active if the result is a float that is seeded; tangent: Dup if its tangent is
  /// wanted; Const otherwise.
  Activity Result = Activity::Const;
  bool ReturnPrimal = false;
  unsigned Width = 1; ///< directions of a tangent
  bool Split = false; ///< in two calls
  /// The adjoint is called several times with the same arguments: it must not change what it reads.
  bool Repeated = false;
  /// The user expects shadows that are their own primals: they are found out at run time.
  bool ChecksShadows = false;
  /// It will be differentiated again: without what only saves time and has no derivative.
  bool Again = false;
  /// Tangent: in place of tangents, bounds of the errors that rounding makes.
  bool Rounding = false;
};

/// The functions that implement a spec; Reverse only if it is split.
struct Derivative {
  llvm::Function *Forward = nullptr, *Reverse = nullptr;
  bool RunsOnce = false;  ///< the reverse sweep gives back more than its tape
  bool TakesBack = false; ///< afterwards memory is as it was before the primal ran
  bool HasTeams = false;  ///< it forks
};

/// The signature of the function that implements a spec. Parameters: for each parameter of the
/// primal the primal value, followed by its shadows (tangents) if its activity is Dup or DupNoNeed,
/// one for each direction; then, in adjoint mode with an active result, the seed. It returns a
/// literal struct (void when empty) of: the primal result if ReturnPrimal; in tangent mode the
/// tangents of the result if Result is Dup; in adjoint mode the adjoint of every Active parameter
/// in order.
llvm::FunctionType *derivativeType(const DerivativeSpec &Spec);

/// The two functions of a split adjoint. The augmented one takes no seed and returns the tape and
/// the primal result, if there is one. The reverse one takes the seed, the tape and whether it
/// stays, and returns the adjoints.
llvm::FunctionType *augmentedType(const DerivativeSpec &Spec);
llvm::FunctionType *reverseType(const DerivativeSpec &Spec);
/// The pointers among the arguments that have shadows.
llvm::SmallVector<unsigned, 8> shadowedPointers(const DerivativeSpec &Spec);
/// The second function of a split tangent: as that of a whole one, with the tape and whether it
/// stays behind the other parameters.
llvm::FunctionType *replayType(const DerivativeSpec &Spec);

/// Values as the user's call passes them; lowerRequest converts them to the primal's types.
struct RequestArg {
  Activity Kind = Activity::Const;
  /// A value of the call, or the address of one (a C++ reference), or part of a structure.
  struct Operand {
    llvm::WeakTrackingVH Value;
    bool ByReference = false;
    uint64_t Offset = 0;               ///< from the address
    std::optional<unsigned> Structure; ///< whose pieces are values of the call
  };
  Operand Primal;
  llvm::SmallVector<Operand, 1> Shadows; ///< empty unless Kind is Dup or DupNoNeed
  llvm::WeakTrackingVH Stride; ///< bytes from one shadow to the next, if only the first is given
  bool Joined = false;         ///< part of the same structure as the argument before
};

/// A structure that the calling convention has taken apart.
struct StructurePieces {
  struct Piece {
    llvm::WeakTrackingVH Value; ///< of type T, or its bits
    uint64_t Offset = 0;
    llvm::Type *T = nullptr;
  };
  llvm::SmallVector<Piece, 2> Pieces;
};

struct DerivativeRequest {
  llvm::CallBase *Call = nullptr; ///< the user's call to __enzyme_...
  DerivativeSpec Spec;
  llvm::SmallVector<RequestArg, 8> Args;
  RequestPart Part = RequestPart::Whole;
  unsigned Width = 1; ///< directions; an adjoint is called once for each
  /// Tangent: the structure that the primal writes, as its result, to its first parameter.
  llvm::Type *ResultInMemory = nullptr;
  llvm::SmallVector<StructurePieces, 0> Structures;
  llvm::SmallVector<RequestArg::Operand, 1> Seed; ///< empty: one
  RequestArg::Operand Tape;                       ///< reverse: the tape; augmented: memory for it
  bool TapeInMemory = false;                      ///< Tape is the address of the tape
  bool KeepsTape = false;                         ///< reverse: it may be run again
  bool ReceivesTape = false;                      ///< augmented: returned to the user
  bool ReceivesPrimal = false;
  bool Inactive = false; ///< batch: nothing is differentiated in it
};

/// True if the callee's name is one of the request spellings.
bool isRequest(const llvm::CallBase &Call);

/// The calls that make shadows of two functions.
llvm::SmallVector<llvm::CallBase *, 4> findViews(llvm::Module &M);

/// Before anything is optimised: takes calls away from which nothing follows, and keeps markers
/// that the program defines from being taken for their values.
void protectRequests(llvm::Module &M);
/// Bytes that an argument of a protected request refers to if it is a reference of C++; else 0.
uint64_t referencedBytes(const llvm::CallBase &Call, unsigned Index);
/// True if an argument of a protected request is an integer with the bits of a structure that is
/// passed as Want where there are registers for it.
bool isBitsOf(const llvm::CallBase &Call, unsigned Index, llvm::Type *Want);

/// All request calls of a module in program order.
llvm::SmallVector<llvm::CallBase *, 4> findRequests(llvm::Module &M);

/// Reads one call and checks all of it; changes nothing. Errors name what is wrong with which
/// argument.
llvm::Expected<DerivativeRequest> parseRequest(llvm::CallBase &Call);
/// The same for an augmented call that goes before a tangent.
llvm::Expected<DerivativeRequest> parseBeforeTangent(llvm::CallBase &Call);

/// Replaces the user's call or invoke by one of the derivative's function, converting between the
/// result type that the user declared (void, scalar, struct, sret) and the struct returned. Other
/// requests stay valid.
llvm::Error lowerRequest(const DerivativeRequest &Request, const Derivative &D);

/// Calls F, and is without a derivative.
llvm::Function *inactiveTwin(llvm::Function &F);

/// Errors of uses of the request functions that are no calls of them.
llvm::Error checkRequestUses(llvm::Module &M);

/// Called when every request of the module is lowered: removes what is left of the request
/// functions and markers, so that no undefined symbol remains.
void retireRequests(llvm::Module &M);

} // namespace contraflow
