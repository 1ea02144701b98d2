// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an argument of a derivative call is, and how it reaches the parameter of the function: a
// reference as an address, a container as the address of its data, a number converted.
#ifndef CONTRAFLOW_DETAIL_ARGUMENT_HPP
#define CONTRAFLOW_DETAIL_ARGUMENT_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <tuple>
#include <type_traits>

// The plugin finds the function and the markers behind these functions without optimisation.
#define CF_INLINE [[gnu::always_inline]] inline

namespace contraflow {
namespace detail {

/// dup_wide: the shadow is an array of shadows, one for each direction.
enum class kind { constant, active, dup, dup_no_need, dup_wide };

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
concept has_shadow =
    kind_of<T> == kind::dup || kind_of<T> == kind::dup_no_need || kind_of<T> == kind::dup_wide;

/// The number of directions that an argument brings.
template <class T> inline constexpr std::size_t width_of = 1;
template <class Primal, class Shadow, std::size_t N>
inline constexpr std::size_t width_of<argument<kind::dup_wide, Primal, std::array<Shadow, N>>> = N;

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

/// True if a reference of type Parameter may bind to an object made from a T: something that only
/// points to the numbers of a T, such as a span.
template <class T, class Parameter>
concept viewed =
    std::is_reference_v<Parameter> && std::ranges::view<std::remove_cvref_t<Parameter>> &&
    std::ranges::borrowed_range<std::remove_cvref_t<Parameter>> &&
    std::convertible_to<T &, std::remove_cvref_t<Parameter>>;

/// Stands for any object that is called through a relay.
struct object;
template <class Parameter>
concept object_address =
    std::same_as<Parameter, const object *> || std::same_as<Parameter, object *>;
template <class T, class Parameter>
concept addressed = std::is_class_v<T> && object_address<Parameter>;

/// True if a T can be handed to a parameter of type Parameter.
template <class T, class Parameter>
concept fits = viewed<T, Parameter> || addressed<T, Parameter> ||
               (std::is_reference_v<Parameter> &&
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

/// True if the call gets an object of its own, made from a T that the parameter cannot refer to.
template <class T, class Parameter>
inline constexpr bool is_converted =
    std::is_reference_v<Parameter> &&
    !std::convertible_to<T *, std::add_pointer_t<std::remove_reference_t<Parameter>>>;

struct nothing {};
/// The object of such a call. It lives in the caller's expression.
template <class T, class Parameter>
using made_for_call = std::conditional_t<is_converted<T, Parameter>,
                                         std::optional<std::remove_cvref_t<Parameter>>, nothing>;

/// Pointers of all types are one type to the plugin, and types without linkage cannot be named.
template <class T> CF_INLINE auto erase(T value) {
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<std::conditional_t<std::is_function_v<std::remove_pointer_t<T>>, void *,
                                               const volatile void *>>(value);
  else
    return value;
}

/// The value that stands for a reference, pointer or number in the call.
template <class Parameter, class T>
CF_INLINE auto hand_over(T &value, made_for_call<T, Parameter> &&made = {}) {
  if constexpr (is_converted<T, Parameter>)
    return erase(std::addressof(made.emplace(value)));
  else if constexpr (std::is_reference_v<Parameter>)
    return erase(static_cast<std::remove_reference_t<Parameter> *>(std::addressof(value)));
  else if constexpr (addressed<T, Parameter>)
    return erase(reinterpret_cast<const object *>(std::addressof(value)));
  else if constexpr (std::is_pointer_v<Parameter> && contiguous<T>)
    return erase(static_cast<Parameter>(std::data(value)));
  else
    return erase(static_cast<Parameter>(value));
}

} // namespace detail
} // namespace contraflow

#endif
