// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Level 1, but for rotations and the dot product, which is a product of matrices, and copies of
// parts of a matrix. Elements are dealt with one by one, so that two operands may be one array.
//
//   axpy   y = a x + y     x' += a y'   a' += <y', x>
//   nrm2   r = |x|         x' += r' x / r, nothing at zero

#include "blas/Elements.h"

#include <cmath>

namespace contraflow::blas {
namespace {

template <typename T> void keepX(Record<T> &R) {
  R.Old[0] = R.keepInput(0, R.vector(0, std::max<int64_t>(R.Size[0], 0)));
}

// axpy

template <typename T> void axpyBefore(Record<T> &R) {
  if (R.Scalars[0].Derivative)
    keepX(R);
}
template <typename T> void axpyTangent(Record<T> &R) {
  const Pair<T> P(R);
  for (int64_t I = 0; P.YBar && I < P.N; ++I)
    P.YBar(I, 0) += R.Scalars[0].Value * dotOf(P.XBar, I) +
                    (R.Scalars[0].Derivative ? dotOf(R.Scalars[0]) * R.Old[0](I, 0) : T(0));
}
template <typename T> void axpyAdjoint(Record<T> &R) {
  const Pair<T> P(R);
  if (!P.YBar)
    return;
  if (R.Scalars[0].Derivative)
    R.addToScalar(0, inner(P.YBar, R.Old[0]));
  for (int64_t I = 0; I < P.N; ++I)
    addTo(P.XBar, I, R.Scalars[0].Value * P.YBar(I, 0), R.Atomic);
}

// scal

template <typename T> void scalBefore(Record<T> &R) {
  if (R.Scalars[0].Derivative)
    R.Old[0] = R.keep(R.vector(0, std::max<int64_t>(R.Size[0], 0)));
}
template <typename T> void scalTangent(Record<T> &R) {
  const Pair<T> P(R);
  for (int64_t I = 0; P.XBar && I < P.N; ++I)
    P.XBar(I, 0) = R.Scalars[0].Value * P.XBar(I, 0) +
                   (R.Scalars[0].Derivative ? dotOf(R.Scalars[0]) * R.Old[0](I, 0) : T(0));
}
template <typename T> void scalAdjoint(Record<T> &R) {
  const Pair<T> P(R);
  if (!P.XBar)
    return;
  if (R.Scalars[0].Derivative)
    R.addToScalar(0, inner(P.XBar, R.Old[0]));
  scale(P.XBar, R.Scalars[0].Value);
}

// nrm2, asum

template <typename T> T slope(int32_t What, T X, T Norm) {
  if (What == R_nrm2)
    return realOf(Norm) == 0 ? T(0) : X / Norm;
  using std::copysign;
  return realOf(X) == 0 ? T(0) : copysign(T(1), X);
}
template <typename T> T normOf(int32_t What, Matrix<T> X) {
  using std::abs;
  using std::sqrt;
  T Largest = 0, Sum = 0;
  for (int64_t I = 0; What == R_nrm2 && I < X.Rows; ++I)
    Largest = std::max(Largest, abs(X(I, 0)));
  for (int64_t I = 0; Largest > T(0) && I < X.Rows; ++I)
    Sum += (X(I, 0) / Largest) * (X(I, 0) / Largest);
  return Largest * sqrt(Sum);
}
template <typename T> void normTangent(Record<T> &R) {
  const Pair<T> P(R);
  const T Norm = normOf(R.What, R.Old[0]);
  T Sum = 0;
  for (int64_t I = 0; P.XBar && I < P.N; ++I)
    Sum += slope(R.What, R.Old[0](I, 0), Norm) * P.XBar(I, 0);
  if (R.Result)
    *R.Result = Sum;
}
template <typename T> void normAdjoint(Record<T> &R) {
  const Pair<T> P(R);
  const T Norm = normOf(R.What, R.Old[0]);
  for (int64_t I = 0; P.XBar && I < P.N; ++I)
    addTo(P.XBar, I, *R.Result * slope(R.What, R.Old[0](I, 0), Norm), R.Atomic);
}

// copy, swap

template <typename T> void copyTangent(Record<T> &R) {
  const Pair<T> P(R);
  for (int64_t I = 0; P.YBar && I < P.N; ++I)
    P.YBar(I, 0) = dotOf(P.XBar, I);
}
template <typename T> void copyAdjoint(Record<T> &R) {
  const Pair<T> P(R);
  for (int64_t I = 0; P.YBar && I < P.N; ++I) {
    const T Bar = P.YBar(I, 0);
    P.YBar(I, 0) = 0;
    addTo(P.XBar, I, Bar, R.Atomic);
  }
}
/// Its own mirror. What has no shadow is constant and stays so.
template <typename T> void swapBoth(Record<T> &R) {
  const Pair<T> P(R);
  for (int64_t I = 0; I < P.N; ++I) {
    const T XBar = dotOf(P.XBar, I), YBar = dotOf(P.YBar, I);
    if (P.XBar)
      P.XBar(I, 0) = YBar;
    if (P.YBar)
      P.YBar(I, 0) = XBar;
  }
}

// lacpy: the part of a matrix that a letter names

template <typename T> struct Parted {
  Matrix<T> FromBar, ToBar;
  Part Which;

  explicit Parted(const Record<T> &R)
      : FromBar(R.shadow(0, R.Size[0], R.Size[1])), ToBar(R.shadow(1, R.Size[0], R.Size[1])),
        Which(partNamed(R.Flag[0])) {}
};

template <typename T> void partTangent(Record<T> &R) {
  const Parted<T> P(R);
  if (P.ToBar && P.FromBar)
    copy(P.FromBar, P.ToBar, P.Which);
  else if (P.ToBar)
    fill(P.ToBar, T(0), P.Which);
}
template <typename T> void partAdjoint(Record<T> &R) {
  const Parted<T> P(R);
  if (!P.ToBar)
    return;
  if (P.FromBar)
    add(P.FromBar, P.ToBar, T(1), R.Atomic, P.Which);
  fill(P.ToBar, T(0), P.Which);
}

} // namespace

template <typename T> Family<T> vectorFamily(int32_t What) {
  switch (What) {
  case R_axpy:
    return {axpyBefore<T>, nullptr, axpyTangent<T>, axpyAdjoint<T>};
  case R_scal:
    return {scalBefore<T>, nullptr, scalTangent<T>, scalAdjoint<T>};
  case R_copy:
    return {nullptr, nullptr, copyTangent<T>, copyAdjoint<T>};
  case R_swap:
    return {nullptr, nullptr, swapBoth<T>, swapBoth<T>};
  case R_lacpy:
    return {nullptr, nullptr, partTangent<T>, partAdjoint<T>};
  default:
    return {keepX<T>, nullptr, normTangent<T>, normAdjoint<T>};
  }
}

#define CF_FAMILY(T) template Family<T> vectorFamily<T>(int32_t);
CF_BLAS_NUMBERS(CF_FAMILY)

} // namespace contraflow::blas
