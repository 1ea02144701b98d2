// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spreads wrapped arguments into the flat list that the plugin reads:
//
//   dup(x, dx), constant(n)   ->   marker_dup, x, dx, marker_const, n
#ifndef CONTRAFLOW_DETAIL_REQUEST_HPP
#define CONTRAFLOW_DETAIL_REQUEST_HPP

#include "argument.hpp"
#include "check.hpp"

#include <array>
#include <utility>

namespace contraflow::detail {

// Known to the plugin by these names; defined nowhere.
extern int marker_const __asm__("enzyme_const");
extern int marker_out __asm__("enzyme_out");
extern int marker_dup __asm__("enzyme_dup");
extern int marker_dupnoneed __asm__("enzyme_dupnoneed");
extern int marker_primal_return __asm__("enzyme_primal_return");
template <class Result, class... Parts> Result __enzyme_autodiff(void *, Parts...);
template <class Result, class... Parts> Result __enzyme_fwddiff(void *, Parts...);

template <kind Kind> CF_INLINE int marker() {
  if constexpr (Kind == kind::constant)
    return marker_const;
  else if constexpr (Kind == kind::active)
    return marker_out;
  else if constexpr (Kind == kind::dup)
    return marker_dup;
  else
    return marker_dupnoneed;
}

/// Where a part of the flat argument list comes from: of argument `index` the marker (0), the
/// primal (1) or the shadow (2).
struct part {
  std::size_t index = 0;
  int which = 0;
};

/// The parts of all arguments, in order.
template <class... Arguments> constexpr auto flatten(std::type_identity<std::tuple<Arguments...>>) {
  std::array<part, (std::size_t{0} + ... + (has_shadow<Arguments> ? 3 : 2))> parts{};
  std::size_t next = 0;
  std::size_t index = 0;
  const auto append = [&](int count) {
    for (int which = 0; which != count; ++which)
      parts[next++] = {index, which};
    ++index;
  };
  (append(has_shadow<Arguments> ? 3 : 2), ...);
  return parts;
}
template <class Arguments>
inline constexpr auto parts_of = flatten(std::type_identity<Arguments>{});

template <mode Mode, class Parameters, part Part, class Arguments>
CF_INLINE auto pick(Arguments &arguments) {
  using argument_type = std::tuple_element_t<Part.index, Arguments>;
  using parameter = std::tuple_element_t<Part.index, Parameters>;
  if constexpr (Part.which == 0)
    return marker<kind_of<argument_type>>();
  else if constexpr (Part.which == 1)
    return hand_over<parameter>(std::get<Part.index>(arguments).primal);
  else
    return hand_over<shadow_parameter<Mode, parameter>>(std::get<Part.index>(arguments).shadow);
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

template <mode Mode, class Result, class F, class Arguments, std::size_t... I>
CF_INLINE Result spread(F f, Arguments &arguments, std::index_sequence<I...>) {
  using parameters = typename signature<decltype(+f)>::parameters;
  constexpr auto &parts = parts_of<Arguments>;
  if constexpr (Mode == mode::adjoint)
    return __enzyme_autodiff<Result>(reinterpret_cast<void *>(+f),
                                     pick<Mode, parameters, parts[I]>(arguments)...);
  else if constexpr (Mode == mode::adjoint_with_value)
    return __enzyme_autodiff<Result>(reinterpret_cast<void *>(+f), marker_primal_return,
                                     pick<Mode, parameters, parts[I]>(arguments)...);
  else
    return __enzyme_fwddiff<Result>(reinterpret_cast<void *>(+f),
                                    pick<Mode, parameters, parts[I]>(arguments)...);
}

template <mode Mode, class Result, class F, class... Arguments>
CF_INLINE Result request(F f, Arguments... arguments) {
  (check_length(arguments), ...);
  using all = std::tuple<Arguments...>;
  all together{arguments...};
  return spread<Mode, Result>(f, together, std::make_index_sequence<parts_of<all>.size()>{});
}

/// The result that suits an adjoint call.
template <mode Mode, class F, class... Arguments>
CF_INLINE auto request_adjoint(F f, Arguments... arguments) {
  using types = signature<decltype(+f)>;
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
