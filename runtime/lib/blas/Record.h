// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One call of a BLAS or LAPACK routine, the same for all spellings: its arguments by their roles,
// and what has been kept of the memory behind them.
//
//   begin   before the call: arguments are read, old values are kept
//   end     after it: results are kept; a tangent is calculated here
//   adjoint in the reverse sweep

#pragma once

#include "blas/Matrix.h"
#include "contraflow/abi.h"

#include <cstddef>

namespace contraflow::blas {

enum Form : int32_t {
  SinglePrecision = 1,
  Enumerations = 2, ///< flags are those of CBLAS
  ByValue = 4,      ///< scalars were passed by value: their adjoints go back to the caller
  NoSpace = 8,      ///< LAPACKE: no work space, no info
  Shared = 16,      ///< others may add to the adjoints at the same time
  Wide = 32,        ///< integers have 64 bits
  FirstStable =
      1 << 8, ///< and so on, one for each array: nobody overwrites it before the reverse sweep
};

enum Routine : int32_t {
#define CF_BLAS(Stem, Library, Roles) R_##Stem,
#include "contraflow/abi_blas.def"
};

template <typename T> struct Scalar {
  T Value = 0;
  T *Derivative = nullptr; ///< null: constant
};

/// The program's memory, and of pairs that of their tangents: null if they are constant.
template <typename T> struct Array {
  Real<T> *At = nullptr, *Shadow = nullptr;
  Real<T> *AtDot = nullptr, *ShadowDot = nullptr;
  int64_t Step = 1; ///< leading dimension or increment
  bool Stable = false, ReadOnly = false;
};

constexpr int MostSizes = 4, MostArrays = 5;

/// Which of a record's functions is running.
enum class Phase { Begin, End, Tangent, Adjoint };

/// Pairs that stand for an array of the program's while one phase lasts.
template <typename T> struct Packed {
  Matrix<T> Pairs;
  Matrix<Real<T>> Dots; ///< where their tangents come from; null: they are constant
  Phase Since = Phase::Begin;
};

/// Lies on the tape, or, of a tangent, in the heap.
template <typename T> struct Record {
  int32_t Single = 0; ///< first, for those who do not know T
  int32_t What = 0;
  bool RowMajor = false, Atomic = false, Tangent = false;
  bool WideIntegers = false;
  bool Query = false; ///< LAPACK was asked for the size of its work space
  char Flag[4] = {'N', 'N', 'N', 'N'};
  int64_t Size[MostSizes] = {};
  Scalar<T> Scalars[2];
  Array<T> Arrays[MostArrays];
  const void *Info = nullptr;
  const void *ProgramPivots = nullptr; ///< read or written, as wide as the program's integers
  const int32_t *Pivots = nullptr;     ///< kept by begin or, of a factorisation, by end
  T *Result = nullptr;                 ///< tangent or adjoint of what the routine returns
  Matrix<T> Old[3], New[3];
  void *Kept = nullptr; ///< of complex numbers
  cf_tape *Tape = nullptr;
  Phase Now = Phase::Begin;
  mutable Packed<T> Values[MostArrays], Shadows[MostArrays]; ///< of pairs
  T Own[2] = {0, 0}; ///< what pairs have for the derivatives of scalars
  Real<T> *ScalarDots[2] = {nullptr, nullptr};
  struct Block {
    Block *Next;
  };
  mutable Block *Blocks = nullptr;

  /// Memory that lives as long as the record.
  void *reserve(size_t Bytes) const;
  Matrix<T> keep(Matrix<T> M);
  /// For what the routine only reads: a tangent finds it unchanged, the adjoint if it is stable.
  Matrix<T> keepInput(int Index, Matrix<T> M) {
    return Tangent || Arrays[Index].Stable ? M : keep(M);
  }
  void keepPivots(int64_t Count) { keepPivots(1, Count, 1); }
  /// Those at the places First, First + Step, ... up to Last, which count from one.
  void keepPivots(int64_t First, int64_t Last, int64_t Step);

  Matrix<T> matrix(int Index, int64_t Rows, int64_t Columns) const {
    if constexpr (IsDual<T>)
      return pairs(Index, Rows, Columns, false);
    else
      return view(Arrays[Index].At, Arrays[Index].Step, Rows, Columns);
  }
  Matrix<T> shadow(int Index, int64_t Rows, int64_t Columns) const {
    if constexpr (IsDual<T>)
      return shadowPairs(Index, Rows, Columns, false);
    else
      return view(Arrays[Index].Shadow, Arrays[Index].Step, Rows, Columns);
  }
  Matrix<T> vector(int Index, int64_t N) const {
    if constexpr (IsDual<T>)
      return pairs(Index, N, 1, true);
    else
      return vectorView(Arrays[Index].At, Arrays[Index].Step, N);
  }
  Matrix<T> vectorShadow(int Index, int64_t N) const {
    if constexpr (IsDual<T>)
      return shadowPairs(Index, N, 1, true);
    else
      return vectorView(Arrays[Index].Shadow, Arrays[Index].Step, N);
  }
  /// Adds to the adjoint of a scalar that is active.
  void addToScalar(int Index, T Bar) {
    if (T *To = Scalars[Index].Derivative)
      add<T>({To, 1, 1}, {&Bar, 1, 1}, T(1), Atomic);
  }

  /// Pairs: the tangents of the shadows go back to where they came from.
  void unpack();

private:
  Matrix<Real<T>> view(Real<T> *At, int64_t Step, int64_t Rows, int64_t Columns) const {
    return RowMajor ? Matrix<Real<T>>{At, Rows, Columns, Step, 1}
                    : Matrix<Real<T>>{At, Rows, Columns, 1, Step};
  }
  static Matrix<Real<T>> vectorView(Real<T> *At, int64_t Step, int64_t N) {
    return {At && Step < 0 && N > 0 ? At - Step * (N - 1) : At, N, 1, Step, 0};
  }
  Matrix<T> pairs(int Index, int64_t Rows, int64_t Columns, bool Vector) const;
  Matrix<T> shadowPairs(int Index, int64_t Rows, int64_t Columns, bool Vector) const;
  Matrix<T> pack(Packed<T> &To, Matrix<Real<T>> Value, Matrix<Real<T>> Dot, bool Clear) const;
};

/// What a family of routines does. A function that is null has nothing to do.
template <typename T> struct Family {
  void (*Before)(Record<T> &) = nullptr;
  void (*After)(Record<T> &) = nullptr;
  void (*Tangent)(Record<T> &) = nullptr;
  void (*Adjoint)(Record<T> &) = nullptr;
};

template <typename T> Family<T> vectorFamily(int32_t What);
template <typename T> Family<T> partFamily(int32_t What);
template <typename T> Family<T> productFamily(int32_t What);
template <typename T> Family<T> triangularFamily(int32_t What);
template <typename T> Family<T> updateFamily(int32_t What);
template <typename T> Family<T> factorFamily(int32_t What);
template <typename T> Family<T> orthogonalFamily(int32_t What);
template <typename T> Family<T> leastSquaresFamily(int32_t What);
template <typename T> Family<T> systemFamily(int32_t What);
template <typename T> Family<T> factoredBandFamily(int32_t What);
template <typename T> Family<T> factoredSymmetricFamily(int32_t What);
template <typename T> Family<T> indefiniteFamily(int32_t What);
template <typename T> Family<T> singularFamily(int32_t What);
template <typename T> Family<T> generalEigenFamily(int32_t What);
template <typename T> Family<T> rotationFamily(int32_t What);
template <typename T> Family<T> storedFamily(int32_t What);
template <typename T> Family<T> inverseFamily(int32_t What);
template <typename T> Family<T> complexFamily(int32_t What);

} // namespace contraflow::blas
