// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What jacobian() and hessian() return: dense, row after row.
#ifndef CONTRAFLOW_MATRIX_HPP
#define CONTRAFLOW_MATRIX_HPP

#include <cstddef>
#include <vector>

namespace contraflow {

/// rows x columns numbers, zero at first; m(i, j) is m.data()[i * columns + j].
template <class T> class matrix {
public:
  matrix() = default;
  matrix(std::size_t rows, std::size_t columns)
      : row_count(rows), column_count(columns), numbers(rows * columns) {}

  std::size_t rows() const { return row_count; }
  std::size_t columns() const { return column_count; }
  T &operator()(std::size_t i, std::size_t j) { return numbers[i * column_count + j]; }
  const T &operator()(std::size_t i, std::size_t j) const { return numbers[i * column_count + j]; }
  T *data() { return numbers.data(); }
  const T *data() const { return numbers.data(); }

private:
  std::size_t row_count = 0, column_count = 0;
  std::vector<T> numbers;
};

} // namespace contraflow

#endif
