// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks: what they depend on, what they take along, how they nest, who waits for them.
// Supports: recursive task trees, blocked Cholesky factorisation by dependences
#include "GradientCheck.h"
#include <math.h>
#include <omp.h>

static double clauses(const double *x, double *y, int n) {
  double a = x[0], b[2] = {x[1], 2}, t = 0;
#pragma omp parallel
#pragma omp single nowait
  {
    for (int i = 0; i < n; i++) {
#pragma omp task if (i % 2) final(i > 3) mergeable priority(n - i) firstprivate(a, b) private(t)
      {
        t = x[i] * a;
        b[1] += x[i];
        a *= omp_in_final() ? 1 : 1;
        y[i] = t * b[0] * b[1];
      }
    }
#pragma omp taskwait
#pragma omp task default(none) shared(a) firstprivate(x)
    a *= x[2];
#pragma omp taskwait
#pragma omp task untied shared(a)
    a += x[3] * x[3];
  }
  return a;
}

static double dependences(const double *x, int n) {
  double a = 0, b = 0, c = 0, d = 1, e[4];
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : a) shared(a)
    a = x[0] * x[1];
#pragma omp task depend(in : a) depend(out : b) shared(a, b)
    b = a * a + x[2];
#pragma omp task depend(in : a) depend(out : c) shared(a, c)
    c = sin(a) * x[3];
    for (int i = 0; i < n; i++) {
#pragma omp task depend(mutexinoutset : d) shared(d)
      d *= x[i];
    }
#pragma omp task depend(inout : a) depend(in : b, c) shared(a, b, c)
    a += b * c;
    for (int i = 0; i < 4; i++) {
#pragma omp task depend(inoutset : e) depend(in : a) shared(a, e)
      e[i] = a * x[i];
    }
#pragma omp task depend(in : e, d) shared(a, d, e)
    a = d * e[0] * e[1] + e[2] * e[3];
  }
  return a * b + c;
}

static double iterators(const double *x, int n) {
  double v[12], s = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < n; i++) {
#pragma omp task depend(out : v[i]) shared(v)
      v[i] = x[i] * x[i];
#pragma omp taskwait depend(in : v[i]) nowait
    }
#pragma omp task depend(iterator(int k = 0 : n : 2), in : v[k]) depend(inout : s) shared(s, v)
    for (int k = 0; k < n; k += 2)
      s += v[k] * x[k];
#pragma omp task depend(iterator(int k = 1 : n), in : v[k], v[k - 1]) depend(inout : s) shared(s, v)
    for (int k = 1; k < n; k++)
      s += v[k] * v[k - 1];
#pragma omp taskwait depend(in : s)
    s *= x[0];
  }
  return s;
}

static void blocks(double *a, int n, int b) {
#pragma omp parallel
#pragma omp single
  for (int k = 0; k < n; k += b) { // Cholesky by blocks
#pragma omp task depend(inout : a[k * n + k])
    for (int j = k; j < k + b; j++) {
      for (int m = k; m < j; m++)
        a[j * n + j] -= a[j * n + m] * a[j * n + m];
      a[j * n + j] = sqrt(a[j * n + j]);
      for (int i = j + 1; i < k + b; i++) {
        for (int m = k; m < j; m++)
          a[i * n + j] -= a[i * n + m] * a[j * n + m];
        a[i * n + j] /= a[j * n + j];
      }
    }
    for (int i0 = k + b; i0 < n; i0 += b) {
#pragma omp task depend(in : a[k * n + k]) depend(inout : a[i0 * n + k])
      for (int i = i0; i < i0 + b; i++)
        for (int j = k; j < k + b; j++) {
          for (int m = k; m < j; m++)
            a[i * n + j] -= a[i * n + m] * a[j * n + m];
          a[i * n + j] /= a[j * n + j];
        }
    }
    for (int i0 = k + b; i0 < n; i0 += b)
      for (int j0 = k + b; j0 <= i0; j0 += b) {
#pragma omp task depend(in : a[i0 * n + k], a[j0 * n + k]) depend(inout : a[i0 * n + j0])
        for (int i = i0; i < i0 + b; i++)
          for (int j = j0; j < j0 + b && j <= i; j++)
            for (int m = k; m < k + b; m++)
              a[i * n + j] -= a[i * n + m] * a[j * n + m];
      }
  }
}

static double cholesky(const double *x, int n) {
  double a[36], s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * n + j] = (i == j ? 4 : 0) + x[i] * x[j] * 0.5;
  blocks(a, n, 2);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      s += a[i * n + j] * (i + 2 * j + 1);
  return s;
}

static double fold(const double *x, int n) {
  if (n < 3) {
    double s = 0;
    for (int i = 0; i < n; i++)
      s += x[i] * x[i] * x[i];
    return s;
  }
  double a, b;
#pragma omp task shared(a) untied
  a = fold(x, n / 2);
#pragma omp task shared(b) final(n < 6)
  b = fold(x + n / 2, n - n / 2);
#pragma omp taskwait
  return a + sin(b) * a;
}

static double recursive(const double *x, int n) {
  double r = 0;
#pragma omp parallel
#pragma omp masked
  r = fold(x, n);
  return r;
}

// A tree that grows on the heap, walked by tasks.
struct node {
  double value;
  struct node *left, *right;
};

static void visit(struct node *p, double factor) {
  double v = p->value;
  if (p->left)
#pragma omp task
    visit(p->left, factor * v);
  if (p->right)
#pragma omp task
    visit(p->right, factor + v);
  p->value = v * factor;
}

static double tree(const double *x, int n) {
  struct node nodes[15];
  for (int i = 0; i < n; i++) {
    nodes[i].value = x[i];
    nodes[i].left = 2 * i + 1 < n ? nodes + 2 * i + 1 : 0;
    nodes[i].right = 2 * i + 2 < n ? nodes + 2 * i + 2 : 0;
  }
#pragma omp parallel
#pragma omp single
  visit(nodes, x[0]);
  double s = 0;
  for (int i = 0; i < n; i++)
    s += nodes[i].value * nodes[i].value;
  return s;
}

static double groups(const double *x, double *y, int n) {
  double s = 0, t = 0;
#pragma omp parallel num_threads(3)
  {
#pragma omp single
    {
#pragma omp taskgroup
      {
        for (int i = 0; i < n; i++)
#pragma omp task
        {
#pragma omp task
          y[i] = x[i] * x[i];
        }
      }
      for (int i = 0; i < n; i++)
        s += y[i] * x[i];
    }
#pragma omp task shared(t)
#pragma omp critical
    t += s * 0.25;
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < n; i++)
#pragma omp task
      y[i] *= s;
  }
  return s + t * 0;
}

static double yielding(const double *x, int n) {
  double s = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < n; i++)
#pragma omp task shared(s, lock)
  {
    double v = x[i] * x[i];
    while (!omp_test_lock(&lock)) {
#pragma omp taskyield
    }
    s += v;
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
  return s * s;
}

GRADIENT_CHECK(task_with_clauses, Double, clauses, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(task_dependences, Double, dependences, In(double, 6), Int(6))
GRADIENT_CHECK(task_iterators, Double, iterators, In(double, 9), Int(9))
GRADIENT_CHECK(task_cholesky, Double, cholesky, In(double, 6), Int(6))
GRADIENT_CHECK(task_recursive, Double, recursive, In(double, 13), Int(13))
GRADIENT_CHECK(task_tree_on_stack, Double, tree, In(double, 15), Int(15))
GRADIENT_CHECK(task_groups, Double, groups, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(task_yielding, Double, yielding, In(double, 9), Int(9))
