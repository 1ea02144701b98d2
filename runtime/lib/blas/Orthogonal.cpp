// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// geqrf leaves R, and Q = H1 H2 ... as reflectors H = I - tau v v^T; ormqr and orgqr apply them.
// The derivatives are those of these reflectors, so that it does not matter what a program does
// with them. The reverse needs no old matrices: what was before a reflector is H^-1 of what came
// after it.
//
//   C := H C    u = C^T v, g = C'^T v:   tau' -= <g, u>   v' -= tau (C' u + C g)   C' -= tau v g^T
//
// syev: A = V W V^T, F(i, j) = 1 / (w_j - w_i):   A' = V (diag(w') + F * (V^T V')) V^T

#include "blas/Kernels.h"
#include "blas/Record.h"

namespace contraflow::blas {
namespace {

template <typename T> struct Reflector {
  Room<T> V;
  T Tau;

  /// Number I of those below the diagonal of Stored.
  Reflector(Matrix<T> Stored, int64_t I, T Tau) : V(Stored.Rows - I, 1), Tau(Tau) {
    copy<T>(Stored.block(I, I, Stored.Rows - I, 1), V);
    V(0, 0) = 1;
  }
  /// Its derivative: the leading one is constant.
  static void derivative(Matrix<T> Stored, int64_t I, Matrix<T> To) {
    if (Stored)
      copy(Stored.block(I, I, Stored.Rows - I, 1), To);
    To(0, 0) = 0;
  }
};

/// M -= Factor * v w^T.
template <typename T> void subtract(Matrix<T> M, T Factor, Matrix<T> V, Matrix<T> W) {
  multiply<T>(-Factor, V, W.t(), M);
}

template <typename T> void apply(const Reflector<T> &H, T Tau, Matrix<T> C) {
  Room<T> U(C.Columns, 1);
  multiply<T>(T(1), C.t(), H.V, U);
  subtract<T>(C, Tau, H.V, U);
}

/// C is what came after the reflector and becomes what was before it.
template <typename T>
void reverse(const Reflector<T> &H, Matrix<T> C, Matrix<T> CBar, Matrix<T> VBar, T &TauBar) {
  const T Square = inner<T>(H.V, H.V);
  apply(H, H.Tau / (H.Tau * Square - 1), C);
  Room<T> U(C.Columns, 1), G(C.Columns, 1);
  multiply<T>(T(1), C.t(), H.V, U);
  multiply<T>(T(1), CBar.t(), H.V, G);
  TauBar -= inner<T>(G, U);
  multiply<T>(-H.Tau, CBar, U, VBar);
  multiply<T>(-H.Tau, C, G, VBar);
  subtract<T>(CBar, H.Tau, H.V, G);
}

/// C and its tangent before the reflector become those after it.
template <typename T>
void advance(const Reflector<T> &H, Matrix<T> VDot, T TauDot, Matrix<T> C, Matrix<T> CDot) {
  Room<T> U(C.Columns, 1), UDot(C.Columns, 1);
  multiply<T>(T(1), C.t(), H.V, U);
  multiply<T>(T(1), C.t(), VDot, UDot);
  multiply<T>(T(1), CDot.t(), H.V, UDot);
  subtract<T>(CDot, TauDot, H.V, U);
  subtract<T>(CDot, H.Tau, VDot, U);
  subtract<T>(CDot, H.Tau, H.V, UDot);
  subtract<T>(C, H.Tau, H.V, U);
}

// ormqr, orgqr

template <typename T> struct Application {
  Matrix<T> Reflectors, Tau, ReflectorsBar, TauBar;
  Matrix<T> C, CBar;
  int64_t Count;
  bool LastFirst; ///< Q C; else Q^T C
};

template <typename T> Application<T> applicationOf(const Record<T> &R) {
  Application<T> A;
  A.Count = R.Size[2];
  A.Tau = R.vector(1, A.Count);
  A.TauBar = R.vectorShadow(1, A.Count);
  if (R.What == R_orgqr) { // reflectors and C are one array
    A.Reflectors = R.matrix(0, R.Size[0], A.Count);
    A.ReflectorsBar = R.shadow(0, R.Size[0], A.Count);
    A.C = R.matrix(0, R.Size[0], R.Size[1]);
    A.CBar = R.shadow(0, R.Size[0], R.Size[1]);
    A.LastFirst = true;
    return A;
  }
  const bool Right = R.Flag[0] == 'R';
  const int64_t M = R.Size[0], N = R.Size[1], Length = Right ? N : M;
  A.Reflectors = R.matrix(0, Length, A.Count);
  A.ReflectorsBar = R.shadow(0, Length, A.Count);
  A.C = Right ? R.matrix(2, M, N).t() : R.matrix(2, M, N);
  A.CBar = Right ? R.shadow(2, M, N).t() : R.shadow(2, M, N);
  A.LastFirst = (R.Flag[1] == 'T') == Right;
  return A;
}

template <typename T> void applicationBefore(Record<T> &R) {
  const Application<T> A = applicationOf(R);
  R.Old[0] = R.What == R_orgqr ? R.keep(A.Reflectors) : R.keepInput(0, A.Reflectors);
  R.Old[1] = R.keepInput(1, A.Tau);
  if (R.Tangent && R.What == R_ormqr)
    R.Old[2] = R.keep(A.C);
}

template <typename T> void applicationAfter(Record<T> &R) {
  const Application<T> A = applicationOf(R);
  if (!R.Tangent && (A.ReflectorsBar || A.TauBar))
    R.New[2] = R.keep(A.C);
}

template <typename T> void applicationTangent(Record<T> &R) {
  const Application<T> A = applicationOf(R);
  if (!A.CBar)
    return;
  Room<T> C(A.C.Rows, A.C.Columns), CDot(A.C.Rows, A.C.Columns);
  if (R.What == R_ormqr) {
    copy<T>(R.Old[2], C);
    copy<T>(A.CBar, CDot);
  } else {
    for (int64_t I = 0; I < C.Columns; ++I)
      C(I, I) = 1;
  }
  for (int64_t Step = 0; Step < A.Count; ++Step) {
    const int64_t I = A.LastFirst ? A.Count - 1 - Step : Step, Length = C.Rows - I;
    const Reflector<T> H(R.Old[0], I, R.Old[1](I, 0));
    Room<T> VDot(Length, 1);
    Reflector<T>::derivative(A.ReflectorsBar, I, VDot);
    advance<T>(H, VDot, A.TauBar ? A.TauBar(I, 0) : T(0), C.block(I, 0, Length, C.Columns),
               CDot.block(I, 0, Length, C.Columns));
  }
  copy<T>(CDot, A.CBar);
}

template <typename T> void applicationAdjoint(Record<T> &R) {
  const Application<T> A = applicationOf(R);
  if (!A.CBar)
    return;
  Room<T> C(A.C.Rows, A.C.Columns), CBar(A.C.Rows, A.C.Columns);
  Room<T> Found(A.Reflectors.Rows, A.Count);
  if (R.New[2])
    copy<T>(R.New[2], C);
  copy<T>(A.CBar, CBar);
  for (int64_t Step = 0; Step < A.Count; ++Step) {
    const int64_t I = A.LastFirst ? Step : A.Count - 1 - Step, Length = C.Rows - I;
    T TauBar = 0;
    reverse<T>(Reflector<T>(R.Old[0], I, R.Old[1](I, 0)), C.block(I, 0, Length, C.Columns),
               CBar.block(I, 0, Length, C.Columns), Found.block(I, I, Length, 1), TauBar);
    Found(I, I) = 0;
    if (A.TauBar)
      add<T>(A.TauBar.block(I, 0, 1, 1), {&TauBar, 1, 1}, T(1), R.Atomic);
  }
  if (R.What == R_orgqr) {
    fill(A.CBar, T(0));
    add<T>(A.ReflectorsBar, Found, T(1), false);
    return;
  }
  copy<T>(CBar, A.CBar);
  if (A.ReflectorsBar)
    add<T>(A.ReflectorsBar, Found, T(1), R.Atomic);
}

// geqrf

/// The reflector that takes a column x to (beta, 0, ...): v = x / (x0 - beta), tau = 1 - x0 / beta.
template <typename T> struct Column {
  const Reflector<T> &H;
  T Beta;

  T first() const { return Beta - H.Tau * Beta; }
  T divisor() const { return -H.Tau * Beta; }
  void restore(Matrix<T> X) const {
    for (int64_t I = 0; I < X.Rows; ++I)
      X(I, 0) = I == 0 ? first() : H.V(I, 0) * divisor();
  }
  /// Bar: in, the adjoint of beta in front; out, that of x. No reflector: a kink, x0 passes.
  void reverse(Matrix<T> VBar, T TauBar, Matrix<T> Bar) const {
    if (H.Tau == T(0))
      return;
    T BetaBar = Bar(0, 0), DivisorBar = 0;
    for (int64_t I = 1; I < Bar.Rows; ++I) {
      Bar(I, 0) = VBar(I, 0) / divisor();
      DivisorBar -= VBar(I, 0) * H.V(I, 0) / divisor();
    }
    BetaBar += TauBar * first() / (Beta * Beta) - DivisorBar;
    Bar(0, 0) = DivisorBar - TauBar / Beta + BetaBar * first() / Beta;
    for (int64_t I = 1; I < Bar.Rows; ++I)
      Bar(I, 0) += BetaBar * H.V(I, 0) * divisor() / Beta;
  }
  /// Dot: in, the tangent of x; out, that of beta and v. Returns that of tau.
  T tangent(Matrix<T> X, Matrix<T> Dot) const {
    if (H.Tau == T(0)) {
      fill(Dot.block(1, 0, Dot.Rows - 1, 1), T(0));
      return 0;
    }
    const T BetaDot = inner(X, Dot) / Beta, FirstDot = Dot(0, 0);
    for (int64_t I = 1; I < Dot.Rows; ++I)
      Dot(I, 0) = (Dot(I, 0) - H.V(I, 0) * (FirstDot - BetaDot)) / divisor();
    Dot(0, 0) = BetaDot;
    return (first() * BetaDot / Beta - FirstDot) / Beta;
  }
};

template <typename T> void qrBefore(Record<T> &R) {
  if (R.Tangent)
    R.Old[0] = R.keep(R.matrix(0, R.Size[0], R.Size[1]));
}

template <typename T> void qrAfter(Record<T> &R) {
  const Matrix<T> A = R.matrix(0, R.Size[0], R.Size[1]);
  const Matrix<T> Tau = R.vector(1, std::min(A.Rows, A.Columns));
  R.New[0] = R.Tangent ? A : R.keep(A);
  R.New[1] = R.Tangent ? Tau : R.keep(Tau);
}

template <typename T> void qrTangent(Record<T> &R) {
  const Matrix<T> Dot = R.shadow(0, R.Size[0], R.Size[1]);
  if (!Dot)
    return;
  const Matrix<T> TauDots = R.vectorShadow(1, R.New[1].Rows), W = R.Old[0];
  for (int64_t I = 0; I < R.New[1].Rows; ++I) {
    const int64_t Length = W.Rows - I, Right = W.Columns - I - 1;
    const Reflector<T> H(R.New[0], I, R.New[1](I, 0));
    const Matrix<T> XDot = Dot.block(I, I, Length, 1);
    const T TauDot = Column<T>{H, R.New[0](I, I)}.tangent(W.block(I, I, Length, 1), XDot);
    Room<T> VDot(Length, 1);
    Reflector<T>::derivative(Dot, I, VDot);
    if (Right > 0)
      advance<T>(H, VDot, TauDot, W.block(I, I + 1, Length, Right),
                 Dot.block(I, I + 1, Length, Right));
    if (TauDots)
      TauDots(I, 0) = TauDot;
  }
}

template <typename T> void qrAdjoint(Record<T> &R) {
  const Matrix<T> Bar = R.shadow(0, R.Size[0], R.Size[1]);
  if (!Bar)
    return;
  const int64_t Count = R.New[1].Rows;
  const Matrix<T> TauBars = R.vectorShadow(1, Count);
  Room<T> W(Bar.Rows, Bar.Columns), WBar(Bar.Rows, Bar.Columns);
  copy<T>(R.New[0], W, Part::Upper);
  copy<T>(Bar, WBar, Part::Upper);
  for (int64_t I = Count - 1; I >= 0; --I) {
    const int64_t Length = W.Rows - I, Right = W.Columns - I - 1;
    const Reflector<T> H(R.New[0], I, R.New[1](I, 0));
    Room<T> VBar(Length, 1);
    Reflector<T>::derivative(Bar, I, VBar);
    T TauBar = TauBars ? TauBars(I, 0) : T(0);
    if (Right > 0)
      reverse<T>(H, W.block(I, I + 1, Length, Right), WBar.block(I, I + 1, Length, Right), VBar,
                 TauBar);
    const Column<T> X{H, R.New[0](I, I)};
    X.reverse(VBar, TauBar, WBar.block(I, I, Length, 1));
    X.restore(W.block(I, I, Length, 1));
  }
  copy<T>(WBar, Bar);
  if (TauBars)
    fill(TauBars, T(0));
}

// syev

template <typename T> bool wantsVectors(const Record<T> &R) { return R.Flag[0] == 'V'; }
template <typename T> Part storedPart(const Record<T> &R) {
  return R.Flag[1] == 'L' ? Part::Lower : Part::Upper;
}

template <typename T> void eigenBefore(Record<T> &R) {
  if (!wantsVectors(R))
    R.Old[0] = R.keep(R.matrix(0, R.Size[0], R.Size[0]));
}

template <typename T> void eigenAfter(Record<T> &R) {
  const int64_t N = R.Size[0];
  auto Keep = [&](Matrix<T> M) { return R.Tangent ? M : R.keep(M); };
  R.New[1] = Keep(R.vector(1, N));
  if (wantsVectors(R))
    R.New[0] = Keep(R.matrix(0, N, N));
}

template <typename T> struct Eigen {
  int64_t N;
  Room<T> Values, Vectors;

  explicit Eigen(const Record<T> &R) : N(R.Size[0]), Values(N, 1), Vectors(N, N) {
    if (wantsVectors(R)) {
      copy<T>(R.New[0], Vectors);
    } else {
      Room<T> A(N, N);
      expand<T>(R.Old[0], storedPart(R), Shape::Symmetric, A);
      eigenvectors<T>(A, Values, Vectors);
    }
    copy<T>(R.New[1], Values);
  }
  /// M(i, j) / (w_j - w_i): nothing where there is nothing to divide.
  void divide(Matrix<T> M) const {
    each(N, N, Part::All, [&](int64_t I, int64_t J) {
      if (I != J && M(I, J) != T(0))
        M(I, J) /= Values(J, 0) - Values(I, 0);
    });
  }
};

template <typename T> void eigenTangent(Record<T> &R) {
  const Eigen<T> E(R);
  const int64_t N = E.N;
  const Matrix<T> Dot = R.shadow(0, N, N), ValueDots = R.vectorShadow(1, N);
  Room<T> Full(N, N), Half(N, N), Middle(N, N);
  if (Dot)
    expand<T>(Dot, storedPart(R), Shape::Symmetric, Full);
  multiply<T>(T(1), Full, E.Vectors, Half);
  multiply<T>(T(1), E.Vectors.t(), Half, Middle);
  for (int64_t I = 0; I < N; ++I) {
    if (ValueDots)
      ValueDots(I, 0) = Middle(I, I);
    Middle(I, I) = 0;
  }
  if (!Dot)
    return;
  fill(Dot, T(0), wantsVectors(R) ? Part::All : storedPart(R));
  E.divide(Middle);
  if (wantsVectors(R))
    multiply<T>(T(1), E.Vectors, Middle, Dot);
}

template <typename T> void eigenAdjoint(Record<T> &R) {
  const Eigen<T> E(R);
  const int64_t N = E.N;
  const Matrix<T> Bar = R.shadow(0, N, N), ValueBars = R.vectorShadow(1, N);
  Room<T> Middle(N, N), Half(N, N), Full(N, N);
  if (Bar && wantsVectors(R)) {
    multiply<T>(T(1), E.Vectors.t(), Bar, Middle);
    E.divide(Middle);
  }
  for (int64_t I = 0; I < N; ++I) {
    Middle(I, I) = ValueBars ? ValueBars(I, 0) : T(0);
    if (ValueBars)
      ValueBars(I, 0) = 0;
  }
  if (!Bar)
    return;
  multiply<T>(T(1), E.Vectors, Middle, Half);
  multiply<T>(T(1), Half, E.Vectors.t(), Full);
  fill(Bar, T(0), wantsVectors(R) ? Part::All : storedPart(R));
  fold<T>(Full, storedPart(R), Shape::Symmetric, Bar, false);
}

} // namespace

template <typename T> Family<T> orthogonalFamily(int32_t What) {
  if (What == R_geqrf)
    return {qrBefore<T>, qrAfter<T>, qrTangent<T>, qrAdjoint<T>};
  if (What == R_syev)
    return {eigenBefore<T>, eigenAfter<T>, eigenTangent<T>, eigenAdjoint<T>};
  return {applicationBefore<T>, applicationAfter<T>, applicationTangent<T>, applicationAdjoint<T>};
}

#define CF_FAMILY(T) template Family<T> orthogonalFamily<T>(int32_t);
CF_BLAS_NUMBERS(CF_FAMILY)

} // namespace contraflow::blas
