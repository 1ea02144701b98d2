// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the tangent and the adjoint of a random MPI program with an oracle on one rank, which
// has the states of all ranks and moves the data between them itself. A program is
//   double program(const double *x, double *y, int rank, int size)
// with x and y active; its oracle is void program(States &v).

#pragma once

#include "Check.h"

#include <mpi.h>

namespace check {

constexpr int M = 32;

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

template <typename Oracle, typename Primal, typename Tangent, typename Adjoint>
int runMpi(const char *Name, Oracle oracle, Primal primal, Tangent tangent, Adjoint adjoint,
           unsigned long Seed) {
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
  return V.Failures;
}

} // namespace check
