// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What bitcode of Rust calls for memory: symbols with the compiler's hash in them, and an end of
// life that is told the size and the alignment.
// Supports: Rust's bitcode: slices, `Vec`, `Box`, `dyn` traits
#include "GradientCheck.h"
#include <stdlib.h>
#include <string.h>

// In front of each object: its size and its alignment, which have to come back.
enum { Header = 64 };
static void *fresh(size_t size, size_t alignment) {
  size_t *block = aligned_alloc(Header, (Header + size + Header - 1) / Header * Header);
  block[0] = size;
  block[1] = alignment;
  return (char *)block + Header;
}
__attribute__((noinline)) void *
rust_alloc(size_t size, size_t alignment) __asm__("_RNvCsfLfy6EI15iL_7___rustc12___rust_alloc");
__attribute__((noinline)) void *rust_alloc(size_t size, size_t alignment) {
  return fresh(size, alignment);
}
__attribute__((noinline)) void *
rust_alloc_zeroed(size_t size,
                  size_t alignment) __asm__("_RNvCsfLfy6EI15iL_7___rustc19___rust_alloc_zeroed");
__attribute__((noinline)) void *rust_alloc_zeroed(size_t size, size_t alignment) {
  return memset(fresh(size, alignment), 0, size);
}
__attribute__((noinline)) void
rust_dealloc(void *object, size_t size,
             size_t alignment) __asm__("_RNvCsfLfy6EI15iL_7___rustc14___rust_dealloc");
__attribute__((noinline)) void rust_dealloc(void *object, size_t size, size_t alignment) {
  size_t *block = (size_t *)((char *)object - Header);
  if (block[0] != size || block[1] != alignment)
    abort();
  free(block);
}
__attribute__((noinline)) void *
rust_realloc(void *object, size_t size, size_t alignment,
             size_t wanted) __asm__("_RNvCsfLfy6EI15iL_7___rustc14___rust_realloc");
__attribute__((noinline)) void *rust_realloc(void *object, size_t size, size_t alignment,
                                             size_t wanted) {
  void *other = fresh(wanted, alignment);
  memcpy(other, object, size < wanted ? size : wanted);
  rust_dealloc(object, size, alignment);
  return other;
}

// Vec::push, and a boxed number per element.
static double pushed(const double *x, double a, int n) {
  size_t capacity = 2;
  double *v = rust_alloc(capacity * sizeof(double), 8);
  double **boxes = rust_alloc_zeroed(n * sizeof(double *), 8);
  for (int i = 0; i < n; ++i) {
    if ((size_t)i == capacity) {
      v = rust_realloc(v, capacity * sizeof(double), 8, 2 * capacity * sizeof(double));
      capacity *= 2;
    }
    v[i] = x[i] * a;
    boxes[i] = rust_alloc(sizeof(double), 8);
    *boxes[i] = x[i] * x[i];
    v[i / 2] *= 1.5;
  }
  v = rust_realloc(v, capacity * sizeof(double), 8, n * sizeof(double)); // shrink_to_fit
  double s = 0;
  for (int i = 0; i < n; ++i) {
    s += v[i] * v[i] * *boxes[i];
    rust_dealloc(boxes[i], sizeof(double), 8);
  }
  rust_dealloc(boxes, n * sizeof(double *), 8);
  rust_dealloc(v, n * sizeof(double), 8);
  return s;
}
GRADIENT_CHECK(rust_pushed, Double, pushed, In(double, 9), Scalar(double), Int(9))

// What the caller gave is ended, what is returned lives on.
struct Vec {
  double *data;
  size_t capacity;
};
static double handed(const double *x, int n) {
  struct Vec rows[3];
  double s = 0;
  for (int r = 0; r < 3; ++r) {
    rows[r].capacity = r + 2;
    rows[r].data = rust_alloc(rows[r].capacity * sizeof(double), 8);
    for (size_t i = 0; i < rows[r].capacity; ++i)
      rows[r].data[i] = x[(i + r) % n] * x[r];
  }
  for (int r = 2; r >= 0; --r) {
    for (size_t i = 0; i < rows[r].capacity; ++i)
      s += rows[r].data[i] * rows[r].data[i] * x[i % n];
    rust_dealloc(rows[r].data, rows[r].capacity * sizeof(double), 8);
  }
  return s;
}
GRADIENT_CHECK(rust_handed, Double, handed, In(double, 6), Int(6))
