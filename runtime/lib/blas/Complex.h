// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's arrays as matrices of complex numbers.

#pragma once

#include "blas/Record.h"

#include <complex>

namespace contraflow::blas {

/// Routines on triangular matrices.
template <typename S> Family<S> complexTriangularFamily();

namespace complex {

template <typename S> using Complex = std::complex<S>;
template <typename S> using View = Matrix<Complex<S>>;

template <typename S> Complex<S> *numbers(S *At) { return reinterpret_cast<Complex<S> *>(At); }

template <typename S> void addTo(Complex<S> &To, Complex<S> Value, bool Atomic) {
  auto *Parts = reinterpret_cast<S *>(&To);
  blas::addTo(Parts[0], Value.real(), Atomic);
  blas::addTo(Parts[1], Value.imag(), Atomic);
}

/// The view and the shadow's of one array.
template <typename S> struct Both {
  View<S> Value, Bar;

  Both t() const { return {Value.t(), Bar.t()}; }
};

template <typename S>
View<S> viewOf(const Record<S> &R, S *At, int64_t Step, int64_t M, int64_t N) {
  return R.RowMajor ? View<S>{numbers(At), M, N, Step, 1} : View<S>{numbers(At), M, N, 1, Step};
}
template <typename S> Both<S> matrixOf(const Record<S> &R, int Index, int64_t M, int64_t N) {
  const Array<S> &A = R.Arrays[Index];
  return {viewOf(R, A.At, A.Step, M, N), viewOf(R, A.Shadow, A.Step, M, N)};
}
template <typename S> Both<S> vectorOf(const Record<S> &R, int Index, int64_t N) {
  const Array<S> &A = R.Arrays[Index];
  auto From = [&](S *At) {
    const bool Backwards = At && A.Step < 0 && N > 0;
    return View<S>{Backwards ? numbers(At) - A.Step * (N - 1) : numbers(At), N, 1, A.Step, 0};
  };
  return {From(A.At), From(A.Shadow)};
}

template <typename S> View<S> keep(Record<S> &R, View<S> M, Part P) {
  const auto Count = static_cast<size_t>(std::max<int64_t>(M.Rows * M.Columns, 0));
  View<S> To{static_cast<Complex<S> *>(R.reserve(Count * sizeof(Complex<S>))), M.Rows, M.Columns, 1,
             M.Rows};
  copy(M, To, P);
  return To;
}

} // namespace complex
} // namespace contraflow::blas
