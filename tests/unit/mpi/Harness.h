// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Differentiates small message-passing programs by hand: every MPI call goes through CF_CALL, which
// makes the plain call, its tangent, or its augmented call, whose adjoint is remembered and run in
// reverse order.
//
//   expectDerivatives([](Execution &R) {
//     CF_CALL(R, Bcast, bcast, (R.S.D, 4, MPI_DOUBLE, 0, R.Comm), (R.bar(R.S.D)));
//   });
//
// checks on the whole state of every rank, for random states and seeds:
//   <w, J v> = <J^T w, v>,  J v = (f(x + h v) - f(x - h v)) / 2h,  f unchanged in all modes,
//   no message and no request left over.

#ifndef CONTRAFLOW_TEST_MPI_HARNESS_H
#define CONTRAFLOW_TEST_MPI_HARNESS_H

#include "mpi/Abi.h"

#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <tuple>
#include <vector>

namespace contraflow::test {

/// A structure with floating-point members of two kinds, an integer and a gap.
struct Mixed {
  double A;
  int K;
  float B[2];
  double C;
};

/// What a program works on; its shadow is another State.
struct State {
  double D[96];
  float F[24];
  long double L[8];
  Mixed M[8];
};

/// Calls Do with every floating-point value of a state.
template <class StateType, class Action> void forEachLeaf(StateType &S, Action Do) {
  for (auto &X : S.D)
    Do(X);
  for (auto &X : S.F)
    Do(X);
  for (auto &X : S.L)
    Do(X);
  for (auto &X : S.M) {
    Do(X.A);
    Do(X.B[0]);
    Do(X.B[1]);
    Do(X.C);
  }
}

enum class Mode { Primal, Tangent, Adjoint };

/// The three functions of the runtime that stand for one MPI function.
template <class Primal, class Tangent, class Augment> struct Functions {
  Primal *primal;
  Tangent *tangent;
  Augment *augment;
  void (*adjoint)(cf_mpi_record *);
};

/// One execution of a program.
class Execution {
public:
  Execution(Mode Kind, State &S, State &Bar, MPI_Comm Comm);

  State &S;
  MPI_Comm Comm;
  int Rank = 0, Size = 1;

  /// The shadow of part of the state.
  template <class T> T *bar(T *Primal) const {
    return reinterpret_cast<T *>(reinterpret_cast<char *>(&Bar) +
                                 (reinterpret_cast<char *>(Primal) - reinterpret_cast<char *>(&S)));
  }
  int next() const { return (Rank + 1) % Size; }
  int previous() const { return (Rank + Size - 1) % Size; }

  template <class P, class T, class A, class... Args, class... Shadows>
  void call(Functions<P, T, A> F, const std::tuple<Args...> &Arguments,
            const std::tuple<Shadows...> &ShadowArguments) {
    if (Kind == Mode::Primal)
      succeed(std::apply(F.primal, Arguments));
    else if (Kind == Mode::Tangent)
      succeed(std::apply(F.tangent, std::tuple_cat(Arguments, ShadowArguments)));
    else {
      cf_mpi_record *Record = nullptr;
      succeed(std::apply(F.augment,
                         std::tuple_cat(Arguments, ShadowArguments, std::tuple(Tape, &Record))));
      Undo.emplace_back([=] { F.adjoint(Record); });
    }
  }

  /// To += Factor * From, element by element.
  void addTo(double *To, const double *From, int Count, double Factor = 1);
  /// At *= Factor.
  void scale(double *At, int Count, double Factor);

  void reverse();

private:
  static void succeed(int Code);

  Mode Kind;
  State &Bar;
  cf_tape *Tape = nullptr;
  void *Bottom = nullptr;
  std::vector<std::function<void()>> Undo;
};

using Body = std::function<void(Execution &)>;

struct Expectation {
  double DotProduct = 1e-12; ///< relative
  double Difference = 1e-6;
  double Step = 1.0; ///< of differences; most programs are linear
  bool FloatsFixed = false;
  MPI_Comm Comm = MPI_COMM_WORLD;
  std::function<void(State &, int Rank)> Prepare = nullptr; ///< changes the random state
};

/// Derivatives of floats are summed as floats.
inline Expectation inFloats() { return {.DotProduct = 1e-6, .Difference = 1e-5}; }
/// Keeps the values of different ranks so far apart that no step changes which is the largest.
void separateRanks(State &S, int Rank);
/// Differences of nonlinear programs want a small step, which floats do not resolve.
inline Expectation nonlinear() {
  return {.Step = 1e-5, .FloatsFixed = true, .Prepare = separateRanks};
}
inline Expectation nonlinearInFloats() {
  return {.DotProduct = 1e-6, .Difference = 5e-3, .Step = 1e-3, .Prepare = separateRanks};
}

void expectDerivatives(const Body &Program, const Expectation &E = {});

/// Nothing is on the way any more; all ranks call it.
void expectNothingLeft(MPI_Comm Comm);

} // namespace contraflow::test

#define CF_CALL(R, Name, stem, Arguments, Shadows)                                                 \
  (R).call(contraflow::test::Functions{MPI_##Name, cf_v1_mpi_##stem##_tangent,                     \
                                       cf_v1_mpi_##stem##_augment, cf_v1_mpi_##stem##_adjoint},    \
           std::tuple Arguments, std::tuple Shadows)

#endif
