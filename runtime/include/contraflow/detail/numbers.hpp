// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of an object, one by one.
#ifndef CONTRAFLOW_DETAIL_NUMBERS_HPP
#define CONTRAFLOW_DETAIL_NUMBERS_HPP

#include "arrangement.hpp"

#include <complex>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace contraflow::detail {

template <class T> inline constexpr bool is_complex = false;
template <class T> inline constexpr bool is_complex<std::complex<T>> = true;
template <class T> inline constexpr bool is_pair_like = false;
template <class... T> inline constexpr bool is_pair_like<std::tuple<T...>> = true;
template <class T, class U> inline constexpr bool is_pair_like<std::pair<T, U>> = true;
template <class T> inline constexpr bool is_optional = false;
template <class T> inline constexpr bool is_optional<std::optional<T>> = true;
template <class T> inline constexpr bool is_variant = false;
template <class... T> inline constexpr bool is_variant<std::variant<T...>> = true;
template <class T> inline constexpr bool is_owner = false;
template <class T, class D> inline constexpr bool is_owner<std::unique_ptr<T, D>> = true;
template <class T> inline constexpr bool is_owner<std::shared_ptr<T>> = true;
template <class T> inline constexpr bool is_string = false;
template <class C, class... More>
inline constexpr bool is_string<std::basic_string<C, More...>> = true;

template <class T>
concept discrete = std::integral<T> || std::is_enum_v<T> || is_string<T>;
template <class T>
concept names_members = requires(T &t) { contraflow_members(t); };
/// std::stack, std::queue, std::priority_queue.
template <class T>
concept adaptor = !std::ranges::range<T> && requires { typename T::container_type; };
template <class T>
concept numbers_in_a_row = requires(T &t) {
  requires std::floating_point<std::remove_cvref_t<decltype(*t.data())>>;
  { t.size() } -> std::convertible_to<std::size_t>;
};

/// The container of an adaptor, which is protected.
template <adaptor T> auto &container_of(T &t) {
  using adapted = std::remove_const_t<T>;
  struct open : adapted {
    static auto member() { return &open::c; }
  };
  return t.*open::member();
}
template <class T>
using container_in = std::remove_cvref_t<decltype(container_of(std::declval<T &>()))>;

/// Classes of other libraries whose copies share what they own (contraflow/kokkos.hpp):
///   static T build(const T &x, Builder &builder)      its shadow, by builder.build(part)
///   static void each_part(T &x, Visit visit)          visit(part)
template <class T> struct foreign;
template <class T>
concept is_foreign = requires { sizeof(foreign<T>); };

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc++26-extensions"
/// The members of a structure without bases, as references.
template <class T> constexpr auto tie_members(T &t) {
  auto &[... members] = t;
  return std::tie(members...);
}
#pragma clang diagnostic pop

template <class> inline constexpr bool unknown = false;

/// Calls visit for each number in a key.
template <class K, class Visit> void each_number_of_key(K &key, Visit &&visit) {
  if constexpr (std::floating_point<std::remove_const_t<K>>)
    visit(key);
  else if constexpr (is_pair_like<std::remove_const_t<K>>)
    std::apply([&](auto &...m) { (each_number_of_key(m, visit), ...); }, key);
  else if constexpr (std::ranges::range<K> && !discrete<std::remove_const_t<K>>)
    for (auto &element : key)
      each_number_of_key(element, visit);
}
/// The key of an element of a T; constant only if T is.
template <class T, class Element> auto &key_of(Element &element) {
  using key = typename T::key_type;
  if constexpr (map_like<T>)
    return const_cast<std::conditional_t<std::is_const_v<T>, const key, key> &>(element.first);
  else
    return const_cast<std::conditional_t<std::is_const_v<T>, const key, key> &>(element);
}

/// Calls visit for each floating-point number in t, in order.
template <class T, class Visit> void each_number(T &t, Visit &&visit) {
  using type = std::remove_const_t<T>;
  const auto member = [&](auto &m) { each_number(m, visit); };
  if constexpr (std::floating_point<type>) {
    visit(t);
  } else if constexpr (is_complex<type>) {
    auto *parts =
        reinterpret_cast<std::conditional_t<std::is_const_v<T>, const typename type::value_type,
                                            typename type::value_type> *>(std::addressof(t));
    visit(parts[0]);
    visit(parts[1]);
  } else if constexpr (discrete<type>) {
  } else if constexpr (is_foreign<type>) {
    foreign<type>::each_part(t, member);
  } else if constexpr (names_members<T>) {
    std::apply([&](auto &...m) { (member(m), ...); }, contraflow_members(t));
  } else if constexpr (is_pair_like<type>) {
    std::apply([&](auto &...m) { (member(m), ...); }, t);
  } else if constexpr (keyed<type>) {
    for (auto &entry : t) {
      each_number_of_key(key_of<T>(entry), visit);
      if constexpr (map_like<type>)
        member(entry.second);
    }
  } else if constexpr (map_like<type>) {
    for (auto &&entry : t)
      member(entry.second);
  } else if constexpr (adaptor<type>) {
    member(container_of(t));
  } else if constexpr (is_optional<type> || is_owner<type>) {
    if (t)
      member(*t);
  } else if constexpr (is_variant<type>) {
    std::visit(member, t);
  } else if constexpr (std::ranges::view<type>) {
    static_assert(unknown<T>, "contraflow: a view owns nothing; its shadow is a view of a shadow");
  } else if constexpr (std::ranges::range<T> || std::is_array_v<type>) {
    for (auto &element : t)
      member(element);
  } else if constexpr (std::is_aggregate_v<type>) {
    std::apply([&](auto &...m) { (member(m), ...); }, tie_members(t));
  } else if constexpr (numbers_in_a_row<T>) {
    for (std::size_t i = 0; i != static_cast<std::size_t>(t.size()); ++i)
      visit(t.data()[i]);
  } else {
    static_assert(unknown<T>, "contraflow: no shadow is known for this type: write "
                              "contraflow_members(T &) beside it, or make the shadow by hand");
  }
}

} // namespace contraflow::detail

#endif
