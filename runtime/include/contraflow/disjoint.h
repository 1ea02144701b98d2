/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A promise about an array of indices: it holds no number twice. The reverse of a parallel loop
 * then adds to x-bar[order[i]] without atomics.
 *
 *   #pragma omp parallel for
 *   for (int i = 0; i < n; i++)
 *     y[i] = a[i] * x[CONTRAFLOW_DISJOINT(order, i)];         C: order[i]
 *
 *   const auto apart = contraflow::disjoint(order);            C++: a pointer, vector, array or
 * span
 *   ... x[apart[i]] ...
 *
 * The promise also says that the loop reads no part of x through another pointer. With
 * -mllvm -contraflow-check-promises the program checks it.
 */
#ifndef CONTRAFLOW_DISJOINT_H
#define CONTRAFLOW_DISJOINT_H

#if defined(__clang__)
#define CONTRAFLOW_DISJOINT(indices, i) __builtin_annotation((indices)[i], "contraflow_disjoint")
#else
#define CONTRAFLOW_DISJOINT(indices, i) ((indices)[i])
#endif

#ifdef __cplusplus
#include <cstddef>
#include <iterator>
#include <type_traits>

namespace contraflow {

/// An array of indices that holds no number twice. It does not own them.
template <class Index> class disjoint_indices {
public:
  static_assert(std::is_integral_v<Index>, "contraflow::disjoint takes an array of integers");
  explicit constexpr disjoint_indices(const Index *first) : first_(first) {}
  Index operator[](std::ptrdiff_t i) const { return CONTRAFLOW_DISJOINT(first_, i); }

private:
  const Index *first_;
};

template <class Index> auto disjoint(const Index *indices) {
  return disjoint_indices<Index>(indices);
}

template <class Indices>
  requires(!std::is_pointer_v<std::decay_t<Indices>>)
auto disjoint(const Indices &indices) {
  return disjoint(std::data(indices));
}

} // namespace contraflow
#endif

#endif
