// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the compiler has announced for the next call of this thread.

#include "mpi/Directions.h"

#include "mpi/Abi.h"

#include <algorithm>
#include <new>
#include <vector>

namespace contraflow::mpi {
namespace {

struct Announced : Announcement {
  int Rows = 0;
  void *const *Table = nullptr; ///< Rows times Width shadows
  Directions Of[2];             ///< a call has two buffers at most
  Directions Nothing;           ///< of buffers without a shadow
  std::vector<std::ptrdiff_t> Offsets;
};

Announced &announced() {
  thread_local Announced Call;
  return Call;
}

char *firstOf(void *const *Row, int Width) {
  void *const *First = std::find_if(Row, Row + Width, [](void *Shadow) { return Shadow; });
  return First == Row + Width ? nullptr : static_cast<char *>(*First);
}

/// Offsets exist where there is a shadow. In a nested call some of a row may be missing.
void readRows(Announced &A) {
  A.Nothing = {A.Width, nullptr, nullptr, A.Adjoints};
  A.Offsets.assign(static_cast<std::size_t>(A.Rows) * static_cast<std::size_t>(A.Width), 0);
  for (int R = 0; R < A.Rows; ++R) {
    void *const *Row = A.Table + R * A.Width;
    std::ptrdiff_t *Offsets = A.Offsets.data() + R * A.Width;
    const char *First = firstOf(Row, A.Width);
    for (int D = 0; D < A.Width; ++D)
      Offsets[D] = Row[D] ? static_cast<char *>(Row[D]) - First : Directions::Absent;
    A.Of[R] = {A.Width, Offsets, nullptr, A.Adjoints};
  }
}

std::size_t bytesOf(const Directions *D) {
  if (!D)
    return 0;
  const std::size_t Count = D->Offsets ? static_cast<std::size_t>(D->Count) : 0;
  return sizeof(Directions) + Count * sizeof(std::ptrdiff_t);
}

void copyTo(std::byte *Space, const Directions *&D) {
  if (!D)
    return;
  auto *Copy = new (Space) Directions(*D);
  if (D->Offsets) {
    auto *Offsets = reinterpret_cast<std::ptrdiff_t *>(Copy + 1);
    std::copy_n(D->Offsets, D->Count, Offsets);
    Copy->Offsets = Offsets;
  }
  D = Copy;
}

} // namespace

int directionCount() { return announced().Width; }
int adjointCount() { return announced().Adjoints; }

Shadows shadowsOf(void *Argument) {
  const Announced &A = announced();
  if (A.Width == 1)
    return {static_cast<char *>(Argument), nullptr};
  if (!Argument)
    return {nullptr, &A.Nothing};
  void *const *Row = static_cast<void *const *>(Argument);
  char *First = firstOf(Row, A.Width);
  return {First, First ? &A.Of[(Row - A.Table) / A.Width] : &A.Nothing};
}

Announcement announcement() { return announced(); }

Resumed::Resumed(const Announcement &Call) : Before(announced()) {
  static_cast<Announcement &>(announced()) = Call;
}

Resumed::~Resumed() { static_cast<Announcement &>(announced()) = Before; }

bool isNested() { return announced().Nested; }

const Directions *keepAdjoints(const Directions *All, cf_tape *Tape) {
  if (!hasBoth(All))
    return All;
  const Directions *Kept = All;
  copyTo(
      static_cast<std::byte *>(cf_v1_tape_reserve(Tape, static_cast<std::int64_t>(bytesOf(All)))),
      Kept);
  const_cast<Directions *>(Kept)->Count = All->Adjoints;
  return Kept;
}

std::unique_ptr<std::byte[]> keepDirections(const Directions *&A, const Directions *&B) {
  const std::size_t First = bytesOf(A), All = First + bytesOf(B);
  if (All == 0)
    return nullptr;
  auto Space = std::make_unique<std::byte[]>(All);
  copyTo(Space.get(), A);
  copyTo(Space.get() + First, B);
  return Space;
}

} // namespace contraflow::mpi

static void announce(std::int32_t width, std::int32_t adjoints, void *const *rows,
                     std::int32_t nrows) {
  using namespace contraflow::mpi;
  Announced &A = announced();
  A.Width = width;
  A.Adjoints = adjoints;
  A.Rows = nrows;
  A.Table = rows;
  if (width > 1)
    readRows(A);
}

void cf_v1_mpi_directions(std::int32_t width, void *const *rows, std::int32_t nrows) {
  announce(width, 0, rows, nrows);
  contraflow::mpi::announced().Nested = false;
}

void cf_v1_mpi_nested(std::int32_t width, std::int32_t adjoints, void *const *rows,
                      std::int32_t nrows) {
  announce(width, adjoints, rows, nrows);
  contraflow::mpi::announced().Nested = true;
}
