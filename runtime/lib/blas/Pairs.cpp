// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of pairs: derivatives of derivatives through BLAS and LAPACK. Beside the record of the
// derivative that is differentiated there is one whose numbers are pairs (Dual.h), with the same
// families. The program's arrays of values and of tangents are packed into arrays of pairs when a
// family asks for them; afterwards the tangents of what it has changed go back. The values are seen
// to by the other record.
//
//   blas_adjoint(r)    tangent:   pack (x', x'-dot) ; adjoint in pairs ; unpack x'-dot
//
// What a routine only reads gets an adjoint that begins with zero and is added in the end, since
// other threads may add to it at the same time.

#include "blas/Record.h"

namespace contraflow::blas {

template <typename T>
Matrix<T> Record<T>::pack(Packed<T> &To, Matrix<Real<T>> Value, Matrix<Real<T>> Dot,
                          bool Clear) const {
  const auto Bytes =
      static_cast<size_t>(std::max<int64_t>(Value.Rows * Value.Columns, 0)) * sizeof(T);
  To.Pairs = {static_cast<T *>(reserve(Bytes)), Value.Rows, Value.Columns, 1, Value.Rows};
  To.Dots = Dot;
  To.Since = Now;
  each(Value.Rows, Value.Columns, Part::All, [&](int64_t I, int64_t J) {
    To.Pairs(I, J) = Clear ? T() : T(Value(I, J), Dot ? Dot(I, J) : Real<T>(0));
  });
  return To.Pairs;
}

/// Two views of one array differ in the number of their columns.
template <typename T> int64_t mostColumns(const Record<T> &R, int Index, int64_t Columns) {
  return R.What == R_orgqr && Index == 0 ? std::max(Columns, R.Size[1]) : Columns;
}

/// What the arrays held is kept; in an adjoint they may hold anything.
template <typename T>
Matrix<T> Record<T>::pairs(int Index, int64_t Rows, int64_t Columns, bool Vector) const {
  const Array<T> &A = Arrays[Index];
  if (!A.At || Now == Phase::Adjoint)
    return {nullptr, Rows, Columns, 1, Rows};
  Packed<T> &P = Values[Index];
  const int64_t Most = mostColumns(*this, Index, Columns);
  auto In = [&](Real<T> *At) {
    return Vector ? vectorView(At, A.Step, Rows) : view(At, A.Step, Rows, Most);
  };
  if (!P.Pairs || P.Since != Now)
    pack(P, In(A.At), In(A.AtDot), false);
  return P.Pairs.block(0, 0, Rows, Columns);
}

template <typename T>
Matrix<T> Record<T>::shadowPairs(int Index, int64_t Rows, int64_t Columns, bool Vector) const {
  const Array<T> &A = Arrays[Index];
  if (!A.Shadow || Now == Phase::Begin || Now == Phase::End) // then it only matters that it exists
    return {reinterpret_cast<T *>(A.Shadow), Rows, Columns, 1, Rows};
  Packed<T> &P = Shadows[Index];
  const int64_t Most = mostColumns(*this, Index, Columns);
  auto In = [&](Real<T> *At) {
    return Vector ? vectorView(At, A.Step, Rows) : view(At, A.Step, Rows, Most);
  };
  if (!P.Pairs || P.Since != Now)
    pack(P, In(A.Shadow), In(A.ShadowDot), Now == Phase::Adjoint && A.ReadOnly);
  return P.Pairs.block(0, 0, Rows, Columns);
}

template <typename T> void Record<T>::unpack() {
  for (int Index = 0; Index < MostArrays; ++Index) {
    const Packed<T> &P = Shadows[Index];
    const bool Adds = Now == Phase::Adjoint && Arrays[Index].ReadOnly;
    if (!P.Pairs || P.Since != Now || !P.Dots || (Now == Phase::Tangent && Arrays[Index].ReadOnly))
      continue;
    each(P.Pairs.Rows, P.Pairs.Columns, Part::All, [&](int64_t I, int64_t J) {
      const Real<T> Dot = P.Pairs(I, J).Dot;
      if (!Adds)
        P.Dots(I, J) = Dot;
      else if (Dot != Real<T>(0))
        addTo(P.Dots(I, J), Dot, Atomic);
    });
  }
}

#define CF_PAIRS(T)                                                                                \
  template Matrix<T> Record<T>::pairs(int, int64_t, int64_t, bool) const;                          \
  template Matrix<T> Record<T>::shadowPairs(int, int64_t, int64_t, bool) const;                    \
  template void Record<T>::unpack();
CF_PAIRS(Dual<double>)
CF_PAIRS(Dual<float>)

} // namespace contraflow::blas
