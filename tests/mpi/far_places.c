// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Datatypes whose places lie further apart than an integer of 32 bits says, in memory that the
// system hands out page by page as it is touched, and the inquiries that count as MPI_Count.
// Supports: derived datatypes that reach over 2 GiB, inquiries of `MPI_Count`
#define _GNU_SOURCE
#include "GradientCheck.h"
#include <mpi.h>
#include <sys/mman.h>

enum { N = 3 };
static const MPI_Aint Far = (3L << 30) + 4096; // bytes between two values
static const MPI_Aint Whole = 10L << 30;

static double *reserve(void) {
  void *all =
      mmap(0, Whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return all == MAP_FAILED ? 0 : all;
}

// Where the values are, and where their derivatives: mapped once, touched in three pages each.
static double *values, *shadows;

static double far(const double *x, double *wide, int n) {
  int rank, size, got;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  const MPI_Aint step = Far / (MPI_Aint)sizeof(double);
  const int ones[N] = {1, 1, 1};
  const MPI_Aint places[N] = {2 * Far, 0, Far};
  const MPI_Datatype types[N] = {MPI_DOUBLE, MPI_DOUBLE, MPI_DOUBLE};
  MPI_Datatype strided, mixed;
  MPI_Count bytes, elements, lower, extent, trueLower, trueExtent;
  MPI_Status status;
  double y[N] = {0}, sum = 0;
  MPI_Type_create_hvector(n, 1, Far, MPI_DOUBLE, &strided);
  MPI_Type_create_struct(n, ones, places, types, &mixed);
  MPI_Type_commit(&strided);
  MPI_Type_commit(&mixed);
  MPI_Type_size_x(strided, &bytes);
  MPI_Type_get_extent_x(strided, &lower, &extent);
  MPI_Type_get_true_extent_x(mixed, &trueLower, &trueExtent);
  for (int i = 0; i < n; i++)
    wide[i * step] = x[i] * x[(i + 1) % n];
  MPI_Sendrecv(wide, 1, strided, next, 1, y, n, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, &status);
  MPI_Get_elements_x(&status, MPI_DOUBLE, &elements);
  MPI_Get_count(&status, MPI_DOUBLE, &got);
  for (int i = 0; i < n; i++)
    y[i] *= x[i];
  MPI_Sendrecv(y, n, MPI_DOUBLE, next, 2, wide, 1, mixed, before, 2, MPI_COMM_WORLD, &status);
  MPI_Bcast(wide, 1, strided, size - 1, MPI_COMM_WORLD);
  for (int i = 0; i < n; i++)
    sum += (i + 1) * wide[i * step] * wide[i * step] * x[i];
  MPI_Type_free(&strided);
  MPI_Type_free(&mixed);
  return sum * (double)bytes / (8 * n) * (double)elements * got * (double)extent /
         (double)trueExtent;
}

double __enzyme_fwddiff_far(void *, ...);
void __enzyme_autodiff_far(void *, ...);

static void clear(double *wide) {
  for (int i = 0; i < N; i++)
    wide[i * (Far / (MPI_Aint)sizeof(double))] = 0;
}

static int begin(void) {
  if (!values)
    values = reserve();
  if (!shadows)
    shadows = reserve();
  if (!values || !shadows)
    return 0; // a machine without that many addresses
  clear(values);
  clear(shadows);
  return 1;
}

static double primal(void *const *in) { return begin() ? far((double *)in[0], values, N) : 0; }

static double tangent(void *const *in, void *const *dots) {
  return begin() ? __enzyme_fwddiff_far((void *)far, enzyme_dup, in[0], dots[0], enzyme_dup, values,
                                        shadows, enzyme_const, (int)N)
                 : 0;
}

static void adjoint(void *const *in, void *const *bars) {
  if (begin())
    __enzyme_autodiff_far((void *)far, enzyme_dup, in[0], bars[0], enzyme_dup, values, shadows,
                          enzyme_const, (int)N);
}

GRADIENT_CHECK_CUSTOM(far_places, Double, primal, tangent, adjoint, In(double, N))
