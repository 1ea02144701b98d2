// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What contraflow/kokkos.hpp asks of Kokkos, in short: views of one and two dimensions that share
// what they own.
#ifndef CONTRAFLOW_TEST_KOKKOS_CORE_HPP
#define CONTRAFLOW_TEST_KOKKOS_CORE_HPP

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>

namespace Kokkos {

struct HostSpace {};
struct Host {};
struct Managed {
  static constexpr bool is_unmanaged = false;
};
template <class, class> struct SpaceAccessibility {
  static constexpr bool accessible = true;
};
struct Layout {
  std::array<std::size_t, 2> extents{1, 1};
  friend bool operator==(const Layout &, const Layout &) = default;
};
struct Tracker {
  std::shared_ptr<void> owner;
  template <class> const void *get_record() const { return owner.get(); }
};

template <class T> struct Pointers {
  static constexpr std::size_t rank = 0;
  using value = T;
  using writable = std::remove_const_t<T>;
};
template <class T> struct Pointers<T *> {
  static constexpr std::size_t rank = Pointers<T>::rank + 1;
  using value = typename Pointers<T>::value;
  using writable = typename Pointers<T>::writable *;
};

template <class T, class... P> class View {
public:
  using value_type = typename Pointers<T>::value;
  using non_const_value_type = std::remove_const_t<value_type>;
  using non_const_data_type = typename Pointers<T>::writable;
  using array_layout = Layout;
  using device_type = Host;
  using memory_space = HostSpace;
  using memory_traits = Managed;
  static constexpr std::size_t rank() { return Pointers<T>::rank; }

  View() = default;
  View(std::string label, const Layout &layout) : name(std::move(label)), shape(layout) {
    const std::size_t n = shape.extents[0] * shape.extents[1];
    std::shared_ptr<non_const_value_type[]> memory(new non_const_value_type[n]());
    first = memory.get();
    track.owner = memory;
  }
  explicit View(std::string label, std::size_t n, std::size_t m = 1)
      : View(std::move(label), Layout{{n, m}}) {}
  template <class U, class... Q>
  View(const View<U, Q...> &other)
      : first(other.data()), name(other.label()), shape(other.layout()), track(other.impl_track()) {
  }
  value_type &operator()(std::size_t i, std::size_t j = 0) const {
    return first[i * shape.extents[1] + j];
  }
  View tail(std::size_t from) const {
    View part(*this);
    part.first += from;
    part.shape.extents[0] -= from;
    return part;
  }
  std::size_t extent(std::size_t dimension) const { return shape.extents[dimension]; }
  value_type *data() const { return first; }
  const std::string &label() const { return name; }
  const Layout &layout() const { return shape; }
  const Tracker &impl_track() const { return track; }

private:
  value_type *first = nullptr;
  std::string name;
  Layout shape;
  Tracker track;
};

template <class T, class U> struct pair {
  T first;
  U second;
  pair() {}
  pair(const T &f, const U &s) : first(f), second(s) {}
};
template <class T> class complex {
public:
  complex(T real = 0, T imag = 0) : re(real), im(imag) {}
  T &real() { return re; }
  T &imag() { return im; }

private:
  T re, im;
};

} // namespace Kokkos

#endif
