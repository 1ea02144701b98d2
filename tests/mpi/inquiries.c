// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What moves no numbers runs as it is, between calls that do: groups, names, attributes, handlers,
// properties of datatypes, windows and topologies; files that are written.
// Supports: inquiries of every kind, groups, error handlers, files that are written
#include "GradientCheck.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 4 };

static double groups(const double *x) {
  int size, side, cmp, place, length, found, one = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Group all, even, odd, both, none;
  int range[1][3] = {{0, size - 1, 2}};
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_range_incl(all, 1, range, &even);
  MPI_Group_range_excl(all, 1, range, &odd);
  MPI_Group_union(odd, even, &both);
  MPI_Group_intersection(odd, even, &none);
  MPI_Group_rank(even, &side);
  MPI_Group_size(odd, &length);
  MPI_Group_compare(both, all, &cmp);
  MPI_Group_translate_ranks(even, 1, &one, all, &place);
  double sum = (cmp != MPI_UNEQUAL) * (place + 1), all_squares = 0;
  const double square = x[0] * x[0] * (length + 1);
  MPI_Comm half;
  MPI_Comm_create(MPI_COMM_WORLD, even, &half);
  if (half != MPI_COMM_NULL) {
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Comm_set_name(half, "half");
    MPI_Comm_get_name(half, name, &length);
    MPI_Comm_compare(half, MPI_COMM_WORLD, &cmp);
    MPI_Allreduce(&square, &all_squares, 1, MPI_DOUBLE, MPI_SUM, half);
    sum += all_squares * length * (cmp + 1) * (side + 1);
    MPI_Comm_disconnect(&half);
  }
  MPI_Group *freed[] = {&all, &even, &odd, &both, &none};
  for (int i = 0; i < 5; i++)
    if (*freed[i] != MPI_GROUP_EMPTY)
      MPI_Group_free(freed[i]);
  MPI_Initialized(&found);
  MPI_Finalized(&one);
  return sum * (found - one);
}

static double names(const double *x) {
  char text[MPI_MAX_ERROR_STRING + MPI_MAX_PROCESSOR_NAME + MPI_MAX_LIBRARY_VERSION_STRING];
  int length, version, sub, provided, main_thread, found, code, class;
  MPI_Get_processor_name(text, &length);
  MPI_Get_library_version(text, &length);
  MPI_Get_version(&version, &sub);
  MPI_Query_thread(&provided);
  MPI_Is_thread_main(&main_thread);
  MPI_Add_error_class(&class);
  MPI_Add_error_code(class, &code);
  MPI_Add_error_string(code, "ours");
  MPI_Error_string(code, text, &length);
  MPI_Error_class(code, &sub);
  MPI_Info info, copy;
  char value[8] = "";
  MPI_Info_create(&info);
  MPI_Info_set(info, "key", "value");
  MPI_Info_dup(info, &copy);
  MPI_Info_get(copy, "key", 7, value, &found);
  MPI_Info_free(&info);
  MPI_Info_free(&copy);
  const double start = MPI_Wtime(), tick = MPI_Wtick();
  MPI_Pcontrol(1);
  return x[1] * x[2] * ((int)strlen(value) + length + (sub == class) + found) * (version > 0) *
         (start > 0 && tick > 0 && provided >= 0 && main_thread);
}

static double datatypes(const double *x, int next, int before) {
  MPI_Datatype two, same, block, real;
  int at[2] = {0, 3}, integers, addresses, types, how, size, elements;
  MPI_Aint low, extent;
  char name[MPI_MAX_OBJECT_NAME];
  MPI_Type_create_indexed_block(2, 1, at, MPI_DOUBLE, &two);
  MPI_Type_dup(two, &same);
  MPI_Type_commit(&same);
  MPI_Type_set_name(same, "two");
  MPI_Type_get_name(same, name, &size);
  MPI_Type_get_envelope(two, &integers, &addresses, &types, &how);
  MPI_Type_get_true_extent(same, &low, &extent);
  MPI_Type_size(same, &size);
  MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &real);
  MPI_Type_contiguous(2, real, &block);
  MPI_Type_commit(&block);
  double out[4], in[4] = {0};
  for (int i = 0; i < 4; i++)
    out[i] = x[i] * x[(i + 1) % 4];
  MPI_Status status;
  MPI_Sendrecv(out, 1, same, next, 0, in, 1, block, before, 0, MPI_COMM_WORLD, &status);
  MPI_Get_elements(&status, block, &elements);
  MPI_Type_free(&two);
  MPI_Type_free(&same);
  MPI_Type_free(&block);
  return in[0] * in[1] * elements * size * (integers + (int)strlen(name)) * (extent > 0);
}

static void handle(MPI_Comm *comm, int *code, ...) {
  (void)comm;
  (void)code;
}

static double handlers(const double *x) {
  MPI_Comm comm, graph;
  MPI_Errhandler mine, kept;
  int size, rank, count, index[2] = {1, 2}, edges[2] = {1, 0}, alone = 0, topology;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_create_errhandler(handle, &mine);
  MPI_Comm_set_errhandler(comm, mine);
  MPI_Comm_get_errhandler(comm, &kept);
  MPI_Errhandler_free(&mine);
  MPI_Errhandler_free(&kept);
  MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
  const int pair = size > 1;
  MPI_Graph_create(comm, pair ? 2 : 1, pair ? index : &alone, edges, 0, &graph);
  double sum = x[3] * x[3], here[2] = {0}, mean[1] = {x[2] * x[2]};
  if (graph != MPI_COMM_NULL) {
    int neighbour[2] = {0};
    MPI_Topo_test(graph, &topology);
    MPI_Graph_neighbors_count(graph, rank, &count);
    MPI_Graph_neighbors(graph, rank, 2, neighbour);
    if (pair)
      MPI_Neighbor_allgather(mean, 1, MPI_DOUBLE, here, 1, MPI_DOUBLE, graph);
    sum += here[0] * (count + neighbour[0] + (topology == MPI_GRAPH));
    MPI_Comm_free(&graph);
  }
  MPI_Comm_free(&comm);
  return sum;
}

static double inquiries(const double *x, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double sum = groups(x) + names(x) + handlers(x);
  sum += datatypes(x, (rank + 1) % size, (rank + size - 1) % size);
  return sum * x[n - 1];
}

GRADIENT_CHECK(inquiries, Double, inquiries, In(double, N), Int(N))

/// What is written has no derivative, and neither has what is read of it.
static double written(const double *x, int n) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char name[64];
  snprintf(name, sizeof name, "inquiries.%ld.%d.tmp", (long)getpid(), rank); // others run as well
  double y[N], sum = 0;
  for (int i = 0; i < n; i++)
    y[i] = x[i] * x[i];
  MPI_File file;
  MPI_Offset at, bytes;
  MPI_Status status;
  int count;
  if (MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file))
    return -1;
  MPI_File_set_size(file, 0);
  MPI_File_set_view(file, 0, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
  MPI_File_write(file, y, n, MPI_DOUBLE, &status);
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  MPI_File_get_position(file, &at);
  MPI_Request request;
  MPI_File_iwrite_at(file, at, y, 1, MPI_DOUBLE, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_write_at_all(file, at + 1, y, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_File_get_size(file, &bytes);
  MPI_File_close(&file);
  MPI_File_delete(name, MPI_INFO_NULL);
  for (int i = 0; i < n; i++)
    sum += y[i] * y[i];
  return sum * (count + (double)at) * (double)bytes;
}

GRADIENT_CHECK(written, Double, written, In(double, N), Int(N))
