// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads from files of abi_mpi.def. What arrives has no derivative: the shadow is cleared where the
// primal was overwritten, in both directions.

#include "mpi/Layout.h"
#include "mpi/Record.h"

using namespace contraflow::mpi;

namespace {

struct Overwritten : cf_mpi_record {
  View Shadow;
};

View overwritten(const Buffer &Data) { return Data.Shadow ? viewOf(Data) : View{}; }

/// Null: nothing was there to be cleared.
cf_mpi_record *recordOf(const View &V, cf_tape *Tape) {
  if (V.Leaves == 0)
    return nullptr;
  auto *R = record<Overwritten>(Tape);
  R->Shadow = V;
  return R;
}

/// Read(status) is the primal; V shrinks to what arrived.
template <class Action> int arrive(View &V, MPI_Status *Status, Action Read) {
  MPI_Status Own;
  MPI_Status *Here = Status == MPI_STATUS_IGNORE ? &Own : Status;
  const int Code = Read(Here);
  MPI_Count Bytes = 0;
  if (Code != MPI_SUCCESS)
    V.Leaves = 0;
  else if (V.Leaves > 0 && PMPI_Get_elements_x(Here, MPI_BYTE, &Bytes) == MPI_SUCCESS)
    V.Leaves = leavesIn(*V.L, Bytes);
  return Code;
}

void reverse(const cf_mpi_record *Record) {
  if (Record)
    static_cast<const Overwritten *>(Record)->Shadow.zero();
}

} // namespace

#define CF_LIST(...) __VA_ARGS__
#define CF_READ(stem, Function, Place, Args)                                                       \
  int cf_v1_mpi_##stem##_tangent(MPI_File fh, CF_LIST Place void *buf, int count,                  \
                                 MPI_Datatype type, MPI_Status *status, void *buf_shadow) {        \
    View V = overwritten({buf, buf_shadow, count, type});                                          \
    const int Code =                                                                               \
        arrive(V, status, [&](MPI_Status *Here) { return PMPI_##Function(CF_LIST Args, Here); });  \
    V.zero();                                                                                      \
    return Code;                                                                                   \
  }                                                                                                \
  int cf_v1_mpi_##stem##_augment(MPI_File fh, CF_LIST Place void *buf, int count,                  \
                                 MPI_Datatype type, MPI_Status *status, void *buf_shadow,          \
                                 cf_tape *tape, cf_mpi_record **record) {                          \
    View V = overwritten({buf, buf_shadow, count, type});                                          \
    const int Code =                                                                               \
        arrive(V, status, [&](MPI_Status *Here) { return PMPI_##Function(CF_LIST Args, Here); });  \
    *record = recordOf(V, tape);                                                                   \
    return Code;                                                                                   \
  }                                                                                                \
  void cf_v1_mpi_##stem##_adjoint(cf_mpi_record *record) { reverse(record); }

// Nobody may look at the buffer before the read is complete, so it is cleared at once.
#define CF_READ_LATER(stem, Function, Params, Args)                                                \
  int cf_v1_mpi_##stem##_tangent(CF_LIST Params, void *buf_shadow) {                               \
    overwritten({buf, buf_shadow, count, type}).zero();                                            \
    return PMPI_##Function Args;                                                                   \
  }                                                                                                \
  int cf_v1_mpi_##stem##_augment(CF_LIST Params, void *buf_shadow, cf_tape *tape,                  \
                                 cf_mpi_record **record) {                                         \
    *record = recordOf(overwritten({buf, buf_shadow, count, type}), tape);                         \
    return PMPI_##Function Args;                                                                   \
  }                                                                                                \
  void cf_v1_mpi_##stem##_adjoint(cf_mpi_record *record) { reverse(record); }

CF_READ(file_read, File_read, (), (fh, buf, count, type))
CF_READ(file_read_all, File_read_all, (), (fh, buf, count, type))
CF_READ(file_read_shared, File_read_shared, (), (fh, buf, count, type))
CF_READ(file_read_ordered, File_read_ordered, (), (fh, buf, count, type))
CF_READ(file_read_at, File_read_at, (MPI_Offset offset, ), (fh, offset, buf, count, type))
CF_READ(file_read_at_all, File_read_at_all, (MPI_Offset offset, ), (fh, offset, buf, count, type))

#define CF_HERE (MPI_File fh, void *buf, int count, MPI_Datatype type, MPI_Request *request)
#define CF_AT                                                                                      \
  (MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype type, MPI_Request *request)
CF_READ_LATER(file_iread, File_iread, CF_HERE, (fh, buf, count, type, request))
CF_READ_LATER(file_iread_all, File_iread_all, CF_HERE, (fh, buf, count, type, request))
CF_READ_LATER(file_iread_shared, File_iread_shared, CF_HERE, (fh, buf, count, type, request))
CF_READ_LATER(file_iread_at, File_iread_at, CF_AT, (fh, offset, buf, count, type, request))
CF_READ_LATER(file_iread_at_all, File_iread_at_all, CF_AT, (fh, offset, buf, count, type, request))
CF_READ_LATER(file_read_all_begin, File_read_all_begin,
              (MPI_File fh, void *buf, int count, MPI_Datatype type), (fh, buf, count, type))
CF_READ_LATER(file_read_ordered_begin, File_read_ordered_begin,
              (MPI_File fh, void *buf, int count, MPI_Datatype type), (fh, buf, count, type))
CF_READ_LATER(file_read_at_all_begin, File_read_at_all_begin,
              (MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype type),
              (fh, offset, buf, count, type))
