// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Discrete events: a heap of records with callbacks, of which some enter further records, in a
// structure with other arrays. Its last record is found by an index that begins in front of it.
// Supports: discrete event simulation, priority queues of records with callbacks
#include "GradientCheck.h"
#include <stdlib.h>
#include <string.h>

struct Simulation;
struct Event {
  double time;
  void (*fire)(struct Simulation *, struct Event *);
  int who;
  double load;
};
struct Simulation {
  struct Event heap[64];
  int used;
  double state[4], *rate, cost;
};

static void push(struct Simulation *s, struct Event e) {
  int at = s->used++;
  while (at && s->heap[(at - 1) / 2].time > e.time) {
    s->heap[at] = s->heap[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  s->heap[at] = e;
}

static struct Event pop(struct Simulation *s) {
  const struct Event top = s->heap[0], last = s->heap[--s->used];
  int at = 0;
  for (int next; (next = 2 * at + 1) < s->used; at = next) {
    if (next + 1 < s->used && s->heap[next + 1].time < s->heap[next].time)
      ++next;
    if (last.time <= s->heap[next].time)
      break;
    s->heap[at] = s->heap[next];
  }
  s->heap[at] = last;
  return top;
}

static void leave(struct Simulation *s, struct Event *e) {
  const double waited = s->state[e->who] - e->load;
  s->cost += waited * waited * e->time;
  s->state[e->who] *= 0.5;
}

static void arrive(struct Simulation *s, struct Event *e) {
  s->state[e->who] += e->load * s->rate[e->who];
  struct Event other = *e;
  other.time += s->rate[(e->who + 1) % 4];
  other.fire = leave;
  push(s, other);
  if (e->time < 3) {
    other.fire = arrive;
    other.time = e->time + 0.7 * s->rate[e->who];
    other.who = (other.who + 1) & 3;
    other.load *= 0.9;
    push(s, other);
  }
}

static double simulate(const double *x) {
  struct Simulation *s = calloc(1, sizeof *s);
  double rate[4];
  memcpy(rate, x, sizeof rate);
  s->rate = rate;
  push(s, (struct Event){0.1 * x[0], arrive, 0, x[1]});
  push(s, (struct Event){0.2 * x[2], arrive, 2, x[3]});
  while (s->used) {
    struct Event e = pop(s);
    e.fire(s, &e);
  }
  const double cost = s->cost;
  free(s);
  return cost;
}
GRADIENT_CHECK(event_queue, Double, simulate, In(double, 4))
