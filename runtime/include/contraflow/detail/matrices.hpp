// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of many numbers by many. f is wrapped in a function that writes its outputs in a row
// (values_of) or its gradient (gradient_of); that function is differentiated: tangents, several
// directions next to one primal, for columns; adjoints for rows.
#ifndef CONTRAFLOW_DETAIL_MATRICES_HPP
#define CONTRAFLOW_DETAIL_MATRICES_HPP

#include "../matrix.hpp"

namespace contraflow {
namespace detail {

/// Directions in one tangent call: the registers of one vector of doubles.
inline constexpr std::size_t lanes = 4;

/// The type of the first floating-point number in a T, as std::type_identity; void if there is
/// none.
template <class T> consteval auto number_in();
template <class... M> consteval auto first_number_in(std::type_identity<std::tuple<M...>>) {
  return std::type_identity<void>{};
}
template <class First, class... M>
consteval auto first_number_in(std::type_identity<std::tuple<First, M...>>) {
  using number = decltype(number_in<std::remove_cvref_t<First>>());
  if constexpr (std::same_as<number, std::type_identity<void>>)
    return first_number_in(std::type_identity<std::tuple<M...>>{});
  else
    return number{};
}
template <class... M> std::tuple<M...> members_of(const std::tuple<M...> &);
template <class T, class U> std::tuple<T, U> members_of(const std::pair<T, U> &);
template <class... M> std::tuple<M...> members_of(const std::variant<M...> &);

template <class T> consteval auto number_in() {
  if constexpr (std::floating_point<T>)
    return std::type_identity<T>{};
  else if constexpr (discrete<T>)
    return std::type_identity<void>{};
  else if constexpr (names_members<T>)
    return first_number_in(std::type_identity<decltype(contraflow_members(std::declval<T &>()))>{});
  else if constexpr (is_pair_like<T> || is_variant<T>)
    return first_number_in(std::type_identity<decltype(members_of(std::declval<T>()))>{});
  else if constexpr (map_like<T>)
    return number_in<typename T::mapped_type>();
  else if constexpr (std::is_array_v<T>)
    return number_in<std::remove_cv_t<std::remove_all_extents_t<T>>>();
  else if constexpr (is_owner<T>)
    return number_in<std::remove_cv_t<typename T::element_type>>();
  else if constexpr (is_complex<T> || is_optional<T>)
    return number_in<typename T::value_type>();
  else if constexpr (std::ranges::range<T>)
    return number_in<std::ranges::range_value_t<T>>();
  else
    return first_number_in(std::type_identity<decltype(tie_members(std::declval<T &>()))>{});
}

/// The numbers of x that a derivative is taken by, in order.
template <class X> auto numbers_of(X &x) {
  using number = typename decltype(number_in<X>())::type;
  std::vector<number *> all;
  each_number(x, [&]<class T>(T &one) {
    static_assert(std::same_as<T, number>,
                  "contraflow: jacobian(), hessian() and hvp() take numbers of one type");
    all.push_back(&one);
  });
  return all;
}

/// The direction of a product is handed to the same parameter as x.
template <class V, class Parameter> consteval bool check_direction() {
  constexpr bool alike = fits<V, Parameter>;
  static_assert(alike, "contraflow: the direction of hvp() is an object like x");
  return alike;
}

/// How many numbers f(x, rest...) returns.
template <class F, class X, class... Rest>
std::size_t count_outputs(F &f, X &x, const Rest &...rest) {
  using first = first_parameter<F, X, Rest...>;
  const auto result = [&] {
    if constexpr (std::is_pointer_v<first> && contiguous<X>)
      return behind<F>(handle_of(f))(std::data(x), rest...);
    else
      return behind<F>(handle_of(f))(x, rest...);
  }();
  std::size_t count = 0;
  each_number(result, [&](const auto &) { ++count; });
  return count;
}

/// What f(x, rest...) is turned into.
template <class F, class Parameters> struct kernels;
template <class F, class P0, class... P> struct kernels<F, std::tuple<P0, P...>> {
  /// The outputs of f, one after the other, at y.
  template <class T> static void values_of(handle<F> f, relayed<P0> x, T *y, relayed<P>... rest) {
    const auto result = behind<F>(f)(static_cast<P0>(x), static_cast<P>(rest)...);
    each_number(result, [&](const auto &number) { *y++ = number; });
  }

  /// The gradient of f at g, which is zero before.
  template <class T> static void gradient_of(handle<F> f, relayed<P0> x, T *g, relayed<P>... rest) {
    if constexpr (std::is_pointer_v<P0>) {
      contraflow::adjoint(behind<F>(f), dup(x, g), constant(rest)...);
    } else {
      auto x_bar = shadow_for<F, std::remove_cvref_t<P0>, std::remove_cvref_t<P>...>(x);
      contraflow::adjoint(behind<F>(f), dup(x, x_bar), constant(rest)...);
      each_number(x_bar, [&](const auto &number) { *g++ = number; });
    }
  }
};

template <class F, class X, class... Rest>
using kernels_for = kernels<F, typename called<F, probe<X>, probe<const Rest>...>::parameters>;

/// An argument with several shadows.
template <class X, class Shadows> CF_INLINE auto wide(X &x, Shadows &shadows) {
  return argument<kind::dup_wide, X, Shadows>{x, shadows};
}

template <class T, std::size_t N> std::array<T, N> copies(const T &one) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<T, N>{((void)I, make_shadow(one))...};
  }(std::make_index_sequence<N>{});
}

/// Directions along several numbers of x each, and who takes the tangents of the outputs.
template <class Groups, class Sink> struct column_job {
  std::size_t rows;     ///< outputs
  const Groups &groups; ///< groups[k]: the numbers of x along which direction k goes
  Sink sink;            ///< sink(k, y_dot)
};

/// One tangent for each direction, `lanes` of them next to one primal.
template <class K, class H, class X, class S, class Job, class... Rest>
CF_INLINE void sweep_columns(K kernel, H f, X &x, const S &zero, Job job, const Rest &...rest) {
  using T = typename decltype(number_in<S>())::type;
  std::array<S, lanes> x_dots = copies<S, lanes>(zero);
  std::vector<T> y(job.rows);
  auto y_dots = copies<std::vector<T>, lanes>(y);
  std::array<std::vector<T *>, lanes> seeds;
  for (std::size_t k = 0; k != lanes; ++k)
    seeds[k] = numbers_of(x_dots[k]);
  const auto seed = [&](std::size_t first, std::size_t count, T value) {
    for (std::size_t k = 0; k != count; ++k)
      for (const std::size_t j : job.groups[first + k])
        *seeds[k][j] = value;
  };
  for (std::size_t first = 0; first < job.groups.size(); first += lanes) {
    const std::size_t count = std::min(lanes, job.groups.size() - first);
    y.assign(job.rows, T{});
    for (auto &y_dot : y_dots)
      y_dot.assign(job.rows, T{});
    seed(first, count, 1);
    request_kernel<mode::tangent>(kernel, f, wide(x, x_dots), wide(y, y_dots), constant(rest)...);
    seed(first, count, 0);
    for (std::size_t k = 0; k != count; ++k)
      job.sink(first + k, y_dots[k]);
  }
}

/// A matrix that is visited entry by entry.
template <class Sink> struct entry_job {
  std::size_t rows, columns;
  Sink sink; ///< sink(i, j, value)
};

/// Column after column, one direction each.
template <class K, class H, class X, class S, class Job, class... Rest>
CF_INLINE void visit_columns(K kernel, H f, X &x, const S &zero, Job job, const Rest &...rest) {
  std::vector<std::array<std::size_t, 1>> groups(job.columns);
  for (std::size_t j = 0; j != job.columns; ++j)
    groups[j][0] = j;
  const auto sink = [&job](std::size_t j, const auto &y_dot) {
    for (std::size_t i = 0; i != job.rows; ++i)
      job.sink(i, j, y_dot[i]);
  };
  sweep_columns(kernel, f, x, zero, column_job{job.rows, groups, sink}, rest...);
}

/// Row after row, one adjoint each.
template <class K, class H, class X, class S, class Job, class... Rest>
CF_INLINE void visit_rows(K kernel, H f, X &x, S x_bar, Job job, const Rest &...rest) {
  using T = typename decltype(number_in<S>())::type;
  std::vector<T> y(job.rows), y_bar(job.rows);
  const std::vector<T *> row = numbers_of(x_bar);
  for (std::size_t i = 0; i != job.rows; ++i) {
    zero_shadow(x_bar);
    y_bar.assign(job.rows, T{});
    y_bar[i] = 1;
    request_kernel<mode::adjoint>(kernel, f, dup(x, x_bar), dup(y, y_bar), constant(rest)...);
    for (std::size_t j = 0; j != job.columns; ++j)
      job.sink(i, j, *row[j]);
  }
}

/// The entries of jacobian(f, x, rest...): make(rows, columns) says who gets them.
template <class F, class X, class Make, class... Rest>
CF_INLINE void visit_jacobian(F f, X &x, Make make, const Rest &...rest) {
  auto zero = shadow_for<F, X, Rest...>(x);
  using number = typename decltype(number_in<decltype(zero)>())::type;
  const auto kernel = &kernels_for<F, X, Rest...>::template values_of<number>;
  const std::size_t rows = count_outputs(f, x, rest...), columns = numbers_of(zero).size();
  const auto sink = make(rows, columns);
  if (rows * 2 < columns)
    visit_rows(kernel, handle_of(f), x, zero, entry_job{rows, columns, sink}, rest...);
  else
    visit_columns(kernel, handle_of(f), x, zero, entry_job{rows, columns, sink}, rest...);
}

/// The entries of hessian(f, x, rest...).
template <class F, class X, class Make, class... Rest>
CF_INLINE void visit_hessian(F f, X &x, Make make, const Rest &...rest) {
  auto zero = shadow_for<F, X, Rest...>(x);
  using number = typename decltype(number_in<decltype(zero)>())::type;
  const std::size_t size = numbers_of(zero).size();
  visit_columns(&kernels_for<F, X, Rest...>::template gradient_of<number>, handle_of(f), x, zero,
                entry_job{size, size, make(size, size)}, rest...);
}

/// The type of the numbers that f is differentiated by.
template <class F, class X, class... Rest>
using number_of =
    typename decltype(number_in<decltype(shadow_for<F, X, Rest...>(std::declval<X &>()))>())::type;

/// Who fills a dense matrix.
template <class T> auto filling(matrix<T> &m) {
  return [&m](std::size_t rows, std::size_t columns) {
    m = matrix<T>(rows, columns);
    return [&m](std::size_t i, std::size_t j, T value) { m(i, j) = value; };
  };
}

} // namespace detail

/// The Jacobian of f(x, rest...) with respect to x, for constant `rest`: row i, column j is
/// d y_i / d x_j, of the outputs y that f returns (a number, an array, a container or a structure)
/// and the numbers of x. By tangents, or by adjoints where the outputs are few. f leaves x as it
/// is.
template <class F, class X, class... Rest>
CF_INLINE auto jacobian(F f, X &&x, const Rest &...rest) {
  if constexpr (detail::check_jacobian<F, X, Rest...>()) {
    matrix<detail::number_of<F, X, Rest...>> m;
    detail::visit_jacobian<F, X>(f, x, detail::filling(m), rest...);
    return m;
  }
}

/// The Hessian of the number f(x, rest...) with respect to the numbers of x, for constant `rest`:
/// tangents of the adjoint. f leaves x as it is.
template <class F, class X, class... Rest> CF_INLINE auto hessian(F f, X &&x, const Rest &...rest) {
  if constexpr (detail::check_gradient<F, X, Rest...>()) {
    matrix<detail::number_of<F, X, Rest...>> m;
    detail::visit_hessian<F, X>(f, x, detail::filling(m), rest...);
    return m;
  }
}

/// The Hessian of the number f(x, rest...) times v, an object like x: the tangent of the adjoint
/// along v, without the Hessian. A vector of the numbers in order.
template <class F, class X, class V, class... Rest>
CF_INLINE auto hvp(F f, X &&x, const V &v, const Rest &...rest) {
  if constexpr (detail::check_gradient<F, X, Rest...>()) {
    if constexpr (detail::check_direction<V, detail::first_parameter<F, X, Rest...>>()) {
      auto zero = detail::shadow_for<F, X, Rest...>(x);
      const auto numbers = detail::numbers_of(zero);
      using number = typename decltype(detail::number_in<decltype(zero)>())::type;
      std::vector<number> g(numbers.size()), g_dot(numbers.size());
      detail::request_kernel<detail::mode::tangent>(
          &detail::kernels_for<F, X, Rest...>::template gradient_of<number>, detail::handle_of(f),
          dup(x, v), dup(g, g_dot), constant(rest)...);
      return g_dot;
    }
  }
}

} // namespace contraflow

#endif
