// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structures of the random programs over objects that lead to each other.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

/// A circular list whose links lie in the objects; the list itself is one, too.
struct Ends {
  Ends *next, *last;
  void clear() { next = last = this; }
  void add(Ends *at) {
    at->next = this, at->last = last;
    last->next = at, last = at;
  }
  void drop() { next->last = last, last->next = next; }
};
template <typename T> struct Body {
  T mass;
  Ends near;
  int tag;
  Ends all;
  T drift;
};
#define CONTAINER(T, member, at) ((T *)((char *)(at) - offsetof(T, member)))

template <typename T> struct Column {
  T *data;
  int rows;
  const char *name;
};
template <typename T> struct Sheet {
  Column<T> *columns[2];
  Sheet *other;
  T scale;
};
template <typename T> struct View {
  T *at;
  long step;
  int size;
  T &operator[](long i) const { return at[i * step]; }
};
template <typename T> struct Cell {
  union {
    T value;
    int next;
  };
  int used;
  Cell() : next(-1), used(0) {}
};
template <typename T> union Slot {
  struct {
    T a, b;
  } pair;
  struct {
    long id;
    T *at;
  } link;
  T one;
  Slot() : one(0.0) {}
};
template <typename T> struct Entry {
  int key;
  T value;
  T *from;
};
template <typename T> struct Shape;
template <typename T> struct Operations {
  T (*area)(const Shape<T> *, T);
  void (*grow)(Shape<T> *, T);
  int sides;
};
template <typename T> struct Shape {
  const Operations<T> *does;
  int kind;
};
template <typename T> struct Round {
  Shape<T> base;
  T radius;
};
template <typename T> struct Box {
  Shape<T> base;
  T *sides;
  T edge[2];
};
template <typename T> struct Change {
  T *at;
  T old;
};
template <typename T> struct Tail {
  int used, room;
  T first;
  T rest[1];
};
template <typename T> struct Task {
  T (*run)(void *, T);
  void *with;
  T scale;
};
template <typename T> struct Step {
  Step (*next)(T *, const T *, int);
  T weight;
};
template <typename T> struct Shared {
  int count;
  T values[3];
};

/// Bytes change places, as a container for any type would have them.
inline void swapBytes(void *a, void *b, std::size_t n) {
  char *p = (char *)a, *q = (char *)b;
  while (n--) {
    const char c = *p;
    *p++ = *q, *q++ = c;
  }
}
/// Memory from a block; what was taken later ends with what was taken earlier.
struct Block {
  char *from;
  std::size_t top, size;
  void *take(std::size_t n) {
    n = (n + 15) / 16 * 16;
    if (top + n > size)
      return nullptr;
    void *at = from + top;
    top += n;
    return at;
  }
};
