// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions: all operators, in place, ties, zeros, roots, prefix sums, blocks.

#include "Harness.h"

#include <algorithm>
#include <cmath>

using namespace contraflow::test;

namespace {

void *none() { return nullptr; }

void allreduce(Execution &R, double *From, double *To, int Count, MPI_Op Op) {
  CF_CALL(R, Allreduce, allreduce, (From, To, Count, MPI_DOUBLE, Op, R.Comm),
          (R.bar(From), R.bar(To)));
}

void allreduceInPlace(Execution &R, double *At, int Count, MPI_Op Op) {
  CF_CALL(R, Allreduce, allreduce, (MPI_IN_PLACE, At, Count, MPI_DOUBLE, Op, R.Comm),
          (none(), R.bar(At)));
}

void reduce(Execution &R, double *From, double *To, int Count, MPI_Op Op, int Root) {
  CF_CALL(R, Reduce, reduce, (From, To, Count, MPI_DOUBLE, Op, Root, R.Comm),
          (R.bar(From), R.bar(To)));
}

const MPI_Op Operators[] = {MPI_SUM, MPI_MIN, MPI_MAX, MPI_PROD};

TEST(Reduction, Allreduce) {
  for (MPI_Op Op : Operators)
    expectDerivatives(
        [&](Execution &R) {
          allreduce(R, R.S.D, R.S.D + 10, 8, Op);
          R.addTo(R.S.D, R.S.D + 10, 8, 0.5);
          allreduceInPlace(R, R.S.D + 4, 6, Op);
        },
        nonlinear());
}

TEST(Reduction, ReduceToEveryRoot) {
  for (MPI_Op Op : Operators)
    expectDerivatives(
        [&](Execution &R) {
          for (int Root = 0; Root < R.Size; ++Root)
            reduce(R, R.S.D + 4 * Root, R.S.D + 50, 5, Op, Root);
        },
        nonlinear());
}

TEST(Reduction, ReduceInPlace) {
  for (MPI_Op Op : Operators)
    expectDerivatives(
        [&](Execution &R) {
          const int Root = R.Size - 1;
          const void *From = R.Rank == Root ? MPI_IN_PLACE : static_cast<void *>(R.S.D);
          // Where an argument does not count, neither does its shadow.
          CF_CALL(R, Reduce, reduce, (From, R.S.D, 8, MPI_DOUBLE, Op, Root, R.Comm),
                  (R.bar(R.S.D), R.bar(R.S.D)));
          CF_CALL(R, Reduce, reduce,
                  (R.S.D + 10, R.Rank == 0 ? R.S.D + 20 : nullptr, 4, MPI_DOUBLE, Op, 0, R.Comm),
                  (R.bar(R.S.D + 10), R.Rank == 0 ? R.bar(R.S.D + 20) : nullptr));
        },
        nonlinear());
}

/// The rest of the group does not depend on a value that is multiplied by two zeros.
TEST(Reduction, ProductsWithZeros) {
  for (int Zeros : {1, 2, 3}) {
    Expectation E = nonlinear();
    E.Prepare = [=](State &S, int Rank) {
      for (int I = 0; I < 8; ++I)
        if ((Rank + I) % 4 < Zeros)
          S.D[I] = 0;
    };
    expectDerivatives([](Execution &R) { allreduce(R, R.S.D, R.S.D + 10, 8, MPI_PROD); }, E);
  }
}

/// Exactly one of equal values is the extremum: the one of the lowest rank. Differences do not
/// exist.
TEST(Reduction, TiesGoToTheLowestRank) {
  for (MPI_Op Op : {MPI_MIN, MPI_MAX}) {
    State X = {}, Bar = {};
    Bar.D[2] = 1;
    Bar.D[3] = 10;
    Execution R(Mode::Adjoint, X, Bar, MPI_COMM_WORLD);
    X.D[0] = 5;                                                  // equal everywhere
    X.D[1] = (Op == MPI_MAX ? 1 : -1) * (R.Rank == 0 ? 0.0 : 7); // equal on all ranks but one
    allreduce(R, X.D, X.D + 2, 2, Op);
    R.reverse();
    const int Owner = R.Size > 1 ? 1 : 0;
    EXPECT_EQ(Bar.D[0], R.Rank == 0 ? R.Size : 0);
    EXPECT_EQ(Bar.D[1], R.Rank == Owner ? 10 * R.Size : 0);
    EXPECT_EQ(Bar.D[2], 0);
    EXPECT_EQ(Bar.D[3], 0);

    State Dot = {};
    Dot.D[0] = 1 + R.Rank;
    Dot.D[1] = 100 + R.Rank;
    Execution T(Mode::Tangent, X, Dot, MPI_COMM_WORLD);
    allreduce(T, X.D, X.D + 2, 2, Op);
    EXPECT_EQ(Dot.D[2], 1);
    EXPECT_EQ(Dot.D[3], 100 + Owner);
  }
}

/// A weight of zero, not a product with zero: the owner's adjoint alone may be infinite.
TEST(Reduction, InfiniteAdjointsStayWithTheOwner) {
  State X = {}, Bar = {};
  Execution R(Mode::Adjoint, X, Bar, MPI_COMM_WORLD);
  X.D[0] = R.Rank;
  Bar.D[1] = R.Rank == 0 ? HUGE_VAL : 0;
  allreduce(R, X.D, X.D + 1, 1, MPI_MIN);
  R.reverse();
  EXPECT_EQ(Bar.D[0], R.Rank == 0 ? HUGE_VAL : 0);
  expectNothingLeft(MPI_COMM_WORLD);
}

TEST(Reduction, FloatAndLongDouble) {
  for (MPI_Op Op : Operators) {
    expectDerivatives(
        [&](Execution &R) {
          CF_CALL(R, Allreduce, allreduce, (R.S.F, R.S.F + 8, 6, MPI_FLOAT, Op, R.Comm),
                  (R.bar(R.S.F), R.bar(R.S.F + 8)));
        },
        nonlinearInFloats());
    expectDerivatives(
        [&](Execution &R) {
          CF_CALL(R, Allreduce, allreduce, (R.S.L, R.S.L + 4, 3, MPI_LONG_DOUBLE, Op, R.Comm),
                  (R.bar(R.S.L), R.bar(R.S.L + 4)));
        },
        nonlinear());
  }
}

TEST(Reduction, SumOfComplexNumbers) {
  expectDerivatives([](Execution &R) {
    CF_CALL(R, Allreduce, allreduce, (R.S.D, R.S.D + 10, 4, MPI_C_DOUBLE_COMPLEX, MPI_SUM, R.Comm),
            (R.bar(R.S.D), R.bar(R.S.D + 10)));
  });
}

/// (value, index) pairs: the value carries the derivative.
TEST(Reduction, ExtremumWithLocation) {
  struct Pair {
    double Value;
    int Index;
  };
  for (MPI_Op Op : {MPI_MINLOC, MPI_MAXLOC}) {
    const Pair Mine = [] {
      int Rank = 0;
      PMPI_Comm_rank(MPI_COMM_WORLD, &Rank);
      return Pair{Rank == 0 ? 3.0 : 1.0 / Rank, 100 + Rank};
    }();
    Pair Result = {}, MineBar = {0, 7}, ResultBar = {2, 8};
    State Unused = {};
    Execution R(Mode::Adjoint, Unused, Unused, MPI_COMM_WORLD);
    CF_CALL(R, Allreduce, allreduce, (&Mine, &Result, 1, MPI_DOUBLE_INT, Op, R.Comm),
            (static_cast<void *>(&MineBar), static_cast<void *>(&ResultBar)));
    R.reverse();
    EXPECT_EQ(MineBar.Value, Mine.Index == Result.Index ? 2 * R.Size : 0);
    EXPECT_EQ(ResultBar.Value, 0);
    EXPECT_EQ(MineBar.Index, 7);
    EXPECT_EQ(ResultBar.Index, 8);
  }
}

/// A rank without a shadow takes part; integers are nobody's business.
TEST(Reduction, InactiveSides) {
  expectDerivatives(
      [](Execution &R) {
        double Constant[4] = {1, 2, 3, 4}, Dropped[4];
        const bool Odd = R.Rank % 2 != 0;
        CF_CALL(
            R, Allreduce, allreduce,
            (Odd ? Constant : R.S.D, Odd ? Dropped : R.S.D + 10, 4, MPI_DOUBLE, MPI_SUM, R.Comm),
            (Odd ? none() : R.bar(R.S.D), Odd ? none() : R.bar(R.S.D + 10)));
        int Number = 1, Sum = 0;
        CF_CALL(R, Allreduce, allreduce, (&Number, &Sum, 1, MPI_INT, MPI_SUM, R.Comm),
                (none(), none()));
        EXPECT_EQ(Sum, R.Size);
      },
      nonlinear());
}

TEST(Reduction, Scan) {
  expectDerivatives([](Execution &R) {
    CF_CALL(R, Scan, scan, (R.S.D, R.S.D + 10, 6, MPI_DOUBLE, MPI_SUM, R.Comm),
            (R.bar(R.S.D), R.bar(R.S.D + 10)));
    CF_CALL(R, Scan, scan, (MPI_IN_PLACE, R.S.D + 8, 6, MPI_DOUBLE, MPI_SUM, R.Comm),
            (none(), R.bar(R.S.D + 8)));
  });
}

/// Rank 0 gets nothing: its buffer, and the adjoint of that, stay.
TEST(Reduction, Exscan) {
  expectDerivatives([](Execution &R) {
    CF_CALL(R, Exscan, exscan, (R.S.D, R.S.D + 10, 6, MPI_DOUBLE, MPI_SUM, R.Comm),
            (R.bar(R.S.D), R.bar(R.S.D + 10)));
    CF_CALL(R, Exscan, exscan, (MPI_IN_PLACE, R.S.D + 8, 6, MPI_DOUBLE, MPI_SUM, R.Comm),
            (none(), R.bar(R.S.D + 8)));
  });
}

TEST(Reduction, ReduceScatter) {
  for (MPI_Op Op : Operators)
    expectDerivatives(
        [&](Execution &R) {
          std::vector<int> Counts(static_cast<std::size_t>(R.Size));
          for (int I = 0; I < R.Size; ++I)
            Counts[static_cast<std::size_t>(I)] = (I + 2) % 4; // some have none
          CF_CALL(R, Reduce_scatter, reduce_scatter,
                  (R.S.D, R.S.D + 30, Counts.data(), MPI_DOUBLE, Op, R.Comm),
                  (R.bar(R.S.D), R.bar(R.S.D + 30)));
          std::fill(Counts.begin(), Counts.end(), -1); // the arrays may be reused
          CF_CALL(R, Reduce_scatter_block, reduce_scatter_block,
                  (R.S.D + 10, R.S.D + 40, 3, MPI_DOUBLE, Op, R.Comm),
                  (R.bar(R.S.D + 10), R.bar(R.S.D + 40)));
        },
        nonlinear());
}

TEST(Reduction, Barrier) {
  expectDerivatives([](Execution &R) {
    R.scale(R.S.D, 8, 0.5);
    CF_CALL(R, Barrier, barrier, (R.Comm), ());
  });
}

} // namespace
