// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spreads wrapped arguments into the flat list that the plugin reads:
//
//   dup(x, dx), constant(n)   ->   marker_dup, x, dx, marker_const, n
#ifndef CONTRAFLOW_DETAIL_REQUEST_HPP
#define CONTRAFLOW_DETAIL_REQUEST_HPP

#include "callable.hpp"
#include "check.hpp"
#include "shadow.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace contraflow::detail {

// Known to the plugin by these names; defined nowhere.
extern int marker_const __asm__("enzyme_const");
extern int marker_out __asm__("enzyme_out");
extern int marker_dup __asm__("enzyme_dup");
extern int marker_dupnoneed __asm__("enzyme_dupnoneed");
extern int marker_primal_return __asm__("enzyme_primal_return");
extern int marker_width __asm__("enzyme_width");
template <class Result, class... Parts> Result __enzyme_autodiff(void *, Parts...);
template <class Result, class... Parts> Result __enzyme_fwddiff(void *, Parts...);

template <kind Kind> CF_INLINE int marker() {
  if constexpr (Kind == kind::constant)
    return marker_const;
  else if constexpr (Kind == kind::active)
    return marker_out;
  else if constexpr (Kind == kind::dup_no_need)
    return marker_dupnoneed;
  else
    return marker_dup;
}

/// Where a part of the flat argument list comes from: of argument `index` the marker (0), the
/// primal (1) or a shadow (2, and further directions).
struct part {
  std::size_t index = 0;
  std::size_t which = 0;
};

template <class Argument>
inline constexpr std::size_t parts_in = has_shadow<Argument> ? 2 + width_of<Argument> : 2;

/// The parts of all arguments, in order.
template <class... Arguments> constexpr auto flatten(std::type_identity<std::tuple<Arguments...>>) {
  std::array<part, (std::size_t{0} + ... + parts_in<Arguments>)> parts{};
  std::size_t next = 0;
  std::size_t index = 0;
  const auto append = [&](std::size_t count) {
    for (std::size_t which = 0; which != count; ++which)
      parts[next++] = {index, which};
    ++index;
  };
  (append(parts_in<Arguments>), ...);
  return parts;
}
template <class Arguments>
inline constexpr auto parts_of = flatten(std::type_identity<Arguments>{});

template <part Part, class Arguments> CF_INLINE auto &value_of(Arguments &arguments) {
  auto &all = std::get<Part.index>(arguments);
  if constexpr (Part.which < 2)
    return all.primal;
  else if constexpr (kind_of<std::tuple_element_t<Part.index, Arguments>> == kind::dup_wide)
    return all.shadow[Part.which - 2];
  else
    return all.shadow;
}

/// What a part hands over, and to what kind of parameter.
template <mode Mode, class Parameters, part Part, class Arguments> struct handed {
  using parameter = std::tuple_element_t<Part.index, Parameters>;
  using target = std::conditional_t < Part.which<2, parameter, shadow_parameter<Mode, parameter>>;
  using type = std::remove_reference_t<decltype(value_of<Part>(std::declval<Arguments &>()))>;
  using made = made_for_call<type, target>;
};
template <mode Mode, class Parameters, part Part, class Arguments>
  requires(Part.which == 0)
struct handed<Mode, Parameters, Part, Arguments> {
  using made = nothing;
};

template <mode Mode, class Parameters, part Part, class Arguments,
          class Handed = handed<Mode, Parameters, Part, Arguments>>
CF_INLINE auto pick(Arguments &arguments, typename Handed::made &&made = {}) {
  if constexpr (Part.which == 0)
    return marker<kind_of<std::tuple_element_t<Part.index, Arguments>>>();
  else
    return hand_over<typename Handed::target>(value_of<Part>(arguments), std::move(made));
}

/// What an adjoint call returns: nothing, the adjoint of the one active argument, or an array.
template <class> struct adjoint_result;
template <> struct adjoint_result<std::tuple<>> {
  using type = void;
};
template <class T> struct adjoint_result<std::tuple<T>> {
  using type = T;
};
template <class T, class... Rest> struct adjoint_result<std::tuple<T, Rest...>> {
  static_assert((std::same_as<T, Rest> && ...),
                "contraflow: the numbers that one call returns have one type");
  using type = std::array<T, 1 + sizeof...(Rest)>;
};

template <class Argument, class Parameter>
using if_active = std::conditional_t<kind_of<Argument> == kind::active,
                                     std::tuple<std::remove_cv_t<Parameter>>, std::tuple<>>;

template <class Parameters, class Arguments> struct active_parameters;
template <class... Parameters, class... Arguments>
struct active_parameters<std::tuple<Parameters...>, std::tuple<Arguments...>> {
  using type = decltype(std::tuple_cat(std::declval<if_active<Arguments, Parameters>>()...));
};

template <class... Arguments>
constexpr std::size_t common_width(std::type_identity<std::tuple<Arguments...>>) {
  return std::max({std::size_t{1}, width_of<Arguments>...});
}

/// The call. First stands before the arguments.
template <mode Mode, class Result, class Parameters, class F, class Arguments, std::size_t... I,
          class... First>
CF_INLINE Result spread(F f, Arguments &arguments, std::index_sequence<I...>, First... first) {
  constexpr auto &parts = parts_of<Arguments>;
  constexpr std::size_t width = common_width(std::type_identity<Arguments>{});
  if constexpr (Mode == mode::adjoint)
    return detail::__enzyme_autodiff<Result>(reinterpret_cast<void *>(f), first...,
                                             pick<Mode, Parameters, parts[I]>(arguments)...);
  else if constexpr (Mode == mode::adjoint_with_value)
    return detail::__enzyme_autodiff<Result>(reinterpret_cast<void *>(f), marker_primal_return,
                                             first...,
                                             pick<Mode, Parameters, parts[I]>(arguments)...);
  else if constexpr (width != 1)
    return detail::__enzyme_fwddiff<Result>(reinterpret_cast<void *>(f), marker_width, width,
                                            first...,
                                            pick<Mode, Parameters, parts[I]>(arguments)...);
  else
    return detail::__enzyme_fwddiff<Result>(reinterpret_cast<void *>(f), first...,
                                            pick<Mode, Parameters, parts[I]>(arguments)...);
}

template <mode Mode, class Result, class F, class... Arguments>
CF_INLINE Result request(F &f, Arguments... arguments) {
  (check_length(arguments), ...);
  if constexpr (by_relay<F, Arguments...>) {
    using relay = relay_for<F, Arguments...>;
    auto together = std::make_tuple(object_argument(f), arguments...);
    return spread<Mode, Result, typename relay::parameters>(
        &relay::call, together, std::make_index_sequence<parts_of<decltype(together)>.size()>{});
  } else if constexpr (passes_copy<F, Arguments...>) {
    using types = called<F, Arguments...>;
    using relay =
        typename copying_relay_of<typename types::result, typename types::parameters>::type;
    using all = std::tuple<Arguments...>;
    all together{arguments...};
    return spread<Mode, Result, typename relay::parameters>(
        &relay::call, together, std::make_index_sequence<parts_of<all>.size()>{}, marker_const,
        erase(+f));
  } else {
    using all = std::tuple<Arguments...>;
    using parameters = typename called<F, Arguments...>::parameters;
    all together{arguments...};
    return spread<Mode, Result, parameters>(+f, together,
                                            std::make_index_sequence<parts_of<all>.size()>{});
  }
}

/// As request, for a kernel that is made for what f names: f comes first and is known to the
/// plugin.
template <mode Mode, class F, class... Parameters, class... Arguments>
CF_INLINE void request_kernel(void (*kernel)(F, Parameters...), F f, Arguments... arguments) {
  using all = std::tuple<Arguments...>;
  all together{arguments...};
  spread<Mode, void, std::tuple<Parameters...>>(
      kernel, together, std::make_index_sequence<parts_of<all>.size()>{}, marker_const, erase(f));
}

/// The first parameter of f(x, rest...).
template <class F, class X, class... Rest>
using first_parameter =
    std::tuple_element_t<0, typename called<F, probe<X>, probe<const Rest>...>::parameters>;
template <class F, class X, class... Rest>
inline constexpr bool takes_number =
    std::floating_point<std::remove_cvref_t<first_parameter<F, X, Rest...>>>;

/// A zero shadow of x for f(x, rest...): a vector where f sees numbers in a row.
template <class F, class X, class... Rest> auto shadow_for(const X &x) {
  using first = std::remove_cvref_t<first_parameter<F, X, Rest...>>;
  if constexpr (std::is_pointer_v<first> || std::ranges::view<first>)
    return std::vector<std::remove_cvref_t<decltype(*std::data(x))>>(std::size(x));
  else
    return make_shadow(x);
}

/// The result that suits an adjoint call.
template <mode Mode, class F, class... Arguments>
CF_INLINE auto request_adjoint(F &f, Arguments... arguments) {
  using types = called<F, Arguments...>;
  using active =
      typename active_parameters<typename types::parameters, std::tuple<Arguments...>>::type;
  using with_value = decltype(std::tuple_cat(std::declval<std::tuple<typename types::result>>(),
                                             std::declval<active>()));
  using results = std::conditional_t<Mode == mode::adjoint_with_value, with_value, active>;
  return request<Mode, typename adjoint_result<results>::type>(f, arguments...);
}

/// Pair{all[0], all[1]} or Pair{all[0], {all[1], all[2], ...}}.
template <template <class, class> class Pair, class T, std::size_t N>
CF_INLINE auto first_and_rest(const std::array<T, N> &all) {
  if constexpr (N == 2) {
    return Pair<T, T>{all[0], all[1]};
  } else {
    Pair<T, std::array<T, N - 1>> pair{all[0], {}};
    for (std::size_t i = 1; i != N; ++i)
      pair.gradient[i - 1] = all[i];
    return pair;
  }
}

} // namespace contraflow::detail

#endif
