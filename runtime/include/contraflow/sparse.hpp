// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jacobians and Hessians of which most entries are zero, by compressed seeding: columns that meet
// in no row share one direction (Curtis, Powell and Reid 1974). They are found by colouring, the
// largest column first (Coleman and More 1983).
//
//   auto p = contraflow::jacobian_pattern(f, x, n);    once: as many tangents as inputs
//   auto j = contraflow::sparse_jacobian(p, f, x, n);  then: as many as colours
//   j.pattern().row_begin, j.pattern().column, j.values() are compressed rows
#ifndef CONTRAFLOW_SPARSE_HPP
#define CONTRAFLOW_SPARSE_HPP

#include "contraflow.hpp"

#define CF_INLINE [[gnu::always_inline]] inline

namespace contraflow {

/// Which entries of a matrix may be other than zero, in compressed rows: those of row i are
/// column[row_begin[i]] ... column[row_begin[i + 1] - 1], in increasing order.
struct sparsity {
  std::size_t rows = 0, columns = 0;
  std::vector<std::size_t> row_begin{0};
  std::vector<std::size_t> column;

  /// From the columns of each row, in any order.
  static sparsity from_rows(std::size_t columns, std::vector<std::vector<std::size_t>> rows) {
    sparsity p{rows.size(), columns, {0}, {}};
    for (auto &row : rows) {
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
      if (!row.empty() && row.back() >= columns)
        throw std::out_of_range("contraflow: a pattern has a column that the matrix does not have");
      p.column.insert(p.column.end(), row.begin(), row.end());
      p.row_begin.push_back(p.column.size());
    }
    return p;
  }
  /// The entries of either; of patterns of one shape.
  sparsity united_with(const sparsity &other) const {
    if (rows != other.rows || columns != other.columns)
      throw std::length_error("contraflow: patterns of different shapes cannot be united");
    std::vector<std::vector<std::size_t>> all(rows);
    for (const sparsity *p : {this, &other})
      for (std::size_t i = 0; i != rows; ++i)
        all[i].insert(all[i].end(), p->column.begin() + p->row_begin[i],
                      p->column.begin() + p->row_begin[i + 1]);
    return from_rows(columns, std::move(all));
  }
};

/// A matrix of the entries of a pattern; values()[k] stands in column pattern().column[k].
template <class T> class sparse_matrix {
public:
  explicit sparse_matrix(sparsity pattern)
      : entries(std::move(pattern)), numbers(entries.column.size()) {}

  std::size_t rows() const { return entries.rows; }
  std::size_t columns() const { return entries.columns; }
  const sparsity &pattern() const { return entries; }
  std::vector<T> &values() { return numbers; }
  const std::vector<T> &values() const { return numbers; }
  /// Zero outside of the pattern.
  T operator()(std::size_t i, std::size_t j) const {
    const auto first = entries.column.begin() + entries.row_begin[i];
    const auto last = entries.column.begin() + entries.row_begin[i + 1];
    const auto found = std::lower_bound(first, last, j);
    return found != last && *found == j ? numbers[found - entries.column.begin()] : T{};
  }

private:
  sparsity entries;
  std::vector<T> numbers;
};

/// Groups of columns no two of which have an entry in the same row.
inline std::vector<std::vector<std::size_t>> colour_columns(const sparsity &p) {
  std::vector<std::vector<std::size_t>> rows_of(p.columns);
  for (std::size_t i = 0; i != p.rows; ++i)
    for (std::size_t k = p.row_begin[i]; k != p.row_begin[i + 1]; ++k)
      rows_of[p.column[k]].push_back(i);
  std::vector<std::size_t> order(p.columns);
  for (std::size_t j = 0; j != p.columns; ++j)
    order[j] = j;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(rows_of[b].size(), a) < std::pair(rows_of[a].size(), b);
  });
  constexpr std::size_t none = -1;
  std::vector<std::size_t> colour(p.columns, none);
  std::vector<std::size_t> taken_by; // for each colour, the last column that must not have it
  std::vector<std::vector<std::size_t>> groups;
  for (const std::size_t j : order) {
    if (rows_of[j].empty())
      continue;
    for (const std::size_t i : rows_of[j])
      for (std::size_t k = p.row_begin[i]; k != p.row_begin[i + 1]; ++k)
        if (const std::size_t c = colour[p.column[k]]; c != none)
          taken_by[c] = j;
    std::size_t c = 0;
    while (c != groups.size() && taken_by[c] == j)
      ++c;
    if (c == groups.size()) {
      groups.emplace_back();
      taken_by.push_back(none);
    }
    colour[j] = c;
    groups[c].push_back(j);
  }
  return groups;
}

namespace detail {

inline void check_pattern(const sparsity &p, std::size_t rows, std::size_t columns) {
  if (p.rows != rows || p.columns != columns || p.row_begin.size() != rows + 1)
    throw std::length_error("contraflow: the pattern does not have the shape of the derivative");
}

/// Who notes the columns of each row whose entries are not zero: the matrix itself is nowhere.
inline auto noting(std::size_t &columns, std::vector<std::vector<std::size_t>> &rows) {
  return [&](std::size_t row_count, std::size_t column_count) {
    columns = column_count;
    rows.resize(row_count);
    return [&rows](std::size_t i, std::size_t j, auto value) {
      if (value != 0)
        rows[i].push_back(j);
    };
  };
}

/// Fills the entries of m, one direction for each colour.
template <class K, class H, class X, class S, class T, class... Rest>
CF_INLINE void fill_entries(K kernel, H f, X &x, const S &zero, sparse_matrix<T> &m,
                            const Rest &...rest) {
  const auto groups = colour_columns(m.pattern());
  std::vector<std::size_t> group_of(m.columns(), groups.size());
  for (std::size_t g = 0; g != groups.size(); ++g)
    for (const std::size_t j : groups[g])
      group_of[j] = g;
  const auto sink = [&](std::size_t g, const std::vector<T> &y_dot) {
    const sparsity &p = m.pattern();
    for (std::size_t i = 0; i != p.rows; ++i)
      for (std::size_t k = p.row_begin[i]; k != p.row_begin[i + 1]; ++k)
        if (group_of[p.column[k]] == g)
          m.values()[k] = y_dot[i];
  };
  sweep_columns(kernel, f, x, zero, column_job{m.rows(), groups, sink}, rest...);
}

} // namespace detail

/// The pattern of jacobian(f, x, rest...) at x: its entries that are not zero there. Entries that
/// vanish at this x only are missed: take a general point, or unite the patterns of several.
template <class F, class X, class... Rest>
CF_INLINE sparsity jacobian_pattern(F f, X &&x, const Rest &...rest) {
  if constexpr (detail::check_jacobian<F, X, Rest...>()) {
    std::size_t columns = 0;
    std::vector<std::vector<std::size_t>> rows;
    detail::visit_jacobian<F, X>(f, x, detail::noting(columns, rows), rest...);
    return sparsity::from_rows(columns, std::move(rows));
  } else {
    return sparsity{};
  }
}

/// As jacobian_pattern, of hessian(f, x, rest...).
template <class F, class X, class... Rest>
CF_INLINE sparsity hessian_pattern(F f, X &&x, const Rest &...rest) {
  if constexpr (detail::check_gradient<F, X, Rest...>()) {
    std::size_t columns = 0;
    std::vector<std::vector<std::size_t>> rows;
    detail::visit_hessian<F, X>(f, x, detail::noting(columns, rows), rest...);
    return sparsity::from_rows(columns, std::move(rows));
  } else {
    return sparsity{};
  }
}

/// jacobian(f, x, rest...), of which only the entries of the pattern may be other than zero.
/// Throws std::length_error if the pattern has another shape.
template <class F, class X, class... Rest>
CF_INLINE auto sparse_jacobian(const sparsity &pattern, F f, X &&x, const Rest &...rest) {
  if constexpr (detail::check_jacobian<F, X, Rest...>()) {
    auto zero = detail::shadow_for<F, X, Rest...>(x);
    using number = typename decltype(detail::number_in<decltype(zero)>())::type;
    detail::check_pattern(pattern, detail::count_outputs(f, x, rest...),
                          detail::numbers_of(zero).size());
    sparse_matrix<number> m(pattern);
    detail::fill_entries(&detail::kernels_for<F, X, Rest...>::template values_of<number>,
                         detail::handle_of(f), x, zero, m, rest...);
    return m;
  }
}

/// hessian(f, x, rest...), of which only the entries of the pattern may be other than zero.
/// Throws std::length_error if the pattern has another shape.
template <class F, class X, class... Rest>
CF_INLINE auto sparse_hessian(const sparsity &pattern, F f, X &&x, const Rest &...rest) {
  if constexpr (detail::check_gradient<F, X, Rest...>()) {
    auto zero = detail::shadow_for<F, X, Rest...>(x);
    using number = typename decltype(detail::number_in<decltype(zero)>())::type;
    const std::size_t size = detail::numbers_of(zero).size();
    detail::check_pattern(pattern, size, size);
    sparse_matrix<number> m(pattern);
    detail::fill_entries(&detail::kernels_for<F, X, Rest...>::template gradient_of<number>,
                         detail::handle_of(f), x, zero, m, rest...);
    return m;
  }
}

} // namespace contraflow

#undef CF_INLINE

#endif
