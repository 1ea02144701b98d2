// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Singular values and vectors: gesvd, gesdd.
//
//   A = U S V^T,  P = U^T A' V,  d_ij = s_j^2 - s_i^2:
//   s' = diag P,   U' = U ((P S + S P^T) / d) + (1 - U U^T) A' V S^-1,   V' alike with P^T
//
//   reverse, X = U^T U' - its transpose, Y = V^T V' - its transpose:
//   P' = diag s' + (X S + S Y) / d,
//   A' = U P' V^T + (1 - U U^T) U' S^-1 V^T + U S^-1 V'^T (1 - V V^T)
//
// Vectors beyond the least size of A are those of a null space: they turn with the others, and not
// among themselves. Vectors that the routine does not return are found here.

#include "blas/Kernels.h"
#include "blas/Record.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace contraflow::blas {
namespace {

/// Where a call returns its vectors.
struct Vectors {
  char Job = 'N';
  int64_t Count = 0;
  bool InA = false;
};

template <typename T> struct Decomposition {
  int64_t M, N, K;
  Vectors Left, Right;

  explicit Decomposition(const Record<T> &R) : M(R.Size[0]), N(R.Size[1]), K(std::min(M, N)) {
    char LeftJob = R.Flag[0], RightJob = R.Flag[1];
    if (R.What == R_gesdd) {
      RightJob = LeftJob;
      if (LeftJob == 'O')
        (M >= N ? RightJob : LeftJob) = 'A';
    }
    Left = {LeftJob, LeftJob == 'A' ? M : LeftJob == 'N' ? 0 : K, LeftJob == 'O'};
    Right = {RightJob, RightJob == 'A' ? N : RightJob == 'N' ? 0 : K, RightJob == 'O'};
  }
  Matrix<T> left(const Record<T> &R) const {
    return Left.Job == 'N' ? Matrix<T>() : R.matrix(Left.InA ? 0 : 2, M, Left.Count);
  }
  Matrix<T> right(const Record<T> &R) const {
    return Right.Job == 'N' ? Matrix<T>() : R.matrix(Right.InA ? 0 : 3, Right.Count, N).t();
  }
  Matrix<T> leftShadow(const Record<T> &R) const {
    return Left.Job == 'N' ? Matrix<T>() : R.shadow(Left.InA ? 0 : 2, M, Left.Count);
  }
  Matrix<T> rightShadow(const Record<T> &R) const {
    return Right.Job == 'N' ? Matrix<T>() : R.shadow(Right.InA ? 0 : 3, Right.Count, N).t();
  }
};

template <typename T> struct Triple {
  Room<T> U, S, V; ///< all vectors that the call returns; K at least

  Triple(const Decomposition<T> &D)
      : U(D.M, std::max(D.Left.Count, D.K)), S(D.K, 1), V(D.N, std::max(D.Right.Count, D.K)) {}
};

// One-sided Jacobi: columns of A V become orthogonal.

template <typename T> bool turnColumns(Matrix<T> A, Matrix<T> V, int64_t P, int64_t Q) {
  const T Same = inner(A.column(P), A.column(P)), Other = inner(A.column(Q), A.column(Q));
  const T Both = inner(A.column(P), A.column(Q));
  if (std::abs(Both) <= std::numeric_limits<T>::epsilon() * std::sqrt(Same * Other))
    return false;
  const T Theta = (Other - Same) / (2 * Both);
  const T Tangent = std::copysign(T(1), Theta) / (std::abs(Theta) + std::hypot(Theta, T(1)));
  const T C = 1 / std::hypot(Tangent, T(1)), S = Tangent * C;
  for (const Matrix<T> &M : {A, V})
    for (int64_t I = 0; I < M.Rows; ++I) {
      const T Old = M(I, P);
      M(I, P) = C * Old - S * M(I, Q);
      M(I, Q) = S * Old + C * M(I, Q);
    }
  return true;
}

/// Of a tall matrix; vectors of singular values that are zero are zero.
template <typename T> void decomposeTall(Matrix<T> A, Matrix<T> U, Matrix<T> V) {
  constexpr int MostSweeps = 60;
  Room<T> Columns(A.Rows, A.Columns), Turned(A.Columns, A.Columns);
  copy<T>(A, Columns);
  for (int64_t I = 0; I < A.Columns; ++I)
    Turned(I, I) = 1;
  bool Again = true;
  for (int Sweep = 0; Again && Sweep < MostSweeps; ++Sweep) {
    Again = false;
    for (int64_t Q = 1; Q < A.Columns; ++Q)
      for (int64_t P = 0; P < Q; ++P)
        Again |= turnColumns<T>(Columns, Turned, P, Q);
  }
  std::vector<T> Size;
  for (int64_t J = 0; J < A.Columns; ++J)
    Size.push_back(std::sqrt(inner(Columns.column(J), Columns.column(J))));
  std::vector<int64_t> Order(Size.size());
  std::iota(Order.begin(), Order.end(), int64_t{0});
  std::sort(Order.begin(), Order.end(), [&](int64_t I, int64_t J) {
    return Size[static_cast<size_t>(I)] > Size[static_cast<size_t>(J)];
  });
  for (int64_t J = 0; J < A.Columns; ++J) {
    const int64_t From = Order[static_cast<size_t>(J)];
    const T Length = Size[static_cast<size_t>(From)];
    copy(Turned.column(From), V.column(J));
    for (int64_t I = 0; I < A.Rows; ++I)
      U(I, J) = Length == T(0) ? T(0) : Columns(I, From) / Length;
  }
}

/// To = A V S^-1: the vectors on the other side.
template <typename T> void otherSide(Matrix<T> A, Matrix<T> V, Matrix<T> S, Matrix<T> To) {
  multiply(T(1), A, V, To);
  each(To.Rows, To.Columns, Part::All,
       [&](int64_t I, int64_t J) { To(I, J) = S(J, 0) == T(0) ? T(0) : To(I, J) / S(J, 0); });
}

/// M(i, j) / (s_j^2 - s_i^2): nothing where there is nothing to divide.
template <typename T> void divide(Matrix<T> M, Matrix<T> S) {
  each(M.Rows, M.Columns, Part::All, [&](int64_t I, int64_t J) {
    if (I == J)
      M(I, J) = 0;
    else if (M(I, J) != T(0))
      M(I, J) /= (S(J, 0) - S(I, 0)) * (S(J, 0) + S(I, 0));
  });
}

template <typename T> void divideColumns(Matrix<T> M, Matrix<T> S) {
  each(M.Rows, M.Columns, Part::All, [&](int64_t I, int64_t J) {
    if (M(I, J) != T(0))
      M(I, J) /= S(J, 0);
  });
}

/// M -= U U^T M.
template <typename T> void project(Matrix<T> U, Matrix<T> M) {
  Room<T> Inside(U.Columns, M.Columns);
  multiply<T>(T(1), U.t(), M, Inside);
  multiply<T>(T(-1), U, Inside, M);
}

/// UDot, of the vectors on one side: P = U^T A' V, Moved = A' V.
template <typename T>
void vectorTangent(Matrix<T> U, Matrix<T> S, Matrix<T> P, Matrix<T> Moved, Matrix<T> UDot) {
  const int64_t K = S.Rows;
  const Matrix<T> First = U.block(0, 0, U.Rows, K);
  Room<T> Turn(K, K), Beside(U.Rows, K);
  each(K, K, Part::All,
       [&](int64_t I, int64_t J) { Turn(I, J) = P(I, J) * S(J, 0) + S(I, 0) * P(J, I); });
  divide<T>(Turn, S);
  copy<T>(Moved, Beside);
  project<T>(First, Beside);
  divideColumns<T>(Beside, S);
  fill(UDot, T(0));
  const Matrix<T> FirstDot = UDot.block(0, 0, U.Rows, K);
  multiply<T>(T(1), First, Turn, FirstDot);
  add<T>(FirstDot, Beside, T(1), false);
  if (U.Columns == K)
    return;
  const Matrix<T> Null = U.block(0, K, U.Rows, U.Columns - K);
  Room<T> Inside(K, U.Columns - K);
  multiply<T>(T(1), Beside.t(), Null, Inside);
  multiply<T>(T(-1), First, Inside, UDot.block(0, K, U.Rows, U.Columns - K));
}

/// Where the adjoints of the vectors on one side go: to P', undivided, and to A'.
template <typename T> struct Sums {
  bool OfV; ///< then A is its transpose
  Matrix<T> P, A;
};

template <typename T>
void vectorAdjoint(Matrix<T> U, Matrix<T> S, Matrix<T> V, Matrix<T> UBar, const Sums<T> &To) {
  const int64_t K = S.Rows;
  const Matrix<T> First = U.block(0, 0, U.Rows, K), FirstBar = UBar.block(0, 0, U.Rows, K);
  Room<T> X(K, K), Beside(U.Rows, K);
  multiply<T>(T(1), First.t(), FirstBar, X);
  each(K, K, Part::All,
       [&](int64_t I, int64_t J) { To.P(I, J) += (X(I, J) - X(J, I)) * S(To.OfV ? I : J, 0); });
  copy<T>(FirstBar, Beside);
  project<T>(First, Beside);
  if (U.Columns > K) {
    const Matrix<T> Null = U.block(0, K, U.Rows, U.Columns - K);
    Room<T> Inside(U.Columns - K, K);
    multiply<T>(T(1), UBar.block(0, K, U.Rows, U.Columns - K).t(), First, Inside);
    multiply<T>(T(-1), Null, Inside, Beside);
  }
  divideColumns<T>(Beside, S);
  multiply<T>(T(1), Beside, V.block(0, 0, V.Rows, K).t(), To.A);
}

/// Vectors of A that the call does not return, with their tangents if T is a pair.
template <typename T> void decompose(Matrix<T> A, Matrix<T> S, Matrix<T> U, Matrix<T> V) {
  if constexpr (IsDual<T>) {
    using Number = Real<T>;
    const int64_t M = A.Rows, N = A.Columns, K = S.Rows;
    Room<Number> Value(M, N), Dot(M, N), Size(K, 1), Left(M, K), Right(N, K), LeftDot(M, K),
        RightDot(N, K), Moved(M, K), MovedBack(N, K), P(K, K);
    each(M, N, Part::All, [&](int64_t I, int64_t J) {
      Value(I, J) = A(I, J).Value;
      Dot(I, J) = A(I, J).Dot;
    });
    for (int64_t I = 0; I < K; ++I)
      Size(I, 0) = S(I, 0).Value;
    decompose<Number>(Value, Size, Left, Right);
    multiply<Number>(1, Dot, Right, Moved);
    multiply<Number>(1, Dot.t(), Left, MovedBack);
    multiply<Number>(1, Left.t(), Moved, P);
    vectorTangent<Number>(Left, Size, P, Moved, LeftDot);
    vectorTangent<Number>(Right, Size, P.t(), MovedBack, RightDot);
    each(M, K, Part::All, [&](int64_t I, int64_t J) { U(I, J) = {Left(I, J), LeftDot(I, J)}; });
    each(N, K, Part::All, [&](int64_t I, int64_t J) { V(I, J) = {Right(I, J), RightDot(I, J)}; });
  } else {
    A.Rows >= A.Columns ? decomposeTall(A, U, V) : decomposeTall(A.t(), V, U);
  }
}

template <typename T> void before(Record<T> &R) {
  const Decomposition<T> D(R);
  if (D.Left.Job == 'N' || D.Right.Job == 'N')
    R.Old[0] = R.keep(R.matrix(0, D.M, D.N));
}

template <typename T> void after(Record<T> &R) {
  const Decomposition<T> D(R);
  auto Keep = [&](Matrix<T> M) { return R.Tangent || !M ? M : R.keep(M); };
  R.New[0] = Keep(D.left(R));
  R.New[1] = Keep(R.vector(1, D.K));
  R.New[2] = Keep(D.right(R));
}

template <typename T> void find(const Record<T> &R, const Decomposition<T> &D, Triple<T> &X) {
  copy<T>(R.New[1], X.S);
  if (D.Left.Job != 'N')
    copy<T>(R.New[0], X.U);
  if (D.Right.Job != 'N')
    copy<T>(R.New[2], X.V);
  const Matrix<T> U = X.U.block(0, 0, D.M, D.K), V = X.V.block(0, 0, D.N, D.K);
  if (D.Left.Job == 'N' && D.Right.Job == 'N')
    decompose<T>(R.Old[0], X.S, U, V);
  else if (D.Left.Job == 'N')
    otherSide<T>(R.Old[0], V, X.S, U);
  else if (D.Right.Job == 'N')
    otherSide<T>(R.Old[0].t(), U, X.S, V);
}

template <typename T> void tangent(Record<T> &R) {
  const Decomposition<T> D(R);
  Triple<T> X(D);
  find(R, D, X);
  const Matrix<T> ADot = R.shadow(0, D.M, D.N), SDot = R.vectorShadow(1, D.K);
  const Matrix<T> U = X.U.block(0, 0, D.M, D.K), V = X.V.block(0, 0, D.N, D.K);
  Room<T> Moved(D.M, D.K), MovedBack(D.N, D.K), P(D.K, D.K);
  if (ADot) {
    multiply<T>(T(1), ADot, V, Moved);
    multiply<T>(T(1), ADot.t(), U, MovedBack);
    fill(ADot, T(0));
  }
  multiply<T>(T(1), U.t(), Moved, P);
  for (int64_t I = 0; SDot && I < D.K; ++I)
    SDot(I, 0) = P(I, I);
  if (const Matrix<T> UDot = D.leftShadow(R))
    vectorTangent<T>(X.U, X.S, P, Moved, UDot);
  if (const Matrix<T> VDot = D.rightShadow(R))
    vectorTangent<T>(X.V, X.S, P.t(), MovedBack, VDot);
}

template <typename T> void adjoint(Record<T> &R) {
  const Decomposition<T> D(R);
  Triple<T> X(D);
  find(R, D, X);
  const Matrix<T> ABar = R.shadow(0, D.M, D.N), SBar = R.vectorShadow(1, D.K);
  const Matrix<T> UBar = D.leftShadow(R), VBar = D.rightShadow(R);
  Room<T> Turn(D.K, D.K), Sum(D.M, D.N), Half(D.M, D.K);
  if (UBar)
    vectorAdjoint<T>(X.U, X.S, X.V, UBar, {false, Turn, Sum});
  if (VBar)
    vectorAdjoint<T>(X.V, X.S, X.U, VBar, {true, Turn, Sum.t()});
  divide<T>(Turn, X.S);
  for (int64_t I = 0; SBar && I < D.K; ++I)
    Turn(I, I) = SBar(I, 0);
  multiply<T>(T(1), X.U.block(0, 0, D.M, D.K), Turn, Half);
  multiply<T>(T(1), Half, X.V.block(0, 0, D.N, D.K).t(), Sum);
  for (const Matrix<T> &Bar : {UBar, VBar, SBar})
    if (Bar)
      fill(Bar, T(0));
  if (ABar)
    copy<T>(Sum, ABar);
}

} // namespace

template <typename T> Family<T> singularFamily(int32_t) {
  return {before<T>, after<T>, tangent<T>, adjoint<T>};
}

#define CF_FAMILY(T) template Family<T> singularFamily<T>(int32_t);
CF_BLAS_NUMBERS(CF_FAMILY)

} // namespace contraflow::blas
