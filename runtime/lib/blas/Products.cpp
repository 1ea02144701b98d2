// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = alpha A B + beta C, of which A may be symmetric: gemm, symm, and with a single row or column
// gemv, symv, ger and dot.
//
//   C' = seed:    A' += alpha C' B^T    B' += alpha A^T C'    alpha' += <C', A B>
//                 beta' += <C', C>      C' = beta C'

#include "blas/Kernels.h"
#include "blas/Record.h"

namespace contraflow::blas {
namespace {

/// The three matrices as the formula has them: transposes are taken, a symmetric one is on the
/// left.
template <typename T> struct Product {
  Matrix<T> A, B, C, ABar, BBar, CBar;
  Part StoredA = Part::All;
  int Alpha = 0, Beta = -1; ///< indices of the scalars
};

enum class How { AsIs, Transposed, Vector, RowVector };

/// An operand and its shadow as a matrix of M rows and N columns.
template <typename T> struct Operand {
  Matrix<T> Value, Bar;

  Operand(const Record<T> &R, int Index, How Stored, int64_t M, int64_t N) {
    const bool Turned = Stored == How::Transposed || Stored == How::RowVector;
    const int64_t Rows = Turned ? N : M, Columns = Turned ? M : N;
    if (Stored == How::Vector || Stored == How::RowVector) {
      Value = R.vector(Index, Rows);
      Bar = R.vectorShadow(Index, Rows);
    } else {
      Value = R.matrix(Index, Rows, Columns);
      Bar = R.shadow(Index, Rows, Columns);
    }
    if (Turned) {
      Value = Value.t();
      Bar = Bar.t();
    }
  }
};

template <typename T> Product<T> symmetricProduct(const Record<T> &R) {
  Product<T> P;
  P.Beta = 1;
  const bool Vector = R.What == R_symv, Right = !Vector && R.Flag[0] == 'R';
  P.StoredA = R.Flag[Vector ? 0 : 1] == 'L' ? Part::Lower : Part::Upper;
  const int64_t M = R.Size[0], N = Vector ? 1 : R.Size[1], Order = Right ? N : M;
  P.A = R.matrix(0, Order, Order);
  P.ABar = R.shadow(0, Order, Order);
  P.B = Vector ? R.vector(1, M) : R.matrix(1, M, N);
  P.BBar = Vector ? R.vectorShadow(1, M) : R.shadow(1, M, N);
  P.C = Vector ? R.vector(2, M) : R.matrix(2, M, N);
  P.CBar = Vector ? R.vectorShadow(2, M) : R.shadow(2, M, N);
  if (Right)
    for (Matrix<T> *X : {&P.B, &P.BBar, &P.C, &P.CBar})
      *X = X->t();
  return P;
}

template <typename T> Product<T> productOf(const Record<T> &R) {
  if (R.What == R_symm || R.What == R_symv)
    return symmetricProduct(R);
  auto From = [](Operand<T> A, Operand<T> B) {
    return Product<T>{A.Value, B.Value, {}, A.Bar, B.Bar, {}};
  };
  const int64_t M = R.Size[0], N = R.Size[1], K = R.Size[2];
  const How FormA = R.Flag[0] == 'T' ? How::Transposed : How::AsIs;
  if (R.What == R_dot) {
    auto P = From({R, 0, How::RowVector, 1, M}, {R, 1, How::Vector, M, 1});
    P.Alpha = -1;
    P.CBar = {R.Result, 1, 1, 1, 1};
    P.C = {nullptr, 1, 1, 1, 1};
    return P;
  }
  if (R.What == R_ger) {
    auto P = From({R, 0, How::Vector, M, 1}, {R, 1, How::RowVector, 1, N});
    P.C = R.matrix(2, M, N);
    P.CBar = R.shadow(2, M, N);
    return P;
  }
  if (R.What == R_gemv) {
    const int64_t Rows = FormA == How::AsIs ? M : N, Inner = FormA == How::AsIs ? N : M;
    auto P = From({R, 0, FormA, Rows, Inner}, {R, 1, How::Vector, Inner, 1});
    P.Beta = 1;
    P.C = R.vector(2, Rows);
    P.CBar = R.vectorShadow(2, Rows);
    return P;
  }
  const How FormB = R.Flag[1] == 'T' ? How::Transposed : How::AsIs;
  auto P = From({R, 0, FormA, M, K}, {R, 1, FormB, K, N});
  P.Beta = 1;
  P.C = R.matrix(2, M, N);
  P.CBar = R.shadow(2, M, N);
  return P;
}

template <typename T> T alphaOf(const Record<T> &R, const Product<T> &P) {
  return P.Alpha < 0 ? T(1) : R.Scalars[P.Alpha].Value;
}
template <typename T> T betaOf(const Record<T> &R, const Product<T> &P) {
  if (R.What == R_dot)
    return 0;
  return P.Beta < 0 ? T(1) : R.Scalars[P.Beta].Value;
}
template <typename T> bool isActive(const Record<T> &R, int ScalarIndex) {
  return ScalarIndex >= 0 && R.Scalars[ScalarIndex].Derivative;
}

/// A symmetric matrix in full; any other as it is.
template <typename T> class Full : public Matrix<T> {
public:
  Full(Matrix<T> M, Part P) : Memory(P == Part::All ? 0 : M.Rows, P == Part::All ? 0 : M.Columns) {
    static_cast<Matrix<T> &>(*this) = P == Part::All || !M ? M : Matrix<T>(Memory);
    if (P != Part::All && M)
      expand<T>(M, P, Shape::Symmetric, Memory);
  }

private:
  Room<T> Memory;
};

template <typename T> void productBefore(Record<T> &R) {
  const Product<T> P = productOf(R);
  const bool Alpha = isActive(R, P.Alpha);
  if (P.BBar || Alpha)
    R.Old[0] = R.keepInput(0, P.A);
  if (P.ABar || Alpha)
    R.Old[1] = R.keepInput(1, P.B);
  if (isActive(R, P.Beta))
    R.Old[2] = R.keep(P.C);
}

template <typename T> void productTangent(Record<T> &R) {
  const Product<T> P = productOf(R);
  if (!P.CBar)
    return;
  const T Alpha = alphaOf(R, P);
  Room<T> Sum(P.C.Rows, P.C.Columns);
  const Full<T> A(R.Old[0], P.StoredA), ADot(P.ABar, P.StoredA);
  if (P.ABar)
    multiply<T>(Alpha, ADot, R.Old[1], Sum);
  if (P.BBar)
    multiply<T>(Alpha, A, P.BBar, Sum);
  if (isActive(R, P.Alpha))
    multiply<T>(*R.Scalars[P.Alpha].Derivative, A, R.Old[1], Sum);
  if (isActive(R, P.Beta))
    add<T>(Sum, R.Old[2], *R.Scalars[P.Beta].Derivative, false);
  scale(P.CBar, betaOf(R, P));
  add<T>(P.CBar, Sum, T(1), false);
}

template <typename T> void productAdjoint(Record<T> &R) {
  const Product<T> P = productOf(R);
  if (!P.CBar)
    return;
  const T Alpha = alphaOf(R, P);
  const Full<T> A(R.Old[0], P.StoredA);
  const Matrix<T> B = R.Old[1];
  if (isActive(R, P.Alpha)) {
    Room<T> Value(P.C.Rows, P.C.Columns);
    multiply<T>(T(1), A, B, Value);
    R.addToScalar(P.Alpha, inner<T>(P.CBar, Value));
  }
  if (isActive(R, P.Beta))
    R.addToScalar(P.Beta, inner(P.CBar, R.Old[2]));
  if (P.ABar && P.StoredA != Part::All) {
    Room<T> Sum(P.A.Rows, P.A.Columns);
    multiply<T>(Alpha, P.CBar, B.t(), Sum);
    fold<T>(Sum, P.StoredA, Shape::Symmetric, P.ABar, R.Atomic);
  } else if (P.ABar) {
    accumulate(P.ABar, Alpha, P.CBar, B.t(), R.Atomic);
  }
  if (P.BBar)
    accumulate<T>(P.BBar, Alpha, A.t(), P.CBar, R.Atomic);
  scale(P.CBar, betaOf(R, P));
}

} // namespace

template <typename T> Family<T> productFamily(int32_t) {
  return {productBefore<T>, nullptr, productTangent<T>, productAdjoint<T>};
}

#define CF_FAMILY(T) template Family<T> productFamily<T>(int32_t);
CF_BLAS_NUMBERS(CF_FAMILY)

} // namespace contraflow::blas
