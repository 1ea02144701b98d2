// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Misuse of a derivative call, each kind refused with one sentence at compile time.
#ifndef CONTRAFLOW_DETAIL_CHECK_HPP
#define CONTRAFLOW_DETAIL_CHECK_HPP

#include "callable.hpp"

#include <stdexcept>

namespace contraflow::detail {

/// A shadow, or each of an array of them, fits the parameter. What a view shows of an adjoint is
/// written to.
template <class Argument, class Shadow, class Parameter> consteval bool fits_each() {
  if constexpr (kind_of<Argument> == kind::dup_wide)
    return fits<typename Shadow::value_type, Parameter>;
  else
    return fits<Shadow, Parameter>;
}

/// A constant may be converted; anything else is referred to.
template <class Argument, class Primal, class Parameter>
concept passes =
    fits<Primal, Parameter> ||
    (kind_of<Argument> == kind::constant && std::is_const_v<std::remove_reference_t<Parameter>> &&
     std::convertible_to<Primal &, std::remove_cvref_t<Parameter>>);

/// A shadow fits its parameter; says so if it does not.
template <mode Mode, class Parameter, class Argument> consteval bool check_shadow() {
  using shadow = std::remove_reference_t<decltype(std::declval<Argument &>().shadow)>;
  constexpr bool number = std::floating_point<std::remove_cv_t<Parameter>>;
  constexpr bool same = fits_each<Argument, shadow, shadow_parameter<Mode, Parameter>>();
  static_assert(same, "contraflow: a shadow has the type of its primal; an adjoint adds to it");
  static_assert(Mode == mode::tangent || !number,
                "contraflow: the adjoint of a number passed by value is returned; use active(v)");
  static_assert(!std::integral<std::remove_cv_t<Parameter>>,
                "contraflow: an integer has no shadow; pass it as constant(n)");
  return same;
}

template <mode Mode, class Parameter, class Argument> consteval bool check_argument() {
  using primal = std::remove_reference_t<decltype(std::declval<Argument &>().primal)>;
  constexpr bool suitable = passes<Argument, primal, Parameter>;
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

template <class F, class... Arguments> consteval bool check_function() {
  constexpr bool known = callable_with<F, Arguments...>;
  static_assert(known, "contraflow: what is differentiated is a function, or an object that can be "
                       "called with these arguments");
  return known;
}

/// The result has no place in a derivative call; says what to do instead.
template <class Result> consteval bool check_result() {
  constexpr bool simple = !std::is_class_v<Result>;
  static_assert(simple, "contraflow: the function returns a class; jacobian() takes it, or let it "
                        "write to an argument that is passed as dup(y, y_bar)");
  return simple;
}

/// Refuses misuse with one sentence; false if the call makes no sense.
template <mode Mode, class F, class... Arguments> consteval bool check_call() {
  constexpr bool wrapped = (is_argument<Arguments>::value && ...);
  static_assert(wrapped, "contraflow: wrap each argument in dup(x, dx), active(v) or constant(c)");
  if constexpr (!wrapped) {
    return false;
  } else if constexpr (check_function<F, Arguments...>()) {
    using types = called<F, Arguments...>;
    constexpr bool complete = types::arity == sizeof...(Arguments);
    static_assert(complete, "contraflow: one argument for each parameter of the function");
    if constexpr (complete)
      return check_result<typename types::result>() &&
             check_each<Mode, typename types::parameters, std::tuple<Arguments...>>::run();
    return false;
  } else {
    return false;
  }
}

/// The kind of argument that x is asked about with, before its derivative is known.
template <class X> using probe = argument<kind::constant, std::remove_reference_t<X>>;

template <class Types, class X> consteval bool check_input() {
  if constexpr (Types::arity == 0) {
    return false;
  } else {
    using first = std::tuple_element_t<0, typename Types::parameters>;
    constexpr bool sized = !std::is_pointer_v<first> || contiguous<X>;
    static_assert(sized,
                  "contraflow: gradient() needs an array, vector or span, whose length it sees");
    constexpr bool led =
        std::is_pointer_v<first> ||
        (std::is_reference_v<first> && !std::floating_point<std::remove_cvref_t<first>>);
    constexpr bool suitable = !sized || !led || fits<std::remove_reference_t<X>, first>;
    static_assert(suitable,
                  "contraflow: the argument cannot be passed to the function's parameter");
    return sized && suitable;
  }
}

/// f(x, rest...) is a number, and x has a length or is one.
template <class F, class X, class... Rest> consteval bool check_gradient() {
  if constexpr (check_function<F, probe<X>, probe<const Rest>...>()) {
    using types = called<F, probe<X>, probe<const Rest>...>;
    constexpr bool number = std::floating_point<typename types::result>;
    static_assert(number, "contraflow: a gradient is that of a function that returns a number");
    return number && check_input<types, X>();
  } else {
    return false;
  }
}

/// f(x, rest...) returns what has numbers, and x has a length.
template <class F, class X, class... Rest> consteval bool check_jacobian() {
  if constexpr (check_function<F, probe<X>, probe<const Rest>...>()) {
    using types = called<F, probe<X>, probe<const Rest>...>;
    constexpr bool value =
        !std::is_void_v<typename types::result> && !std::is_pointer_v<typename types::result>;
    static_assert(value, "contraflow: jacobian() is for a function that returns its outputs; wrap "
                         "it in a lambda that returns an array or a vector");
    return value && check_input<types, X>();
  } else {
    return false;
  }
}

/// The lengths of a container and of its shadow agree.
template <class Argument> CF_INLINE void check_length(const Argument &argument) {
  if constexpr (has_shadow<Argument> && kind_of<Argument> != kind::dup_wide) {
    if constexpr (contiguous<decltype(argument.primal)> && contiguous<decltype(argument.shadow)>) {
      if (std::size(argument.primal) != std::size(argument.shadow))
        throw std::length_error("contraflow: a shadow has the length of its primal");
    }
  }
}

} // namespace contraflow::detail

#endif
