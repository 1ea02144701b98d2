// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A solver that iterates until the residual is small; the exchange is begun in one function and
// ended in another, with its requests in a structure.
// Supports: requests completed in another function
#include "GradientCheck.h"
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

struct halo {
  MPI_Comm comm;
  MPI_Request requests[4];
  int left, right;
};

static void begin(struct halo *h, double *p, int n) {
  MPI_Irecv(p, 1, MPI_DOUBLE, h->left, 0, h->comm, &h->requests[0]);
  MPI_Irecv(p + n + 1, 1, MPI_DOUBLE, h->right, 1, h->comm, &h->requests[1]);
  MPI_Isend(p + n, 1, MPI_DOUBLE, h->right, 0, h->comm, &h->requests[2]);
  MPI_Isend(p + 1, 1, MPI_DOUBLE, h->left, 1, h->comm, &h->requests[3]);
}

static void end(struct halo *h) { MPI_Waitall(4, h->requests, MPI_STATUSES_IGNORE); }

static double dot(const double *a, const double *b, int n, MPI_Comm comm) {
  double mine = 0, all;
  for (int i = 1; i <= n; i++)
    mine += a[i] * b[i];
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
  return all;
}

static double solve(const double *b, const double *k, int n) {
  struct halo h;
  int rank, size;
  MPI_Comm_dup(MPI_COMM_WORLD, &h.comm);
  MPI_Comm_rank(h.comm, &rank);
  MPI_Comm_size(h.comm, &size);
  h.left = rank ? rank - 1 : MPI_PROC_NULL;
  h.right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  unsigned long bytes = (unsigned)(n + 2) * sizeof(double);
  double *x = calloc(1, bytes), *r = calloc(1, bytes), *p = calloc(1, bytes), *q = calloc(1, bytes);
  for (int i = 1; i <= n; i++)
    p[i] = r[i] = b[i - 1];
  double rr = dot(r, r, n, h.comm);
  for (int s = 0; s < 9 && rr > 1e-20; s++) {
    begin(&h, p, n);
    for (int i = 2; i < n; i++)
      q[i] = (2 + *k) * p[i] - p[i - 1] - p[i + 1];
    end(&h);
    q[1] = (2 + *k) * p[1] - p[0] - p[2];
    if (n > 1)
      q[n] = (2 + *k) * p[n] - p[n - 1] - p[n + 1];
    double alpha = rr / dot(p, q, n, h.comm);
    for (int i = 1; i <= n; i++) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    double next = dot(r, r, n, h.comm);
    for (int i = 1; i <= n; i++)
      p[i] = r[i] + next / rr * p[i];
    rr = next;
  }
  double result = dot(x, x, n, h.comm);
  MPI_Comm_free(&h.comm);
  free(x);
  free(r);
  free(p);
  free(q);
  return result;
}

GRADIENT_CHECK(conjugate_gradient, Replicated, solve, BlockIn(double, 24), SameIn(double, 1),
               BlockInt(24))
