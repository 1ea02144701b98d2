// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that comes and goes inside a function: alloca in loops, arrays of variable length,
// flexible members, static and thread-local variables, arenas of the program's own, realloc.
// Supports: `alloca`, flexible array members, `posix_memalign`, thread-local variables
#include "GradientCheck.h"
#include <alloca.h>
#include <stdlib.h>
#include <string.h>

struct Link {
  double value;
  struct Link *next;
};
static double allocaList(const double *x, int n) {
  struct Link *list = NULL;
  for (int i = 0; i < n; i++) {
    struct Link *l = alloca(sizeof *l);
    l->value = x[i] * (list ? list->value : 1);
    l->next = list;
    list = l;
  }
  double s = 0;
  for (; list; list = list->next)
    s += list->value * list->value;
  return s;
}

static double vlaMatrix(int n, const double *x) {
  double a[n][n + 1];
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= n; j++)
      a[i][j] = x[(i * j) % n] + i;
  double (*row)[n + 1] = a + 1;
  double s = 0;
  for (int i = 0; i + 1 < n; i++, row++)
    s += (*row)[i] * row[-1][i + 1];
  return s;
}

static double vlaInLoop(const double *x, int n) {
  double s = 0;
  for (int k = 1; k <= n; k++) {
    double window[k];
    for (int i = 0; i < k; i++)
      window[i] = x[i] * x[k - 1];
    for (int i = 0; i < k; i++)
      s += window[k - 1 - i] * window[i];
  }
  return s;
}

struct Series {
  int count;
  double scale;
  double terms[];
};
static struct Series *makeSeries(const double *x, int n) {
  struct Series *s = malloc(sizeof *s + (size_t)n * sizeof(double));
  s->count = n;
  s->scale = x[0];
  for (int i = 0; i < n; i++)
    s->terms[i] = x[i] * x[i];
  return s;
}
static double flexible(const double *x, int n) {
  struct Series *s = makeSeries(x, n);
  double sum = 0;
  for (int i = 0; i < s->count; i++)
    sum = sum * s->scale + s->terms[i];
  free(s);
  return sum;
}

static double staticLocal(const double *x, int n) {
  static double last[2];
  last[0] = x[0];
  last[1] = 0;
  for (int i = 0; i < n; i++) {
    double next = last[0] * x[i] + last[1];
    last[1] = last[0];
    last[0] = next;
  }
  return last[0];
}

static _Thread_local double accumulator;
static void accumulate(double v) { accumulator += v * v; }
static double threadLocal(const double *x, int n) {
  accumulator = 0;
  for (int i = 0; i < n; i++)
    accumulate(x[i] * accumulator + x[i]);
  return accumulator;
}

static double globalTable[16];
static int globalCount;
static void note(double v) { globalTable[globalCount++ % 16] = v; }
static double globals(const double *x, int n) {
  globalCount = 0;
  for (int i = 0; i < n; i++)
    note(x[i] * (i ? globalTable[i - 1] : 1));
  double s = 0;
  for (int i = 0; i < globalCount; i++)
    s += globalTable[i];
  return s;
}

struct Arena {
  char *base;
  size_t used, size;
};
static void *take(struct Arena *a, size_t bytes) {
  void *p = a->base + a->used;
  a->used += (bytes + 15) / 16 * 16;
  return p;
}
static double arena(const double *x, int n) {
  struct Arena a = {malloc(4096), 0, 4096};
  double *squares = take(&a, (size_t)n * sizeof *squares);
  double *sums = take(&a, (size_t)(n + 1) * sizeof *sums);
  sums[0] = 0;
  for (int i = 0; i < n; i++) {
    squares[i] = x[i] * x[i];
    sums[i + 1] = sums[i] + squares[i] * x[0];
  }
  double s = sums[n] * squares[n - 1];
  free(a.base);
  return s;
}

static double growing(const double *x, int n) {
  size_t room = 1, count = 0;
  double *v = malloc(sizeof *v);
  for (int i = 0; i < 4 * n; i++) {
    if (count == room)
      v = realloc(v, (room *= 2) * sizeof *v);
    v[count] = count ? v[count - 1] * x[i % n] * 0.9 + 0.1 : x[0];
    count++;
  }
  double s = 0;
  for (size_t i = 0; i < count; i++)
    s += v[i];
  free(v);
  return s;
}

static double callocZeros(const double *x, int n) {
  double *h = calloc((size_t)n, sizeof *h);
  for (int i = 0; i < 3 * n; i++)
    h[(i * i) % n] += x[i % n] * x[(i / 2) % n];
  double s = 0;
  for (int i = 0; i < n; i++)
    s += h[i] * h[i];
  free(h);
  return s;
}

static double aligned(const double *x, int n) {
  double *a = aligned_alloc(64, 64 * 4), *b = NULL;
  if (posix_memalign((void **)&b, 64, 64 * 4))
    return 0;
  for (int i = 0; i < n; i++)
    b[i] = (a[i] = x[i] * x[i]) * x[0];
  double s = 0;
  for (int i = 0; i < n; i++)
    s += a[i] * b[n - 1 - i];
  free(a);
  free(b);
  return s;
}

// Buffers change their roles by swapping pointers.
static double pingPong(const double *x, int n) {
  double *now = malloc((size_t)n * sizeof *now), *next = malloc((size_t)n * sizeof *next);
  memcpy(now, x, (size_t)n * sizeof *now);
  for (int t = 0; t < 5; t++) {
    for (int i = 0; i < n; i++)
      next[i] = now[i] + 0.1 * now[(i + 1) % n] * now[(i + n - 1) % n];
    double *old = now;
    now = next;
    next = old;
  }
  double s = 0;
  for (int i = 0; i < n; i++)
    s += now[i] * now[i];
  free(now);
  free(next);
  return s;
}

static double compound(const double *x, int n) {
  double s = 0;
  for (int i = 0; i + 2 < n; i++) {
    const double *p = (const double[]){x[i], x[i + 1] * x[i], x[i + 2]};
    for (int j = 0; j < 3; j++)
      s += p[j] * p[(j + i) % 3];
  }
  return s;
}

GRADIENT_CHECK(local_memory_alloca_list, Double, allocaList, In(double, 6), Int(6))
GRADIENT_CHECK(local_memory_vla_matrix, Double, vlaMatrix, Int(5), In(double, 5))
GRADIENT_CHECK(local_memory_vla_loop, Double, vlaInLoop, In(double, 6), Int(6))
GRADIENT_CHECK(local_memory_flexible, Double, flexible, In(double, 6), Int(6))
GRADIENT_CHECK(local_memory_static, Double, staticLocal, In(double, 6), Int(6))
GRADIENT_CHECK(local_memory_thread_local, Double, threadLocal, In(double, 4), Int(4))
GRADIENT_CHECK(local_memory_globals, Double, globals, In(double, 6), Int(6))
GRADIENT_CHECK(local_memory_arena, Double, arena, In(double, 6), Int(6))
GRADIENT_CHECK(local_memory_growing, Double, growing, In(double, 5), Int(5))
GRADIENT_CHECK(local_memory_calloc, Double, callocZeros, In(double, 7), Int(7))
GRADIENT_CHECK(local_memory_aligned, Double, aligned, In(double, 8), Int(8))
GRADIENT_CHECK(local_memory_ping_pong, Double, pingPong, In(double, 7), Int(7))
GRADIENT_CHECK(local_memory_compound, Double, compound, In(double, 7), Int(7))
