// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One kind of call in all its forms: every send mode blocking, nonblocking and persistent, every
// movement of blocks between neighbours now and later, every request of a window, every read from
// a file.
// Supports: every form of sends, movements between neighbours, window accesses and file reads
#include "GradientCheck.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 3, Most = 8 };

static double weigh(const double *v, int n, int rank) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += (1 + (i + rank) % 7) * v[i] * v[i];
  return sum;
}

struct ring {
  int next, before, rank, size;
};

static struct ring here(void) {
  struct ring r;
  MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &r.size);
  r.next = (r.rank + 1) % r.size;
  r.before = (r.rank + r.size - 1) % r.size;
  return r;
}

static void sendNow(int mode, const double *a, int n, int to) {
  switch (mode) {
  case 0:
    MPI_Send(a, n, MPI_DOUBLE, to, mode, MPI_COMM_WORLD);
    break;
  case 1:
    MPI_Ssend(a, n, MPI_DOUBLE, to, mode, MPI_COMM_WORLD);
    break;
  case 2:
    MPI_Rsend(a, n, MPI_DOUBLE, to, mode, MPI_COMM_WORLD);
    break;
  default:
    MPI_Bsend(a, n, MPI_DOUBLE, to, mode, MPI_COMM_WORLD);
  }
}

static void sendLater(int mode, const double *a, int n, int to, MPI_Request *request) {
  switch (mode) {
  case 0:
    MPI_Isend(a, n, MPI_DOUBLE, to, mode, MPI_COMM_WORLD, request);
    break;
  case 1:
    MPI_Issend(a, n, MPI_DOUBLE, to, mode, MPI_COMM_WORLD, request);
    break;
  case 2:
    MPI_Irsend(a, n, MPI_DOUBLE, to, mode, MPI_COMM_WORLD, request);
    break;
  default:
    MPI_Ibsend(a, n, MPI_DOUBLE, to, mode, MPI_COMM_WORLD, request);
  }
}

static void sendAgain(int mode, const double *a, int n, int to, MPI_Request *request) {
  switch (mode) {
  case 0:
    MPI_Send_init(a, n, MPI_DOUBLE, to, mode, MPI_COMM_WORLD, request);
    break;
  case 1:
    MPI_Ssend_init(a, n, MPI_DOUBLE, to, mode, MPI_COMM_WORLD, request);
    break;
  case 2:
    MPI_Rsend_init(a, n, MPI_DOUBLE, to, mode, MPI_COMM_WORLD, request);
    break;
  default:
    MPI_Bsend_init(a, n, MPI_DOUBLE, to, mode, MPI_COMM_WORLD, request);
  }
}

/// A barrier makes sure that the receive is there: ready sends want that.
static double sends(const double *x, int n) {
  const struct ring r = here();
  char space[4 * (N * sizeof(double) + MPI_BSEND_OVERHEAD)];
  void *detached;
  int length;
  MPI_Buffer_attach(space, sizeof space);
  double a[N], b[N], sum = 0;
  for (int i = 0; i < n; i++)
    a[i] = x[i];
  for (int mode = 0; mode < 4; mode++)
    for (int form = 0; form < 4; form++) {
      MPI_Request in, out = MPI_REQUEST_NULL;
      MPI_Irecv(b, n, MPI_DOUBLE, r.before, mode, MPI_COMM_WORLD, &in);
      if (form >= 2)
        sendAgain(mode, a, n, r.next, &out);
      MPI_Barrier(MPI_COMM_WORLD);
      if (form == 0)
        sendNow(mode, a, n, r.next);
      else if (form == 1)
        sendLater(mode, a, n, r.next, &out);
      else if (form == 2)
        MPI_Start(&out);
      else
        MPI_Startall(1, &out);
      MPI_Wait(&in, MPI_STATUS_IGNORE);
      MPI_Wait(&out, MPI_STATUS_IGNORE);
      if (form >= 2)
        MPI_Request_free(&out);
      sum += weigh(b, n, r.rank + form);
      for (int i = 0; i < n; i++)
        a[i] = 0.5 * a[i] + 0.3 * b[i] * x[i];
    }
  MPI_Buffer_detach(&detached, &length);
  return sum;
}

GRADIENT_CHECK(every_send, Double, sends, In(double, N), Int(N))

/// What comes from the other ranks does not depend on the form.
static double blocks(const double *x, int n) {
  const struct ring r = here();
  int counts[Most], starts[Most], bytes[Most];
  MPI_Datatype types[Most];
  double a[Most * N], b[Most * N], sum = 0;
  for (int i = 0; i < r.size * N; i++)
    a[i] = x[i % n] * (1 + 0.1 * i);
  for (int p = 0; p < r.size; p++) {
    counts[p] = (r.rank + p) % (N + 1);
    starts[p] = N * p;
    bytes[p] = starts[p] * (int)sizeof(double);
    types[p] = MPI_DOUBLE;
  }
  for (int form = 0; form < 3; form++) {
    MPI_Request request = MPI_REQUEST_NULL;
    for (int i = 0; i < r.size * N; i++)
      b[i] = x[(i + form) % n];
    if (form == 0)
      MPI_Alltoallv(a, counts, starts, MPI_DOUBLE, b, counts, starts, MPI_DOUBLE, MPI_COMM_WORLD);
    else if (form == 1)
      MPI_Alltoallw(a, counts, bytes, types, b, counts, bytes, types, MPI_COMM_WORLD);
    else
      MPI_Ialltoallw(a, counts, bytes, types, b, counts, bytes, types, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sum += weigh(b, r.size * N, r.rank);
    for (int i = 0; i < r.size * N; i++)
      a[i] += 0.2 * b[i] * x[i % n];
  }
  return sum;
}

GRADIENT_CHECK(every_alltoall, Double, blocks, In(double, N), Int(N))

/// To the next rank twice and to oneself; of other lengths each.
static double neighbours(const double *x, int n) {
  const struct ring r = here();
  MPI_Comm graph;
  const int sources[3] = {r.before, r.before, r.rank}, targets[3] = {r.next, r.next, r.rank};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, sources, MPI_UNWEIGHTED, 3, targets,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  const int counts[3] = {1, 3, 2}, starts[3] = {8, 0, 4}, ones[3] = {2, 2, 2};
  const MPI_Aint places[3] = {64, 0, 32};
  const MPI_Datatype types[3] = {MPI_DOUBLE, MPI_DOUBLE, MPI_DOUBLE};
  double a[3 * N], b[3 * N], sum = 0;
  for (int i = 0; i < 3 * N; i++)
    a[i] = x[i % n] * (1 + 0.1 * i);
  for (int form = 0; form < 6; form++) {
    MPI_Request request = MPI_REQUEST_NULL;
    for (int i = 0; i < 3 * N; i++)
      b[i] = x[(i + form) % n];
    switch (form) {
    case 0:
      MPI_Neighbor_alltoallv(a, counts, starts, MPI_DOUBLE, b, counts, starts, MPI_DOUBLE, graph);
      break;
    case 1:
      MPI_Ineighbor_alltoallv(a, counts, starts, MPI_DOUBLE, b, counts, starts, MPI_DOUBLE, graph,
                              &request);
      break;
    case 2:
      MPI_Neighbor_alltoallw(a, counts, places, types, b, counts, places, types, graph);
      break;
    case 3:
      MPI_Ineighbor_alltoallw(a, counts, places, types, b, counts, places, types, graph, &request);
      break;
    case 4:
      MPI_Neighbor_allgatherv(a, 2, MPI_DOUBLE, b, ones, (const int[]){6, 0, 3}, MPI_DOUBLE, graph);
      break;
    default:
      MPI_Ineighbor_allgatherv(a, 2, MPI_DOUBLE, b, ones, (const int[]){6, 0, 3}, MPI_DOUBLE, graph,
                               &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sum += weigh(b, 3 * N, r.rank);
    for (int i = 0; i < 3 * N; i++)
      a[i] += 0.2 * b[i] * x[i % n];
  }
  MPI_Comm_free(&graph);
  return sum;
}

GRADIENT_CHECK(every_neighbour, Double, neighbours, In(double, N), Int(N))

static void flush(int form, int peer, MPI_Win win) {
  if (form == 0)
    MPI_Win_flush(peer, win);
  else if (form == 1)
    MPI_Win_flush_all(win);
  else // complete here only; the barrier comes after the end of the epoch
    form == 2 ? MPI_Win_flush_local(peer, win) : MPI_Win_flush_local_all(win);
}

static double windows(const double *x, int n) {
  const struct ring r = here();
  MPI_Win win;
  double w[2 * N], part[N], got[N], sum = 0;
  for (int i = 0; i < 2 * N; i++)
    w[i] = x[i % n];
  MPI_Win_create(w, sizeof w, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  for (int form = 0; form < 4; form++) {
    MPI_Request request = MPI_REQUEST_NULL;
    for (int i = 0; i < n; i++)
      part[i] = x[i] * w[i] * 0.5;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    if (form % 2)
      MPI_Rput(part, n, MPI_DOUBLE, r.next, 0, n, MPI_DOUBLE, win, &request);
    else
      MPI_Put(part, n, MPI_DOUBLE, r.next, 0, n, MPI_DOUBLE, win);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    flush(form, r.next, win);
    if (form % 2)
      MPI_Raccumulate(part, n, MPI_DOUBLE, 0, N, n, MPI_DOUBLE, MPI_SUM, win, &request);
    else
      MPI_Accumulate(part, n, MPI_DOUBLE, 0, N, n, MPI_DOUBLE, MPI_SUM, win);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    flush(form, 0, win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, r.next, 0, win);
    if (form % 2)
      MPI_Rget(got, n, MPI_DOUBLE, r.next, N, n, MPI_DOUBLE, win, &request);
    else
      MPI_Get(got, n, MPI_DOUBLE, r.next, N, n, MPI_DOUBLE, win);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock(r.next, win);
    MPI_Barrier(MPI_COMM_WORLD);
    sum += weigh(got, n, r.rank) + weigh(w, 2 * n, r.rank);
  }
  MPI_Win_free(&win);
  return sum;
}

GRADIENT_CHECK(every_access, Double, windows, In(double, N), Int(N))

/// Where the form begins here and ends elsewhere, the request is completed, or the end is called.
static void readFile(int form, MPI_File file, MPI_Offset at, double *a, int n) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  MPI_File_seek(file, at, MPI_SEEK_SET);
  if (form >= 10)
    MPI_File_seek_shared(file, at, MPI_SEEK_SET);
  switch (form) {
  case 0:
    MPI_File_read(file, a, n, MPI_DOUBLE, MPI_STATUS_IGNORE);
    break;
  case 1:
    MPI_File_read_all(file, a, n, MPI_DOUBLE, &status);
    break;
  case 2:
    MPI_File_read_at(file, at, a, n, MPI_DOUBLE, &status);
    break;
  case 3:
    MPI_File_read_at_all(file, at, a, n, MPI_DOUBLE, &status);
    break;
  case 4:
    MPI_File_iread(file, a, n, MPI_DOUBLE, &request);
    break;
  case 5:
    MPI_File_iread_at(file, at, a, n, MPI_DOUBLE, &request);
    break;
  case 6:
    MPI_File_iread_all(file, a, n, MPI_DOUBLE, &request);
    break;
  case 7:
    MPI_File_iread_at_all(file, at, a, n, MPI_DOUBLE, &request);
    break;
  case 8:
    MPI_File_read_all_begin(file, a, n, MPI_DOUBLE);
    MPI_File_read_all_end(file, a, &status);
    break;
  case 9:
    MPI_File_read_at_all_begin(file, at, a, n, MPI_DOUBLE);
    MPI_File_read_at_all_end(file, a, &status);
    break;
  case 10:
    MPI_File_read_shared(file, a, n, MPI_DOUBLE, &status);
    break;
  case 11:
    MPI_File_read_ordered(file, a, n, MPI_DOUBLE, &status);
    break;
  case 12:
    MPI_File_iread_shared(file, a, n, MPI_DOUBLE, &request);
    break;
  default:
    MPI_File_read_ordered_begin(file, a, n, MPI_DOUBLE);
    MPI_File_read_ordered_end(file, a, &status);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static double reads(const double *x, int n) {
  const struct ring r = here();
  char name[64];
  double a[N], fixed[N + 1] = {0.5, 1, 1.5, 2}, sum = 0;
  MPI_File file;
  snprintf(name, sizeof name, "every_form.%d.%d", r.size, r.rank);
  MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  MPI_File_write_at(file, 0, fixed, N + 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
  for (int form = 0; form < 14; form++) {
    for (int i = 0; i < n; i++)
      a[i] = x[i] * x[i];
    readFile(form, file, 8, a, n - 1); // the last one stays
    sum += weigh(a, n, form) * x[form % n];
    if (form != 0 && form != 2 && form != 3) // Open MPI 4.1 miscounts or never ends
      continue;
    for (int i = 0; i < n; i++)
      a[i] = x[i] * x[n - 1 - i];
    readFile(form, file, N * 8, a, n); // there is one only
    sum += weigh(a, n, form) * x[form % n];
  }
  MPI_File_close(&file);
  return sum;
}

GRADIENT_CHECK(every_read, Double, reads, In(double, N), Int(N))
