// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two operations that take cubic time, and the rest that the adjoints of LAPACK share. A
// program that calls BLAS has one, with the Fortran names; it is found by weak references, so that
// nothing is linked for programs without. Where there is none, or the matrix is small, or has a
// stride in both directions, plain loops do it.

#pragma once

#include "blas/Matrix.h"

namespace contraflow::blas {

/// C += Factor * A * B.
template <typename T> void multiply(T Factor, Matrix<T> A, Matrix<T> B, Matrix<T> C);

/// B = A^-1 B with a triangular matrix of which one part is stored.
template <typename T> void solve(Matrix<T> A, Part P, bool Unit, Matrix<T> B);

/// Eigenvalues in ascending order and eigenvectors of a full symmetric matrix.
template <typename T> void eigenvectors(Matrix<T> Symmetric, Matrix<T> Values, Matrix<T> Vectors);

/// Rows are interchanged as getrf says (Forward), or back.
template <typename T>
void interchange(Matrix<T> M, const int32_t *Pivots, int64_t Count, bool Forward);

/// To += Factor * A * B for an adjoint that others may add to; nothing if To is null.
template <typename T>
void accumulate(Matrix<T> To, T Factor, Matrix<T> A, Matrix<T> B, bool Atomic) {
  if (!To)
    return;
  if (!Atomic)
    return multiply(Factor, A, B, To);
  Room<T> Sum(To.Rows, To.Columns);
  multiply<T>(Factor, A, B, Sum);
  add<T>(To, Sum, T(1), true);
}

} // namespace contraflow::blas
