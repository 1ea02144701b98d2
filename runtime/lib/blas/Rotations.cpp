// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rotations of vectors (rot), modified ones (rotm), and of one pair of numbers to be found (rotg):
//
//   rot   x = c x + s y              rotg   r = c a + s b     dr = c da + s db
//         y = c y - s x                     0 = c b - s a     dc = s (s da - c db) / r
//   rotm  (x, y) = H (x, y)                                   ds = c (c db - s da) / r
//
// rotg leaves r in a and, in b, s or 1 / c: one number that says both. Nothing moves where r is 0.

#include "blas/Elements.h"

#include <cmath>

namespace contraflow::blas {
namespace {

template <typename T> void rotBefore(Record<T> &R) {
  if (!R.Scalars[0].Derivative && !R.Scalars[1].Derivative)
    return;
  const Pair<T> P(R);
  R.Old[0] = R.keep(R.vector(0, P.N));
  R.Old[1] = R.keep(R.vector(1, P.N));
}
template <typename T> void rotTangent(Record<T> &R) {
  const Pair<T> P(R);
  const T C = R.Scalars[0].Value, S = R.Scalars[1].Value;
  const T CDot = dotOf(R.Scalars[0]), SDot = dotOf(R.Scalars[1]);
  for (int64_t I = 0; I < P.N; ++I) {
    const T XDot = dotOf(P.XBar, I), YDot = dotOf(P.YBar, I);
    const T X = R.Old[0] ? R.Old[0](I, 0) : T(0), Y = R.Old[1] ? R.Old[1](I, 0) : T(0);
    if (P.XBar)
      P.XBar(I, 0) = C * XDot + S * YDot + CDot * X + SDot * Y;
    if (P.YBar)
      P.YBar(I, 0) = C * YDot - S * XDot + CDot * Y - SDot * X;
  }
}
template <typename T> void rotAdjoint(Record<T> &R) {
  const Pair<T> P(R);
  const T C = R.Scalars[0].Value, S = R.Scalars[1].Value;
  T CBar = 0, SBar = 0;
  for (int64_t I = 0; I < P.N; ++I) {
    const T XBar = dotOf(P.XBar, I), YBar = dotOf(P.YBar, I);
    if (R.Old[0]) {
      CBar += XBar * R.Old[0](I, 0) + YBar * R.Old[1](I, 0);
      SBar += XBar * R.Old[1](I, 0) - YBar * R.Old[0](I, 0);
    }
    if (P.XBar)
      P.XBar(I, 0) = C * XBar - S * YBar;
    if (P.YBar)
      P.YBar(I, 0) = C * YBar + S * XBar;
  }
  R.addToScalar(0, CBar);
  R.addToScalar(1, SBar);
}

// rotm

/// H = (h11 h12, h21 h22); some elements are known by the flag in front of them.
template <typename T> struct Modified {
  T H11 = 1, H21 = 0, H12 = 0, H22 = 1;
  bool Diagonal = false, Others = false; ///< which of them are in memory

  explicit Modified(Matrix<T> Stored) {
    const auto Flag = realOf(Stored(0, 0));
    Diagonal = Flag == -1 || Flag == 1;
    Others = Flag == -1 || Flag == 0;
    if (Diagonal) {
      H11 = Stored(1, 0);
      H22 = Stored(4, 0);
    }
    if (Others) {
      H21 = Stored(2, 0);
      H12 = Stored(3, 0);
    } else if (Diagonal) {
      H12 = 1;
      H21 = -1;
    }
  }
  /// The tangent of what is in memory; the rest is constant.
  Modified moved(Matrix<T> Dot) const {
    Modified M = *this;
    M.H11 = Diagonal ? dotOf(Dot, 1) : T(0);
    M.H21 = Others ? dotOf(Dot, 2) : T(0);
    M.H12 = Others ? dotOf(Dot, 3) : T(0);
    M.H22 = Diagonal ? dotOf(Dot, 4) : T(0);
    return M;
  }
};

constexpr int64_t SizeOfModified = 5;

template <typename T> void modifiedBefore(Record<T> &R) {
  R.Old[2] = R.keepInput(2, R.vector(2, SizeOfModified));
  if (!R.vectorShadow(2, SizeOfModified))
    return;
  const Pair<T> P(R);
  R.Old[0] = R.keep(R.vector(0, P.N));
  R.Old[1] = R.keep(R.vector(1, P.N));
}
template <typename T> void modifiedTangent(Record<T> &R) {
  const Pair<T> P(R);
  const Modified<T> H(R.Old[2]), HDot = H.moved(R.vectorShadow(2, SizeOfModified));
  for (int64_t I = 0; I < P.N; ++I) {
    const T XDot = dotOf(P.XBar, I), YDot = dotOf(P.YBar, I);
    const T X = dotOf(R.Old[0], I), Y = dotOf(R.Old[1], I);
    if (P.XBar)
      P.XBar(I, 0) = H.H11 * XDot + H.H12 * YDot + HDot.H11 * X + HDot.H12 * Y;
    if (P.YBar)
      P.YBar(I, 0) = H.H21 * XDot + H.H22 * YDot + HDot.H21 * X + HDot.H22 * Y;
  }
}
template <typename T> void modifiedAdjoint(Record<T> &R) {
  const Pair<T> P(R);
  const Modified<T> H(R.Old[2]);
  Room<T> HBar(SizeOfModified, 1);
  for (int64_t I = 0; I < P.N; ++I) {
    const T XBar = dotOf(P.XBar, I), YBar = dotOf(P.YBar, I);
    const T X = dotOf(R.Old[0], I), Y = dotOf(R.Old[1], I);
    if (H.Diagonal) {
      HBar(1, 0) += XBar * X;
      HBar(4, 0) += YBar * Y;
    }
    if (H.Others) {
      HBar(2, 0) += YBar * X;
      HBar(3, 0) += XBar * Y;
    }
    if (P.XBar)
      P.XBar(I, 0) = H.H11 * XBar + H.H21 * YBar;
    if (P.YBar)
      P.YBar(I, 0) = H.H12 * XBar + H.H22 * YBar;
  }
  for (int64_t I = 1; I < SizeOfModified; ++I)
    addTo(R.vectorShadow(2, SizeOfModified), I, HBar(I, 0), R.Atomic);
}

// rotg

/// What the call has found, and how it moves.
template <typename T> struct Found {
  T Radius, C, S;
  bool HoldsSine, HoldsCosine; ///< what b is: s, 1 / c, or a constant

  explicit Found(const Record<T> &R)
      : Radius(R.New[0](0, 0)), C(R.New[1](0, 0)), S(R.New[2](0, 0)),
        HoldsSine(std::abs(realOf(C)) > std::abs(realOf(S))),
        HoldsCosine(!HoldsSine && realOf(C) != 0) {}
};

template <typename T> void foundAfter(Record<T> &R) {
  const int Places[] = {0, 2, 3};
  for (int I = 0; I < 3; ++I)
    R.New[I] = R.keep(R.vector(Places[I], 1));
}
template <typename T> void foundTangent(Record<T> &R) {
  const Found<T> F(R);
  const Matrix<T> A = R.vectorShadow(0, 1), B = R.vectorShadow(1, 1);
  const T ADot = dotOf(A, 0), BDot = dotOf(B, 0);
  const bool Moves = realOf(F.Radius) != 0;
  const T Turn = Moves ? (F.S * ADot - F.C * BDot) / F.Radius : T(0);
  const T CDot = F.S * Turn, SDot = -F.C * Turn;
  auto Set = [](Matrix<T> To, T Dot) {
    if (To)
      To(0, 0) = Dot;
  };
  Set(A, Moves ? F.C * ADot + F.S * BDot : T(0));
  Set(B, F.HoldsSine ? SDot : F.HoldsCosine ? -CDot / (F.C * F.C) : T(0));
  Set(R.vectorShadow(2, 1), CDot);
  Set(R.vectorShadow(3, 1), SDot);
}
template <typename T> void foundAdjoint(Record<T> &R) {
  const Found<T> F(R);
  auto Take = [&](int Index) {
    const Matrix<T> From = R.vectorShadow(Index, 1);
    const T Bar = dotOf(From, 0);
    if (From)
      From(0, 0) = 0;
    return Bar;
  };
  const T RadiusBar = Take(0), BothBar = Take(1);
  T CBar = Take(2), SBar = Take(3);
  if (F.HoldsSine)
    SBar += BothBar;
  else if (F.HoldsCosine)
    CBar -= BothBar / (F.C * F.C);
  if (realOf(F.Radius) == 0)
    return;
  const T TurnBar = (F.S * CBar - F.C * SBar) / F.Radius;
  addTo(R.vectorShadow(0, 1), 0, F.C * RadiusBar + F.S * TurnBar, false);
  addTo(R.vectorShadow(1, 1), 0, F.S * RadiusBar - F.C * TurnBar, false);
}

} // namespace

template <typename T> Family<T> rotationFamily(int32_t What) {
  switch (What) {
  case R_rotg:
    return {nullptr, foundAfter<T>, foundTangent<T>, foundAdjoint<T>};
  case R_rotm:
    return {modifiedBefore<T>, nullptr, modifiedTangent<T>, modifiedAdjoint<T>};
  default:
    return {rotBefore<T>, nullptr, rotTangent<T>, rotAdjoint<T>};
  }
}

#define CF_FAMILY(T) template Family<T> rotationFamily<T>(int32_t);
CF_BLAS_NUMBERS(CF_FAMILY)

} // namespace contraflow::blas
