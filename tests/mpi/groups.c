// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two groups of ranks that talk to each other through an intercommunicator: those with even and
// those with odd ranks. What a collective moves goes from one group to the other.
// Supports: collectives between two groups of ranks (intercommunicators)
#include "GradientCheck.h"
#include <mpi.h>

enum { N = 3, Most = 8 };

struct groups {
  int rank, size, side, here, there, place;
  MPI_Comm local, both;
};

/// Of one rank there is no second group.
static struct groups split(void) {
  struct groups g;
  MPI_Comm_rank(MPI_COMM_WORLD, &g.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &g.size);
  g.side = g.rank % 2;
  MPI_Comm_split(MPI_COMM_WORLD, g.side, 0, &g.local);
  MPI_Comm_size(g.local, &g.here);
  MPI_Comm_rank(g.local, &g.place);
  g.there = g.size - g.here;
  g.both = MPI_COMM_NULL;
  if (g.there)
    MPI_Intercomm_create(g.local, 0, MPI_COMM_WORLD, 1 - g.side, 7, &g.both);
  return g;
}

static void end(struct groups *g) {
  if (g->there)
    MPI_Comm_free(&g->both);
  MPI_Comm_free(&g->local);
}

static double weigh(const double *v, int n, int rank) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += (1 + (2 * i + rank) % 5) * v[i] * v[i];
  return sum;
}

/// The argument that says who is the root: the last of the odd ones.
static int rootOf(const struct groups *g) {
  if (!g->side)
    return g->there - 1;
  return g->place == g->here - 1 ? MPI_ROOT : MPI_PROC_NULL;
}

static void rooted(int what, int later, const struct groups *g, double *a, double *b,
                   MPI_Request *request) {
  const int root = rootOf(g);
  const MPI_Comm c = g->both;
  int counts[Most], starts[Most];
  for (int p = 0; p < Most; p++) {
    counts[p] = p % N + 1;
    starts[p] = N * (Most - 1 - p);
  }
  const int mine = g->place % N + 1;
  switch (what) {
  case 0:
    if (later)
      MPI_Ibcast(a, N, MPI_DOUBLE, root, c, request);
    else
      MPI_Bcast(a, N, MPI_DOUBLE, root, c);
    break;
  case 1:
    if (later)
      MPI_Igather(a, N, MPI_DOUBLE, b, N, MPI_DOUBLE, root, c, request);
    else
      MPI_Gather(a, N, MPI_DOUBLE, b, N, MPI_DOUBLE, root, c);
    break;
  case 2:
    if (later)
      MPI_Igatherv(a, mine, MPI_DOUBLE, b, counts, starts, MPI_DOUBLE, root, c, request);
    else
      MPI_Gatherv(a, mine, MPI_DOUBLE, b, counts, starts, MPI_DOUBLE, root, c);
    break;
  case 3:
    if (later)
      MPI_Iscatter(b, N, MPI_DOUBLE, a, N, MPI_DOUBLE, root, c, request);
    else
      MPI_Scatter(b, N, MPI_DOUBLE, a, N, MPI_DOUBLE, root, c);
    break;
  default:
    if (later)
      MPI_Iscatterv(b, counts, starts, MPI_DOUBLE, a, mine, MPI_DOUBLE, root, c, request);
    else
      MPI_Scatterv(b, counts, starts, MPI_DOUBLE, a, mine, MPI_DOUBLE, root, c);
  }
  MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void fill(double *a, int n, const double *x, int k) {
  for (int i = 0; i < n; i++)
    a[i] = x[(i + k) % N] * (1 + 0.1 * i);
}

static double fromOneSide(const double *x, int later) {
  struct groups g = split();
  double a[N], b[Most * N], sum = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  fill(a, N, x, g.rank);
  fill(b, Most * N, x, 1);
  for (int what = 0; what < 5 && g.there; what++) {
    rooted(what, later, &g, a, b, &request);
    for (int i = 0; i < N; i++)
      a[i] = 0.7 * a[i] + 0.2 * a[i] * x[i] + 0.1 * b[i];
    sum += weigh(b, Most * N, g.rank);
  }
  end(&g);
  return sum + weigh(a, N, g.rank);
}

GRADIENT_CHECK(groups_rooted, Double, fromOneSide, In(double, N), Int(0))
GRADIENT_CHECK(groups_rooted_later, Double, fromOneSide, In(double, N), Int(1))

static double allToAll(const double *x, int later) {
  struct groups g = split();
  double a[Most * N], b[Most * N], sum = 0;
  int ones[Most], twos[Most], starts[Most], bytes[Most];
  MPI_Datatype types[Most];
  MPI_Request r = MPI_REQUEST_NULL;
  for (int p = 0; p < Most; p++) {
    ones[p] = 1 + g.side, twos[p] = 2 - g.side; // the groups give blocks of different sizes
    starts[p] = N * p, bytes[p] = 8 * starts[p];
    types[p] = MPI_DOUBLE;
  }
  fill(a, Most * N, x, g.rank);
  fill(b, Most * N, x, 2);
  for (int what = 0; what < 5 && g.there; what++) {
    const MPI_Comm c = g.both;
    if (what == 0)
      later ? MPI_Iallgather(a, ones[0], MPI_DOUBLE, b, twos[0], MPI_DOUBLE, c, &r)
            : MPI_Allgather(a, ones[0], MPI_DOUBLE, b, twos[0], MPI_DOUBLE, c);
    else if (what == 1)
      later ? MPI_Iallgatherv(a, ones[0], MPI_DOUBLE, b, twos, starts, MPI_DOUBLE, c, &r)
            : MPI_Allgatherv(a, ones[0], MPI_DOUBLE, b, twos, starts, MPI_DOUBLE, c);
    else if (what == 2)
      later ? MPI_Ialltoall(a, ones[0], MPI_DOUBLE, b, twos[0], MPI_DOUBLE, c, &r)
            : MPI_Alltoall(a, ones[0], MPI_DOUBLE, b, twos[0], MPI_DOUBLE, c);
    else if (what == 3)
      later ? MPI_Ialltoallv(a, ones, starts, MPI_DOUBLE, b, twos, starts, MPI_DOUBLE, c, &r)
            : MPI_Alltoallv(a, ones, starts, MPI_DOUBLE, b, twos, starts, MPI_DOUBLE, c);
    else
      later ? MPI_Ialltoallw(a, ones, bytes, types, b, twos, bytes, types, c, &r)
            : MPI_Alltoallw(a, ones, bytes, types, b, twos, bytes, types, c);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    later ? MPI_Ibarrier(c, &r) : MPI_Barrier(c);
    for (int i = 0; i < Most * N; i++)
      a[i] += 0.2 * b[i] * x[i % N];
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    sum += weigh(b, Most * N, g.rank);
  }
  end(&g);
  return sum + weigh(a, Most * N, g.rank);
}

GRADIENT_CHECK(groups_movements, Double, allToAll, In(double, N), Int(0))
GRADIENT_CHECK(groups_movements_later, Double, allToAll, In(double, N), Int(1))

static void meet(void *in, void *inout, int *n, MPI_Datatype *type) {
  (void)type;
  const double *a = in;
  double *b = inout;
  for (int i = 0; i < *n; i++)
    b[i] = a[i] + b[i] + 0.1 * a[i] * b[i];
}

/// Does not commute.
static void first(void *in, void *inout, int *n, MPI_Datatype *type) {
  (void)type;
  for (int i = 0; i < *n; i++)
    ((double *)inout)[i] = ((const double *)in)[i];
}

static double reductions(const double *x, int which, int later) {
  struct groups g = split();
  MPI_Op ops[5] = {MPI_SUM, MPI_MAX, MPI_PROD};
  MPI_Op_create(meet, 1, &ops[3]);
  MPI_Op_create(first, 0, &ops[4]);
  const MPI_Op op = ops[which];
  double a[Most * Most], b[Most * Most], sum = 0;
  const int root = rootOf(&g);
  int counts[Most];
  MPI_Request r = MPI_REQUEST_NULL;
  for (int p = 0; p < Most; p++) // as many in both groups
    counts[p] = p + 1 < g.here ? g.there + (p % 2 ? -1 : 1) : g.there;
  if (g.here % 2 == 0 && g.here > 1)
    counts[g.here - 1] -= 1;
  for (int i = 0; i < Most * Most; i++) {
    a[i] = 0.9 + 0.1 * x[(i + g.rank) % N] + 0.01 * g.rank;
    b[i] = x[i % N];
  }
  for (int what = 0; what < 4 && g.there; what++) {
    const MPI_Comm c = g.both;
    if (what == 0)
      later ? MPI_Ireduce(a, b, N, MPI_DOUBLE, op, root, c, &r)
            : MPI_Reduce(a, b, N, MPI_DOUBLE, op, root, c);
    else if (what == 1)
      later ? MPI_Iallreduce(a, b, N, MPI_DOUBLE, op, c, &r)
            : MPI_Allreduce(a, b, N, MPI_DOUBLE, op, c);
    else if (what == 2)
      later ? MPI_Ireduce_scatter(a, b, counts, MPI_DOUBLE, op, c, &r)
            : MPI_Reduce_scatter(a, b, counts, MPI_DOUBLE, op, c);
    else
      later ? MPI_Ireduce_scatter_block(a, b, g.there, MPI_DOUBLE, op, c, &r)
            : MPI_Reduce_scatter_block(a, b, g.there, MPI_DOUBLE, op, c);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int i = 0; i < Most * Most; i++)
      a[i] = 0.6 * a[i] + 0.1 * b[i] * x[i % N] + 0.3;
    sum += weigh(b, Most * Most, g.rank);
  }
  MPI_Op_free(&ops[3]);
  MPI_Op_free(&ops[4]);
  end(&g);
  return sum + weigh(a, Most * Most, g.rank);
}

GRADIENT_CHECK(groups_sum, Double, reductions, In(double, N), Int(0), Int(0))
GRADIENT_CHECK(groups_sum_later, Double, reductions, In(double, N), Int(0), Int(1))
GRADIENT_CHECK(groups_max, Double, reductions, In(double, N), Int(1), Int(0))
GRADIENT_CHECK(groups_max_later, Double, reductions, In(double, N), Int(1), Int(1))
GRADIENT_CHECK(groups_product, Double, reductions, In(double, N), Int(2), Int(0))
GRADIENT_CHECK(groups_user, Double, reductions, In(double, N), Int(3), Int(0))
GRADIENT_CHECK(groups_user_later, Double, reductions, In(double, N), Int(3), Int(1))
GRADIENT_CHECK(groups_first, Double, reductions, In(double, N), Int(4), Int(0))
