// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links of a list with numbers of several widths behind their address and their array, copied whole
// through a local variable in which an element is changed by an index.
#include "GradientCheck.h"
#include <math.h>
#include <stddef.h>

#define LINKS(Kind, ...)                                                                           \
  struct Kind {                                                                                    \
    struct Kind *next;                                                                             \
    __VA_ARGS__                                                                                    \
  };                                                                                               \
  static struct Kind Kind##First, Kind##Second;                                                    \
  static struct {                                                                                  \
    int at;                                                                                        \
    struct Kind *head;                                                                             \
  } Kind##List;                                                                                    \
  static float Kind##Copied(const float *x, int at) {                                              \
    Kind##List.at = at;                                                                            \
    Kind##List.head = &Kind##First;                                                                \
    Kind##First.next = &Kind##Second;                                                              \
    Kind##Second.next = &Kind##First;                                                              \
    for (int i = 0; i < 8; i++) {                                                                  \
      Kind##First.w[i] = x[i];                                                                     \
      Kind##Second.w[i] = x[i] * x[i];                                                             \
    }                                                                                              \
    Kind##First.scale = x[8];                                                                      \
    struct Kind copy = *Kind##List.head;                                                           \
    copy.w[Kind##List.at] = sinf(x[2] * Kind##First.scale);                                        \
    copy.w[at + 1] *= copy.scale;                                                                  \
    *Kind##List.head->next = copy;                                                                 \
    float s = 0;                                                                                   \
    for (int i = 0; i < 8; i++)                                                                    \
      s += Kind##First.w[i] * Kind##Second.w[i];                                                   \
    return s * Kind##Second.scale;                                                                 \
  }

LINKS(floats, float w[8]; float scale;)
LINKS(mixed, float w[8]; double scale;)
LINKS(counted, double w[8]; long count; unsigned char kind; float scale;)
LINKS(padded, double w[8]; unsigned char kind; float scale; short n; double last;)

GRADIENT_CHECK(links_of_floats, Float, floatsCopied, In(float, 9), Int(3))
GRADIENT_CHECK(links_of_both, Float, mixedCopied, In(float, 9), Int(3))
GRADIENT_CHECK(links_that_count, Float, countedCopied, In(float, 9), Int(3))
GRADIENT_CHECK(links_with_padding, Float, paddedCopied, In(float, 9), Int(3))
