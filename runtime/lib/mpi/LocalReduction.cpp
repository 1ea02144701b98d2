// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI_Reduce_local of abi_mpi.def: one step of an operator, on this rank.

#include "mpi/Absolute.h"
#include "mpi/Outbox.h"
#include "mpi/Reduction.h"
#include "mpi/Refuse.h"

#include <cstring>

using namespace contraflow::mpi;

namespace {

/// The values of both operands follow it on the tape.
struct Step : cf_mpi_record {
  Combination What;
  View In, InOut; ///< shadows
  std::byte *Values;
};

bool isUser(const Step &S) { return S.What.How == Combination::Kind::User; }

/// False: nothing here carries a derivative.
bool describe(Step &S, const ReductionCall &C) {
  const Layout &L = layoutOf(C.Type);
  if (C.Count == 0 || L.Leaves == 0 || (!C.SendShadow && !C.ReceiveShadow))
    return false;
  if (isOfBits(C, L))
    return false;
  const auto Found = combinationOf(C, L);
  if (!Found)
    refuse(Refusal::Operator, C.Name);
  S.What = *Found;
  S.In = ownViewOf({C.Send, C.SendShadow, C.Count, C.Type}, C.Name);
  S.InOut = ownViewOf({C.Receive, C.ReceiveShadow, C.Count, C.Type}, C.Name);
  return true;
}

void keepValues(const Step &S, const ReductionCall &C) {
  const void *const From[] = {C.Send, C.Receive};
  for (int I = 0; I < 2; ++I) {
    std::byte *To = S.Values + I * S.What.Bytes;
    const View V = {static_cast<char *>(const_cast<void *>(From[I])), S.In.L, S.In.Leaves};
    if (isUser(S))
      std::memcpy(To, From[I], static_cast<std::size_t>(S.What.Bytes));
    else
      V.pack(To);
  }
}

/// The leaves of an image.
View leaves(const Step &S, std::byte *Image) {
  const Layout *L = isUser(S) ? S.In.L : &layoutOf(datatypeOf(S.What.Leaves));
  return {reinterpret_cast<char *>(Image), L, S.In.Leaves};
}

enum class Direction { Forward, Backward };

void differentiate(const Step &S, Direction Way) {
  const std::int64_t Bytes = S.What.Bytes;
  const Packed Bars = packedBuffer(2 * Bytes), Mine = packedBuffer(S.In.bytes());
  std::memset(Bars.get(), 0, static_cast<std::size_t>(2 * Bytes));
  const Operands O = {S.Values, Bars.get(), S.Values + Bytes, Bars.get() + Bytes};
  S.InOut.pack(Mine.get());
  leaves(S, O.InOutBar).store(Mine.get());
  if (Way == Direction::Forward) {
    S.In.pack(Mine.get());
    leaves(S, O.InBar).store(Mine.get());
    S.What.tangent(O);
  } else {
    S.What.adjoint(O);
    leaves(S, O.InBar).pack(Mine.get());
    S.In.add(Mine.get());
  }
  leaves(S, O.InOutBar).pack(Mine.get());
  S.InOut.store(Mine.get());
}

} // namespace

int cf_v1_mpi_reduce_local_tangent(const void *inbuf, void *inoutbuf, int count, MPI_Datatype type,
                                   MPI_Op op, void *inbuf_shadow, void *inoutbuf_shadow) {
  const ReductionCall C = {"MPI_Reduce_local",
                           Reach::All,
                           inbuf,
                           inoutbuf,
                           inbuf_shadow,
                           inoutbuf_shadow,
                           count,
                           type,
                           op,
                           0,
                           nullptr,
                           MPI_COMM_SELF};
  Step S;
  if (!describe(S, C))
    return PMPI_Reduce_local(inbuf, inoutbuf, count, type, op);
  const Packed Values = packedBuffer(2 * S.What.Bytes);
  S.Values = Values.get();
  for (int D = 0; D < S.In.directions(); ++D) {
    Step One = S;
    One.In = S.In.direction(D);
    One.InOut = S.InOut.direction(D);
    keepValues(One, C); // a step changes them
    differentiate(One, Direction::Forward);
  }
  return PMPI_Reduce_local(inbuf, inoutbuf, count, type, op);
}

int cf_v1_mpi_reduce_local_augment(const void *inbuf, void *inoutbuf, int count, MPI_Datatype type,
                                   MPI_Op op, void *inbuf_shadow, void *inoutbuf_shadow,
                                   cf_tape *tape, cf_mpi_record **record) {
  const ReductionCall C = {"MPI_Reduce_local",
                           Reach::All,
                           inbuf,
                           inoutbuf,
                           inbuf_shadow,
                           inoutbuf_shadow,
                           count,
                           type,
                           op,
                           0,
                           nullptr,
                           MPI_COMM_SELF};
  Step Found;
  *record = nullptr;
  if (describe(Found, C)) {
    auto *S = contraflow::mpi::record<Step>(tape, 2 * Found.What.Bytes);
    *S = Found;
    S->Values = reinterpret_cast<std::byte *>(S + 1);
    keepValues(*S, C);
    *record = S;
  }
  return PMPI_Reduce_local(inbuf, inoutbuf, count, type, op);
}

void cf_v1_mpi_reduce_local_adjoint(cf_mpi_record *record) {
  if (record)
    differentiate(static_cast<const Step &>(*record), Direction::Backward);
}
