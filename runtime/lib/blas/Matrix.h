// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix is an address, two sizes and two strides. So a transpose, a row-major array, a vector
// with an increment of either sign and a block of any of these are matrices as well, and every
// formula is written once.
//
//   row-major m x n, leading dimension ld    ->    {at, m, n, ld, 1}
//   vector of n, increment -2                ->    {at + 2 (n - 1), n, 1, -2, 0}

#pragma once

#include "accumulate/Atomic.h"
#include "blas/Dual.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace contraflow::blas {

/// Which part of a matrix its array holds.
enum class Part { All, Lower, Upper };

/// The part that a letter of LAPACK names: all of it, unless it is a triangle.
constexpr Part partNamed(char Letter) {
  return Letter == 'L' ? Part::Lower : Letter == 'U' ? Part::Upper : Part::All;
}

constexpr Part flipped(Part P) {
  return P == Part::Lower ? Part::Upper : P == Part::Upper ? Part::Lower : P;
}

template <typename T> struct Matrix {
  T *At = nullptr;
  int64_t Rows = 0, Columns = 0;
  int64_t DownStep = 1, RightStep = 0;

  explicit operator bool() const { return At; }
  T &operator()(int64_t I, int64_t J) const { return At[I * DownStep + J * RightStep]; }
  Matrix t() const { return {At, Columns, Rows, RightStep, DownStep}; }
  Matrix block(int64_t I, int64_t J, int64_t M, int64_t N) const {
    return {At ? &(*this)(I, J) : nullptr, M, N, DownStep, RightStep};
  }
  Matrix column(int64_t J) const { return block(0, J, Rows, 1); }
};

/// A matrix with memory of its own, zero at first.
template <typename T> class Room : public Matrix<T> {
public:
  Room(int64_t Rows, int64_t Columns) : Memory(static_cast<size_t>(Rows * Columns)) {
    static_cast<Matrix<T> &>(*this) = {Memory.data(), Rows, Columns, 1, Rows};
  }
  Room(const Room &) = delete;
  Room &operator=(const Room &) = delete;

private:
  std::vector<T> Memory;
};

/// Calls Visit(i, j) for the elements of a part, in the order of a column-major array.
template <typename Visitor> void each(int64_t Rows, int64_t Columns, Part P, Visitor Visit) {
  for (int64_t J = 0; J < Columns; ++J) {
    const int64_t First = P == Part::Lower ? std::min(J, Rows) : 0;
    const int64_t Last = P == Part::Upper ? std::min(J + 1, Rows) : Rows;
    for (int64_t I = First; I < Last; ++I)
      Visit(I, J);
  }
}

template <typename T> void fill(Matrix<T> M, T Value, Part P = Part::All) {
  each(M.Rows, M.Columns, P, [&](int64_t I, int64_t J) { M(I, J) = Value; });
}

template <typename T> void copy(Matrix<T> From, Matrix<T> To, Part P = Part::All) {
  each(To.Rows, To.Columns, P, [&](int64_t I, int64_t J) { To(I, J) = From(I, J); });
}

/// Zero clears, whatever was there.
template <typename T> void scale(Matrix<T> M, T Factor, Part P = Part::All) {
  if (Factor == T(0))
    return fill(M, T(0), P);
  if (Factor != T(1))
    each(M.Rows, M.Columns, P, [&](int64_t I, int64_t J) { M(I, J) *= Factor; });
}

template <typename T> T inner(Matrix<T> A, Matrix<T> B, Part P = Part::All) {
  T Sum = 0;
  each(A.Rows, A.Columns, P, [&](int64_t I, int64_t J) { Sum += A(I, J) * B(I, J); });
  return Sum;
}

/// To += Value. Pairs are nobody else's: they are added to the program's arrays afterwards.
template <typename T> void addTo(T &To, T Value, bool Atomic) {
  if constexpr (!IsDual<T>)
    if (Atomic)
      return addAtomically(To, Value);
  To += Value;
}

/// To += Factor * From, for an adjoint that others may add to.
template <typename T>
void add(Matrix<T> To, Matrix<T> From, T Factor, bool Atomic, Part P = Part::All) {
  each(To.Rows, To.Columns, P,
       [&](int64_t I, int64_t J) { addTo(To(I, J), Factor * From(I, J), Atomic); });
}

/// A symmetric or triangular matrix of which one triangle is stored.
enum class Shape { General, Symmetric, Triangular, UnitTriangular };

template <typename T> void expand(Matrix<T> Stored, Part P, Shape S, Matrix<T> Full) {
  copy(Stored, Full, P);
  if (S == Shape::Symmetric)
    each(Full.Rows, Full.Columns, P, [&](int64_t I, int64_t J) { Full(J, I) = Full(I, J); });
  if (S == Shape::UnitTriangular)
    for (int64_t I = 0; I < Full.Rows; ++I)
      Full(I, I) = 1;
}

/// The tangent of expand: the diagonal of ones does not move.
template <typename T> void expandTangent(Matrix<T> Stored, Part P, Shape S, Matrix<T> Full) {
  expand(Stored, P, S, Full);
  if (S == Shape::UnitTriangular)
    for (int64_t I = 0; I < Full.Rows; ++I)
      Full(I, I) = 0;
}

/// The adjoint of expand: what the elements that are not stored got belongs to their mirror images.
template <typename T>
void fold(Matrix<T> Full, Part P, Shape S, Matrix<T> Stored, bool Atomic, T Factor = 1) {
  if (S == Shape::Symmetric)
    each(Full.Rows, Full.Columns, P, [&](int64_t I, int64_t J) {
      if (I != J)
        Full(I, J) += Full(J, I);
    });
  if (S == Shape::UnitTriangular)
    for (int64_t I = 0; I < Full.Rows; ++I)
      Full(I, I) = 0;
  add(Stored, Full, Factor, Atomic, P);
}

} // namespace contraflow::blas
