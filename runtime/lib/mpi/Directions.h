// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tangents in several directions. The compiler announces a call (cf_v1_mpi_directions) and hands
// over, in place of each shadow, a row of shadows, one for each direction:
//
//   mpi_directions(2, rows, 1); mpi_send_tangent(b, ..., rows[0]); mpi_directions(1, 0, 0)
//
// Derivatives of all directions travel together: a view packs one direction after the other.

#pragma once

#include <cstddef>
#include <memory>

namespace contraflow::mpi {

struct Layout;

/// Where the shadows of one buffer are. Null in a view: there is one direction.
struct Directions {
  int Count = 1;
  const std::ptrdiff_t *Offsets = nullptr; ///< from the first one; null: there is no shadow
  /// Of each direction, if it is not the same in all; these never go away.
  const Layout *const *Layouts = nullptr;
  std::ptrdiff_t offset(int Direction) const { return Offsets ? Offsets[Direction] : 0; }
};

/// A shadow argument of the call under way.
struct Shadows {
  char *First = nullptr;
  const Directions *All = nullptr; ///< as long as the call lasts
};
Shadows shadowsOf(void *Argument);

/// How many directions the call under way has.
int directionCount();

/// Makes A and B, which may be null, refer to copies that live as long as the result.
std::unique_ptr<std::byte[]> keepDirections(const Directions *&A, const Directions *&B);

} // namespace contraflow::mpi
