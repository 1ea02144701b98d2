// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Misuse of a derivative call, each kind refused with one sentence at compile time.
#ifndef CONTRAFLOW_DETAIL_CHECK_HPP
#define CONTRAFLOW_DETAIL_CHECK_HPP

#include "argument.hpp"

#include <stdexcept>

namespace contraflow::detail {

/// A shadow fits its parameter; says so if it does not.
template <mode Mode, class Parameter, class Argument> consteval bool check_shadow() {
  using shadow = std::remove_reference_t<decltype(std::declval<Argument &>().shadow)>;
  constexpr bool number = std::floating_point<std::remove_cv_t<Parameter>>;
  constexpr bool same = fits<shadow, shadow_parameter<Mode, Parameter>>;
  static_assert(same, "contraflow: a shadow has the type of its primal; an adjoint adds to it");
  static_assert(Mode == mode::tangent || !number,
                "contraflow: the adjoint of a number passed by value is returned; use active(v)");
  static_assert(!std::integral<std::remove_cv_t<Parameter>>,
                "contraflow: an integer has no shadow; pass it as constant(n)");
  return same;
}

template <mode Mode, class Parameter, class Argument> consteval bool check_argument() {
  using primal = std::remove_reference_t<decltype(std::declval<Argument &>().primal)>;
  constexpr bool suitable = fits<primal, Parameter>;
  static_assert(suitable, "contraflow: the argument cannot be passed to the function's parameter");
  if constexpr (kind_of<Argument> == kind::active) {
    static_assert(std::floating_point<std::remove_cv_t<Parameter>>,
                  "contraflow: active() is for a floating-point number passed by value");
    static_assert(Mode != mode::tangent,
                  "contraflow: in a tangent a number and its tangent are passed as dup(v, v_dot)");
  }
  if constexpr (has_shadow<Argument>)
    return check_shadow<Mode, Parameter, Argument>() && suitable;
  else
    return suitable;
}

template <mode Mode, class Parameters, class Arguments> struct check_each;
template <mode Mode, class... Parameters, class... Arguments>
struct check_each<Mode, std::tuple<Parameters...>, std::tuple<Arguments...>> {
  static consteval bool run() { return (check_argument<Mode, Parameters, Arguments>() & ...); }
};
template <mode Mode> struct check_each<Mode, std::tuple<>, std::tuple<>> {
  static consteval bool run() { return true; }
};

template <class F> consteval bool check_function() {
  static_assert(
      plain_function<F>,
      "contraflow: what is differentiated is a function, or a lambda without captures and "
      "without auto parameters");
  return plain_function<F>;
}

/// Refuses misuse with one sentence; false if the call makes no sense.
template <mode Mode, class F, class... Arguments> consteval bool check_call() {
  constexpr bool wrapped = (is_argument<Arguments>::value && ...);
  static_assert(wrapped, "contraflow: wrap each argument in dup(x, dx), active(v) or constant(c)");
  if constexpr (check_function<F>() && wrapped) {
    using types = signature<decltype(+std::declval<F &>())>;
    constexpr bool complete = types::arity == sizeof...(Arguments);
    static_assert(complete, "contraflow: one argument for each parameter of the function");
    if constexpr (complete)
      return check_each<Mode, typename types::parameters, std::tuple<Arguments...>>::run();
    return false;
  } else {
    return false;
  }
}

template <class F, class X> consteval bool check_gradient() {
  if constexpr (check_function<F>()) {
    using types = signature<decltype(+std::declval<F &>())>;
    static_assert(std::floating_point<typename types::result>,
                  "contraflow: a gradient is that of a function that returns a number");
    if constexpr (types::arity != 0) {
      using first = std::tuple_element_t<0, typename types::parameters>;
      static_assert(!std::is_pointer_v<first> || contiguous<X>,
                    "contraflow: gradient() needs an array, vector or span, whose length it sees");
      return !std::is_pointer_v<first> || contiguous<X>;
    }
  }
  return false;
}

/// The lengths of a container and of its shadow agree.
template <class Argument> CF_INLINE void check_length(const Argument &argument) {
  if constexpr (has_shadow<Argument>) {
    if constexpr (contiguous<decltype(argument.primal)> && contiguous<decltype(argument.shadow)>) {
      if (std::size(argument.primal) != std::size(argument.shadow))
        throw std::length_error("contraflow: a shadow has the length of its primal");
    }
  }
}

} // namespace contraflow::detail

#endif
