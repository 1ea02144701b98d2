// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shadows of whole objects: of the same shape, with every floating-point number zero.
//
// Understood are numbers, std::complex, arrays, containers, maps (their values), pair, tuple,
// optional, variant, smart pointers (what they own), structures of such members without bases, and
// classes with a function beside them that names their members:
//
//   auto contraflow_members(Field &f) { return std::tie(f.values, f.halo); }
//
// Integers, booleans, enumerations and strings are copied as they are.
#ifndef CONTRAFLOW_DETAIL_SHADOW_HPP
#define CONTRAFLOW_DETAIL_SHADOW_HPP

#include <any>
#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <map>
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
template <class T>
concept map_like = std::ranges::range<T> && requires { typename T::mapped_type; };

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
  } else if constexpr (map_like<type>) {
    for (auto &entry : t)
      member(entry.second);
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
  } else {
    static_assert(unknown<T>, "contraflow: no shadow is known for this type: write "
                              "contraflow_members(T &) beside it, or make the shadow by hand");
  }
}

/// True if copies of a T share what they own.
template <class T> consteval bool shares();
template <class Members> inline constexpr bool any_shares = false;
template <class... M>
inline constexpr bool any_shares<std::tuple<M...>> = (shares<std::remove_cvref_t<M>>() || ...);
template <class T, class U>
inline constexpr bool any_shares<std::pair<T, U>> = shares<T>() || shares<U>();
template <class... M> inline constexpr bool any_shares<std::variant<M...>> = (shares<M>() || ...);

template <class T> consteval bool shares() {
  if constexpr (is_owner<T> || is_foreign<T>)
    return true;
  else if constexpr (std::is_scalar_v<T> || is_complex<T> || discrete<T>)
    return false;
  else if constexpr (names_members<T>)
    return any_shares<decltype(contraflow_members(std::declval<T &>()))>;
  else if constexpr (is_pair_like<T> || is_variant<T>)
    return any_shares<T>;
  else if constexpr (map_like<T>)
    return shares<typename T::mapped_type>();
  else if constexpr (is_optional<T>)
    return shares<typename T::value_type>();
  else if constexpr (std::ranges::range<T>)
    return shares<std::ranges::range_value_t<T>>();
  else if constexpr (std::is_aggregate_v<T>)
    return any_shares<decltype(tie_members(std::declval<T &>()))>;
  else
    return false;
}

/// Builds one shadow. What several pointers share has one shadow, which they share.
class shadow_builder {
public:
  template <class T> T build(const T &x) {
    if constexpr (!shares<T>()) {
      T shadow(x);
      each_number(shadow, [](auto &number) { number = 0; });
      return shadow;
    } else if constexpr (is_owner<T>) {
      return build_owner(x);
    } else if constexpr (is_foreign<T>) {
      return foreign<T>::build(x, *this);
    } else if constexpr (is_pair_like<T>) {
      return std::apply([&](const auto &...m) { return T{build(m)...}; }, x);
    } else if constexpr (is_optional<T>) {
      return x ? T(build(*x)) : T();
    } else if constexpr (is_variant<T>) {
      return std::visit([&](const auto &m) { return T(build(m)); }, x);
    } else {
      return build_class(x);
    }
  }

  /// What is known of the memory at an address, which several objects of a library share.
  std::any &known(const void *address) { return of_libraries[address]; }

private:
  template <class T, class D> std::unique_ptr<T, D> build_owner(const std::unique_ptr<T, D> &x) {
    return std::unique_ptr<T, D>(x ? new T(build(*x)) : nullptr);
  }
  template <class T> std::shared_ptr<T> build_owner(const std::shared_ptr<T> &x) {
    std::shared_ptr<void> &known = shared[x.get()];
    if (x && !known)
      known = std::make_shared<T>(build(*x));
    return std::static_pointer_cast<T>(known);
  }

  template <class T> T build_class(const T &x) {
    if constexpr (names_members<T>) {
      static_assert(std::copy_constructible<T>,
                    "contraflow: a class with contraflow_members() that "
                    "cannot be copied: make its shadow by hand");
      T shadow(x);
      std::apply([&](auto &...m) { ((m = build(std::as_const(m))), ...); },
                 contraflow_members(shadow));
      return shadow;
    } else if constexpr (requires { std::tuple_size<T>::value; }) {
      return std::apply([&](const auto &...m) { return T{build(m)...}; }, x);
    } else if constexpr (map_like<T>) {
      T shadow;
      for (const auto &[key, value] : x)
        shadow.emplace(key, build(value));
      return shadow;
    } else if constexpr (std::ranges::range<T>) {
      T shadow;
      for (const auto &element : x)
        shadow.insert(shadow.end(), build(element));
      return shadow;
    } else {
      return std::apply([&](const auto &...m) { return T{build(m)...}; }, tie_members(x));
    }
  }

  std::map<const void *, std::shared_ptr<void>> shared;
  std::map<const void *, std::any> of_libraries;
};

} // namespace contraflow::detail

namespace contraflow {

/// A shadow of x: an object of its type and shape, independent of x, whose floating-point numbers
/// are zero. Refused by one sentence for types with raw pointers, whose extent nothing tells.
template <class T> T make_shadow(const T &x) { return detail::shadow_builder().build(x); }

/// Sets the floating-point numbers of a shadow to zero.
template <class T> void zero_shadow(T &shadow) {
  detail::each_number(shadow, [](auto &number) { number = 0; });
}

} // namespace contraflow

#endif
