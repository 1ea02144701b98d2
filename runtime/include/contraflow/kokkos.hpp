// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shadows of views of Kokkos on the host: a view's shadow is a view of its type and extents, whose
// floating-point numbers are zero. So make_shadow and gradient take views, dual views, and
// structures and containers of them.
//
//   using View = Kokkos::View<double *>;
//   double energy(const View &x);
//
//   View x_bar = contraflow::gradient(energy, x);
//   View x_dot = contraflow::make_shadow(x);
//
// Views of one object that have memory in common have one shadow; they show the same part of it.
#ifndef CONTRAFLOW_KOKKOS_HPP
#define CONTRAFLOW_KOKKOS_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_DualView.hpp>

#include "contraflow.hpp"

#include <any>
#include <stdexcept>

namespace Kokkos {

template <class T, class U> auto contraflow_members(pair<T, U> &p) {
  return std::tie(p.first, p.second);
}
template <class T, class U> auto contraflow_members(const pair<T, U> &p) {
  return std::tie(p.first, p.second);
}
template <class T> auto contraflow_members(complex<T> &z) { return std::tie(z.real(), z.imag()); }
template <class T> auto contraflow_members(const complex<T> &z) {
  const T *parts = reinterpret_cast<const T *>(&z);
  return std::tie(parts[0], parts[1]);
}

} // namespace Kokkos

namespace contraflow::detail {

/// Calls visit with the indices of each element of a view.
template <class View, class Visit, class... Index>
void each_index(const View &view, Visit &&visit, Index... index) {
  constexpr std::size_t Done = sizeof...(Index);
  if constexpr (Done == View::rank()) {
    visit(index...);
  } else {
    for (std::size_t i = 0; i != view.extent(Done); ++i)
      each_index(view, visit, index..., i);
  }
}

/// What the views of one memory have in common.
template <class View> struct shadow_of_memory {
  const void *data;
  View shadow;
};

template <class View> struct view_shadow {
  using type = Kokkos::View<typename View::non_const_data_type, typename View::array_layout,
                            typename View::device_type>;
  static constexpr bool on_host =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename View::memory_space>::accessible;
  static_assert(on_host, "contraflow: a view of memory that the host cannot read: make the shadow "
                         "of its mirror");
  static_assert(!View::memory_traits::is_unmanaged,
                "contraflow: an unmanaged view owns nothing; its shadow is a view of a shadow");

  using known = shadow_of_memory<type>;

  template <class Builder> static View build(const View &x, Builder &builder) {
    if (!x.data())
      return View();
    std::any &found = builder.known(x.impl_track().template get_record<void>());
    if (!found.has_value())
      found = known{x.data(), fresh(x, builder)};
    const auto *same = std::any_cast<known>(&found);
    if (!same || same->data != x.data() || !(same->shadow.layout() == x.layout()))
      throw std::invalid_argument("contraflow: views of several parts of one memory: make their "
                                  "shadows by hand");
    return same->shadow;
  }

private:
  template <class Builder> static type fresh(const View &x, Builder &builder) {
    type shadow(x.label() + "_bar", x.layout());
    each_index(x, [&](auto... index) { shadow(index...) = builder.build(x(index...)); });
    return shadow;
  }
};

template <class T, class... P> struct foreign<Kokkos::View<T, P...>> {
  using view = Kokkos::View<T, P...>;
  template <class Builder> static view build(const view &x, Builder &builder) {
    return view_shadow<view>::build(x, builder);
  }
  template <class Visit> static void each_part(const view &x, Visit &&visit) {
    using value = typename view::non_const_value_type;
    each_index(x, [&](auto... index) { visit(const_cast<value &>(x(index...))); });
  }
};

template <class T, class... P> struct foreign<Kokkos::DualView<T, P...>> {
  using view = Kokkos::DualView<T, P...>;
  template <class Builder> static view build(const view &x, Builder &builder) {
    return view(builder.build(x.view_device()), builder.build(x.view_host()));
  }
  template <class Visit> static void each_part(const view &x, Visit &&visit) {
    visit(x.view_device());
    visit(x.view_host());
  }
};

} // namespace contraflow::detail

#endif
