// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Broadcasts, gathers, scatters and exchanges: every root, in place, gaps, overlaps, layouts.

#include "Harness.h"

#include <algorithm>
#include <vector>

using namespace contraflow::test;

namespace {

void *none() { return nullptr; }

using Ints = std::vector<int>;

/// Made by Item(rank), for all ranks.
template <class Function> Ints forRanks(const Execution &R, Function Item) {
  Ints Values;
  for (int I = 0; I < R.Size; ++I)
    Values.push_back(Item(I));
  return Values;
}

/// Arrays that the user reuses right after the call.
void spoil(Ints &Values) { std::fill(Values.begin(), Values.end(), -7); }

TEST(Movement, BcastFromEveryRoot) {
  expectDerivatives([](Execution &R) {
    for (int Root = 0; Root < R.Size; ++Root) {
      double *D = R.S.D + 8 * Root;
      CF_CALL(R, Bcast, bcast, (D, 6, MPI_DOUBLE, Root, R.Comm), (R.bar(D)));
      R.addTo(D + 3, D, 3, 0.5);
    }
  });
}

TEST(Movement, BcastOfStructures) {
  MPI_Datatype Packed, Element;
  const int Lengths[] = {1, 1, 2, 1};
  const MPI_Aint Places[] = {offsetof(Mixed, A), offsetof(Mixed, K), offsetof(Mixed, B),
                             offsetof(Mixed, C)};
  const MPI_Datatype Types[] = {MPI_DOUBLE, MPI_INT, MPI_FLOAT, MPI_DOUBLE};
  PMPI_Type_create_struct(4, Lengths, Places, Types, &Packed);
  PMPI_Type_create_resized(Packed, 0, sizeof(Mixed), &Element);
  PMPI_Type_commit(&Element);
  expectDerivatives(
      [&](Execution &R) {
        CF_CALL(R, Bcast, bcast, (R.S.M + 1, 5, Element, R.Size - 1, R.Comm), (R.bar(R.S.M + 1)));
        if (R.Size <= 4)
          CF_CALL(R, Allgather, allgather, (R.S.M + 6, 1, Element, R.S.M, 1, Element, R.Comm),
                  (R.bar(R.S.M + 6), R.bar(R.S.M)));
      },
      inFloats());
  PMPI_Type_free(&Packed);
  PMPI_Type_free(&Element);
}

TEST(Movement, Gather) {
  expectDerivatives([](Execution &R) {
    for (int Root = 0; Root < R.Size; ++Root)
      CF_CALL(R, Gather, gather, (R.S.D, 4, MPI_DOUBLE, R.S.D + 20, 4, MPI_DOUBLE, Root, R.Comm),
              (R.bar(R.S.D), R.bar(R.S.D + 20)));
    // Only the root's receive arguments count.
    const bool IsRoot = R.Rank == 0;
    CF_CALL(R, Gather, gather,
            (IsRoot ? MPI_IN_PLACE : static_cast<const void *>(R.S.D), 4, MPI_DOUBLE,
             IsRoot ? R.S.D + 50 : nullptr, 4, IsRoot ? MPI_DOUBLE : MPI_DATATYPE_NULL, 0, R.Comm),
            (R.bar(R.S.D), IsRoot ? R.bar(R.S.D + 50) : nullptr));
  });
}

TEST(Movement, GathervWithGaps) {
  expectDerivatives([](Execution &R) {
    Ints Counts = forRanks(R, [](int I) { return I; });
    Ints Displs = forRanks(R, [](int I) { return 6 * (3 - I); });
    CF_CALL(R, Gatherv, gatherv,
            (R.S.D, R.Rank, MPI_DOUBLE, R.S.D + 20, Counts.data(), Displs.data(), MPI_DOUBLE,
             R.Size - 1, R.Comm),
            (R.bar(R.S.D), R.bar(R.S.D + 20)));
    spoil(Counts);
    spoil(Displs);
  });
}

TEST(Movement, Scatter) {
  expectDerivatives([](Execution &R) {
    for (int Root = 0; Root < R.Size; ++Root)
      CF_CALL(R, Scatter, scatter, (R.S.D + 20, 4, MPI_DOUBLE, R.S.D, 4, MPI_DOUBLE, Root, R.Comm),
              (R.bar(R.S.D + 20), R.bar(R.S.D)));
    const bool IsRoot = R.Rank == 0;
    CF_CALL(R, Scatter, scatter,
            (IsRoot ? R.S.D + 50 : nullptr, 4, IsRoot ? MPI_DOUBLE : MPI_DATATYPE_NULL,
             IsRoot ? MPI_IN_PLACE : static_cast<void *>(R.S.D), 4, MPI_DOUBLE, 0, R.Comm),
            (IsRoot ? R.bar(R.S.D + 50) : nullptr, R.bar(R.S.D)));
  });
}

/// Blocks that are sent may overlap: what comes back is summed.
TEST(Movement, ScattervWithOverlap) {
  expectDerivatives([](Execution &R) {
    Ints Counts = forRanks(R, [](int I) { return 3 + I; });
    Ints Displs = forRanks(R, [](int I) { return 2 * I; });
    CF_CALL(R, Scatterv, scatterv,
            (R.S.D + 20, Counts.data(), Displs.data(), MPI_DOUBLE, R.S.D, 3 + R.Rank, MPI_DOUBLE, 0,
             R.Comm),
            (R.bar(R.S.D + 20), R.bar(R.S.D)));
    spoil(Counts);
    spoil(Displs);
  });
}

TEST(Movement, Allgather) {
  expectDerivatives([](Execution &R) {
    CF_CALL(R, Allgather, allgather, (R.S.D, 4, MPI_DOUBLE, R.S.D + 20, 4, MPI_DOUBLE, R.Comm),
            (R.bar(R.S.D), R.bar(R.S.D + 20)));
    R.scale(R.S.D + 20, 8, 1.5);
    CF_CALL(R, Allgather, allgather,
            (MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, R.S.D + 20, 4, MPI_DOUBLE, R.Comm),
            (none(), R.bar(R.S.D + 20)));
  });
}

TEST(Movement, AllgathervWithGaps) {
  expectDerivatives([](Execution &R) {
    Ints Counts = forRanks(R, [](int I) { return 1 + I % 3; });
    Ints Displs = forRanks(R, [&](int I) { return 6 * (R.Size - 1 - I); });
    const int Mine = 1 + R.Rank % 3;
    CF_CALL(R, Allgatherv, allgatherv,
            (R.S.D, Mine, MPI_DOUBLE, R.S.D + 20, Counts.data(), Displs.data(), MPI_DOUBLE, R.Comm),
            (R.bar(R.S.D), R.bar(R.S.D + 20)));
    R.scale(R.S.D + 20, 30, 1.5);
    CF_CALL(R, Allgatherv, allgatherv,
            (MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, R.S.D + 20, Counts.data(), Displs.data(),
             MPI_DOUBLE, R.Comm),
            (none(), R.bar(R.S.D + 20)));
    spoil(Counts);
    spoil(Displs);
  });
}

TEST(Movement, Alltoall) {
  expectDerivatives([](Execution &R) {
    CF_CALL(R, Alltoall, alltoall,
            (R.S.D, 4, MPI_DOUBLE, R.S.D + 20, 2, MPI_C_DOUBLE_COMPLEX, R.Comm),
            (R.bar(R.S.D), R.bar(R.S.D + 20)));
    R.scale(R.S.D + 20, 8, 1.5);
    CF_CALL(R, Alltoall, alltoall,
            (MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, R.S.D + 20, 4, MPI_DOUBLE, R.Comm),
            (none(), R.bar(R.S.D + 20)));
  });
}

/// Zero counts and gaps; rank r sends (r + q) % 3 values to rank q.
TEST(Movement, Alltoallv) {
  expectDerivatives([](Execution &R) {
    Ints Counts = forRanks(R, [&](int I) { return (R.Rank + I) % 3; });
    Ints SendDispls = forRanks(R, [](int I) { return I; }); // overlaps
    Ints ReceiveDispls = forRanks(R, [](int I) { return 5 * (3 - I); });
    CF_CALL(R, Alltoallv, alltoallv,
            (R.S.D, Counts.data(), SendDispls.data(), MPI_DOUBLE, R.S.D + 20, Counts.data(),
             ReceiveDispls.data(), MPI_DOUBLE, R.Comm),
            (R.bar(R.S.D), R.bar(R.S.D + 20)));
    spoil(Counts);
    spoil(SendDispls);
    spoil(ReceiveDispls);
  });
}

/// A rank that neither gives nor gets anything may pass null buffers.
TEST(Movement, EmptyBlocks) {
  expectDerivatives([](Execution &R) {
    Ints Counts = forRanks(R, [&](int I) { return R.Rank == 0 && I == 0 ? 3 : 0; });
    const Ints Displs = forRanks(R, [](int) { return 0; });
    const bool First = R.Rank == 0;
    double Nothing = 0; // MPICH does not take two null pointers
    CF_CALL(R, Alltoallv, alltoallv,
            (First ? R.S.D : &Nothing, Counts.data(), Displs.data(), MPI_DOUBLE,
             First ? R.S.D + 20 : nullptr, Counts.data(), Displs.data(), MPI_DOUBLE, R.Comm),
            (First ? R.bar(R.S.D) : nullptr, First ? R.bar(R.S.D + 20) : nullptr));
  });
}

TEST(Movement, InactiveSides) {
  expectDerivatives([](Execution &R) {
    double Constant[4] = {1, 2, 3, 4};
    const bool Root = R.Rank == 0;
    CF_CALL(R, Bcast, bcast, (Root ? Constant : R.S.D, 4, MPI_DOUBLE, 0, R.Comm),
            (Root ? none() : R.bar(R.S.D)));
    CF_CALL(R, Allgather, allgather, (Constant, 4, MPI_DOUBLE, R.S.D + 20, 4, MPI_DOUBLE, R.Comm),
            (none(), R.bar(R.S.D + 20)));
    int Numbers[16], Mine = R.Rank;
    CF_CALL(R, Allgather, allgather, (&Mine, 1, MPI_INT, Numbers, 1, MPI_INT, R.Comm),
            (none(), none()));
    EXPECT_EQ(Numbers[R.Size - 1], R.Size - 1);
  });
}

} // namespace
