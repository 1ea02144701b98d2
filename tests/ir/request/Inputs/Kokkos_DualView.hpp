// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A view on both sides; here they are one.
#ifndef CONTRAFLOW_TEST_KOKKOS_DUALVIEW_HPP
#define CONTRAFLOW_TEST_KOKKOS_DUALVIEW_HPP

#include "Kokkos_Core.hpp"

namespace Kokkos {

template <class T, class... P> class DualView {
public:
  explicit DualView(std::string label, std::size_t n) : device(std::move(label), n), host(device) {}
  DualView(const View<T, P...> &d, const View<T, Host> &h) : device(d), host(h) {}
  const View<T, P...> &view_device() const { return device; }
  const View<T, Host> &view_host() const { return host; }

private:
  View<T, P...> device;
  View<T, Host> host;
};

} // namespace Kokkos

#endif
