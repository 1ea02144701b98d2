// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI functions that create communicators, through MPI's profiling interface: each calls its PMPI
// twin and then duplicates what was created, because duplicating is collective and all ranks are
// here now.
//
//   MPI_Comm_split(...)  ->  PMPI_Comm_split(...); duplicate of the new communicator
//
// and MPI_Op_create, because nobody else knows of which function an operator was made.
//
// Weak: a tool that defines the same functions is used instead, and derivatives then travel on the
// user's communicators until the first collective call. The program must see this library before
// libmpi.

#include "mpi/Interpose.h"

#include "mpi/Communicator.h"
#include "mpi/Layout.h"
#include "mpi/Operators.h"
#include "mpi/Order.h"
#include "mpi/Shelf.h"
#include "mpi/Watch.h"

namespace contraflow::mpi {

/// MPI_Comm_dup runs the program's functions that copy attributes. A topology comes by it alone.
void duplicateFor(MPI_Comm User, MPI_Comm *Private, Duplicate What) {
  int Topology = MPI_UNDEFINED, Inter = 0;
  PMPI_Topo_test(User, &Topology);
  PMPI_Comm_test_inter(User, &Inter);
  if (Inter || (What == Duplicate::WithTopology && Topology != MPI_UNDEFINED)) {
    PMPI_Comm_dup(User, Private);
  } else {
    MPI_Group All = MPI_GROUP_NULL;
    PMPI_Comm_group(User, &All);
    PMPI_Comm_create(User, All, Private);
    PMPI_Group_free(&All);
  }
  PMPI_Comm_set_errhandler(*Private, MPI_ERRORS_ARE_FATAL);
}

namespace {

int initialised(int Code) {
  if (Code == MPI_SUCCESS) {
    Communicator::created(MPI_COMM_WORLD);
    Communicator::created(MPI_COMM_SELF);
    agreeOnCharacters();
    agreeOnWindows();
    watchOthers();
    Shelf::open();
  }
  return Code;
}

int created(int Code, const MPI_Comm *New) {
  if (Code == MPI_SUCCESS && *New != MPI_COMM_NULL)
    Communicator::created(*New);
  return Code;
}

/// The code may be left out.
void createdFromFortran(const int *Code, const int *New) {
  const MPI_Comm Comm = PMPI_Comm_f2c(*New);
  created(Code ? *Code : MPI_SUCCESS, &Comm);
}

void initialisedFromFortran(const int *Code) { initialised(Code ? *Code : MPI_SUCCESS); }

} // namespace
} // namespace contraflow::mpi

using contraflow::mpi::created;
using contraflow::mpi::createdFromFortran;
using contraflow::mpi::initialised;
using contraflow::mpi::initialisedFromFortran;

#pragma GCC visibility push(default)
extern "C" {

[[gnu::weak]] int MPI_Init(int *argc, char ***argv) { return initialised(PMPI_Init(argc, argv)); }

[[gnu::weak]] int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  return initialised(PMPI_Init_thread(argc, argv, required, provided));
}

[[gnu::weak]] int MPI_Op_create(MPI_User_function *function, int commute, MPI_Op *op) {
  const int Code = PMPI_Op_create(function, commute, op);
  if (Code == MPI_SUCCESS)
    contraflow::mpi::operatorCreated(*op, function);
  return Code;
}

[[gnu::weak]] int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm) {
  return created(PMPI_Comm_dup(comm, newcomm), newcomm);
}

[[gnu::weak]] int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm) {
  return created(PMPI_Comm_dup_with_info(comm, info, newcomm), newcomm);
}

/// The duplicates of what is not there yet would have to be made where nobody waits for all ranks,
/// so this waits for them.
[[gnu::weak]] int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request) {
  const int Code = created(PMPI_Comm_dup(comm, newcomm), newcomm);
  if (Code == MPI_SUCCESS)
    PMPI_Isend(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, request);
  return Code;
}

[[gnu::weak]] int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm) {
  return created(PMPI_Comm_split(comm, color, key, newcomm), newcomm);
}

[[gnu::weak]] int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info,
                                      MPI_Comm *newcomm) {
  return created(PMPI_Comm_split_type(comm, type, key, info, newcomm), newcomm);
}

[[gnu::weak]] int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm) {
  return created(PMPI_Comm_create(comm, group, newcomm), newcomm);
}

[[gnu::weak]] int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag,
                                        MPI_Comm *newcomm) {
  return created(PMPI_Comm_create_group(comm, group, tag, newcomm), newcomm);
}

[[gnu::weak]] int MPI_Intercomm_create(MPI_Comm comm, int leader, MPI_Comm peers, int remote,
                                       int tag, MPI_Comm *newcomm) {
  return created(PMPI_Intercomm_create(comm, leader, peers, remote, tag, newcomm), newcomm);
}

[[gnu::weak]] int MPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm *newcomm) {
  return created(PMPI_Intercomm_merge(intercomm, high, newcomm), newcomm);
}

[[gnu::weak]] int MPI_Cart_create(MPI_Comm comm, int ndims, const int dims[], const int periods[],
                                  int reorder, MPI_Comm *newcomm) {
  return created(PMPI_Cart_create(comm, ndims, dims, periods, reorder, newcomm), newcomm);
}

[[gnu::weak]] int MPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm) {
  return created(PMPI_Cart_sub(comm, remain_dims, newcomm), newcomm);
}

[[gnu::weak]] int MPI_Graph_create(MPI_Comm comm, int nnodes, const int index[], const int edges[],
                                   int reorder, MPI_Comm *newcomm) {
  return created(PMPI_Graph_create(comm, nnodes, index, edges, reorder, newcomm), newcomm);
}

[[gnu::weak]] int MPI_Dist_graph_create(MPI_Comm comm, int n, const int sources[],
                                        const int degrees[], const int destinations[],
                                        const int weights[], MPI_Info info, int reorder,
                                        MPI_Comm *newcomm) {
  return created(PMPI_Dist_graph_create(comm, n, sources, degrees, destinations, weights, info,
                                        reorder, newcomm),
                 newcomm);
}

[[gnu::weak]] int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int indegree, const int sources[],
                                                 const int sourceweights[], int outdegree,
                                                 const int destinations[], const int destweights[],
                                                 MPI_Info info, int reorder, MPI_Comm *newcomm) {
  return created(PMPI_Dist_graph_create_adjacent(comm, indegree, sources, sourceweights, outdegree,
                                                 destinations, destweights, info, reorder, newcomm),
                 newcomm);
}

// The same for calls from Fortran, which do not come by here otherwise. Everything is by reference;
// the numbers count the arguments.
#define CF_ARGS_1 (int *a0)
#define CF_ARGS_3 (int *a0, int *a1, int *a2)
#define CF_ARGS_4 (int *a0, int *a1, int *a2, int *a3)
#define CF_ARGS_5 (int *a0, int *a1, int *a2, int *a3, int *a4)
#define CF_ARGS_6 (int *a0, int *a1, int *a2, int *a3, int *a4, int *a5)
#define CF_ARGS_7 (int *a0, int *a1, int *a2, int *a3, int *a4, int *a5, int *a6)
#define CF_ARGS_10                                                                                 \
  (int *a0, int *a1, int *a2, int *a3, int *a4, int *a5, int *a6, int *a7, int *a8, int *a9)
#define CF_ARGS_11                                                                                 \
  (int *a0, int *a1, int *a2, int *a3, int *a4, int *a5, int *a6, int *a7, int *a8, int *a9,       \
   int *a10)
#define CF_CALL_1 (a0)
#define CF_CALL_3 (a0, a1, a2)
#define CF_CALL_4 (a0, a1, a2, a3)
#define CF_CALL_5 (a0, a1, a2, a3, a4)
#define CF_CALL_6 (a0, a1, a2, a3, a4, a5)
#define CF_CALL_7 (a0, a1, a2, a3, a4, a5, a6)
#define CF_CALL_10 (a0, a1, a2, a3, a4, a5, a6, a7, a8, a9)
#define CF_CALL_11 (a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10)
#define CF_SPELLING(symbol, count, after)                                                          \
  [[gnu::weak]] void p##symbol CF_ARGS_##count;                                                    \
  [[gnu::weak]] void symbol CF_ARGS_##count {                                                      \
    p##symbol CF_CALL_##count;                                                                     \
    after;                                                                                         \
  }
#define CF_FORTRAN(name, count, after)                                                             \
  CF_SPELLING(mpi_##name##_, count, after)                                                         \
  CF_SPELLING(mpi_##name##__, count, after)                                                        \
  CF_SPELLING(mpi_##name##_f08_, count, after)
#define CF_CREATOR(name, count, place, code)                                                       \
  CF_FORTRAN(name, count, createdFromFortran(code, a##place))

CF_FORTRAN(init, 1, initialisedFromFortran(a0))
CF_FORTRAN(init_thread, 3, initialisedFromFortran(a2))
CF_CREATOR(comm_dup, 3, 1, a2)
CF_CREATOR(comm_dup_with_info, 4, 2, a3)
CF_CREATOR(comm_split, 5, 3, a4)
CF_CREATOR(comm_split_type, 6, 4, a5)
CF_CREATOR(comm_create, 4, 2, a3)
CF_CREATOR(comm_create_group, 5, 3, a4)
CF_CREATOR(intercomm_create, 7, 5, a6)
CF_CREATOR(intercomm_merge, 4, 2, a3)
CF_CREATOR(cart_create, 7, 5, a6)
CF_CREATOR(cart_sub, 4, 2, a3)
CF_CREATOR(graph_create, 7, 5, a6)
CF_CREATOR(dist_graph_create, 10, 8, a9)
CF_CREATOR(dist_graph_create_adjacent, 11, 9, a10)

} // extern "C"
#pragma GCC visibility pop
