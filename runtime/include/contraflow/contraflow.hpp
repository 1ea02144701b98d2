// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives in C++20. What is differentiated is a function, a lambda or another object that can
// be called, whose body the compiler sees; each argument is wrapped in what is wanted of it. An
// object is taken by value, as the standard library does (std::ref(f) is not copied); what it holds
// is constant, unless it is passed with a shadow of itself: dup(f, f_bar).
//
//   double energy(const double *x, std::size_t n, double k);
//
//   std::vector<double> x(n, 1.0), x_bar(n, 0.0);
//   double k_bar = contraflow::adjoint(energy, contraflow::dup(x, x_bar),    // x_bar += dE/dx
//                                      contraflow::constant(n),
//                                      contraflow::active(2.0));             // returns dE/dk
//   double e_dot = contraflow::tangent(energy, contraflow::dup(x, x_dot),    // dE/dx . x_dot
//                                      contraflow::constant(n), contraflow::constant(2.0));
//   std::vector<double> g = contraflow::gradient(energy, x, n, 2.0);         // dE/dx, fresh
//   auto [e, de] = contraflow::value_and_gradient(energy, x, n, 2.0);
//   auto h = contraflow::hvp(energy, x, v, n, 2.0);                          // d2E/dx2 . v
//
// Shapes and units. A shadow has the shape of what it shadows. In an adjoint, x_bar[i] has the unit
// of the result over that of x[i], and is added to: clear it first if it is not meant to
// accumulate. In a tangent, x_dot[i] has the unit of x[i]. The adjoint of the result starts from
// one.
//
// Misuse that C++ can see is refused with one sentence; the rest is refused by the plugin with a
// number (docs/diagnostics). Containers of different lengths throw std::length_error.
#ifndef CONTRAFLOW_CONTRAFLOW_HPP
#define CONTRAFLOW_CONTRAFLOW_HPP

#include "detail/request.hpp"
#include "detail/shadow.hpp"
#include "disjoint.h"

#include <vector>

namespace contraflow {

/// An argument with a shadow: a pointer, array, vector or span; what a reference parameter binds
/// to; in a tangent also a number and its tangent.
template <class Primal, class Shadow>
CF_INLINE auto dup(Primal &&primal [[clang::lifetimebound]],
                   Shadow &&shadow [[clang::lifetimebound]]) {
  return argument<detail::kind::dup, std::remove_reference_t<Primal>,
                  std::remove_reference_t<Shadow>>{primal, shadow};
}

/// As dup, where nobody reads afterwards what the call writes to the primal memory.
template <class Primal, class Shadow>
CF_INLINE auto dup_no_need(Primal &&primal [[clang::lifetimebound]],
                           Shadow &&shadow [[clang::lifetimebound]]) {
  return argument<detail::kind::dup_no_need, std::remove_reference_t<Primal>,
                  std::remove_reference_t<Shadow>>{primal, shadow};
}

/// A number passed by value whose adjoint is returned.
template <class Primal> CF_INLINE auto active(Primal &&primal [[clang::lifetimebound]]) {
  return argument<detail::kind::active, std::remove_reference_t<Primal>>{primal};
}

/// An argument without derivative.
template <class Primal> CF_INLINE auto constant(Primal &&primal [[clang::lifetimebound]]) {
  return argument<detail::kind::constant, std::remove_reference_t<Primal>>{primal};
}

/// The adjoint of f: adds to the shadows of dup arguments and returns the adjoints of the active
/// ones (void, one number, or std::array of them in order). The result of f is seeded with one.
template <class F, class... Arguments> CF_INLINE auto adjoint(F f, Arguments... arguments) {
  if constexpr (detail::check_call<detail::mode::adjoint, F, Arguments...>())
    return detail::request_adjoint<detail::mode::adjoint>(f, arguments...);
}

/// The tangent of f in the direction of the shadows: writes the shadows of what f writes and
/// returns the tangent of the result.
template <class F, class... Arguments> CF_INLINE auto tangent(F f, Arguments... arguments) {
  if constexpr (detail::check_call<detail::mode::tangent, F, Arguments...>()) {
    using primal = typename detail::called<F, Arguments...>::result;
    using result = std::conditional_t<std::floating_point<primal>, primal, void>;
    return detail::request<detail::mode::tangent, result>(f, arguments...);
  }
}

/// The gradient of f(x, rest...) with respect to x, for constant `rest`: a vector as long as x if f
/// takes a pointer or a view, an object like x (make_shadow) if f takes a class. If all parameters
/// are numbers: with respect to all of them, as adjoint() returns it.
template <class F, class X, class... Rest>
CF_INLINE auto gradient(F f, X &&x, const Rest &...rest) {
  if constexpr (detail::check_gradient<F, X, Rest...>()) {
    if constexpr (detail::takes_number<F, X, Rest...>) {
      return adjoint(f, active(x), active(rest)...);
    } else {
      auto x_bar = detail::shadow_for<F, X, Rest...>(x);
      adjoint(f, dup(x, x_bar), constant(rest)...);
      return x_bar;
    }
  }
}

/// What value_and_gradient returns.
template <class Value, class Gradient> struct evaluation {
  Value value;
  Gradient gradient;
};

/// f(x, rest...) and its gradient as gradient() returns it, from one call.
template <class F, class X, class... Rest>
CF_INLINE auto value_and_gradient(F f, X &&x, const Rest &...rest) {
  if constexpr (detail::check_gradient<F, X, Rest...>()) {
    constexpr auto mode = detail::mode::adjoint_with_value;
    if constexpr (detail::takes_number<F, X, Rest...>) {
      const auto all = detail::request_adjoint<mode>(f, active(x), active(rest)...);
      return detail::first_and_rest<evaluation>(all);
    } else {
      auto x_bar = detail::shadow_for<F, X, Rest...>(x);
      const auto value = detail::request_adjoint<mode>(f, dup(x, x_bar), constant(rest)...);
      return evaluation<decltype(+value), decltype(x_bar)>{value, std::move(x_bar)};
    }
  }
}

} // namespace contraflow

#include "detail/matrices.hpp"

#undef CF_INLINE

#endif
