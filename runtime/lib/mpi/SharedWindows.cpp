// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows of memory that ranks share, of abi_mpi.def. Shadows are shared in the same way, and what
// the primal asks about a rank's memory is asked about its shadow.
//
//   MPI_Win_shared_query(w, rank, ..., &p)   tangent and forward sweep: p-bar is the shadow there
//
// The compiler adds atomically to what such pointers lead to.

#include "mpi/Refuse.h"
#include "mpi/Windows.h"

using namespace contraflow::mpi;

int cf_v1_mpi_win_allocate_shared_tangent(MPI_Aint size, int disp_unit, MPI_Info info,
                                          MPI_Comm comm, void *baseptr, MPI_Win *win,
                                          void *baseptr_shadow) {
  const int Code = PMPI_Win_allocate_shared(size, disp_unit, info, comm, baseptr, win);
  if (Code != MPI_SUCCESS)
    return Code;
  Window *W = Window::created(*win, Window::allocateShared(comm, size, disp_unit, info));
  storeShadows(baseptr_shadow, W->mergeIn(*static_cast<void **>(baseptr)),
               [](const Window &Each) { return Each.shadow(); });
  return Code;
}

int cf_v1_mpi_win_allocate_shared_augment(MPI_Aint size, int disp_unit, MPI_Info info,
                                          MPI_Comm comm, void *baseptr, MPI_Win *win,
                                          void *baseptr_shadow, cf_tape *tape,
                                          cf_mpi_record **record) {
  const int Code = cf_v1_mpi_win_allocate_shared_tangent(size, disp_unit, info, comm, baseptr, win,
                                                         baseptr_shadow);
  *record = Code == MPI_SUCCESS ? recordOf(Window::of(*win)->forReverse(), tape) : nullptr;
  return Code;
}

void cf_v1_mpi_win_allocate_shared_adjoint(cf_mpi_record *record) {
  if (record)
    Window::destroy(static_cast<WindowRecord *>(record)->W);
}

int cf_v1_mpi_win_shared_query_tangent(MPI_Win win, int rank, MPI_Aint *size, int *disp_unit,
                                       void *baseptr, void *baseptr_shadow) {
  const Window *W = Window::of(win);
  if (!W && baseptr_shadow)
    refuse(Refusal::WindowUnknown, "MPI_Win_shared_query");
  const int Code = PMPI_Win_shared_query(win, rank, size, disp_unit, baseptr);
  if (Code == MPI_SUCCESS)
    storeShadows(baseptr_shadow, W, [&](const Window &Each) { return Each.shadowOf(rank); });
  return Code;
}

int cf_v1_mpi_win_shared_query_augment(MPI_Win win, int rank, MPI_Aint *size, int *disp_unit,
                                       void *baseptr, void *baseptr_shadow, cf_tape *,
                                       cf_mpi_record **record) {
  *record = nullptr;
  return cf_v1_mpi_win_shared_query_tangent(win, rank, size, disp_unit, baseptr, baseptr_shadow);
}

void cf_v1_mpi_win_shared_query_adjoint(cf_mpi_record *) {}
