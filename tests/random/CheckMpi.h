// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the tangent, in one direction and in two, and the adjoint of a random MPI program with
// an oracle on one rank, which has the states of all ranks and moves the data between them itself.
// Nothing of MPI may be left over. A program is
//   double program(const double *x, double *y, int rank, int size)
// with x and y active; its oracle is void program(States &v).

#pragma once

#include "Check.h"

#include "../support/MpiLeaks.h"

#include <mpi.h>
#include <string>
#include <utility>

namespace check {

constexpr int M = 32;

/// The results of a tangent in two directions.
struct Pair {
  double First, Second;
};

/// What one rank works on.
struct State {
  Dual x[N], y[N], a[M], b[M], d[M], e[M], s;
};
using States = std::vector<State>;

// Peers of a rank in a ring, and in a row that ends; the latter's is negative then.
inline int ring(int rank, int size) { return (rank % size + size) % size; }
inline int edge(int rank, int size) { return rank < 0 || rank >= size ? MPI_PROC_NULL : rank; }
// Blocks of different lengths with gaps.
inline int length(int rank) { return 1 + rank % 3; }
inline int place(int rank) { return 4 * rank; }

/// The second direction is a multiple of the first, whose result is known.
template <typename Wide>
void compareWide(const char *Name, Verdict &V, Wide wide, const Data &D, double Wanted,
                 double Largest) {
  constexpr double Factor = -0.375;
  Data One = D, Two = D;
  int Rank = 0, Size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Size);
  for (int i = 0; i < N; ++i)
    Two.xd[i] = Factor * D.xd[i], Two.yd[i] = Factor * D.yd[i];
  const Pair P = wide(One.x, One.xd, Two.xd, One.y, One.yd, Two.yd, Rank, Size);
  V.compare(Name, "second tangent of the result", P.Second, Factor * P.First, Largest);
  for (int i = 0; i < N; ++i)
    V.compare(Name, "second tangent of y", Two.yd[i], Factor * One.yd[i], Largest);
  V.compare(Name, "first tangent of the result", P.First, Wanted, Largest);
}

/// All ranks call it. Whatever is kept for the next time is there already.
template <typename Action> void lookForLeaks(const char *Name, Verdict &V, Action Again) {
  const auto Before = contraflow::test::mpiObjects();
  Again();
  if (const std::string Left = contraflow::test::mpiLeaks(Before); !Left.empty()) {
    std::printf("WRONG %s leaks: %s\n", Name, Left.c_str());
    ++V.Failures;
  }
}

/// `tangents`: in one direction and in two.
template <typename Oracle, typename Primal, typename Tangents, typename Adjoint>
int runMpi(const char *Name, Oracle oracle, Primal primal, Tangents tangents, Adjoint adjoint,
           unsigned long Seed) {
  const auto [tangent, wide] = tangents;
  int Rank = 0, Size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Size);
  States v(Size);
  for (int r = 0; r < Size; ++r) {
    const Data D(Seed + 977 * r);
    for (int i = 0; i < N; ++i)
      v[r].x[i] = {D.x[i], D.xd[i]}, v[r].y[i] = {D.y[i], D.yd[i]};
  }
  oracle::Wild = false;
  oracle(v);
  const State &Mine = v[Rank];
  double Largest = 0;
  for (const State &S : v)
    for (const Dual &Y : S.y)
      Largest = std::fmax(Largest, std::fmax(std::fabs(S.s.d), std::fabs(Y.d)));
  if (oracle::Wild || Largest > 1e12)
    return std::printf("%s is ill-conditioned here\n", Name), 0;

  Verdict V;
  const Data D(Seed + 977 * Rank);
  Data P = D;
  V.compare(Name, "primal", primal(P.x, P.y, Rank, Size), Mine.s.v, std::fabs(Mine.s.v));
  Data T = D;
  V.compare(Name, "tangent of the result", tangent(T.x, T.xd, T.y, T.yd, Rank, Size), Mine.s.d,
            Largest);
  for (int i = 0; i < N; ++i)
    V.compare(Name, "tangent of y", T.yd[i], Mine.y[i].d, Largest);
  compareWide(Name, V, wide, D, Mine.s.d, Largest);
  Data A = D;
  double xb[N] = {}, yb[N];
  for (int i = 0; i < N; ++i)
    yb[i] = D.w[i];
  adjoint(A.x, xb, A.y, yb, Rank, Size);
  double Sums[3] = {Mine.s.d, 0, std::fabs(Mine.s.d)}; // forward, reverse, magnitude
  for (int i = 0; i < N; ++i) {
    Sums[0] += D.w[i] * Mine.y[i].d;
    Sums[1] += xb[i] * D.xd[i] + yb[i] * D.yd[i];
    Sums[2] +=
        std::fabs(xb[i] * D.xd[i]) + std::fabs(yb[i] * D.yd[i]) + std::fabs(D.w[i] * Mine.y[i].d);
    V.compare(Name, "y of the adjoint", A.y[i], Mine.y[i].v, std::fabs(Mine.y[i].v));
  }
  MPI_Allreduce(MPI_IN_PLACE, Sums, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  V.compare(Name, "dot product", Sums[1], Sums[0], Sums[2]);

  lookForLeaks(Name, V, [&] {
    Data L = D, L2 = D;
    tangent(L.x, L.xd, L.y, L.yd, Rank, Size);
    wide(L.x, L.xd, L2.xd, L.y, L.yd, L2.yd, Rank, Size);
    adjoint(L.x, xb, L.y, yb, Rank, Size);
  });
  return V.Failures;
}

} // namespace check
