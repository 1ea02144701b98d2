// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads from files of abi_mpi.def. What arrives has no derivative: the shadow is cleared where the
// primal was overwritten, in both directions. Reads that end in another call are cleared as a whole
// until the end tells how much arrived.

#include "mpi/Absolute.h"
#include "mpi/FileReads.h"
#include "mpi/Packed.h"
#include "mpi/RequestTable.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

using namespace contraflow::mpi;
using Role = cf_mpi_record::Role;

namespace {

struct Overwritten : cf_mpi_record {
  bool Ended = false;
  View Shadow;
};

/// A read of a tangent that has not ended; the shadow is cleared.
struct TangentRead : Overwritten {
  std::unique_ptr<std::byte[]> Kept;
  Packed Old; ///< what was in the shadow
};

View overwritten(const Buffer &Data) { return messageViewOf(Data); }

/// Null: nothing was there to be cleared.
cf_mpi_record *recordOf(const View &V, cf_tape *Tape) {
  if (V.Leaves == 0)
    return nullptr;
  auto *R = record<Overwritten>(Tape);
  R->Shadow = V;
  R->Shadow.All = keepAdjoints(V.All, Tape);
  if (const Directions *All = R->Shadow.All; hasBoth(All))
    R->Shadow.direction(All->Adjoints).zero();
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

void shrink(View &V, const MPI_Status &Status) {
  MPI_Count Bytes = 0;
  if (PMPI_Get_elements_x(&Status, MPI_BYTE, &Bytes) == MPI_SUCCESS)
    V.Leaves = std::min(V.Leaves, leavesIn(*V.L, Bytes));
}

void reverse(const cf_mpi_record *Record) {
  if (Record)
    static_cast<const Overwritten *>(Record)->Shadow.zero();
}

/// Null: there is no shadow.
std::unique_ptr<TangentRead> beginTangent(const Buffer &Data) {
  View V = overwritten(Data);
  if (V.Leaves == 0)
    return nullptr;
  auto R = std::make_unique<TangentRead>();
  R->Kind = Role::TangentRead;
  const Directions *None = nullptr;
  R->Kept = keepDirections(V.All, None);
  R->Shadow = V;
  R->Old = packedBuffer(V.bytes());
  V.pack(R->Old.get());
  V.zero();
  return R;
}

cf_mpi_record *begin(const Buffer &Data, cf_tape *Tape) {
  cf_mpi_record *R = recordOf(overwritten(Data), Tape);
  if (R)
    R->Kind = Role::Read;
  return R;
}

/// The one split collective read that a file may have begun.
class SplitReads {
public:
  static SplitReads &get() {
    static auto *Only = new SplitReads; // outlives every other static object
    return *Only;
  }
  void begin(MPI_File File, cf_mpi_record *R) {
    const std::scoped_lock Guard(Lock);
    Open[File] = R;
  }
  cf_mpi_record *end(MPI_File File) {
    const std::scoped_lock Guard(Lock);
    const auto Row = Open.find(File);
    if (Row == Open.end())
      return nullptr;
    cf_mpi_record *R = Row->second;
    Open.erase(Row);
    return R;
  }
  /// R goes away; its end was called where nobody told us.
  void forget(const cf_mpi_record *R) {
    const std::scoped_lock Guard(Lock);
    std::erase_if(Open, [R](const auto &Row) { return Row.second == R; });
  }

private:
  std::mutex Lock;
  std::map<MPI_File, cf_mpi_record *> Open;
};

void reverseLater(cf_mpi_record *Record) {
  if (Record && !static_cast<Overwritten *>(Record)->Ended)
    RequestTable::get().forget(Record);
  reverse(Record);
}

void reverseSplit(cf_mpi_record *Record) {
  if (Record && !static_cast<Overwritten *>(Record)->Ended)
    SplitReads::get().forget(Record);
  reverse(Record);
}

void entered(int Code, cf_mpi_record *R, const MPI_Request *Request) {
  if (Code == MPI_SUCCESS && R)
    RequestTable::get().put(*Request, R);
}

/// End(status) is the primal.
template <class Action> int endSplit(MPI_File File, MPI_Status *Status, Action End) {
  MPI_Status Own;
  MPI_Status *Here = Status == MPI_STATUS_IGNORE ? &Own : Status;
  const int Code = End(Here);
  if (Code == MPI_SUCCESS)
    if (cf_mpi_record *R = SplitReads::get().end(File))
      completeRead(R, *Here);
  return Code;
}

} // namespace

void contraflow::mpi::completeRead(cf_mpi_record *R, const MPI_Status &Status) {
  auto &Read = static_cast<Overwritten &>(*R);
  Read.Ended = true;
  const View Whole = Read.Shadow;
  shrink(Read.Shadow, Status);
  if (R->Kind != Role::TangentRead)
    return;
  const std::unique_ptr<TangentRead> Gone(static_cast<TangentRead *>(R));
  if (Read.Shadow.Leaves == Whole.Leaves)
    return;
  Whole.store(Gone->Old.get());
  Read.Shadow.zero();
}

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

#define CF_READ_LATER(stem, Function, Params, Args)                                                \
  int cf_v1_mpi_##stem##_tangent(CF_LIST Params, void *buf_shadow) {                               \
    auto Read = beginTangent({buf, buf_shadow, count, type});                                      \
    const int Code = PMPI_##Function Args;                                                         \
    entered(Code, Read.release(), request);                                                        \
    return Code;                                                                                   \
  }                                                                                                \
  int cf_v1_mpi_##stem##_augment(CF_LIST Params, void *buf_shadow, cf_tape *tape,                  \
                                 cf_mpi_record **record) {                                         \
    *record = begin({buf, buf_shadow, count, type}, tape);                                         \
    const int Code = PMPI_##Function Args;                                                         \
    entered(Code, *record, request);                                                               \
    return Code;                                                                                   \
  }                                                                                                \
  void cf_v1_mpi_##stem##_adjoint(cf_mpi_record *record) { reverseLater(record); }

#define CF_READ_SPLIT(stem, Function, Params, Args)                                                \
  int cf_v1_mpi_##stem##_begin_tangent(CF_LIST Params, void *buf_shadow) {                         \
    SplitReads::get().begin(fh, beginTangent({buf, buf_shadow, count, type}).release());           \
    return PMPI_##Function##_begin Args;                                                           \
  }                                                                                                \
  int cf_v1_mpi_##stem##_begin_augment(CF_LIST Params, void *buf_shadow, cf_tape *tape,            \
                                       cf_mpi_record **record) {                                   \
    *record = begin({buf, buf_shadow, count, type}, tape);                                         \
    SplitReads::get().begin(fh, *record);                                                          \
    return PMPI_##Function##_begin Args;                                                           \
  }                                                                                                \
  void cf_v1_mpi_##stem##_begin_adjoint(cf_mpi_record *record) { reverseSplit(record); }           \
  int cf_v1_mpi_##stem##_end_tangent(MPI_File fh, void *buf, MPI_Status *status) {                 \
    return endSplit(fh, status,                                                                    \
                    [&](MPI_Status *Here) { return PMPI_##Function##_end(fh, buf, Here); });       \
  }                                                                                                \
  int cf_v1_mpi_##stem##_end_augment(MPI_File fh, void *buf, MPI_Status *status, cf_tape *,        \
                                     cf_mpi_record **record) {                                     \
    *record = nullptr;                                                                             \
    return cf_v1_mpi_##stem##_end_tangent(fh, buf, status);                                        \
  }                                                                                                \
  void cf_v1_mpi_##stem##_end_adjoint(cf_mpi_record *) {}

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
CF_READ_SPLIT(file_read_all, File_read_all, (MPI_File fh, void *buf, int count, MPI_Datatype type),
              (fh, buf, count, type))
CF_READ_SPLIT(file_read_ordered, File_read_ordered,
              (MPI_File fh, void *buf, int count, MPI_Datatype type), (fh, buf, count, type))
CF_READ_SPLIT(file_read_at_all, File_read_at_all,
              (MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype type),
              (fh, offset, buf, count, type))
