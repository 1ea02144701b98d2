// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One triangle of C = alpha X X^T + beta C (syrk, syr) and of C = alpha (X Y^T + Y X^T) + beta C
// (syr2k, syr2). G is the seed in that triangle and zero elsewhere:
//
//   X' += alpha (G + G^T) Y      Y' += alpha (G + G^T) X      (Y = X: once)
//   alpha' += <G, X Y^T + ...>   beta' += <G, C>              C' = beta C'

#include "blas/Kernels.h"
#include "blas/Record.h"

namespace contraflow::blas {
namespace {

template <typename T> struct Update {
  Matrix<T> X, Y, C, XBar, YBar, CBar;
  Part Stored;
  bool Two;     ///< Y is another matrix
  bool HasBeta; ///< else C is added to
};

template <typename T> Update<T> updateOf(const Record<T> &R) {
  Update<T> U;
  const bool Vectors = R.What == R_syr || R.What == R_syr2;
  U.Two = R.What == R_syr2 || R.What == R_syr2k;
  U.HasBeta = !Vectors;
  U.Stored = R.Flag[0] == 'L' ? Part::Lower : Part::Upper;
  const int64_t N = R.Size[0], K = R.Size[1];
  auto Take = [&](int Index, Matrix<T> &Value, Matrix<T> &Bar) {
    if (Vectors) {
      Value = R.vector(Index, N);
      Bar = R.vectorShadow(Index, N);
    } else if (R.Flag[1] == 'T') {
      Value = R.matrix(Index, K, N).t();
      Bar = R.shadow(Index, K, N).t();
    } else {
      Value = R.matrix(Index, N, K);
      Bar = R.shadow(Index, N, K);
    }
  };
  Take(0, U.X, U.XBar);
  if (U.Two)
    Take(1, U.Y, U.YBar);
  U.C = R.matrix(U.Two ? 2 : 1, N, N);
  U.CBar = R.shadow(U.Two ? 2 : 1, N, N);
  return U;
}

template <typename T> bool isActive(const Record<T> &R, int Index) {
  return R.Scalars[Index].Derivative;
}

template <typename T> void before(Record<T> &R) {
  const Update<T> U = updateOf(R);
  if (!U.Two || U.YBar || isActive(R, 0))
    R.Old[0] = R.keepInput(0, U.X);
  if (U.Two && (U.XBar || isActive(R, 0)))
    R.Old[1] = R.keepInput(1, U.Y);
  if (U.HasBeta && isActive(R, 1))
    R.Old[2] = R.keep(U.C);
}

/// Sum += Factor (X Y^T + Y X^T), or Factor X X^T if there is no Y.
template <typename T>
void addProducts(T Factor, Matrix<T> X, Matrix<T> Y, bool Both, Matrix<T> Sum) {
  multiply(Factor, X, Y.t(), Sum);
  if (Both)
    multiply(Factor, Y, X.t(), Sum);
}

template <typename T> void tangent(Record<T> &R) {
  const Update<T> U = updateOf(R);
  if (!U.CBar)
    return;
  const T Alpha = R.Scalars[0].Value;
  Room<T> Sum(U.C.Rows, U.C.Rows);
  const Matrix<T> X = R.Old[0], Y = U.Two ? R.Old[1] : X;
  if (U.XBar)
    addProducts<T>(Alpha, U.XBar, Y, true, Sum);
  if (U.YBar)
    addProducts<T>(Alpha, X, U.YBar, true, Sum);
  if (isActive(R, 0))
    addProducts<T>(*R.Scalars[0].Derivative, X, Y, U.Two, Sum);
  if (U.HasBeta && isActive(R, 1))
    add<T>(Sum, R.Old[2], *R.Scalars[1].Derivative, false, U.Stored);
  if (U.HasBeta)
    scale(U.CBar, R.Scalars[1].Value, U.Stored);
  add<T>(U.CBar, Sum, T(1), false, U.Stored);
}

template <typename T> void adjoint(Record<T> &R) {
  const Update<T> U = updateOf(R);
  if (!U.CBar)
    return;
  const T Alpha = R.Scalars[0].Value;
  const int64_t N = U.C.Rows;
  const Matrix<T> X = R.Old[0], Y = U.Two ? R.Old[1] : X;
  Room<T> Seed(N, N);
  if (isActive(R, 0)) {
    addProducts<T>(T(1), X, Y, U.Two, Seed);
    R.addToScalar(0, inner<T>(U.CBar, Seed, U.Stored));
    fill<T>(Seed, T(0));
  }
  if (U.HasBeta && isActive(R, 1))
    R.addToScalar(1, inner(U.CBar, R.Old[2], U.Stored));
  each(N, N, U.Stored, [&](int64_t I, int64_t J) {
    Seed(I, J) += U.CBar(I, J);
    Seed(J, I) += U.CBar(I, J);
  });
  accumulate<T>(U.XBar, Alpha, Seed, Y, R.Atomic);
  if (U.Two)
    accumulate<T>(U.YBar, Alpha, Seed, X, R.Atomic);
  if (U.HasBeta)
    scale(U.CBar, R.Scalars[1].Value, U.Stored);
}

} // namespace

template <typename T> Family<T> updateFamily(int32_t) {
  return {before<T>, nullptr, tangent<T>, adjoint<T>};
}

#define CF_FAMILY(T) template Family<T> updateFamily<T>(int32_t);
CF_BLAS_NUMBERS(CF_FAMILY)

} // namespace contraflow::blas
