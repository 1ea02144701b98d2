// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tangents in several directions. The compiler announces a call (cf_v1_mpi_directions) and hands
// over, in place of each shadow, a row of shadows, one for each direction:
//
//   mpi_directions(2, rows, 1); mpi_send_tangent(b, ..., rows[0]); mpi_directions(1, 0, 0)
//
// Derivatives of all directions travel together: a view packs one direction after the other.
//
// The tangent of a call of this runtime is the same call in more directions (cf_v1_mpi_nested).
// Where the call is a tangent, there are three: the tangent, and the tangents of both. Where it is
// an augmented call, the first two are adjoints, which the record keeps; the third is the tangent
// of the primal buffer, which moves at once:
//
//   send_augment(b, b-bar)    rows[0] = {b-bar, (b-bar)-dot, b-dot}     nested(3, 2, rows, 1)

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

struct cf_tape;

namespace contraflow::mpi {

struct Layout;

/// Where the shadows of one buffer are. Null in a view: there is one direction.
struct Directions {
  int Count = 1;
  const std::ptrdiff_t *Offsets = nullptr; ///< from the first one; null: there is no shadow
  /// Of each direction, if it is not the same in all; these never go away.
  const Layout *const *Layouts = nullptr;
  int Adjoints = 0; ///< if any: directions behind these are tangents of the primal buffer
  static constexpr std::ptrdiff_t Absent = PTRDIFF_MIN; ///< an offset where there is no shadow
  std::ptrdiff_t offset(int Direction) const { return Offsets ? Offsets[Direction] : 0; }
  /// From the first shadow; null where there is none.
  char *from(char *First, int Direction) const {
    return First && offset(Direction) != Absent ? First + offset(Direction) : nullptr;
  }
};

/// A shadow argument of the call under way.
struct Shadows {
  char *First = nullptr;
  const Directions *All = nullptr; ///< as long as the call lasts
};
Shadows shadowsOf(void *Argument);

/// How many directions the call under way has, and how many of them are adjoints (see above).
int directionCount();
int adjointCount();

/// How the call under way was announced, without its shadows, and the same again: for what is done
/// later in its name.
struct Announcement {
  int Width = 1;
  int Adjoints = 0;
  bool Nested = false;
};
Announcement announcement();
class Resumed {
public:
  explicit Resumed(const Announcement &Call);
  ~Resumed();
  Resumed(const Resumed &) = delete;
  Resumed &operator=(const Resumed &) = delete;

private:
  Announcement Before;
};

/// True while the call under way is one of a derivative whose tangent is asked for.
bool isNested();
/// Those of the adjoints of a nested call, on the tape; others as they are. The tangent stays
/// behind them.
const Directions *keepAdjoints(const Directions *All, cf_tape *Tape);
/// True if there are adjoints, and the tangent of the primal buffer behind them.
inline bool hasBoth(const Directions *All) { return All && All->Adjoints > 0; }

/// Makes A and B, which may be null, refer to copies that live as long as the result.
std::unique_ptr<std::byte[]> keepDirections(const Directions *&A, const Directions *&B);

} // namespace contraflow::mpi
