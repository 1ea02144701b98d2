// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reduction operators as functions of two images, in -> inout = in o inout, with their derivatives.
// An image is the contribution of one rank: packed leaves for predefined operators, items of the
// user's datatype for the user's own.

#pragma once

#include "mpi/Layout.h"

#include <mpi.h>
#include <optional>

namespace contraflow::mpi {

/// The user's function and what the compiler made of it.
struct UserOperator {
  using Derivative = void (*)(void *In, void *InBar, void *InOut, void *InOutBar, int *Count,
                              MPI_Datatype *Type);
  /// The tangent of a derivative.
  using Second = void (*)(void *In, void *InDot, void *InBar, void *InBarDot, void *InOut,
                          void *InOutDot, void *InOutBar, void *InOutBarDot, int *Count,
                          MPI_Datatype *Type);
  MPI_User_function *Primal;
  Derivative Tangent, Adjoint;
  Second TangentDot, AdjointDot; ///< null: the compiler was not asked for
};

/// Nothing if the operator was made where nobody told us, or its function has no derivative.
std::optional<UserOperator> userOperator(MPI_Op Op);
/// `Op` has just been made of `Function`.
void operatorCreated(MPI_Op Op, MPI_User_function *Function);

/// What a step combines: two images and their tangents or adjoints.
struct Operands {
  std::byte *In, *InBar, *InOut, *InOutBar;
};

/// The same in a derivative whose tangent is asked for.
struct NestedOperands {
  Operands First;                    ///< as above
  std::byte *InDot, *InOutDot;       ///< tangents of the images
  std::byte *InBarDot, *InOutBarDot; ///< those of their tangents or adjoints
};

/// An operator on images of a certain size.
struct Combination {
  enum class Kind : std::uint8_t { Sum, Product, ComplexProduct, Least, Most, User };

  Kind How = Kind::Product;
  Leaf Leaves = Leaf::F64; ///< not for User
  int Group = 1;           ///< leaves that belong together; the first decides which is the extremum
  int Count = 0;           ///< leaves, or items for User
  std::int64_t Bytes = 0;  ///< of an image
  UserOperator User = {};
  MPI_Datatype Type = MPI_DATATYPE_NULL; ///< of the items, for User

  void primal(const Operands &O) const;
  void tangent(const Operands &O) const;
  /// On entry InOutBar belongs to the result, on exit to the old inout; InBar grows.
  void adjoint(const Operands &O) const;
  /// True if the derivative depends on the values.
  bool isCurved() const {
    return How == Kind::Product || How == Kind::ComplexProduct || How == Kind::User;
  }
  /// Of such: all that tangent and adjoint change, with its tangent. A user's own may write to what
  /// it only reads.
  void nestedTangent(const NestedOperands &O) const;
  void nestedAdjoint(const NestedOperands &O) const;
};

} // namespace contraflow::mpi
