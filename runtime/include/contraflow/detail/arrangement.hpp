// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Containers that are arranged as others are. A container and its shadow are walked together, and
// the container alone says how: whether there is room for one more element, which bucket to look
// in, whether to go left or right. A copy has its own capacity, and some have other buckets or
// another tree:
//
//   v.reserve(100)      shadow: room for 100 as well, or the 5th element would be written behind it
//   d.pop_front()       shadow: begins in the middle of a block, too
//   map, unordered_map  shadow: the same tree, the same buckets and chains
#ifndef CONTRAFLOW_DETAIL_ARRANGEMENT_HPP
#define CONTRAFLOW_DETAIL_ARRANGEMENT_HPP

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <ranges>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace contraflow::detail {

template <class T> inline constexpr bool is_deque = false;
template <class T, class A> inline constexpr bool is_deque<std::deque<T, A>> = true;

template <class T>
concept map_like = std::ranges::range<T> && requires { typename T::mapped_type; };
template <class T> struct mapped {
  using type = typename T::key_type;
};
template <map_like T> struct mapped<T> {
  using type = typename T::mapped_type;
};
/// What a map or set holds besides keys that do not change.
template <class T> using mapped_or_key = typename mapped<T>::type;
template <class T>
concept reserving = std::ranges::range<T> && requires(T &t, std::ranges::range_value_t<T> one) {
  t.reserve(t.capacity());
  t.push_back(std::move(one));
};
/// Made of nodes, in the order of their keys.
template <class T>
concept tree_like = std::ranges::range<T> && requires {
  typename T::key_compare;
  typename T::node_type;
};
/// Made of nodes, in chains.
template <class T>
concept hashed = std::ranges::range<T> && requires(T &t) {
  typename T::hasher;
  typename T::node_type;
  t.rehash(t.bucket_count());
};
template <class T>
concept keyed = tree_like<T> || hashed<T>;

/// libstdc++ copies trees and buckets as they are; libc++ inserts elements anew.
#ifdef __GLIBCXX__
inline constexpr bool copies_nodes = true;
#else
inline constexpr bool copies_nodes = false;
#endif

[[noreturn]] inline void refuse_arrangement(const char *what) { throw std::invalid_argument(what); }

template <class T> T empty_like(const T &x) {
  if constexpr (requires { T(x.key_comp(), x.get_allocator()); })
    return T(x.key_comp(), x.get_allocator());
  else if constexpr (requires { T(0, x.hash_function(), x.key_eq(), x.get_allocator()); })
    return T(0, x.hash_function(), x.key_eq(), x.get_allocator());
  else if constexpr (requires { T(x.get_allocator()); })
    return T(x.get_allocator());
  else
    return T();
}

/// Room for elements is zero, as the shadows of those that will be there.
template <class T> void clear_room(T *first, T *last) {
  if (first != last)
    std::memset(static_cast<void *>(first), 0, (last - first) * sizeof(T));
}
template <reserving T> void clear_room(T &made) {
  if constexpr (std::is_arithmetic_v<std::ranges::range_value_t<T>>) {
    const auto size = made.size();
    made.resize(made.capacity());
    made.resize(size);
  } else if constexpr (std::ranges::contiguous_range<T>) {
    clear_room(std::data(made) + made.size(), std::data(made) + made.capacity());
  }
}

/// Of vectors and strings, and what is like them.
template <reserving T> T empty_with_room_of(const T &x) {
  T made = empty_like(x);
  made.reserve(x.capacity());
  return made;
}

/// Adds an element of a set or map with the key that it has.
template <keyed T, class Element, class Build>
auto add(T &made, const Element &element, Build &&build) {
  const auto emplace = [&]<class... Parts>(Parts &&...parts) {
    if constexpr (tree_like<T>)
      return made.emplace_hint(made.end(), std::forward<Parts>(parts)...);
    else if constexpr (requires { made.emplace(std::forward<Parts>(parts)...).first; })
      return made.emplace(std::forward<Parts>(parts)...).first;
    else
      return made.emplace(std::forward<Parts>(parts)...);
  };
  if constexpr (map_like<T>)
    return emplace(element.first, build(element.second));
  else
    return emplace(element);
}

/// The pointers of the nodes of a tree, as the standard libraries name them.
template <class Iterator> auto *node_of(Iterator it) {
#ifdef _LIBCPP_VERSION
  using end_node = std::__tree_end_node<std::__tree_node_base<void *> *>;
  return static_cast<std::__tree_node_base<void *> *>(std::bit_cast<end_node *>(it));
#else
  return const_cast<std::_Rb_tree_node_base *>(it._M_node);
#endif
}
template <class Node, class Find> void link_as(Node *made, const Node *other, bool end, Find find) {
#ifdef _LIBCPP_VERSION
  made->__left_ = find(other->__left_);
  if (end)
    return; // has no more than the root
  made->__right_ = find(other->__right_);
  made->__parent_ = find(static_cast<Node *>(other->__parent_));
  made->__is_black_ = other->__is_black_;
#else
  made->_M_left = find(other->_M_left);
  made->_M_right = find(other->_M_right);
  made->_M_parent = find(other->_M_parent);
  made->_M_color = other->_M_color;
  (void)end;
#endif
}

/// Elements in the same order become the same tree.
template <tree_like T> void link_nodes(T &made, const T &x) {
  using node = std::remove_pointer_t<decltype(node_of(x.begin()))>;
  std::map<const node *, node *> made_for{{nullptr, nullptr},
                                          {node_of(x.end()), node_of(std::as_const(made).end())}};
  for (auto a = x.begin(), b = std::as_const(made).begin(); a != x.end(); ++a, ++b)
    made_for[node_of(a)] = node_of(b);
  const auto find = [&](const node *of) { return made_for.at(of); };
  for (const auto &[from, to] : made_for)
    if (from)
      link_as(to, from, from == node_of(x.end()), find);
}

template <tree_like T, class Build> T build_tree(const T &x, Build &&build) {
  T made = empty_like(x);
  for (const auto &element : x)
    add(made, element, build);
  link_nodes(made, x);
  return made;
}

/// A new node becomes the first of its chain: the last one is added first.
template <hashed T, class Build> T build_hashed(const T &x, Build &&build) {
  T made = empty_like(x);
  made.max_load_factor(x.max_load_factor());
  if (made.bucket_count() != x.bucket_count())
    made.rehash(x.bucket_count());
  std::vector<const typename T::value_type *> elements;
  for (const auto &element : x)
    elements.push_back(std::addressof(element));
  std::vector<const typename T::value_type *> added;
  for (const auto *element : std::views::reverse(elements))
    added.push_back(std::addressof(*add(made, *element, build)));
  bool same = made.bucket_count() == x.bucket_count() && made.size() == x.size();
  for (auto it = made.begin(); same && it != made.end(); ++it, added.pop_back())
    same = std::addressof(*it) == added.back();
  if (!same)
    refuse_arrangement("contraflow: no shadow has the buckets of this container: insert its "
                       "elements into a new one first");
  return made;
}

#ifdef __GLIBCXX__
/// A deque with the blocks of another one.
template <class T, class A> class arranged_deque : public std::deque<T, A> {
  using base = std::deque<T, A>;
  using parts = std::_Deque_base<T, A>;

public:
  template <class Build> arranged_deque(const base &x, Build &&build) : base(x.get_allocator()) {
    auto &own = this->parts::_M_impl;
    const auto &other = static_cast<const arranged_deque &>(x).parts::_M_impl;
    parts::_M_destroy_nodes(own._M_start._M_node, own._M_finish._M_node + 1);
    parts::_M_deallocate_map(own._M_map, own._M_map_size);
    own._M_map_size = other._M_map_size;
    own._M_map = parts::_M_allocate_map(own._M_map_size);
    const auto first = own._M_map + (other._M_start._M_node - other._M_map);
    parts::_M_create_nodes(first, first + 1);
    own._M_start._M_set_node(first);
    own._M_start._M_cur = own._M_start._M_first + (other._M_start._M_cur - other._M_start._M_first);
    own._M_finish = own._M_start;
    for (const auto &element : x)
      this->push_back(build(element));
    clear_room(own._M_start._M_first, own._M_start._M_cur);
    clear_room(own._M_finish._M_cur, own._M_finish._M_last);
  }
};

template <class T, class A, class Build>
std::deque<T, A> build_deque(const std::deque<T, A> &x, Build &&build) {
  return std::deque<T, A>(arranged_deque<T, A>(x, build));
}
#else
template <class T>
inline constexpr std::size_t deque_block = sizeof(T) < 256 ? 4096 / sizeof(T) : 16;

/// How many elements are free in front of the first, which libc++ keeps before the size.
template <class T, class A> std::size_t room_in_front(const std::deque<T, A> &x) {
  std::size_t words[sizeof(x) / sizeof(std::size_t)];
  constexpr std::size_t count = std::size(words);
  std::memcpy(words, static_cast<const void *>(std::addressof(x)), sizeof(words));
  const auto [block, first] = std::bit_cast<std::array<const T *const *, 2>>(x.begin());
  const std::size_t offset = x.empty() ? 0 : reinterpret_cast<const T *>(first) - *block;
  if (words[count - 1] != x.size() || words[count - 2] % deque_block<T> != offset)
    refuse_arrangement("contraflow: it is not known where this deque begins: copy it first");
  return words[count - 2];
}

template <class T, class A, class Build>
std::deque<T, A> build_deque(const std::deque<T, A> &x, Build &&build) {
  std::deque<T, A> made(x.get_allocator());
  const std::size_t before = room_in_front(x), end = before + x.size();
  const std::size_t behind = x.empty() ? 0 : deque_block<T> - 1 - (end - 1) % deque_block<T>;
  for (std::size_t i = 0; i != before; ++i)
    made.push_back(build(x.front()));
  for (const auto &element : x)
    made.push_back(build(element));
  for (std::size_t i = 0; i != behind; ++i) // leaves zeros
    made.push_back(build(x.back()));
  made.resize(end);
  for (std::size_t i = 0; i != before; ++i)
    made.pop_front();
  if (room_in_front(made) != before)
    refuse_arrangement("contraflow: no shadow begins where this deque does: copy it first");
  return made;
}
#endif

/// A container whose elements are those of x, built, where a copy of x would not do.
template <std::ranges::range T, class Build> T build_range(const T &x, Build &&build) {
  if constexpr (is_deque<T>) {
    return build_deque(x, build);
  } else if constexpr (tree_like<T>) {
    return build_tree(x, build);
  } else if constexpr (hashed<T>) {
    return build_hashed(x, build);
  } else if constexpr (reserving<T>) {
    T made = empty_with_room_of(x);
    for (const auto &element : x)
      made.push_back(build(element));
    clear_room(made);
    return made;
  } else {
    T made = empty_like(x);
    for (const auto &element : x)
      made.insert(made.end(), build(element));
    return made;
  }
}

} // namespace contraflow::detail

#endif
