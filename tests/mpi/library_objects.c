// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What few programs ask MPI for, beside numbers that are followed: what a window is like, datatypes
// by their precision, requests of the program's own, files whose position all ranks share.
// Supports: inquiries of windows, `Type_create_f90_real`, `Grequest_start`, shared file positions
#include "GradientCheck.h"
#include "Neighbour.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { n = 4 };

/// The values go around in a window that is asked for what it is.
static double windowInquiries(const double *x, double *y) {
  double *shown = NULL, sum = 0;
  MPI_Win window;
  MPI_Win_allocate(n * sizeof *shown, sizeof *shown, MPI_INFO_NULL, MPI_COMM_WORLD, &shown,
                   &window);
  MPI_Aint *bytes = NULL;
  int *unit = NULL, *flavour = NULL, found[3] = {0}, members = 0, length = 0;
  char name[MPI_MAX_OBJECT_NAME] = "";
  MPI_Group group;
  MPI_Info info;
  MPI_Win_get_attr(window, MPI_WIN_SIZE, &bytes, &found[0]);
  MPI_Win_get_attr(window, MPI_WIN_DISP_UNIT, &unit, &found[1]);
  MPI_Win_get_attr(window, MPI_WIN_CREATE_FLAVOR, &flavour, &found[2]);
  MPI_Win_get_group(window, &group);
  MPI_Group_size(group, &members);
  MPI_Win_set_name(window, "values");
  MPI_Win_get_name(window, name, &length);
  MPI_Win_get_info(window, &info);
  MPI_Win_fence(0, window);
  MPI_Put(x, (int)(*bytes / *unit), MPI_DOUBLE, neighbour(1), 0, n, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  const int right = found[0] && found[1] && found[2] && *flavour == MPI_WIN_FLAVOR_ALLOCATE &&
                    members > 0 && strcmp(name, "values") == 0;
  for (int i = 0; i < n; i++) {
    y[i] = right ? shown[i] * shown[i] * x[i] : 0;
    sum += y[i];
  }
  MPI_Info_free(&info);
  MPI_Group_free(&group);
  MPI_Win_free(&window);
  return sum;
}

static int answer(void *state, MPI_Status *status) {
  MPI_Status_set_elements(status, MPI_INT, *(int *)state);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
static int release(void *state) {
  *(int *)state = -1;
  return MPI_SUCCESS;
}
static int withdraw(void *state, int complete) {
  (void)state;
  (void)complete;
  return MPI_SUCCESS;
}

/// A request of the program's own waits with those of a message whose datatype is named by digits.
static double ownRequests(const double *x, double *y) {
  static int state;
  state = 3;
  double in[n] = {0}, sum = 0;
  MPI_Datatype real;
  MPI_Request open[3];
  MPI_Status statuses[3];
  MPI_Type_create_f90_real(15, MPI_UNDEFINED, &real);
  MPI_Grequest_start(answer, release, withdraw, &state, &open[0]);
  MPI_Irecv(in, n, real, neighbour(-1), 0, MPI_COMM_WORLD, &open[1]);
  MPI_Isend(x, n - 1, real, neighbour(1), 0, MPI_COMM_WORLD, &open[2]);
  MPI_Grequest_complete(open[0]);
  MPI_Waitall(3, open, statuses);
  int told = 0, arrived = 0;
  MPI_Get_count(&statuses[0], MPI_INT, &told);
  MPI_Get_count(&statuses[1], real, &arrived);
  for (int i = 0; i < n; i++) {
    y[i] = (i < arrived ? in[i] * in[i] : told) * x[i];
    sum += y[i];
  }
  return sum;
}

/// What is computed is written where the last rank has stopped.
static double sharedPositions(const double *x, double *y) {
  char name[64];
  int size = 1;
  double sum = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  snprintf(name, sizeof name, "library_objects.%p.%d", (void *)answer, size);
  MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (int i = 0; i < n; i++)
    y[i] = x[i] * x[(i + 1) % n];
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  MPI_Offset place = 0;
  MPI_Request open;
  MPI_File_write_shared(file, y, n, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_write_ordered(file, y, n, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_iwrite_shared(file, y, n, MPI_DOUBLE, &open);
  MPI_Wait(&open, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_get_position_shared(file, &place);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_close(&file);
  for (int i = 0; i < n; i++)
    sum += (double)place / size * y[i] * y[i];
  return sum;
}

GRADIENT_CHECK(library_objects_windows, Double, windowInquiries, In(double, n), Out(double, n))
GRADIENT_CHECK(library_objects_requests, Double, ownRequests, In(double, n), Out(double, n))
GRADIENT_CHECK(library_objects_files, Double, sharedPositions, In(double, n), Out(double, n))
