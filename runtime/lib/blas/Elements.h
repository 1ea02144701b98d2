// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the routines of level 1 share: two vectors of one length, element by element.

#pragma once

#include "blas/Record.h"

namespace contraflow::blas {

template <typename T> struct Pair {
  Matrix<T> X, Y, XBar, YBar;
  int64_t N;

  explicit Pair(const Record<T> &R)
      : X(R.vector(0, R.Size[0])), Y(R.vector(1, R.Size[0])), XBar(R.vectorShadow(0, R.Size[0])),
        YBar(R.vectorShadow(1, R.Size[0])), N(std::max<int64_t>(R.Size[0], 0)) {}
};

template <typename T> void addTo(Matrix<T> To, int64_t I, T Value, bool Atomic) {
  if (To)
    blas::addTo(To(I, 0), Value, Atomic);
}

template <typename T> T dotOf(Matrix<T> M, int64_t I) { return M ? M(I, 0) : T(0); }
template <typename T> T dotOf(const Scalar<T> &S) { return S.Derivative ? *S.Derivative : T(0); }

} // namespace contraflow::blas
