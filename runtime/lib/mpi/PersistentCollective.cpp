// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is kept between the starts of a persistent collective: the movement or reduction that its
// arguments describe, with copies of the arrays and directions that these refer to.

#include "mpi/PersistentCollective.h"

#include "mpi/Order.h"
#include "mpi/RequestTable.h"

#include <algorithm>
#include <vector>

namespace contraflow::mpi {

PersistentCollective::PersistentCollective(MPI_Comm User)
    : Comm(Communicator::collective(User)), Lane(Comm.takeLane()),
      Orders(contraflow::mpi::ordersAccesses(User)) {}

PersistentCollective::~PersistentCollective() { Communicator::giveLane(*Lane); }

void PersistentCollective::started(std::unique_ptr<Operation> Tangent, MPI_Request Request) const {
  auto C = std::make_unique<NonblockingCollective>();
  C->Kind = cf_mpi_record::Role::TangentCollective;
  C->Comm = &Comm;
  C->Lane = Lane->Comm;
  contraflow::mpi::startTangent(*C, std::move(Tangent));
  RequestTable::get().put(Request, C.release());
}

NonblockingCollective *PersistentCollective::started(MPI_Request Request, cf_tape *Tape) const {
  auto *C = record<NonblockingCollective>(Tape);
  C->Kind = cf_mpi_record::Role::Collective;
  C->Comm = &Comm;
  C->Lane = Lane->Comm;
  RequestTable::get().put(Request, C);
  return C;
}

namespace {

class PersistentMovement : public PersistentCollective {
public:
  PersistentMovement(const MovementCall &C, const Side &Send, const Side &Receive)
      : PersistentCollective(C.Comm) {
    Described D;
    D.M.Blocking = false;
    describe(D, C, Send, Receive);
    M = D.M;
    Active = D.Active;
    Arrays = std::make_unique<std::byte[]>(static_cast<std::size_t>(arrayBytes(M)));
    copyArrays(M, Arrays.get());
    Shadows = keepDirections(M.Given.All, M.Got.All);
  }
  int startTangent(MPI_Request *Request) override {
    describeUnseen(M);
    const int Code = PMPI_Start(Request);
    if (Code == MPI_SUCCESS && Active)
      started(tangentOperation(M), *Request);
    return Code;
  }
  int augmentStart(MPI_Request *Request, cf_tape *Tape, cf_mpi_record *&Record) override {
    describeUnseen(M);
    const int Code = PMPI_Start(Request);
    if (Code != MPI_SUCCESS || !(Active || ordersAccesses()))
      return Code;
    NonblockingCollective *N = started(*Request, Tape);
    N->Moved = Active ? keptOn(Tape) : nullptr;
    startBeside(*N);
    Record = N;
    return Code;
  }

private:
  Movement *keptOn(cf_tape *Tape) const {
    auto *Kept = record<Movement>(Tape, arrayBytes(M));
    *Kept = M;
    copyArrays(*Kept, reinterpret_cast<std::byte *>(Kept + 1));
    Kept->Given.All = keepAdjoints(M.Given.All, Tape);
    Kept->Got.All = keepAdjoints(M.Got.All, Tape);
    return Kept;
  }

  Movement M;
  bool Active = false;
  std::unique_ptr<std::byte[]> Arrays, Shadows; ///< what M refers to
};

class PersistentReduction : public PersistentCollective {
public:
  explicit PersistentReduction(const ReductionCall &Given)
      : PersistentCollective(Given.Comm), C(Given), Call(announcement()) {
    if (C.BlockCounts)
      BlockCounts.assign(C.BlockCounts, C.BlockCounts + communicator().size());
    C.BlockCounts = C.BlockCounts ? BlockCounts.data() : nullptr;
    Active = describe(R, C);
    if (!Active)
      return;
    Shadows = keepDirections(R.Input.All, R.Result.All);
    if (R.Factor == Reduction::Weight::Chain && R.Chain.How == Combination::Kind::User) {
      PMPI_Type_dup(C.Type, &Type); // the user may free it
      R.Chain.Type = Type;
    }
  }
  ~PersistentReduction() override {
    if (Type != MPI_DATATYPE_NULL)
      PMPI_Type_free(&Type);
  }
  int startTangent(MPI_Request *Request) override {
    if (!Active)
      return PMPI_Start(Request);
    const Resumed Again(Call);
    Reduction Started = R;
    Packed Space = packedBuffer(spaceOf(Started));
    fillSpace(Started, C, Space.get());
    const int Code = PMPI_Start(Request);
    if (Code != MPI_SUCCESS)
      return Code;
    auto Tangent = tangentOperation(Started);
    Tangent->keep(std::move(Space));
    started(std::move(Tangent), *Request);
    return Code;
  }
  int augmentStart(MPI_Request *Request, cf_tape *Tape, cf_mpi_record *&Record) override {
    const Resumed Again(Call);
    Reduction *Kept = Active ? keptOn(Tape) : nullptr;
    const int Code = PMPI_Start(Request);
    if (Code != MPI_SUCCESS || !(Active || ordersAccesses()))
      return Code;
    NonblockingCollective *N = started(*Request, Tape);
    N->Reduced = Kept;
    startBeside(*N);
    Record = N;
    return Code;
  }

private:
  Reduction *keptOn(cf_tape *Tape) const {
    auto *Kept = record<Reduction>(Tape, spaceOf(R));
    *Kept = R;
    Kept->Input.All = keepAdjoints(R.Input.All, Tape);
    Kept->Result.All = keepAdjoints(R.Result.All, Tape);
    fillSpace(*Kept, C, reinterpret_cast<std::byte *>(Kept + 1));
    return Kept;
  }

  ReductionCall C;
  const Announcement Call;
  std::vector<int> BlockCounts;
  Reduction R;
  bool Active = false;
  MPI_Datatype Type = MPI_DATATYPE_NULL;
  std::unique_ptr<std::byte[]> Shadows;
};

class PersistentBarrier : public PersistentCollective {
public:
  explicit PersistentBarrier(MPI_Comm Comm) : PersistentCollective(Comm) {}
  int startTangent(MPI_Request *Request) override { return PMPI_Start(Request); }
  int augmentStart(MPI_Request *Request, cf_tape *Tape, cf_mpi_record *&Record) override {
    const int Code = PMPI_Start(Request);
    if (Code != MPI_SUCCESS)
      return Code;
    NonblockingCollective *N = started(*Request, Tape);
    if (communicator().isInter())
      N->Moved = barrierBetweenGroups(communicator(), Tape);
    Record = N;
    return Code;
  }
};

} // namespace

std::unique_ptr<PersistentCollective> persistent(const MovementCall &C, const Side &Send,
                                                 const Side &Receive) {
  return std::make_unique<PersistentMovement>(C, Send, Receive);
}

std::unique_ptr<PersistentCollective> persistent(const ReductionCall &C) {
  return std::make_unique<PersistentReduction>(C);
}

std::unique_ptr<PersistentCollective> persistentBarrier(MPI_Comm Comm) {
  return std::make_unique<PersistentBarrier>(Comm);
}

} // namespace contraflow::mpi
