// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI_Pack and MPI_Unpack of abi_mpi.def: copies between items and the same values without gaps.
// MPI libraries of one architecture pack the bytes as they are, and the external format has the
// same sizes of floating-point values; anything else is noticed by the size. Shadows are in the
// format of the machine in either case.

#include "mpi/Absolute.h"
#include "mpi/Outbox.h"
#include "mpi/PackedPieces.h"
#include "mpi/Record.h"
#include "mpi/Refuse.h"

using namespace contraflow::mpi;

namespace {

struct Copy : cf_mpi_record {
  View From, To;
};

struct Call {
  const char *Name;
  Buffer Items;
  void *PackedShadow;
  MPI_Aint Begin, End; ///< positions in the packed buffer
};

/// The packed side of a call.
View packedView(const Call &C, const View &Items) {
  const Layout &L = packedLayoutOf(*Items.L);
  if (Items.Leaves > 0 && C.End - C.Begin != itemsOf(Items, C.Items.Count) * L.Size)
    refuse(Refusal::Datatype, std::string("a packed format in ") + C.Name);
  const Shadows Found = shadowsOf(C.PackedShadow);
  return {Found.First ? Found.First + C.Begin : nullptr, &L, Items.Leaves, Found.All};
}

void tangent(const Copy &C) {
  const Packed Values = packedBuffer(C.From.bytes());
  C.From.pack(Values.get());
  C.To.store(Values.get());
}

void reverse(const cf_mpi_record *Record) {
  if (!Record)
    return;
  const auto &C = static_cast<const Copy &>(*Record);
  const Packed Values = packedBuffer(C.To.bytes());
  C.To.pack(Values.get());
  C.To.zero();
  C.From.add(Values.get());
}

cf_mpi_record *recordOf(const Copy &Found, cf_tape *Tape) {
  if (Found.From.Leaves == 0)
    return nullptr;
  auto *C = record<Copy>(Tape);
  C->From = Found.From;
  C->To = Found.To;
  C->From.All = keepAdjoints(Found.From.All, Tape);
  C->To.All = keepAdjoints(Found.To.All, Tape);
  if (const Directions *All = C->From.All; hasBoth(All))
    tangent({{}, C->From.direction(All->Adjoints), C->To.direction(All->Adjoints)});
  return C;
}

Copy packing(const Call &C) {
  Copy Made;
  Made.From = messageViewOf(C.Items);
  Made.To = packedView(C, Made.From);
  return Made;
}

/// Into memory that begins at `Packed`.
cf_mpi_record *recordOfPacking(const Call &C, const void *Packed, cf_tape *Tape) {
  const Copy Made = packing(C);
  notePacked(Made.To, static_cast<const char *>(Packed) + C.Begin, C.End - C.Begin);
  return recordOf(Made, Tape);
}

Copy unpacking(const Call &C) {
  Copy Made;
  Made.To = messageViewOf(C.Items);
  Made.From = packedView(C, Made.To);
  return Made;
}

} // namespace

int cf_v1_mpi_pack_tangent(const void *inbuf, int incount, MPI_Datatype type, void *outbuf,
                           int outsize, int *position, MPI_Comm comm, void *inbuf_shadow,
                           void *outbuf_shadow) {
  const int Begin = *position;
  const int Code = PMPI_Pack(inbuf, incount, type, outbuf, outsize, position, comm);
  if (Code == MPI_SUCCESS)
    tangent(packing(
        {"MPI_Pack", {inbuf, inbuf_shadow, incount, type}, outbuf_shadow, Begin, *position}));
  return Code;
}

int cf_v1_mpi_pack_augment(const void *inbuf, int incount, MPI_Datatype type, void *outbuf,
                           int outsize, int *position, MPI_Comm comm, void *inbuf_shadow,
                           void *outbuf_shadow, cf_tape *tape, cf_mpi_record **record) {
  const int Begin = *position;
  const int Code = PMPI_Pack(inbuf, incount, type, outbuf, outsize, position, comm);
  *record = nullptr;
  if (Code == MPI_SUCCESS)
    *record = recordOfPacking(
        {"MPI_Pack", {inbuf, inbuf_shadow, incount, type}, outbuf_shadow, Begin, *position}, outbuf,
        tape);
  return Code;
}

void cf_v1_mpi_pack_adjoint(cf_mpi_record *record) { reverse(record); }

int cf_v1_mpi_unpack_tangent(const void *inbuf, int insize, int *position, void *outbuf,
                             int outcount, MPI_Datatype type, MPI_Comm comm, void *inbuf_shadow,
                             void *outbuf_shadow) {
  const int Begin = *position;
  const int Code = PMPI_Unpack(inbuf, insize, position, outbuf, outcount, type, comm);
  if (Code == MPI_SUCCESS)
    tangent(unpacking(
        {"MPI_Unpack", {outbuf, outbuf_shadow, outcount, type}, inbuf_shadow, Begin, *position}));
  return Code;
}

int cf_v1_mpi_unpack_augment(const void *inbuf, int insize, int *position, void *outbuf,
                             int outcount, MPI_Datatype type, MPI_Comm comm, void *inbuf_shadow,
                             void *outbuf_shadow, cf_tape *tape, cf_mpi_record **record) {
  const int Begin = *position;
  const int Code = PMPI_Unpack(inbuf, insize, position, outbuf, outcount, type, comm);
  *record = nullptr;
  if (Code == MPI_SUCCESS)
    *record = recordOf(unpacking({"MPI_Unpack",
                                  {outbuf, outbuf_shadow, outcount, type},
                                  inbuf_shadow,
                                  Begin,
                                  *position}),
                       tape);
  return Code;
}

void cf_v1_mpi_unpack_adjoint(cf_mpi_record *record) { reverse(record); }

int cf_v1_mpi_pack_external_tangent(const char *format, const void *inbuf, int incount,
                                    MPI_Datatype type, void *outbuf, MPI_Aint outsize,
                                    MPI_Aint *position, void *inbuf_shadow, void *outbuf_shadow) {
  const MPI_Aint Begin = *position;
  const int Code = PMPI_Pack_external(format, inbuf, incount, type, outbuf, outsize, position);
  if (Code == MPI_SUCCESS)
    tangent(packing({"MPI_Pack_external",
                     {inbuf, inbuf_shadow, incount, type},
                     outbuf_shadow,
                     Begin,
                     *position}));
  return Code;
}

int cf_v1_mpi_pack_external_augment(const char *format, const void *inbuf, int incount,
                                    MPI_Datatype type, void *outbuf, MPI_Aint outsize,
                                    MPI_Aint *position, void *inbuf_shadow, void *outbuf_shadow,
                                    cf_tape *tape, cf_mpi_record **record) {
  const MPI_Aint Begin = *position;
  const int Code = PMPI_Pack_external(format, inbuf, incount, type, outbuf, outsize, position);
  *record = nullptr;
  if (Code == MPI_SUCCESS)
    *record = recordOfPacking({"MPI_Pack_external",
                               {inbuf, inbuf_shadow, incount, type},
                               outbuf_shadow,
                               Begin,
                               *position},
                              outbuf, tape);
  return Code;
}

void cf_v1_mpi_pack_external_adjoint(cf_mpi_record *record) { reverse(record); }

int cf_v1_mpi_unpack_external_tangent(const char *format, const void *inbuf, MPI_Aint insize,
                                      MPI_Aint *position, void *outbuf, int outcount,
                                      MPI_Datatype type, void *inbuf_shadow, void *outbuf_shadow) {
  const MPI_Aint Begin = *position;
  const int Code = PMPI_Unpack_external(format, inbuf, insize, position, outbuf, outcount, type);
  if (Code == MPI_SUCCESS)
    tangent(unpacking({"MPI_Unpack_external",
                       {outbuf, outbuf_shadow, outcount, type},
                       inbuf_shadow,
                       Begin,
                       *position}));
  return Code;
}

int cf_v1_mpi_unpack_external_augment(const char *format, const void *inbuf, MPI_Aint insize,
                                      MPI_Aint *position, void *outbuf, int outcount,
                                      MPI_Datatype type, void *inbuf_shadow, void *outbuf_shadow,
                                      cf_tape *tape, cf_mpi_record **record) {
  const MPI_Aint Begin = *position;
  const int Code = PMPI_Unpack_external(format, inbuf, insize, position, outbuf, outcount, type);
  *record = nullptr;
  if (Code == MPI_SUCCESS)
    *record = recordOf(unpacking({"MPI_Unpack_external",
                                  {outbuf, outbuf_shadow, outcount, type},
                                  inbuf_shadow,
                                  Begin,
                                  *position}),
                       tape);
  return Code;
}

void cf_v1_mpi_unpack_external_adjoint(cf_mpi_record *record) { reverse(record); }
