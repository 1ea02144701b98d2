// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shadows that are two functions of the program and no memory: unit vectors that nobody stores,
// columns and rows of a Jacobian, and Hessians as lists of what is not zero.
// Supports: __enzyme_todense: sparse Jacobians and Hessians
#include "GradientCheck.h"

#include <cmath>
#include <cstring>
#include <vector>

template <class R, class... A> R __enzyme_todense(A...);
template <class R, class... A> R __enzyme_post_sparse_todense(A...); // another name for it

constexpr int n = 7;

template <class T> static T unit_read(std::size_t at, std::size_t which) {
  return at == which * sizeof(T) ? T(1) : T(0);
}
template <class T> static void unit_write(T, std::size_t, std::size_t) {}

/// Column `column` of a matrix that is stored by rows, or row `column` of its transpose.
template <class T> static T column_read(long at, std::size_t column, const T *matrix) {
  return matrix[at / static_cast<long>(sizeof(T)) * n + static_cast<long>(column)];
}
template <class T> static void column_write(T v, long at, std::size_t column, T *matrix) {
  matrix[at / static_cast<long>(sizeof(T)) * n + static_cast<long>(column)] = v;
}
template <class T> static T *unit(std::size_t which) {
  return __enzyme_post_sparse_todense<T *>((void *)unit_read<T>, (void *)unit_write<T>, which);
}

struct Entry {
  std::size_t row, column;
  double value;
};
static double entry_read(unsigned long, std::size_t, std::vector<Entry> *) { return 0; }
static void entry_write(double v, unsigned long at, std::size_t column, std::vector<Entry> *list) {
  if (v != 0)
    list->push_back({at / sizeof(double), column, v});
}

// The checks below: the tangent multiplies with the matrix of tangents, the adjoint with that of
// adjoints.
template <class T> static double times(const T *matrix, void *const *shadows) {
  auto *x_dot = static_cast<const T *>(shadows[0]);
  auto *y_dot = static_cast<T *>(shadows[1]);
  for (int i = 0; i < n; ++i) {
    y_dot[i] = 0;
    for (int j = 0; j < n; ++j)
      y_dot[i] += matrix[i * n + j] * x_dot[j];
  }
  return 0;
}
template <class T> static void times_transposed(const T *matrix, void *const *shadows) {
  auto *x_bar = static_cast<T *>(shadows[0]);
  auto *y_bar = static_cast<T *>(shadows[1]);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      x_bar[j] += matrix[i * n + j] * y_bar[i];
  std::memset(y_bar, 0, n * sizeof(T));
}

#define JACOBIAN(name, T)                                                                          \
  JACOBIAN_TANGENT(name, T)                                                                        \
  static void name##_adjoint(void *const *values, void *const *shadows) {                          \
    T matrix[n * n] = {}, seeds[n * n] = {};                                                       \
    for (std::size_t i = 0; i < n; ++i) {                                                          \
      seeds[i * n + i] = 1;                                                                        \
      __enzyme_autodiff<void>(                                                                     \
          (void *)name, enzyme_dup, (const T *)values[0],                                          \
          __enzyme_todense<T *>((void *)column_read<T>, (void *)column_write<T>, i, (T *)matrix),  \
          enzyme_dup, (T *)values[1],                                                              \
          __enzyme_todense<T *>((void *)column_read<T>, (void *)column_write<T>, i, (T *)seeds));  \
    }                                                                                              \
    T transposed[n * n];                                                                           \
    for (int i = 0; i < n * n; ++i)                                                                \
      transposed[i] = matrix[i % n * n + i / n];                                                   \
    times_transposed<T>(transposed, shadows);                                                      \
  }                                                                                                \
  GRADIENT_CHECK_CUSTOM(name, Void, name##_primal, name##_tangent, name##_adjoint, In(T, n),       \
                        Out(T, n))
#define JACOBIAN_TANGENT(name, T)                                                                  \
  static double name##_primal(void *const *values) {                                               \
    name(static_cast<const T *>(values[0]), static_cast<T *>(values[1]));                          \
    return 0;                                                                                      \
  }                                                                                                \
  static double name##_tangent(void *const *values, void *const *shadows) {                        \
    T matrix[n * n] = {};                                                                          \
    for (std::size_t j = 0; j < n; ++j) {                                                          \
      T *column =                                                                                  \
          __enzyme_todense<T *>((void *)column_read<T>, (void *)column_write<T>, j, (T *)matrix);  \
      __enzyme_fwddiff<void>(                                                                      \
          (void *)name, enzyme_dup, (const T *)values[0],                                          \
          __enzyme_todense<T *>((void *)unit_read<T>, (void *)unit_write<T>, j), enzyme_dup,       \
          (T *)values[1], column);                                                                 \
    }                                                                                              \
    return times<T>(matrix, shadows);                                                              \
  }

static void loops(const double *x, double *y) {
  std::memset(y, 0, n * sizeof *y);
  for (int step = 0; step < 3; ++step)
    for (int i = 0; i < n; ++i) {
      double *to = x[i] > 0.9 ? y + i : y + (i + 1) % n;
      *to += std::sin(x[i]) * x[(i + 2) % n];
      y[i] *= x[step];
    }
}
JACOBIAN(loops, double)

__attribute__((noinline)) static void descend(const double *x, double *y, int left) {
  if (left == 0)
    return;
  y[0] = x[0] * x[0] + (left > 1 ? x[1] : 1);
  descend(x + 1, y + 1, left - 1);
  if (left > 2)
    y[0] += y[1] * y[2];
}
// The adjoint records addresses, which a view has none of.
static void recursion(const double *x, double *y) { descend(x, y, n); }
JACOBIAN_TANGENT(recursion, double)
static void recursion_adjoint(void *const *values, void *const *shadows) {
  __enzyme_autodiff<void>((void *)recursion, enzyme_dup, (const double *)values[0],
                          (double *)shadows[0], enzyme_dup, (double *)values[1],
                          (double *)shadows[1]);
}
GRADIENT_CHECK_CUSTOM(recursion, Void, recursion_primal, recursion_tangent, recursion_adjoint,
                      In(double, n), Out(double, n))

struct Cell {
  float mass, momentum[2];
};
static void structures(const float *x, float *y) {
  Cell cells[3];
  std::memcpy(&cells, x, 6 * sizeof(float));
  for (int k = 0; k < 2; ++k)
    cells[k].momentum[0] *= cells[1 - k].mass;
  for (const float *end = x + n; end != x; --end)
    y[end - x - 1] = end[-1] * cells[1].momentum[0];
  std::memcpy(y, cells, 3 * sizeof(float));
}
JACOBIAN(structures, float)

// Pairs, which vectorise.
static void pairs(const double *x, double *y) {
  for (int i = 0; i + 1 < n; i += 2) {
    y[i] = x[i] * x[i + 1];
    y[i + 1] = x[i + 1] * x[i];
  }
  y[n - 1] = x[n - 1];
}
JACOBIAN(pairs, double)

// Hessians: tangents of gradients, of which only the list of what is not zero is stored. There is
// no memory for the gradient itself.
static double energy(const double *x, unsigned long count) {
  double sum = 0;
  for (unsigned long i = 0; i + 1 < count; ++i) {
    const double stretch = x[i + 1] - x[i];
    sum += std::sqrt(1 + stretch * stretch) + x[i] * x[i] * x[i];
  }
  return sum;
}
static void gradient(const double *x, double *x_bar, unsigned long count) {
  __enzyme_autodiff<void>((void *)energy, enzyme_dup, x, x_bar, enzyme_const, count);
}
static double hessian_primal(void *const *values) {
  std::memset(values[1], 0, n * sizeof(double));
  gradient(static_cast<const double *>(values[0]), static_cast<double *>(values[1]), n);
  return 0;
}
static std::vector<Entry> entries(const double *x, bool null) {
  std::vector<Entry> list;
  for (std::size_t j = 0; j < n; ++j) {
    double *to = __enzyme_todense<double *>((void *)entry_read, (void *)entry_write, j, &list);
    if (null)
      __enzyme_fwddiff<void>((void *)gradient, enzyme_dup, x, unit<double>(j), enzyme_dupnoneed,
                             (double *)nullptr, to, enzyme_const, n);
    else
      __enzyme_fwddiff<void>((void *)gradient, enzyme_dup, x, unit<double>(j), enzyme_dupnoneed,
                             (double *)1, to, enzyme_const, n);
  }
  return list;
}
static double hessian_tangent(void *const *values, void *const *shadows) {
  double matrix[n * n] = {};
  const std::vector<Entry> list = entries(static_cast<const double *>(values[0]), false);
  for (const Entry &e : list)
    matrix[e.row * n + e.column] += e.value;
  if (list.size() > 3 * n + n) // two terms on the diagonal
    std::memset(matrix, 0, sizeof matrix);
  hessian_primal(values);
  return times(matrix, shadows);
}
static void hessian_adjoint(void *const *values, void *const *shadows) {
  double matrix[n * n] = {};
  for (const Entry &e : entries(static_cast<const double *>(values[0]), true))
    matrix[e.row * n + e.column] += e.value;
  hessian_primal(values);
  times_transposed(matrix, shadows);
}
GRADIENT_CHECK_CUSTOM(sparse_hessian, Void, hessian_primal, hessian_tangent, hessian_adjoint,
                      In(double, n), NoNeed(double, n))
