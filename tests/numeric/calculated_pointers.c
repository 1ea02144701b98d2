// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses that go through integers: links with flags that are chosen, passed and returned, and
// links into a block that has grown and moved.
// Supports: links with flags in integers, links into blocks that move
#include "GradientCheck.h"
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct Tagged {
  double value;
  uintptr_t next;
};
static struct Tagged *target(uintptr_t link) { return (struct Tagged *)(link & ~(uintptr_t)7); }

// The link is a variable of the loops.
static double flagged(const double *x, int n) {
  uintptr_t head = 0;
  for (int i = 0; i < n; i++) {
    struct Tagged *t = malloc(sizeof *t);
    t->value = x[i] * x[i];
    t->next = head;
    head = (uintptr_t)t | (i & 1);
  }
  double s = 1;
  while (target(head)) {
    struct Tagged *t = target(head);
    s = head & 1 ? s * t->value * 0.7 : s + t->value;
    head = t->next;
    free(t);
  }
  return s;
}

__attribute__((noinline)) static uintptr_t mark(struct Tagged *t, int flag) {
  return (uintptr_t)t | flag;
}
__attribute__((noinline)) static double walk(uintptr_t link) {
  struct Tagged *t = target(link);
  return t ? (link & 1 ? t->value * t->value : t->value) + 0.5 * walk(t->next) : 0;
}
static double passed(const double *x, int n) {
  struct Tagged t[6];
  uintptr_t head = 0;
  for (int i = 0; i < n; i++) {
    t[i].value = x[i];
    t[i].next = head;
    head = mark(t + i, i & 1);
  }
  return walk(head) + walk((uintptr_t)(t + n / 2) | (x[0] > 0));
}

struct Link {
  double value;
  struct Link *next;
};
static double total(const struct Link *l) {
  double s = 1;
  for (; l; l = l->next)
    s = s * 0.5 + l->value;
  return s;
}

static double moved(const double *x, int n) {
  size_t room = 2;
  struct Link *all = malloc(room * sizeof *all), *head = NULL;
  for (int i = 0; i < n; i++) {
    if ((size_t)i == room) {
      struct Link *larger = malloc((room *= 2) * sizeof *all);
      memcpy(larger, all, i * sizeof *all);
      const ptrdiff_t away = (char *)larger - (char *)all;
      for (int k = 0; k < i; k++)
        if (larger[k].next)
          larger[k].next = (struct Link *)((char *)larger[k].next + away);
      head = (struct Link *)((char *)head + away);
      free(all);
      all = larger;
    }
    all[i] = (struct Link){x[i] * x[i], head};
    head = &all[i];
  }
  const double s = total(head);
  free(all);
  return s;
}
static double resized(const double *x, int n) {
  size_t room = 2;
  struct Link *all = malloc(room * sizeof *all), *head = NULL;
  for (int i = 0; i < n; i++) {
    if ((size_t)i == room) {
      const uintptr_t old = (uintptr_t)all;
      all = realloc(all, (room *= 2) * sizeof *all);
      for (int k = 0; k < i; k++)
        if (all[k].next)
          all[k].next = (struct Link *)((uintptr_t)all[k].next - old + (uintptr_t)all);
      head = (struct Link *)((uintptr_t)head - old + (uintptr_t)all);
    }
    all[i] = (struct Link){x[i] * x[n - 1 - i], head};
    head = &all[i];
  }
  const double s = total(head);
  free(all);
  return s;
}

/// An address that is a number from one iteration to the next.
static double counted(const double *x, size_t row, int n) {
  double s = 0;
  uintptr_t from = (uintptr_t)x;
  for (int i = 0; i < n; i++) {
    uintptr_t at = from;
    for (int k = 0; k < n; k++) {
      s += *(const double *)(at + (i < 2 ? 0 : row)) * *(const double *)at;
      at = k % 2 ? at + row : at + sizeof(double);
    }
    from = i % 2 ? at - row : at - sizeof(double);
  }
  return s;
}

GRADIENT_CHECK(calculated_pointers_flagged, Double, flagged, In(double, 6), Int(6))
GRADIENT_CHECK(calculated_pointers_passed, Double, passed, In(double, 6), Int(6))
GRADIENT_CHECK(calculated_pointers_moved, Double, moved, In(double, 7), Int(7))
GRADIENT_CHECK(calculated_pointers_resized, Double, resized, In(double, 7), Int(7))
GRADIENT_CHECK(calculated_pointers_counted, Double, counted, In(double, 30), Size(16), Int(4))

// Links in both directions in one word: the addresses of both neighbours, joined by exclusive or.
struct both_ways {
  double v;
  uintptr_t link;
};
static struct both_ways *step(struct both_ways **p, struct both_ways *from) {
  struct both_ways *here = *p;
  *p = (struct both_ways *)(here->link ^ (uintptr_t)from);
  return here;
}
static double walked_both_ways(const double *x, int n) {
  struct both_ways *first = NULL, *last = NULL;
  for (int i = 0; i < n; ++i) {
    struct both_ways *made = malloc(sizeof *made);
    made->v = x[i] * x[0];
    made->link = (uintptr_t)last;
    if (last)
      last->link ^= (uintptr_t)made;
    else
      first = made;
    last = made;
  }
  double s = 1;
  for (struct both_ways *p = first, *from = NULL; p; from = step(&p, from))
    s = s * 0.5 + p->v * s;
  for (struct both_ways *p = last, *from = NULL; p; from = step(&p, from))
    p->v = s += p->v * p->v;
  for (struct both_ways *p = first, *from = NULL, *gone = NULL; p; gone = from) {
    s += p->v * 0.1;
    from = step(&p, from);
    free(gone);
    if (!p)
      free(from);
  }
  return s;
}
GRADIENT_CHECK(calculated_both_ways, Double, walked_both_ways, In(double, 6), Int(6))

// What is calculated from two addresses is a number: a hash.
struct hashed {
  struct hashed *next;
  const double *key;
  double v;
};
static unsigned hash_of(const void *key, const void *salt) {
  uintptr_t k = (uintptr_t)key;
  k ^= k >> 7;
  k ^= (uintptr_t)salt >> 3;
  return (unsigned)(k * 2654435761U >> 5) & 7;
}
static double hashed_by_address(const double *x, int n) {
  struct hashed *chains[8] = {0}, pool[6];
  double s = 1;
  for (int i = 0; i < n; ++i) {
    struct hashed **chain = &chains[hash_of(&x[i], pool)];
    pool[i] = (struct hashed){*chain, &x[i], x[i] * x[0]};
    *chain = &pool[i];
  }
  for (int i = 0; i < n; ++i)
    for (struct hashed *p = chains[hash_of(&x[i], pool)]; p; p = p->next)
      if (p->key == &x[i])
        p->v = s += p->v * s;
  return s + pool[1].v;
}
GRADIENT_CHECK(calculated_hashes, Double, hashed_by_address, In(double, 6), Int(6))
