// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compilers of Fortran make of calls of MPI: everything by reference, handles are integers
// that live in arrays and modules, constants are addresses of the library's variables.
// Supports: the names in Fortran (`mpi_x_`, `mpi_x_f08_`), handles in integers
#include "GradientCheck.h"
#include <mpi.h>
#include <stdlib.h>

typedef MPI_Fint integer;
typedef const integer *in;
extern integer mpi_fortran_bottom_, mpi_fortran_in_place_, mpi_fortran_unweighted_;
extern integer mpi_fortran_status_ignore_, mpi_fortran_statuses_ignore_;
void mpi_comm_rank_(in, integer *, integer *);
void mpi_comm_size_(in, integer *, integer *);
void mpi_comm_dup_(in, integer *, integer *);
void mpi_comm_split_(in, in, in, integer *, integer *);
void mpi_comm_free_(integer *, integer *);
void mpi_cart_create_(in, in, in, in, in, integer *, integer *);
void mpi_cart_shift_(in, in, in, integer *, integer *, integer *);
void mpi_type_vector_(in, in, in, in, integer *, integer *);
void mpi_type_commit_(integer *, integer *);
void mpi_type_free_(integer *, integer *);
void mpi_get_count_(in, in, integer *, integer *);
void mpi_irecv_(void *, in, in, in, in, in, integer *, integer *);
void mpi_isend_(const void *, in, in, in, in, in, integer *, integer *);
void mpi_sendrecv_(const void *, in, in, in, in, void *, in, in, in, in, in, integer *, integer *);
void mpi_recv_init_(void *, in, in, in, in, in, integer *, integer *);
void pmpi_send_init_(const void *, in, in, in, in, in, integer *, integer *);
void mpi_startall_(in, integer *, integer *);
void mpi_request_free_(integer *, integer *);
void mpi_waitall_(in, integer *, integer *, integer *);
void mpi_waitany_(in, integer *, integer *, integer *, integer *);
void mpi_waitsome_(in, integer *, integer *, integer *, integer *, integer *);
void mpi_wait_(integer *, integer *, integer *);
void mpi_bcast_(void *, in, in, in, in, integer *);
void mpi_allreduce_(const void *, void *, in, in, in, in, integer *);
void pmpi_allreduce_(const void *, void *, in, in, in, in, integer *);
void mpi_alltoallw_(const void *, in, in, in, void *, in, in, in, in, integer *);
void mpi_neighbor_alltoallw_(const void *, in, const MPI_Aint *, in, void *, in, const MPI_Aint *,
                             in, in, integer *);
void mpi_get_address_(const void *, MPI_Aint *, integer *);
void mpi_alloc_mem_(const MPI_Aint *, in, void *, integer *);
void mpi_free_mem_(void *, integer *);
void mpi_dist_graph_create_adjacent_(in, in, in, in, in, in, in, in, in, integer *, integer *);
double mpi_wtime_(void);

enum { n = 6 };

// What a module of the program keeps.
static integer world, cart, dp, sum, info, rank, ranks, left, right, code, requests[4];
static const integer zero = 0, one = 1, two = 2, four = 4, yes = 1;

static void begin(void) {
  world = MPI_Comm_c2f(MPI_COMM_WORLD);
  dp = MPI_Type_c2f(MPI_DOUBLE);
  sum = MPI_Op_c2f(MPI_SUM);
  info = MPI_Info_c2f(MPI_INFO_NULL);
  mpi_comm_rank_(&world, &rank, &code);
  mpi_comm_size_(&world, &ranks, &code);
}

static void start(double *x, double *halo) {
  const integer up = 11, down = 12;
  mpi_irecv_(&halo[0], &one, &dp, &left, &up, &cart, &requests[0], &code);
  mpi_irecv_(&halo[1], &one, &dp, &right, &down, &cart, &requests[1], &code);
  mpi_isend_(&x[0], &one, &dp, &left, &down, &cart, &requests[2], &code);
  mpi_isend_(&x[n - 1], &one, &dp, &right, &up, &cart, &requests[3], &code);
}

static void finish(void) { mpi_waitall_(&four, requests, &mpi_fortran_statuses_ignore_, &code); }

/// May be given the constant, as a wrapper of a program in Fortran may.
static __attribute__((noinline)) void total(void *from, double *to, integer count) {
  mpi_allreduce_(from, to, &count, &dp, &sum, &world, &code);
}

/// A time loop with halos, requests in a module's array, started and completed in two functions.
static double steps(double *x, double *y, int count) {
  begin();
  const integer dims[2] = {ranks, 1}, periods[2] = {yes, zero};
  mpi_cart_create_(&world, &two, dims, periods, &zero, &cart, &code);
  mpi_cart_shift_(&cart, &zero, &one, &left, &right, &code);
  const integer whole = MPI_Type_c2f(MPI_INT);
  integer trips = rank == 0 ? count : 0;
  mpi_bcast_(&trips, &one, &whole, &zero, &world, &code);
  double all[2] = {0, 0}, halo[2];
  for (int s = 0; s < trips; s++) {
    start(x, halo);
    double inner = x[1] * x[2];
    finish();
    for (int i = 0; i < n; i++)
      y[i] += x[i] * (i ? x[i - 1] : halo[0]) - (i + 1 < n ? x[i + 1] : halo[1] * inner);
    for (int i = 0; i < n; i++)
      x[i] += 0.1 * y[i];
    double part = x[0] * x[n - 1], sums = 0;
    total(&part, &sums, 1);
    all[0] += sums * x[2];
    all[1] += sums;
  }
  total(&mpi_fortran_in_place_, all, 2);
  mpi_comm_free_(&cart, &code);
  return all[0] * all[1];
}

GRADIENT_CHECK(fortran_steps, Replicated, steps, InOut(double, n), InOut(double, n), Int(2))

/// Datatypes, statuses, completions with indices from 1, persistent requests, no code wanted.
static double kinds(const double *x, double *y) {
  begin();
  integer ring, row, got = 0, index = 0, done = 0, status[sizeof(MPI_Status) / sizeof(integer)];
  const integer tag = 3, next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  mpi_comm_dup_(&world, &ring, NULL);
  mpi_type_vector_(&two, &one, &two, &dp, &row, NULL);
  mpi_type_commit_(&row, NULL);
  double in[n] = {0}, value = 0;
  mpi_sendrecv_(x, &one, &row, &next, &tag, in, &four, &dp, &before, &tag, &ring, status, NULL);
  mpi_get_count_(status, &dp, &got, NULL);
  for (int i = 0; i < got; i++)
    value += in[i] * x[i] * (i + 1);
  double box[3], out[3] = {x[0] * x[1], x[3], x[4] * x[4]};
  for (int k = 0; k < 3; k++) {
    const integer t = 20 + k;
    mpi_recv_init_(&box[k], &one, &dp, &before, &t, &ring, &requests[k], NULL);
  }
  const integer three = 3;
  for (int round = 0; round < 2; round++) {
    mpi_startall_(&three, requests, NULL);
    for (int k = 0; k < 3; k++) {
      const integer t = 20 + k;
      pmpi_send_init_(&out[k], &one, &dp, &next, &t, &ring, &requests[3], NULL);
      mpi_startall_(&one, &requests[3], NULL);
      mpi_wait_(&requests[3], &mpi_fortran_status_ignore_, NULL);
      mpi_request_free_(&requests[3], NULL);
    }
    mpi_waitany_(&three, requests, &index, &mpi_fortran_status_ignore_, NULL);
    value += box[index - 1] * index * (1 + round);
    for (integer open = 2, found[3]; open > 0; open -= done) {
      mpi_waitsome_(&three, requests, &done, found, &mpi_fortran_statuses_ignore_, NULL);
      for (int k = 0; k < done; k++)
        value += box[found[k] - 1] * found[k] * (1 + round);
    }
    out[1] *= value;
  }
  for (int k = 0; k < 3; k++)
    mpi_request_free_(&requests[k], NULL);
  mpi_type_free_(&row, NULL);
  mpi_comm_free_(&ring, NULL);
  y[0] = value;
  return value * x[5];
}

GRADIENT_CHECK(fortran_kinds, Double, kinds, In(double, n), Out(double, 1))

/// Arrays of datatypes, neighbours, memory from MPI, MPI_BOTTOM.
static double blocks(const double *x, double *y) {
  begin();
  integer half, ring, counts[16], places[16], types[16], color = 0;
  mpi_comm_split_(&world, &color, &rank, &half, &code);
  const MPI_Aint bytes = 16 * sizeof(double);
  double *room;
  mpi_alloc_mem_(&bytes, &info, &room, &code);
  for (int r = 0; r < ranks; r++) {
    counts[r] = 1;
    places[r] = r * (integer)sizeof(double);
    types[r] = dp;
    room[r] = x[r % n] * x[(r + 1) % n];
  }
  double got[16] = {0};
  mpi_alltoallw_(room, counts, places, types, got, counts, places, types, &half, &code);
  mpi_alltoallw_(&mpi_fortran_in_place_, &one, &one, &one, got, counts, places, types, &half,
                 &code);
  const integer next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks, none = 0;
  mpi_dist_graph_create_adjacent_(&world, &one, &before, &mpi_fortran_unweighted_, &one, &next,
                                  &mpi_fortran_unweighted_, &info, &none, &ring, &code);
  const MPI_Aint nowhere = 0;
  double near = 0, value = 0;
  mpi_neighbor_alltoallw_(&room[0], &one, &nowhere, &dp, &near, &one, &nowhere, &dp, &ring, &code);
  for (int r = 0; r < ranks; r++)
    value += got[r] * near * (r + 1);
  pmpi_allreduce_(&value, y, &one, &dp, &sum, &half, &code);
  mpi_free_mem_(room, &code);
  mpi_comm_free_(&ring, &code);
  mpi_comm_free_(&half, &code);
  return value * near + (mpi_wtime_() < 0);
}

GRADIENT_CHECK(fortran_blocks, Double, blocks, In(double, n), Out(double, 1))

#if MPI_VERSION < 4 // as Open MPI 4.1 calls them
#define mpi_allreduce_init_ mpix_allreduce_init_
#define pmpi_allgather_init_ pmpix_allgather_init_
#define mpi_bcast_init_ mpix_bcast_init_
#endif
void mpi_allreduce_init_(const void *, void *, in, in, in, in, in, integer *, integer *);
void pmpi_allgather_init_(const void *, in, in, void *, in, in, in, in, integer *, integer *);
void mpi_bcast_init_(void *, in, in, in, in, in, integer *, integer *);

// Persistent collectives.
static double repeated(const double *x) {
  begin();
  double in = x[0], total, shared = x[1], *all = calloc((size_t)ranks, sizeof *all), value = 0;
  mpi_allreduce_init_(&in, &total, &one, &dp, &sum, &world, &info, &requests[0], &code);
  mpi_bcast_init_(&shared, &one, &dp, &zero, &world, &info, &requests[1], &code);
  pmpi_allgather_init_(&in, &one, &dp, all, &one, &dp, &world, &info, &requests[2], &code);
  const integer three = 3;
  for (int s = 0; s < 3; s++) {
    mpi_startall_(&three, requests, &code);
    mpi_waitall_(&three, requests, &mpi_fortran_statuses_ignore_, &code);
    value += total * shared;
    for (int r = 0; r < ranks; r++)
      value += all[r] * all[r] * (r + 1);
    in = in * x[s + 2] + 0.1 * total / ranks;
    shared = shared * x[5] + in;
  }
  for (int i = 0; i < 3; i++)
    mpi_request_free_(&requests[i], &code);
  free(all);
  return value;
}

GRADIENT_CHECK(fortran_repeated, Double, repeated, In(double, n))
