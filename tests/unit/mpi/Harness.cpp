// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The seed of a run is printed and can be given as CONTRAFLOW_TEST_SEED. All ranks take part in
// every expectation; rank 0 reports what all of them found.

#include "Harness.h"

#include "mpi/Communicator.h"
#include "mpi/Outbox.h"
#include "mpi/RequestTable.h"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

namespace contraflow::test {
namespace {

std::uint64_t seed() {
  static const std::uint64_t Value = [] {
    std::uint64_t S = std::random_device{}();
    if (const char *Given = std::getenv("CONTRAFLOW_TEST_SEED"))
      S = std::strtoull(Given, nullptr, 10);
    PMPI_Bcast(&S, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    return S;
  }();
  return Value;
}

std::mt19937_64 &generator() {
  static std::mt19937_64 G = [] {
    int Rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &Rank);
    return std::mt19937_64(seed() + 1000003U * static_cast<std::uint64_t>(Rank));
  }();
  return G;
}

State randomState() {
  State S;
  std::memset(&S, 0, sizeof(S));
  std::uniform_real_distribution<double> Value(-1.0, 1.0);
  forEachLeaf(S, [&]<class T>(T &X) { X = static_cast<T>(Value(generator())); });
  for (int I = 0; I < 8; ++I)
    S.M[I].K = 100 + I;
  return S;
}

void fixFloats(State &Direction) {
  forEachLeaf(Direction, [&]<class T>(T &X) {
    if constexpr (std::is_same_v<T, float>)
      X = 0;
  });
}

std::vector<double> leavesOf(const State &S) {
  std::vector<double> All;
  forEachLeaf(S, [&](const auto &X) { All.push_back(static_cast<double>(X)); });
  return All;
}

double sumOverRanks(double X) {
  PMPI_Allreduce(MPI_IN_PLACE, &X, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return X;
}

double dot(const State &A, const State &B) {
  const std::vector<double> X = leavesOf(A), Y = leavesOf(B);
  double Sum = 0;
  for (std::size_t I = 0; I < X.size(); ++I)
    Sum += X[I] * Y[I];
  return sumOverRanks(Sum);
}

State moved(const State &X, const State &V, double Step) {
  State Y = X;
  const std::vector<double> Direction = leavesOf(V);
  std::size_t I = 0;
  forEachLeaf(Y, [&]<class T>(T &Leaf) { Leaf += static_cast<T>(Step * Direction[I++]); });
  return Y;
}

bool integersKept(const State &Bar, const State &Before) {
  for (int I = 0; I < 8; ++I)
    if (Bar.M[I].K != Before.M[I].K)
      return false;
  return true;
}

/// The largest error relative to the largest value, over all ranks.
double relativeError(const std::vector<double> &A, const std::vector<double> &B) {
  double Most[2] = {0, 1e-300};
  for (std::size_t I = 0; I < A.size(); ++I) {
    Most[0] = std::max(Most[0], std::isfinite(A[I]) ? std::abs(A[I] - B[I]) : HUGE_VAL);
    Most[1] = std::max(Most[1], std::abs(B[I]));
  }
  PMPI_Allreduce(MPI_IN_PLACE, Most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return Most[0] / Most[1];
}

State run(const Body &Program, Mode Kind, State S, State &Bar, MPI_Comm Comm) {
  Execution R(Kind, S, Bar, Comm);
  PMPI_Barrier(Comm); // messages to any source stay within one execution
  Program(R);
  R.reverse();
  return S;
}

State primal(const Body &Program, const State &X, MPI_Comm Comm) {
  State None;
  return run(Program, Mode::Primal, X, None, Comm);
}

std::vector<double> differences(const Body &Program, const State &X, const State &V,
                                const Expectation &E) {
  const std::vector<double> Up = leavesOf(primal(Program, moved(X, V, E.Step), E.Comm));
  const std::vector<double> Down = leavesOf(primal(Program, moved(X, V, -E.Step), E.Comm));
  std::vector<double> Slope(Up.size());
  for (std::size_t I = 0; I < Up.size(); ++I)
    Slope[I] = (Up[I] - Down[I]) / (2 * E.Step);
  return Slope;
}

} // namespace

Execution::Execution(Mode Kind, State &S, State &Bar, MPI_Comm Comm)
    : S(S), Comm(Comm), Kind(Kind), Bar(Bar) {
  PMPI_Comm_rank(Comm, &Rank);
  PMPI_Comm_size(Comm, &Size);
  if (Kind == Mode::Adjoint) {
    Tape = cf_v1_tape_begin();
    Bottom = cf_v1_tape_reserve(Tape, 16);
  }
}

void separateRanks(State &S, int Rank) {
  int I = 0;
  forEachLeaf(S, [&]<class T>(T &X) {
    const int Level = (7 * Rank + 3 * I++) % 11; // different for up to 11 ranks
    X = static_cast<T>(0.2 * Level - 1.05 + 0.04 * static_cast<double>(X));
  });
}

void Execution::addTo(double *To, const double *From, int Count, double Factor) {
  double *ToBar = bar(To);
  double *FromBar = bar(const_cast<double *>(From));
  for (int I = 0; I < Count; ++I) {
    To[I] += Factor * From[I];
    if (Kind == Mode::Tangent)
      ToBar[I] += Factor * FromBar[I];
  }
  Undo.emplace_back([=] {
    for (int I = 0; I < Count; ++I)
      FromBar[I] += Factor * ToBar[I];
  });
}

void Execution::scale(double *At, int Count, double Factor) {
  double *AtBar = bar(At);
  for (int I = 0; I < Count; ++I) {
    At[I] *= Factor;
    if (Kind == Mode::Tangent)
      AtBar[I] *= Factor;
  }
  Undo.emplace_back([=] {
    for (int I = 0; I < Count; ++I)
      AtBar[I] *= Factor;
  });
}

void Execution::reverse() {
  if (Kind != Mode::Adjoint)
    return;
  for (; !Undo.empty(); Undo.pop_back())
    Undo.back()();
  cf_v1_tape_release(Tape, Bottom);
  cf_v1_tape_end(Tape);
}

void Execution::succeed(int Code) { ASSERT_EQ(Code, MPI_SUCCESS); }

void expectDerivatives(const Body &Program, const Expectation &E) {
  State X = randomState();
  int Rank = 0;
  PMPI_Comm_rank(E.Comm, &Rank);
  if (E.Prepare)
    E.Prepare(X, Rank);
  State V = randomState();
  const State W = randomState();
  if (E.FloatsFixed)
    fixFloats(V);
  const State Y = primal(Program, X, E.Comm);

  State XDot = V;
  const State YTangent = run(Program, Mode::Tangent, X, XDot, E.Comm);
  State XBar = W;
  const State YAdjoint = run(Program, Mode::Adjoint, X, XBar, E.Comm);

  SCOPED_TRACE("CONTRAFLOW_TEST_SEED=" + std::to_string(seed()));
  EXPECT_EQ(sumOverRanks(leavesOf(YTangent) != leavesOf(Y)), 0) << "the tangent changes the primal";
  EXPECT_EQ(sumOverRanks(leavesOf(YAdjoint) != leavesOf(Y)), 0) << "the adjoint changes the primal";
  EXPECT_EQ(sumOverRanks(!integersKept(XDot, V) || !integersKept(XBar, W)), 0)
      << "integers in shadow memory were written";
  EXPECT_LE(relativeError(leavesOf(XDot), differences(Program, X, V, E)), E.Difference)
      << "tangent against differences";
  const double Forward = dot(W, XDot), Backward = dot(XBar, V);
  EXPECT_LE(std::abs(Forward - Backward), E.DotProduct * std::sqrt(dot(W, W) * dot(XDot, XDot)))
      << "adjoint against tangent: " << Forward << " and " << Backward;
  expectNothingLeft(E.Comm);
}

void expectNothingLeft(MPI_Comm Comm) {
  using namespace contraflow::mpi;
  PMPI_Barrier(Comm);
  const auto Limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (Outbox::get().pending() && std::chrono::steady_clock::now() < Limit)
    Outbox::get().progress();
  EXPECT_EQ(sumOverRanks(static_cast<double>(Outbox::get().pending())), 0)
      << "derivative messages that nobody received";
  EXPECT_EQ(sumOverRanks(static_cast<double>(RequestTable::get().size())), 0)
      << "requests that were not completed";
  EXPECT_EQ(sumOverRanks(static_cast<double>(Communicator::of(Comm).open().size())), 0)
      << "nonblocking collectives without a mirror";
  PMPI_Barrier(Comm);
  int OnUsers = 0, OnCarrier = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, Comm, &OnUsers, MPI_STATUS_IGNORE);
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, Communicator::of(Comm).carrier(), &OnCarrier,
              MPI_STATUS_IGNORE);
  EXPECT_EQ(sumOverRanks(OnUsers + OnCarrier), 0) << "messages without a receive";
}

} // namespace contraflow::test
