// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// geqrf leaves R, and Q = H1 H2 ... as reflectors H = I - tau v v^T; ormqr and orgqr apply them.
// The derivatives are those of these reflectors, so that it does not matter what a program does
// with them. The reverse needs no old matrices: what was before a reflector is H^-1 of what came
// after it.
//
//   C := H C    u = C^T v, g = C'^T v:   tau' -= <g, u>   v' -= tau (C' u + C g)   C' -= tau v g^T

#pragma once

#include "blas/Kernels.h"

namespace contraflow::blas {

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

/// Reflectors below a diagonal, and the order in which they are applied.
template <typename T> struct Reflectors {
  Matrix<T> Stored, Tau;
  bool LastFirst = false; ///< Q C; else Q^T C

  Reflector<T> at(int64_t I) const { return {Stored, I, Tau(I, 0)}; }
};

/// C and its tangent before the reflectors become those after them.
template <typename T>
void applyTangent(const Reflectors<T> &Q, Matrix<T> StoredDot, Matrix<T> TauDot, Matrix<T> C,
                  Matrix<T> CDot) {
  const int64_t Count = Q.Tau.Rows;
  for (int64_t Step = 0; Step < Count; ++Step) {
    const int64_t I = Q.LastFirst ? Count - 1 - Step : Step, Length = C.Rows - I;
    Room<T> VDot(Length, 1);
    Reflector<T>::derivative(StoredDot, I, VDot);
    advance<T>(Q.at(I), VDot, TauDot ? TauDot(I, 0) : T(0), C.block(I, 0, Length, C.Columns),
               CDot.block(I, 0, Length, C.Columns));
  }
}

/// C and its adjoint after the reflectors become those before them; adds to the adjoints of what is
/// stored and of tau.
template <typename T>
void applyAdjoint(const Reflectors<T> &Q, Matrix<T> C, Matrix<T> CBar, Matrix<T> StoredBar,
                  Matrix<T> TauBar) {
  const int64_t Count = Q.Tau.Rows;
  for (int64_t Step = 0; Step < Count; ++Step) {
    const int64_t I = Q.LastFirst ? Step : Count - 1 - Step, Length = C.Rows - I;
    Room<T> VBar(Length, 1);
    reverse<T>(Q.at(I), C.block(I, 0, Length, C.Columns), CBar.block(I, 0, Length, C.Columns), VBar,
               TauBar(I, 0));
    VBar(0, 0) = 0;
    add<T>(StoredBar.block(I, I, Length, 1), VBar, T(1), false);
  }
}

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

/// Before becomes rubbish; Dot: in, the tangent of the matrix; out, that of its factors.
template <typename T>
void factorTangent(const Reflectors<T> &Q, Matrix<T> Before, Matrix<T> Dot, Matrix<T> TauDots) {
  const Matrix<T> W = Before;
  for (int64_t I = 0; I < Q.Tau.Rows; ++I) {
    const int64_t Length = W.Rows - I, Right = W.Columns - I - 1;
    const Reflector<T> H = Q.at(I);
    const Matrix<T> XDot = Dot.block(I, I, Length, 1);
    const T TauDot = Column<T>{H, Q.Stored(I, I)}.tangent(W.block(I, I, Length, 1), XDot);
    Room<T> VDot(Length, 1);
    Reflector<T>::derivative(Dot, I, VDot);
    if (Right > 0)
      advance<T>(H, VDot, TauDot, W.block(I, I + 1, Length, Right),
                 Dot.block(I, I + 1, Length, Right));
    if (TauDots)
      TauDots(I, 0) = TauDot;
  }
}

/// Bar: in, the adjoint of the factors; out, that of the matrix.
template <typename T> void factorAdjoint(const Reflectors<T> &Q, Matrix<T> Bar, Matrix<T> TauBars) {
  Room<T> W(Bar.Rows, Bar.Columns), WBar(Bar.Rows, Bar.Columns);
  copy<T>(Q.Stored, W, Part::Upper);
  copy<T>(Bar, WBar, Part::Upper);
  for (int64_t I = Q.Tau.Rows - 1; I >= 0; --I) {
    const int64_t Length = W.Rows - I, Right = W.Columns - I - 1;
    const Reflector<T> H = Q.at(I);
    Room<T> VBar(Length, 1);
    Reflector<T>::derivative(Bar, I, VBar);
    T TauBar = TauBars ? TauBars(I, 0) : T(0);
    if (Right > 0)
      reverse<T>(H, W.block(I, I + 1, Length, Right), WBar.block(I, I + 1, Length, Right), VBar,
                 TauBar);
    const Column<T> X{H, Q.Stored(I, I)};
    X.reverse(VBar, TauBar, WBar.block(I, I, Length, 1));
    X.restore(W.block(I, I, Length, 1));
  }
  copy<T>(WBar, Bar);
}

} // namespace contraflow::blas
