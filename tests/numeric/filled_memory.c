// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is read from files and strings overwrites values that depended on the inputs, as far as it
// gets; names are put together beside floats.
// Supports: `fread`, `scanf`, `snprintf` and their kin writing over active memory; clocks, `stat`, `rand_r` beside it
#define _GNU_SOURCE
#include "GradientCheck.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

struct record {
  char name[12];
  float weight;
  double v[3];
  int n;
};

static double named(const double *x) {
  struct record r;
  for (int i = 0; i < 3; i++)
    r.v[i] = x[i] * x[i];
  r.weight = 0.5f;
  snprintf(r.name, sizeof r.name, "r%d", 31);
  strcat(r.name, "abcdef");
  r.n = (int)strlen(r.name);
  double sum = 0;
  for (int i = 0; i < 3; i++)
    sum += r.v[i] * (r.name[i] - '0');
  return sum * r.n * r.weight;
}

// Of four values, the line has two and a half.
static double scanned(const double *x, const double *y) {
  double c[4];
  float a = (float)y[0];
  struct record r = {.n = 1};
  for (int i = 0; i < 4; i++)
    c[i] = x[i] * y[i];
  r.v[1] = c[0] * c[1];
  const char *line = "2.5 west 4 0.25 none";
  const int found = sscanf(line, "%lf %11s %*d %f %lf %lf", &c[0], r.name, &a, &c[2], &c[3]);
  double sum = r.v[1] + (double)a * c[1] + found;
  for (int i = 0; i < 4; i++)
    sum += c[i] * c[i] * x[i] + r.name[i];
  return sum;
}

// The file holds three values where five are asked for, and is read twice.
static double received(const double *x, int n) {
  FILE *file = tmpfile();
  const double kept[3] = {0.5, 1.5, 2.5};
  if (!file || fwrite(kept, sizeof kept[0], 3, file) != 3)
    return -1;
  double *w = (double *)malloc(n * sizeof(double)), sum = 0;
  for (int i = 0; i < n; i++)
    w[i] = x[i] * x[i];
  for (int pass = 0; pass < 2; pass++) {
    rewind(file);
    for (int i = 0; i < n; i++)
      sum += w[i] * x[i] * (pass + 1);
    const size_t got = fread(w + 1, sizeof *w, n - 1, file);
    for (int i = 0; i < n; i++)
      sum += w[i] * w[i] * x[i] * (double)got;
  }
  fclose(file);
  free(w);
  return sum;
}

struct walk {
  double position[2];
  unsigned seed;
  struct timespec begun;
  float step;
  struct drand48_data state;
  double jump;
  struct stat folder;
  double length;
};

// What the system says about itself, between values that depend on the inputs and over one of them.
static double asked(const double *x, int n) {
  struct walk *w = (struct walk *)calloc(1, sizeof *w);
  w->seed = 5;
  w->step = (float)x[0];
  w->length = x[1];
  clock_gettime(CLOCK_REALTIME, &w->begun);
  srand48_r(3, &w->state);
  for (int i = 0; i < n; i++) {
    w->jump = x[i] * w->length;
    w->position[0] += w->jump * w->jump;
    drand48_r(&w->state, &w->jump);
    w->position[i % 2] += w->step * x[i] * (rand_r(&w->seed) % 4) + w->jump * x[i] * x[0];
    w->length *= 1 + 0.1 * x[i] * (stat("/", &w->folder) == 0 && w->folder.st_nlink > 0);
    time(NULL);
  }
  const double sum = w->position[0] * w->position[1] + w->length * (w->begun.tv_sec > 0);
  free(w);
  return sum;
}

GRADIENT_CHECK(filled_by_the_system, Double, asked, In(double, 4), Int(4))
GRADIENT_CHECK(filled_names, Double, named, In(double, 3))
GRADIENT_CHECK(filled_by_scanf, Double, scanned, In(double, 4), In(double, 4))
GRADIENT_CHECK(filled_by_fread, Double, received, In(double, 6), Int(6))

// A text beside numbers that it names; only what it is read by is told where it ends.
struct Line {
  char text[24];
  double numbers[4];
};
static double parsed(const double *x, int n) {
  struct Line *line = (struct Line *)malloc(sizeof *line);
  memcpy(line->text, "0 2 3", 6);
  for (int i = 0; i < 4; ++i)
    line->numbers[i] = x[i] * x[i];
  double s = 0;
  char *rest = line->text, *end;
  for (;;) {
    const long which = strtol(rest, &end, 10);
    if (end == rest)
      break;
    s += line->numbers[which] * x[which];
    rest = end;
  }
  s += line->numbers[atoi(line->text + 2)];
  free(line);
  return s * n;
}
GRADIENT_CHECK(filled_parsed, Double, parsed, In(double, 4), Int(3))
