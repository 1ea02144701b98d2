// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shadows of whole objects: of the same shape, with every floating-point number zero.
//
// Understood are numbers, std::complex, arrays, containers and what adapts them, maps, pair, tuple,
// optional, variant, smart pointers (what they own), structures of such members without bases,
// classes with data() and size() of numbers, and classes with a function beside them that names
// their members:
//
//   auto contraflow_members(Field &f) { return std::tie(f.values, f.halo); }
//
// Integers, booleans, enumerations and strings are copied as they are. Keys that are floating-point
// numbers are numbers as others: the shadow of such a map is walked, not searched.
#ifndef CONTRAFLOW_DETAIL_SHADOW_HPP
#define CONTRAFLOW_DETAIL_SHADOW_HPP

#include "numbers.hpp"

#include <any>
#include <cstddef>
#include <map>
#include <memory>
#include <new>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <variant>

namespace contraflow::detail {

/// The types of the parts that a type has by its arguments or its members.
template <class T> struct parts;
template <class... M> struct parts<std::tuple<M...>> {
  static consteval bool all(auto test) {
    return (test(std::type_identity<std::remove_cvref_t<M>>{}) && ...);
  }
};
template <class T, class U> struct parts<std::pair<T, U>> : parts<std::tuple<T, U>> {};
template <class... M> struct parts<std::variant<M...>> : parts<std::tuple<M...>> {};

/// True if a copy of a T shares nothing with it, and is arranged as it is (arrangement.hpp).
template <class T> consteval bool copies();
template <class Members>
inline constexpr bool all_copy =
    parts<Members>::all([]<class M>(std::type_identity<M>) { return copies<M>(); });

template <class T> consteval bool copies() {
  if constexpr (is_owner<T> || is_foreign<T>)
    return false;
  else if constexpr (std::is_scalar_v<T> || is_complex<T>)
    return true;
  else if constexpr (names_members<T>)
    return all_copy<decltype(contraflow_members(std::declval<T &>()))>;
  else if constexpr (is_pair_like<T>)
    return all_copy<T>;
  else if constexpr (is_variant<T> || is_optional<T>)
    return false; // what they do not hold now has a shadow as well
  else if constexpr (keyed<T>)
    return copies_nodes && copies<mapped_or_key<T>>();
  else if constexpr (reserving<T> || is_deque<T>)
    return false;
  else if constexpr (adaptor<T>)
    return copies<container_in<T>>();
  else if constexpr (std::is_array_v<T>)
    return copies<std::remove_cv_t<std::remove_all_extents_t<T>>>();
  else if constexpr (std::ranges::range<T>)
    return copies<std::ranges::range_value_t<T>>();
  else if constexpr (std::is_aggregate_v<T>)
    return all_copy<decltype(tie_members(std::declval<T &>()))>;
  else
    return true;
}

/// True if a T can be copied: containers say so of themselves whatever they hold.
template <class T> consteval bool copyable();
template <class Members>
inline constexpr bool all_copyable =
    parts<Members>::all([]<class M>(std::type_identity<M>) { return copyable<M>(); });

template <class T> consteval bool copyable() {
  if constexpr (std::is_array_v<T>)
    return copyable<std::remove_cv_t<std::remove_all_extents_t<T>>>();
  else if constexpr (!std::is_class_v<T> || is_owner<T> || is_foreign<T> || names_members<T>)
    return std::copy_constructible<T>;
  else if constexpr (is_pair_like<T> || is_variant<T>)
    return all_copyable<T>;
  else if constexpr (keyed<T>)
    return copyable<mapped_or_key<T>>();
  else if constexpr (adaptor<T>)
    return copyable<container_in<T>>();
  else if constexpr (std::ranges::range<T> || is_optional<T>)
    return copyable<typename T::value_type>();
  else if constexpr (std::is_aggregate_v<T>)
    return all_copyable<decltype(tie_members(std::declval<T &>()))>;
  else
    return std::copy_constructible<T>;
}

/// A T whose bytes are zero but for those that its making from `parts` writes.
template <class T, class... Parts> T in_zero_bytes(Parts &&...parts) {
  if constexpr (std::is_trivially_copyable_v<T>) {
    alignas(T) std::byte bytes[sizeof(T)] = {};
    return *::new (static_cast<void *>(bytes)) T(std::forward<Parts>(parts)...);
  } else {
    return T(std::forward<Parts>(parts)...);
  }
}

/// Builds one shadow. What several pointers share has one shadow, which they share.
class shadow_builder {
public:
  template <class T> T build(const T &x) {
    if constexpr (copies<T>()) {
      return zeroed(T(x));
    } else if constexpr (is_owner<T>) {
      return build_owner(x);
    } else if constexpr (is_foreign<T>) {
      return foreign<T>::build(x, *this);
    } else if constexpr (is_pair_like<T>) {
      return std::apply([&](const auto &...m) { return T{build(m)...}; }, x);
    } else if constexpr (is_optional<T>) {
      return x ? T(build(*x)) : in_zero_bytes<T>();
    } else if constexpr (is_variant<T>) {
      return std::visit([&](const auto &m) { return in_zero_bytes<T>(build(m)); }, x);
    } else if constexpr (std::ranges::range<T> && !requires { std::tuple_size<T>::value; }) {
      return build_container(x);
    } else {
      return build_class(x);
    }
  }

  /// What is known of the memory at an address, which several objects of a library share.
  std::any &known(const void *address) { return of_libraries[address]; }

private:
  template <class T> static T zeroed(T shadow) {
    each_number(shadow, [](auto &number) { number = 0; });
    return shadow;
  }

  template <class T> T build_container(const T &x) {
    const auto part = [&](const auto &one) { return build(one); };
    if constexpr (reserving<T> && std::is_copy_assignable_v<T> &&
                  copies<std::ranges::range_value_t<T>>()) {
      T shadow = empty_with_room_of(x);
      shadow = x;
      each_number(shadow, [](auto &number) { number = 0; });
      clear_room(shadow);
      return shadow;
    } else if constexpr (keyed<T> && copies_nodes && map_like<T> && copyable<T>()) {
      T shadow(x);
      auto of = x.begin();
      for (auto &entry : shadow)
        refine(entry.second, (of++)->second);
      return zeroed(std::move(shadow));
    } else if constexpr (keyed<T>) {
      return zeroed(build_range(x, part));
    } else {
      return build_range(x, part);
    }
  }

  template <class T> T *build_owned(const T &x) {
    static_assert(!std::is_abstract_v<T> && !std::is_array_v<T>,
                  "contraflow: a pointer does not tell the class or the length of what it owns: "
                  "make the shadow by hand");
#ifdef __cpp_rtti
    if constexpr (std::is_polymorphic_v<T>)
      if (typeid(x) != typeid(T))
        refuse_arrangement("contraflow: a pointer to a base owns an object of another class: make "
                           "its shadow by hand");
#else
    static_assert(!std::is_polymorphic_v<T>, "contraflow: a pointer does not tell the class of "
                                             "what it owns: make the shadow by hand");
#endif
    return new T(build(x));
  }
  template <class T, class D> std::unique_ptr<T, D> build_owner(const std::unique_ptr<T, D> &x) {
    static_assert(std::same_as<D, std::default_delete<T>>,
                  "contraflow: what a pointer with its own deleter owns was not made by new: make "
                  "the shadow by hand");
    return std::unique_ptr<T, D>(x ? build_owned(*x) : nullptr);
  }
  template <class T> std::shared_ptr<T> build_owner(const std::shared_ptr<T> &x) {
    std::shared_ptr<void> &known = shared[x.get()];
    if (x && !known)
      known = std::shared_ptr<T>(build_owned(*x));
    return std::static_pointer_cast<T>(known);
  }

  template <class T> void refine(T &shadow, const T &x) {
    if constexpr (std::is_array_v<T>)
      for (std::size_t i = 0; i != std::size(x); ++i)
        refine(shadow[i], x[i]);
    else
      shadow = build(x);
  }
  template <class Of, class To> void refine_members(Of of, To to) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (refine(std::get<I>(to), std::as_const(std::get<I>(of))), ...);
    }(std::make_index_sequence<std::tuple_size_v<Of>>{});
  }

  template <class T> T build_class(const T &x) {
    if constexpr (adaptor<T>) {
      T shadow;
      container_of(shadow) = build(container_of(x));
      return shadow;
    } else if constexpr (names_members<T>) {
      static_assert(std::copy_constructible<T>,
                    "contraflow: a class with contraflow_members() that "
                    "cannot be copied: make its shadow by hand");
      T shadow(x);
      refine_members(contraflow_members(const_cast<T &>(x)), contraflow_members(shadow));
      return shadow;
    } else if constexpr (requires { std::tuple_size<T>::value; }) {
      return std::apply([&](const auto &...m) { return T{build(m)...}; }, x);
    } else if constexpr (copyable<T>()) {
      T shadow(x);
      refine_members(tie_members(x), tie_members(shadow));
      return shadow;
    } else if constexpr (std::default_initializable<T>) {
      T shadow{};
      refine_members(tie_members(x), tie_members(shadow));
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
