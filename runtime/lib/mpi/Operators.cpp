// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler registers the derivatives of every function that a module makes an operator of; the
// profiling interface (Interpose.cpp) tells which operator was made of which function.

#include "mpi/Operators.h"

#include "mpi/Abi.h"

#include <complex>
#include <map>
#include <mutex>

namespace contraflow::mpi {
namespace {

struct Known {
  std::mutex Lock;
  std::map<void *, UserOperator> Functions;
  std::map<MPI_Op, MPI_User_function *> Operators;
};

Known &known() {
  static auto *Only = new Known; // outlives every other static object
  return *Only;
}

/// A pair of numbers and their derivatives, as references.
template <class T> struct Pair {
  T &In, &InBar, &InOut, &InOutBar;
};

/// Calls Do(pair) for every number of the images.
template <class T, class Action> void forEach(const Operands &O, std::int64_t Count, Action Do) {
  auto *In = reinterpret_cast<T *>(O.In), *InOut = reinterpret_cast<T *>(O.InOut);
  auto *InBar = reinterpret_cast<T *>(O.InBar), *InOutBar = reinterpret_cast<T *>(O.InOutBar);
  for (std::int64_t I = 0; I < Count; ++I)
    Do(Pair<T>{In[I], InBar[I], InOut[I], InOutBar[I]});
}

/// Calls Do with a null pointer to the C type of a leaf.
template <class Action> void withType(Leaf Kind, Action Do) {
  if (Kind == Leaf::F32)
    return Do(static_cast<float *>(nullptr));
  if (Kind == Leaf::F64)
    return Do(static_cast<double *>(nullptr));
  Do(static_cast<long double *>(nullptr));
}

enum class Mode { Primal, Tangent, Adjoint };

template <class T> T conjugate(const T &X) { return X; }
template <class T> std::complex<T> conjugate(const std::complex<T> &X) { return std::conj(X); }

template <class T> void multiply(Mode How, const Operands &O, std::int64_t Count) {
  if (How == Mode::Primal) { // without derivatives
    auto *In = reinterpret_cast<T *>(O.In), *InOut = reinterpret_cast<T *>(O.InOut);
    for (std::int64_t I = 0; I < Count; ++I)
      InOut[I] = In[I] * InOut[I];
  } else if (How == Mode::Tangent) {
    forEach<T>(O, Count, [](Pair<T> P) {
      P.InOutBar = P.InBar * P.InOut + P.In * P.InOutBar;
      P.InOut = P.In * P.InOut;
    });
  } else {
    forEach<T>(O, Count, [](Pair<T> P) {
      P.InBar += conjugate(P.InOut) * P.InOutBar;
      P.InOutBar = conjugate(P.In) * P.InOutBar;
    });
  }
}

template <class T> T *as(std::byte *Image) { return reinterpret_cast<T *>(Image); }

/// (uv)'' = u''v + u'v. + u.v' + uv'' where u' is one tangent and u. the other.
template <class T> void multiplyNested(Mode How, const NestedOperands &O, std::int64_t Count) {
  T *InDot = as<T>(O.InDot), *InOutDot = as<T>(O.InOutDot);
  T *InBarDot = as<T>(O.InBarDot), *InOutBarDot = as<T>(O.InOutBarDot);
  std::int64_t I = 0;
  forEach<T>(O.First, Count, [&](Pair<T> P) {
    T &A = InDot[I], &B = InOutDot[I], &ABar = InBarDot[I], &BBar = InOutBarDot[I];
    ++I;
    if (How == Mode::Tangent) {
      BBar = ABar * P.InOut + P.InBar * B + A * P.InOutBar + P.In * BBar;
      P.InOutBar = P.InBar * P.InOut + P.In * P.InOutBar;
      B = A * P.InOut + P.In * B;
      P.InOut = P.In * P.InOut;
    } else {
      ABar += conjugate(P.InOut) * BBar + conjugate(B) * P.InOutBar;
      BBar = conjugate(P.In) * BBar + conjugate(A) * P.InOutBar;
      P.InBar += conjugate(P.InOut) * P.InOutBar;
      P.InOutBar = conjugate(P.In) * P.InOutBar;
    }
  });
}

template <class T> void add(Mode How, const Operands &O, std::int64_t Count) {
  auto *In = reinterpret_cast<T *>(O.In), *InOut = reinterpret_cast<T *>(O.InOut);
  auto *InBar = reinterpret_cast<T *>(O.InBar), *InOutBar = reinterpret_cast<T *>(O.InOutBar);
  for (std::int64_t I = 0; I < Count; ++I) {
    if (How != Mode::Adjoint)
      InOut[I] += In[I];
    if (How == Mode::Tangent)
      InOutBar[I] += InBar[I];
    if (How == Mode::Adjoint)
      InBar[I] += InOutBar[I];
  }
}

/// The lower rank, `In`, owns the extremum if both have it.
template <class T> void choose(Mode How, const Combination &C, const Operands &O) {
  auto *In = reinterpret_cast<T *>(O.In), *InOut = reinterpret_cast<T *>(O.InOut);
  auto *InBar = reinterpret_cast<T *>(O.InBar), *InOutBar = reinterpret_cast<T *>(O.InOutBar);
  for (int First = 0; First < C.Count; First += C.Group) {
    const bool Stays =
        C.How == Combination::Kind::Least ? InOut[First] < In[First] : InOut[First] > In[First];
    if (Stays)
      continue;
    for (int I = First; I < First + C.Group; ++I) {
      if (How != Mode::Adjoint)
        InOut[I] = In[I];
      if (How == Mode::Tangent)
        InOutBar[I] = InBar[I];
      if (How == Mode::Adjoint) {
        InBar[I] += InOutBar[I];
        InOutBar[I] = 0;
      }
    }
  }
}

void evaluate(Mode How, const Combination &C, const Operands &O) {
  int Count = C.Count;
  MPI_Datatype Type = C.Type;
  using Kind = Combination::Kind;
  switch (C.How) {
  case Kind::User:
    if (How == Mode::Primal)
      return C.User.Primal(O.In, O.InOut, &Count, &Type);
    (How == Mode::Tangent ? C.User.Tangent : C.User.Adjoint)(O.In, O.InBar, O.InOut, O.InOutBar,
                                                             &Count, &Type);
    return;
  case Kind::Sum:
    return withType(C.Leaves, [&]<class T>(T *) { add<T>(How, O, C.Count); });
  case Kind::Product:
    return withType(C.Leaves, [&]<class T>(T *) { multiply<T>(How, O, C.Count); });
  case Kind::ComplexProduct:
    return withType(C.Leaves,
                    [&]<class T>(T *) { multiply<std::complex<T>>(How, O, C.Count / 2); });
  case Kind::Least:
  case Kind::Most:
    return withType(C.Leaves, [&]<class T>(T *) { choose<T>(How, C, O); });
  }
}

void evaluateNested(Mode How, const Combination &C, const NestedOperands &O) {
  if (C.How == Combination::Kind::User) {
    int Count = C.Count;
    MPI_Datatype Type = C.Type;
    return (How == Mode::Tangent ? C.User.TangentDot : C.User.AdjointDot)(
        O.First.In, O.InDot, O.First.InBar, O.InBarDot, O.First.InOut, O.InOutDot, O.First.InOutBar,
        O.InOutBarDot, &Count, &Type);
  }
  withType(C.Leaves, [&]<class T>(T *) {
    if (C.How == Combination::Kind::ComplexProduct)
      multiplyNested<std::complex<T>>(How, O, C.Count / 2);
    else
      multiplyNested<T>(How, O, C.Count);
  });
}

} // namespace

std::optional<UserOperator> userOperator(MPI_Op Op) {
  Known &K = known();
  const std::scoped_lock Guard(K.Lock);
  const auto Made = K.Operators.find(Op);
  if (Made == K.Operators.end())
    return std::nullopt;
  const auto Row = K.Functions.find(reinterpret_cast<void *>(Made->second));
  return Row == K.Functions.end() ? std::nullopt : std::optional(Row->second);
}

void operatorCreated(MPI_Op Op, MPI_User_function *Function) {
  Known &K = known();
  const std::scoped_lock Guard(K.Lock);
  K.Operators.insert_or_assign(Op, Function);
}

void Combination::primal(const Operands &O) const { evaluate(Mode::Primal, *this, O); }
void Combination::tangent(const Operands &O) const { evaluate(Mode::Tangent, *this, O); }
void Combination::adjoint(const Operands &O) const { evaluate(Mode::Adjoint, *this, O); }
void Combination::nestedTangent(const NestedOperands &O) const {
  evaluateNested(Mode::Tangent, *this, O);
}
void Combination::nestedAdjoint(const NestedOperands &O) const {
  evaluateNested(Mode::Adjoint, *this, O);
}

} // namespace contraflow::mpi

void cf_v1_mpi_operator(void *function, void *tangent, void *adjoint) {
  using namespace contraflow::mpi;
  Known &K = known();
  const std::scoped_lock Guard(K.Lock);
  K.Functions.insert_or_assign(function,
                               UserOperator{reinterpret_cast<MPI_User_function *>(function),
                                            reinterpret_cast<UserOperator::Derivative>(tangent),
                                            reinterpret_cast<UserOperator::Derivative>(adjoint),
                                            nullptr, nullptr});
}

void cf_v1_mpi_operator_twice(void *function, void *tangent, void *adjoint) {
  using namespace contraflow::mpi;
  Known &K = known();
  const std::scoped_lock Guard(K.Lock);
  const auto Row = K.Functions.find(function);
  if (Row == K.Functions.end())
    return;
  Row->second.TangentDot = reinterpret_cast<UserOperator::Second>(tangent);
  Row->second.AdjointDot = reinterpret_cast<UserOperator::Second>(adjoint);
}
