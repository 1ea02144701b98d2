// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of functions that are copied into the object that they work on, as a whole or in parts.
// Supports: tables of functions copied into objects
#include "GradientCheck.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct body {
  double x, v;
};
struct scheme {
  const char *name;
  void (*step)(struct body *b, double dt);
  double (*energy)(const struct body *b);
  struct state *(*create)();
  void (*ended)(struct body *b, double dt);
};
struct state {
  double gain;
  int used;
};
struct world {
  double time;
  int steps;
  struct state *state;
  struct {
    int kind;
    struct scheme scheme;
    double (*measures[2])(const struct body *b);
  } set;
  struct body bodies[2];
};

static void euler(struct body *b, double dt) {
  b->x += dt * b->v;
  b->v -= dt * sin(b->x);
}
static void halves(struct body *b, double dt) {
  b->v -= 0.5 * dt * sin(b->x);
  b->x += dt * b->v;
  b->v -= 0.5 * dt * sin(b->x);
}
static void damp(struct body *b, double dt) { b->v *= 1 - dt; }
static void leaps(struct body *b, double dt) {
  b->x += dt * b->v;
  b->v += dt * cos(b->x) * b->v;
}
static double squares(const struct body *b) { return b->v * b->x; }
static double kinetic(const struct body *b) { return 0.5 * b->v * b->v; }
static double total(const struct body *b) { return 0.5 * b->v * b->v - cos(b->x); }

static struct state *tuned() {
  struct state *s = (struct state *)malloc(sizeof *s);
  s->gain = 0.5;
  s->used = 0;
  return s;
}
static struct state *counted() {
  struct state *s = (struct state *)calloc(1, sizeof *s);
  s->used = 3;
  return s;
}

static const struct scheme schemes[] = {{"euler", euler, kinetic, tuned, 0},
                                        {"halves", halves, total, counted, damp},
                                        {"other", damp, kinetic, 0, euler}};
static const struct scheme leap = {"leap", leaps, squares, tuned, 0};
const struct scheme plain = {"plain", euler, squares, counted, damp};
static double (*const measures[])(const struct body *) = {kinetic, total};

__attribute__((noinline)) static struct world *make(const double *x) {
  struct world *w = (struct world *)calloc(1, sizeof *w);
  w->steps = 4;
  for (int i = 0; i < 2; i++) {
    w->bodies[i].x = x[2 * i];
    w->bodies[i].v = x[2 * i + 1];
  }
  return w;
}
__attribute__((noinline)) static double run(struct world *w, const double *x) {
  double sum = 0;
  w->state = w->set.scheme.create ? w->set.scheme.create() : 0;
  if (w->state) {
    w->state->gain += x[0] * x[4];
    w->state->used++;
  }
  for (; w->steps > 0; w->steps--) {
    for (int i = 0; i < 2; i++)
      w->set.scheme.step(&w->bodies[i], 0.1 * x[4]);
    w->time += x[4];
  }
  for (int i = 0; i < 2; i++) {
    if (w->set.scheme.ended)
      w->set.scheme.ended(&w->bodies[i], x[4]);
    sum += w->set.scheme.energy(&w->bodies[i]) * w->time;
    if (w->set.measures[i])
      sum += w->set.measures[i](&w->bodies[i]);
  }
  if (w->state)
    sum += w->state->gain * w->state->gain * w->state->used;
  free(w->state);
  free(w);
  return sum;
}

__attribute__((noinline)) static void choose(struct world *w, struct scheme s) {
  w->set.scheme = s;
}
static double by_value(const double *x, const char *name) {
  struct world *w = make(x);
  if (strcmp(name, "leap") == 0)
    choose(w, leap);
  else if (strcmp(name, "plain") == 0)
    choose(w, plain);
  return run(w, x);
}
static double of_leap(const double *x) { return by_value(x, "leap"); }
static double of_plain(const double *x) { return by_value(x, "plain"); }

static double by_name(const double *x, int k) {
  struct world *w = make(x);
  for (int i = 0; i < 3; i++)
    if (i == k)
      memcpy(&w->set.scheme, &schemes[i], sizeof schemes[i]);
  memcpy(w->set.measures, measures, sizeof measures);
  return run(w, x);
}

static double by_member(const double *x, int k) {
  struct world *w = make(x);
  void (*step)(struct body *, double) = schemes[k].step;
  w->set.scheme.step = step;
  w->set.scheme.energy = schemes[k].energy;
  for (int i = 0; i < 2; i++)
    w->set.measures[i] = measures[(i + k) % 2];
  return run(w, x);
}

GRADIENT_CHECK(copied_tables_by_value, Double, of_leap, In(double, 5))
GRADIENT_CHECK(copied_tables_by_value_of_another, Double, of_plain, In(double, 5))
GRADIENT_CHECK(copied_tables_by_name, Double, by_name, In(double, 5), Int(2))
GRADIENT_CHECK(copied_tables_by_member, Double, by_member, In(double, 5), Int(1))
