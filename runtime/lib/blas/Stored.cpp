// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Banded and packed matrices with vectors. What is stored is visited element by element, so that
// nothing grows with the square of the size:
//
//   products   gbmv sbmv spmv   y = alpha A x + beta y     tbmv tpmv   x = A x
//   solutions  tbsv tpsv        x = A^-1 x                 spr spr2    A = alpha (x y^T + y x^T) +
//   A
//
// Each element adds a_ij x_c to y_r: (r, c) is (i, j), (j, i) of a transpose, both of a symmetric
// matrix. Rows in memory are the columns of the transpose, so that only columns are left.

#include "blas/Record.h"

namespace contraflow::blas {
namespace {

/// Which elements are stored, and where: of column j, those from first(j) to last(j).
struct Layout {
  int64_t Rows = 0, Columns = 0, Below = 0, Above = 0;
  bool Packed = false;

  int64_t first(int64_t J) const { return std::max<int64_t>(0, J - Above); }
  int64_t last(int64_t J) const { return std::min(Rows, J + Below + 1); }
  /// Packed columns follow each other; those of a band are rows of a table of diagonals.
  template <typename T> T &at(Matrix<T> M, int64_t I, int64_t J) const {
    if (!Packed)
      return M(Above + I - J, J);
    return M(I + (Below ? J * (2 * Rows - J - 1) / 2 : J * (J + 1) / 2), 0);
  }
};

enum class Kind { General, Symmetric, Triangular };

/// A call, with columns in memory.
struct Form {
  Layout In;
  Kind Is = Kind::General;
  bool Transposed = false, Unit = false;

  int64_t rows() const { return Transposed ? In.Columns : In.Rows; }
  int64_t columns() const { return Transposed ? In.Rows : In.Columns; }
  bool isLower() const { return In.Below > 0 || In.Above == 0; }
};

bool isPacked(int32_t What) {
  return What == R_spmv || What == R_tpmv || What == R_tpsv || What == R_spr || What == R_spr2;
}
bool isUpdate(int32_t What) { return What == R_spr || What == R_spr2; }
bool solves(int32_t What) { return What == R_tbsv || What == R_tpsv; }

template <typename T> Form formOf(const Record<T> &R) {
  Form F;
  if (R.What == R_gbmv) {
    F.In = {R.Size[0], R.Size[1], R.Size[2], R.Size[3]};
    F.Transposed = (R.Flag[0] == 'T') != R.RowMajor;
    if (R.RowMajor)
      F.In = {F.In.Columns, F.In.Rows, F.In.Above, F.In.Below};
    return F;
  }
  F.Is =
      R.What == R_sbmv || R.What == R_spmv || isUpdate(R.What) ? Kind::Symmetric : Kind::Triangular;
  const int64_t N = R.Size[0], Width = isPacked(R.What) ? std::max<int64_t>(N - 1, 0) : R.Size[1];
  const bool Lower = (R.Flag[0] == 'L') != R.RowMajor;
  F.In = {N, N, Lower ? Width : 0, Lower ? 0 : Width, isPacked(R.What)};
  if (F.Is == Kind::Triangular) {
    F.Transposed = (R.Flag[1] == 'T') != R.RowMajor;
    F.Unit = R.Flag[2] == 'U';
  }
  return F;
}

/// Calls Visit(i, j, r, c) for what is stored and counts.
template <typename Visitor> void visit(const Form &F, Visitor Visit) {
  for (int64_t J = 0; J < F.In.Columns; ++J)
    for (int64_t I = F.In.first(J); I < F.In.last(J); ++I) {
      if (F.Unit && I == J)
        continue;
      const int64_t R = F.Transposed ? J : I, C = F.Transposed ? I : J;
      Visit(I, J, R, C);
      if (F.Is == Kind::Symmetric && I != J)
        Visit(I, J, C, R);
    }
}

/// The array of a matrix, or its shadow: a column, or a table of diagonals.
template <typename T>
Matrix<T> arrayOf(const Record<T> &R, const Form &F, int Index, bool IsShadow) {
  const Layout &In = F.In;
  if (In.Packed) {
    const int64_t Length = In.Rows * (In.Rows + 1) / 2;
    return IsShadow ? R.vectorShadow(Index, Length) : R.vector(Index, Length);
  }
  const int64_t Width = In.Below + In.Above + 1;
  if (R.RowMajor)
    return (IsShadow ? R.shadow(Index, In.Columns, Width) : R.matrix(Index, In.Columns, Width)).t();
  return IsShadow ? R.shadow(Index, Width, In.Columns) : R.matrix(Index, Width, In.Columns);
}

/// To += Factor A X.
template <typename T>
void multiply(const Form &F, T Factor, Matrix<T> A, Matrix<T> X, Matrix<T> To, bool MovesOnly) {
  visit(F, [&](int64_t I, int64_t J, int64_t R, int64_t C) {
    To(R, 0) += Factor * F.In.at(A, I, J) * X(C, 0);
  });
  for (int64_t I = 0; F.Unit && !MovesOnly && I < F.In.Rows; ++I)
    To(I, 0) += Factor * X(I, 0);
}

/// A' += Factor Y' X^T where A is stored.
template <typename T>
void addOuter(const Form &F, T Factor, Matrix<T> Y, Matrix<T> X, Matrix<T> ABar, bool Atomic) {
  visit(F, [&](int64_t I, int64_t J, int64_t R, int64_t C) {
    addTo(F.In.at(ABar, I, J), Factor * Y(R, 0) * X(C, 0), Atomic);
  });
}

Form transposeOf(Form F) {
  F.Transposed = !F.Transposed;
  return F;
}

/// X = A^-1 X of a triangular matrix.
template <typename T> void solve(const Form &F, Matrix<T> A, Matrix<T> X) {
  const int64_t N = F.In.Rows;
  const bool Forward = F.isLower() != F.Transposed;
  for (int64_t Step = 0; Step < N; ++Step) {
    const int64_t J = Forward ? Step : N - 1 - Step;
    auto Others = [&](auto Visit) {
      for (int64_t I = F.In.first(J); I < F.In.last(J); ++I)
        if (I != J)
          Visit(I);
    };
    if (F.Transposed)
      Others([&](int64_t I) { X(J, 0) -= F.In.at(A, I, J) * X(I, 0); });
    if (!F.Unit)
      X(J, 0) /= F.In.at(A, J, J);
    if (!F.Transposed)
      Others([&](int64_t I) { X(I, 0) -= F.In.at(A, I, J) * X(J, 0); });
  }
}

template <typename T> bool isActive(const Record<T> &R, int Index) {
  return R.Scalars[Index].Derivative;
}

// y = alpha A x + beta y

template <typename T> void productBefore(Record<T> &R) {
  const Form F = formOf(R);
  if (R.vectorShadow(1, F.columns()) || isActive(R, 0))
    R.Old[0] = R.keepInput(0, arrayOf(R, F, 0, false));
  if (arrayOf(R, F, 0, true) || isActive(R, 0))
    R.Old[1] = R.keepInput(1, R.vector(1, F.columns()));
  if (isActive(R, 1))
    R.Old[2] = R.keep(R.vector(2, F.rows()));
}

template <typename T> void productTangent(Record<T> &R) {
  const Form F = formOf(R);
  const Matrix<T> ADot = arrayOf(R, F, 0, true), XDot = R.vectorShadow(1, F.columns()),
                  YDot = R.vectorShadow(2, F.rows());
  if (!YDot)
    return;
  const T Alpha = R.Scalars[0].Value;
  Room<T> Sum(F.rows(), 1);
  if (ADot)
    multiply<T>(F, Alpha, ADot, R.Old[1], Sum, true);
  if (XDot)
    multiply<T>(F, Alpha, R.Old[0], XDot, Sum, false);
  if (isActive(R, 0))
    multiply<T>(F, *R.Scalars[0].Derivative, R.Old[0], R.Old[1], Sum, false);
  if (isActive(R, 1))
    add<T>(Sum, R.Old[2], *R.Scalars[1].Derivative, false);
  scale(YDot, R.Scalars[1].Value);
  add<T>(YDot, Sum, T(1), false);
}

template <typename T> void productAdjoint(Record<T> &R) {
  const Form F = formOf(R);
  const Matrix<T> ABar = arrayOf(R, F, 0, true), XBar = R.vectorShadow(1, F.columns()),
                  YBar = R.vectorShadow(2, F.rows());
  if (!YBar)
    return;
  const T Alpha = R.Scalars[0].Value;
  if (isActive(R, 0)) {
    Room<T> Value(F.rows(), 1);
    multiply<T>(F, T(1), R.Old[0], R.Old[1], Value, false);
    R.addToScalar(0, inner<T>(YBar, Value));
  }
  if (isActive(R, 1))
    R.addToScalar(1, inner(YBar, R.Old[2]));
  if (ABar)
    addOuter<T>(F, Alpha, YBar, R.Old[1], ABar, R.Atomic);
  if (XBar) {
    Room<T> Sum(F.columns(), 1);
    multiply<T>(transposeOf(F), Alpha, R.Old[0], YBar, Sum, false);
    add<T>(XBar, Sum, T(1), R.Atomic);
  }
  scale(YBar, R.Scalars[1].Value);
}

// x = A x, x = A^-1 x

template <typename T> void triangularBefore(Record<T> &R) {
  const Form F = formOf(R);
  R.Old[0] = R.keepInput(0, arrayOf(R, F, 0, false));
  if (!solves(R.What) && arrayOf(R, F, 0, true))
    R.Old[1] = R.keep(R.vector(1, F.columns()));
}

template <typename T> void triangularAfter(Record<T> &R) {
  const Form F = formOf(R);
  if (solves(R.What) && arrayOf(R, F, 0, true))
    R.New[1] = R.Tangent ? R.vector(1, F.columns()) : R.keep(R.vector(1, F.columns()));
}

template <typename T> void triangularTangent(Record<T> &R) {
  const Form F = formOf(R);
  const Matrix<T> ADot = arrayOf(R, F, 0, true), XDot = R.vectorShadow(1, F.rows());
  if (!XDot)
    return;
  Room<T> Sum(F.rows(), 1);
  if (solves(R.What)) {
    copy<T>(XDot, Sum);
    if (ADot)
      multiply<T>(F, T(-1), ADot, R.New[1], Sum, true);
    solve<T>(F, R.Old[0], Sum);
  } else {
    if (ADot)
      multiply<T>(F, T(1), ADot, R.Old[1], Sum, true);
    multiply<T>(F, T(1), R.Old[0], XDot, Sum, false);
  }
  copy<T>(Sum, XDot);
}

template <typename T> void triangularAdjoint(Record<T> &R) {
  const Form F = formOf(R);
  const Matrix<T> ABar = arrayOf(R, F, 0, true), XBar = R.vectorShadow(1, F.rows());
  if (!XBar)
    return;
  if (solves(R.What)) {
    solve<T>(transposeOf(F), R.Old[0], XBar);
    if (ABar)
      addOuter<T>(F, T(-1), XBar, R.New[1], ABar, R.Atomic);
    return;
  }
  if (ABar)
    addOuter<T>(F, T(1), XBar, R.Old[1], ABar, R.Atomic);
  Room<T> Sum(F.rows(), 1);
  multiply<T>(transposeOf(F), T(1), R.Old[0], XBar, Sum, false);
  copy<T>(Sum, XBar);
}

// A = alpha x x^T + A, A = alpha (x y^T + y x^T) + A

/// Y is X if there is one vector only, and counts half then.
template <typename T> struct Update {
  Form F;
  Matrix<T> XBar, YBar, ABar;
  bool Two;

  explicit Update(const Record<T> &R)
      : F(formOf(R)), XBar(R.vectorShadow(0, F.In.Rows)), Two(R.What == R_spr2) {
    if (Two)
      YBar = R.vectorShadow(1, F.In.Rows);
    ABar = arrayOf(R, F, Two ? 2 : 1, true);
  }
};

template <typename T> void updateBefore(Record<T> &R) {
  const Update<T> U(R);
  const int64_t N = U.F.In.Rows;
  if (!U.Two || U.YBar || isActive(R, 0))
    R.Old[0] = R.keepInput(0, R.vector(0, N));
  if (U.Two && (U.XBar || isActive(R, 0)))
    R.Old[1] = R.keepInput(1, R.vector(1, N));
}

/// Calls Visit(i, j) once for each element of the triangle.
template <typename T, typename Visitor> void eachStored(const Update<T> &U, Visitor Visit) {
  visit(U.F, [&](int64_t I, int64_t J, int64_t R, int64_t) {
    if (I == R)
      Visit(I, J);
  });
}

template <typename T> void updateTangent(Record<T> &R) {
  const Update<T> U(R);
  if (!U.ABar)
    return;
  const T Alpha = R.Scalars[0].Value;
  const Matrix<T> X = R.Old[0], Y = U.Two ? R.Old[1] : X, YDot = U.Two ? U.YBar : U.XBar;
  eachStored(U, [&](int64_t I, int64_t J) {
    T Sum = 0;
    if (U.XBar)
      Sum += Alpha * (U.XBar(I, 0) * Y(J, 0) + (U.Two ? Y(I, 0) * U.XBar(J, 0) : T(0)));
    if (YDot)
      Sum += Alpha * (X(I, 0) * YDot(J, 0) + (U.Two ? YDot(I, 0) * X(J, 0) : T(0)));
    if (isActive(R, 0))
      Sum += *R.Scalars[0].Derivative * (X(I, 0) * Y(J, 0) + (U.Two ? Y(I, 0) * X(J, 0) : T(0)));
    U.F.In.at(U.ABar, I, J) += Sum;
  });
}

template <typename T> void updateAdjoint(Record<T> &R) {
  const Update<T> U(R);
  if (!U.ABar)
    return;
  const T Alpha = R.Scalars[0].Value;
  const Matrix<T> X = R.Old[0], Y = U.Two ? R.Old[1] : X;
  Room<T> ToX(U.F.In.Rows, 1), ToY(U.F.In.Rows, 1);
  T AlphaBar = 0;
  eachStored(U, [&](int64_t I, int64_t J) {
    const T Bar = U.F.In.at(U.ABar, I, J);
    if (isActive(R, 0))
      AlphaBar += Bar * (X(I, 0) * Y(J, 0) + (U.Two ? Y(I, 0) * X(J, 0) : T(0)));
    if (U.XBar) {
      ToX(I, 0) += Alpha * Bar * Y(J, 0);
      ToX(J, 0) += Alpha * Bar * Y(I, 0);
    }
    if (U.YBar) {
      ToY(I, 0) += Alpha * Bar * X(J, 0);
      ToY(J, 0) += Alpha * Bar * X(I, 0);
    }
  });
  R.addToScalar(0, AlphaBar);
  if (U.XBar)
    add<T>(U.XBar, ToX, T(1), R.Atomic);
  if (U.YBar)
    add<T>(U.YBar, ToY, T(1), R.Atomic);
}

} // namespace

template <typename T> Family<T> storedFamily(int32_t What) {
  switch (What) {
  case R_spr:
  case R_spr2:
    return {updateBefore<T>, nullptr, updateTangent<T>, updateAdjoint<T>};
  case R_gbmv:
  case R_sbmv:
  case R_spmv:
    return {productBefore<T>, nullptr, productTangent<T>, productAdjoint<T>};
  default:
    return {triangularBefore<T>, triangularAfter<T>, triangularTangent<T>, triangularAdjoint<T>};
  }
}

#define CF_FAMILY(T) template Family<T> storedFamily<T>(int32_t);
CF_BLAS_NUMBERS(CF_FAMILY)

} // namespace contraflow::blas
