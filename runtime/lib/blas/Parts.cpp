// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers of LAPACK for parts of a matrix, element by element:
//
//   lascl   A = (t / f) A in a part      t' += <A', A> / f    f' -= <A', A> t / f^2
//   laset   A = b on the diagonal, a beside it                a', b' += sums of A', A' = 0
//   lange   r, a norm of A               A' += r' slope, where the norm is taken
//   laswp   interchanges rows of A       those of A', in the opposite order

#include "blas/Record.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace contraflow::blas {
namespace {

// lascl

/// Calls Visit(i, j) for what lascl scales. A band lies in an array of as many rows as it has
/// diagonals; that of dgbtrf has room above it.
template <typename T, typename Visitor> void eachScaled(const Record<T> &R, Visitor Visit) {
  const int64_t Below = R.Size[0], Above = R.Size[1], M = R.Size[2], N = R.Size[3];
  for (int64_t J = 0; J < N; ++J) {
    int64_t First = 0, Last = M;
    switch (R.Flag[0]) {
    case 'L':
      First = J;
      break;
    case 'U':
      Last = J + 1;
      break;
    case 'H':
      Last = J + 2;
      break;
    case 'B':
      Last = std::min(Below + 1, N - J);
      break;
    case 'Q':
      First = Above - J;
      Last = Above + 1;
      break;
    case 'Z':
      First = std::max(Below + Above - J, Below);
      Last = std::min(2 * Below + Above + 1, Below + Above + M - J);
      break;
    default:
      break;
    }
    if (std::string_view("LUH").find(R.Flag[0]) != std::string_view::npos)
      Last = std::min(Last, M);
    for (int64_t I = std::max<int64_t>(First, 0); I < Last; ++I)
      Visit(I, J);
  }
}

template <typename T> int64_t rowsScaled(const Record<T> &R) {
  switch (R.Flag[0]) {
  case 'B':
    return R.Size[0] + 1;
  case 'Q':
    return R.Size[1] + 1;
  case 'Z':
    return 2 * R.Size[0] + R.Size[1] + 1;
  default:
    return R.Size[2];
  }
}

template <typename T> bool movesFactor(const Record<T> &R) {
  return R.Scalars[0].Derivative || R.Scalars[1].Derivative;
}
template <typename T> void scaleBefore(Record<T> &R) {
  if (movesFactor(R))
    R.Old[0] = R.keep(R.matrix(0, rowsScaled(R), R.Size[3]));
}
template <typename T> void scaleTangent(Record<T> &R) {
  const Matrix<T> Dot = R.shadow(0, rowsScaled(R), R.Size[3]);
  if (!Dot)
    return;
  const T From = R.Scalars[0].Value, Factor = R.Scalars[1].Value / From;
  T Moves = 0;
  if (R.Scalars[1].Derivative)
    Moves += *R.Scalars[1].Derivative / From;
  if (R.Scalars[0].Derivative)
    Moves -= *R.Scalars[0].Derivative * Factor / From;
  eachScaled(R, [&](int64_t I, int64_t J) {
    Dot(I, J) = Factor * Dot(I, J) + (movesFactor(R) ? Moves * R.Old[0](I, J) : T(0));
  });
}
template <typename T> void scaleAdjoint(Record<T> &R) {
  const Matrix<T> Bar = R.shadow(0, rowsScaled(R), R.Size[3]);
  if (!Bar)
    return;
  const T From = R.Scalars[0].Value, Factor = R.Scalars[1].Value / From;
  T Sum = 0;
  eachScaled(R, [&](int64_t I, int64_t J) {
    if (movesFactor(R))
      Sum += Bar(I, J) * R.Old[0](I, J);
    Bar(I, J) *= Factor;
  });
  R.addToScalar(0, -Sum * Factor / From);
  R.addToScalar(1, Sum / From);
}

// laset

template <typename T> void setTangent(Record<T> &R) {
  const Matrix<T> Dot = R.shadow(0, R.Size[0], R.Size[1]);
  if (!Dot)
    return;
  auto Of = [&](int Index) {
    return R.Scalars[Index].Derivative ? *R.Scalars[Index].Derivative : T(0);
  };
  const T Beside = Of(0), Diagonal = Of(1);
  each(Dot.Rows, Dot.Columns, partNamed(R.Flag[0]),
       [&](int64_t I, int64_t J) { Dot(I, J) = I == J ? Diagonal : Beside; });
}
template <typename T> void setAdjoint(Record<T> &R) {
  const Matrix<T> Bar = R.shadow(0, R.Size[0], R.Size[1]);
  if (!Bar)
    return;
  T Beside = 0, Diagonal = 0;
  each(Bar.Rows, Bar.Columns, partNamed(R.Flag[0]), [&](int64_t I, int64_t J) {
    (I == J ? Diagonal : Beside) += Bar(I, J);
    Bar(I, J) = 0;
  });
  R.addToScalar(0, Beside);
  R.addToScalar(1, Diagonal);
}

// lange

template <typename T> void keepMatrix(Record<T> &R) {
  R.Old[0] = R.keepInput(0, R.matrix(0, R.Size[0], R.Size[1]));
}

/// Of a norm: where it is taken, and what each element counts for.
template <typename T, typename Visitor> void eachSlope(const Record<T> &R, Visitor Visit) {
  using std::abs;
  using std::copysign;
  using std::sqrt;
  Matrix<T> A = R.Old[0];
  const char Norm = R.Flag[0];
  if (Norm == 'F' || Norm == 'E') {
    T Largest = 0, Sum = 0;
    each(A.Rows, A.Columns, Part::All,
         [&](int64_t I, int64_t J) { Largest = std::max(Largest, abs(A(I, J))); });
    if (!(Largest > T(0)))
      return;
    each(A.Rows, A.Columns, Part::All,
         [&](int64_t I, int64_t J) { Sum += (A(I, J) / Largest) * (A(I, J) / Largest); });
    const T Length = Largest * sqrt(Sum);
    return each(A.Rows, A.Columns, Part::All,
                [&](int64_t I, int64_t J) { Visit(I, J, A(I, J) / Length); });
  }
  auto Size = [&](Matrix<T> Column) {
    T Sum = 0;
    for (int64_t I = 0; I < Column.Rows; ++I)
      Sum = Norm == 'M' ? std::max(Sum, abs(Column(I, 0))) : Sum + abs(Column(I, 0));
    return Sum;
  };
  const Matrix<T> Sums = Norm == 'I' ? A.t() : A;
  int64_t At = 0;
  T Largest = -1;
  for (int64_t J = 0; J < Sums.Columns; ++J)
    if (const T Next = Size(Sums.column(J)); Next > Largest) {
      Largest = Next;
      At = J;
    }
  for (int64_t I = 0; Sums.Columns > 0 && I < Sums.Rows; ++I) {
    const T X = Sums(I, At);
    const bool Counts = realOf(X) != 0 && (Norm != 'M' || !(Largest > abs(X)));
    if (Counts)
      Visit(Norm == 'I' ? At : I, Norm == 'I' ? I : At, copysign(T(1), X));
    if (Counts && Norm == 'M')
      return;
  }
}
template <typename T> void normTangent(Record<T> &R) {
  const Matrix<T> Dot = R.shadow(0, R.Size[0], R.Size[1]);
  T Sum = 0;
  if (Dot)
    eachSlope(R, [&](int64_t I, int64_t J, T Slope) { Sum += Slope * Dot(I, J); });
  if (R.Result)
    *R.Result = Sum;
}
template <typename T> void normAdjoint(Record<T> &R) {
  const Matrix<T> Bar = R.shadow(0, R.Size[0], R.Size[1]);
  if (Bar)
    eachSlope(
        R, [&](int64_t I, int64_t J, T Slope) { addTo(Bar(I, J), *R.Result * Slope, R.Atomic); });
}

// laswp

/// The rows K1 to K2; their pivots lie Step places apart, from K1 on.
template <typename T> struct Interchanges {
  int64_t First, Last, Step;

  explicit Interchanges(const Record<T> &R)
      : First(R.Size[1]), Last(R.Size[2]), Step(std::abs(R.Size[3])) {}
  bool none() const { return Step == 0 || Last < First; }
};

template <typename T> void keepInterchanges(Record<T> &R) {
  if (const Interchanges<T> X(R); !X.none())
    R.keepPivots(X.First, X.First + (X.Last - X.First) * X.Step, X.Step);
}
template <typename T> void interchangeShadow(Record<T> &R, bool InTheirOrder) {
  const Interchanges<T> X(R);
  if (X.none() || !R.Arrays[0].Shadow)
    return;
  const int64_t Count = X.Last - X.First + 1;
  const int64_t Rows = std::max<int64_t>(X.Last, *std::max_element(R.Pivots, R.Pivots + Count));
  const Matrix<T> Moved = R.shadow(0, Rows, R.Size[0]);
  const bool Upwards = (R.Size[3] > 0) == InTheirOrder;
  for (int64_t Done = 0; Done < Count; ++Done) {
    const int64_t I = Upwards ? Done : Count - 1 - Done;
    for (int64_t J = 0; J < Moved.Columns; ++J)
      std::swap(Moved(X.First - 1 + I, J), Moved(R.Pivots[I] - 1, J));
  }
}
template <typename T> void interchangeTangent(Record<T> &R) { interchangeShadow(R, true); }
template <typename T> void interchangeAdjoint(Record<T> &R) { interchangeShadow(R, false); }

} // namespace

template <typename T> Family<T> partFamily(int32_t What) {
  switch (What) {
  case R_lascl:
    return {scaleBefore<T>, nullptr, scaleTangent<T>, scaleAdjoint<T>};
  case R_laset:
    return {nullptr, nullptr, setTangent<T>, setAdjoint<T>};
  case R_laswp:
    return {keepInterchanges<T>, nullptr, interchangeTangent<T>, interchangeAdjoint<T>};
  default:
    return {keepMatrix<T>, nullptr, normTangent<T>, normAdjoint<T>};
  }
}

#define CF_FAMILY(T) template Family<T> partFamily<T>(int32_t);
CF_BLAS_NUMBERS(CF_FAMILY)

} // namespace contraflow::blas
