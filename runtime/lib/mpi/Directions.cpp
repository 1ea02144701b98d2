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

struct Announced {
  int Width = 1, Rows = 0;
  void *const *Table = nullptr; ///< Rows times Width shadows
  Directions Of[2];             ///< a call has two buffers at most
  Directions Nothing;           ///< of buffers without a shadow
  std::vector<std::ptrdiff_t> Offsets;
};

Announced &announced() {
  thread_local Announced Call;
  return Call;
}

/// Offsets exist where there is a shadow.
void readRows(Announced &A) {
  A.Nothing = {A.Width, nullptr};
  A.Offsets.assign(static_cast<std::size_t>(A.Rows) * static_cast<std::size_t>(A.Width), 0);
  for (int R = 0; R < A.Rows; ++R) {
    void *const *Row = A.Table + R * A.Width;
    std::ptrdiff_t *Offsets = A.Offsets.data() + R * A.Width;
    for (int D = 0; D < A.Width; ++D)
      Offsets[D] = static_cast<char *>(Row[D]) - static_cast<char *>(Row[0]);
    A.Of[R] = {A.Width, Offsets};
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

Shadows shadowsOf(void *Argument) {
  const Announced &A = announced();
  if (A.Width == 1)
    return {static_cast<char *>(Argument), nullptr};
  if (!Argument)
    return {nullptr, &A.Nothing};
  void *const *Row = static_cast<void *const *>(Argument);
  return {static_cast<char *>(*Row), &A.Of[(Row - A.Table) / A.Width]};
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

void cf_v1_mpi_directions(std::int32_t width, void *const *rows, std::int32_t nrows) {
  using namespace contraflow::mpi;
  Announced &A = announced();
  A.Width = width;
  A.Rows = nrows;
  A.Table = rows;
  if (width > 1)
    readRows(A);
}
