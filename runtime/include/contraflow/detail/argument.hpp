// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an argument of a derivative call is, and how it reaches the parameter of the function: a
// reference as an address, a container as the address of its data, a number converted.
#ifndef CONTRAFLOW_DETAIL_ARGUMENT_HPP
#define CONTRAFLOW_DETAIL_ARGUMENT_HPP

#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <tuple>
#include <type_traits>

// The plugin finds the function and the markers behind these functions without optimisation.
#define CF_INLINE [[gnu::always_inline]] inline

namespace contraflow {
namespace detail {

enum class kind { constant, active, dup, dup_no_need };

} // namespace detail

/// One argument of a derivative call: made by dup, dup_no_need, active and constant.
template <detail::kind Kind, class Primal, class Shadow = void> struct argument {
  Primal &primal;
  Shadow &shadow;
};
template <detail::kind Kind, class Primal> struct argument<Kind, Primal, void> {
  Primal &primal;
};

namespace detail {

template <class T> struct is_argument : std::false_type {};
template <kind Kind, class Primal, class Shadow>
struct is_argument<argument<Kind, Primal, Shadow>> : std::true_type {};

template <class T> inline constexpr kind kind_of = kind::constant;
template <kind Kind, class Primal, class Shadow>
inline constexpr kind kind_of<argument<Kind, Primal, Shadow>> = Kind;

template <class T>
concept has_shadow = kind_of<T> == kind::dup || kind_of<T> == kind::dup_no_need;

/// Result and parameters of a function pointer.
template <class> struct signature;
template <class Result, class... Parameters> struct signature<Result (*)(Parameters...)> {
  using result = Result;
  using parameters = std::tuple<Parameters...>;
  static constexpr std::size_t arity = sizeof...(Parameters);
};
template <class Result, class... Parameters>
struct signature<Result (*)(Parameters...) noexcept> : signature<Result (*)(Parameters...)> {};

template <class F>
concept plain_function = requires(F f) { typename signature<decltype(+f)>::result; };

template <class T>
concept contiguous = requires(T &t) {
  std::data(t);
  std::size(t);
};

/// True if a T can be handed to a parameter of type Parameter.
template <class T, class Parameter>
concept fits = (std::is_reference_v<Parameter> &&
                std::convertible_to<T *, std::add_pointer_t<std::remove_reference_t<Parameter>>>) ||
               (std::is_pointer_v<Parameter> && contiguous<T> && requires(T &t) {
                 requires std::convertible_to<decltype(std::data(t)), Parameter>;
               }) || (!std::is_reference_v<Parameter> && std::convertible_to<T &, Parameter>);

enum class mode { tangent, adjoint, adjoint_with_value };

/// T without the const of what it points or refers to.
template <class T> struct writable {
  using type = T;
};
template <class T> struct writable<const T *> {
  using type = T *;
};
template <class T> struct writable<const T &> {
  using type = T &;
};

/// What a shadow is handed to: as the primal's parameter; an adjoint is written to.
template <mode Mode, class Parameter>
using shadow_parameter = typename std::conditional_t<Mode != mode::tangent, writable<Parameter>,
                                                     std::type_identity<Parameter>>::type;

/// The value that stands for a reference, pointer or number in the call.
template <class Parameter, class T> CF_INLINE auto hand_over(T &value) {
  if constexpr (std::is_reference_v<Parameter>)
    return static_cast<std::remove_reference_t<Parameter> *>(std::addressof(value));
  else if constexpr (std::is_pointer_v<Parameter> && contiguous<T>)
    return static_cast<Parameter>(std::data(value));
  else
    return static_cast<Parameter>(value);
}

} // namespace detail
} // namespace contraflow

#endif
