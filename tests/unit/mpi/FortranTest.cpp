// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles of Fortran: to C and back, and the integers of datatypes that the compiler knows.

#include "mpi/Abi.h"

#include <gtest/gtest.h>
#include <vector>

#ifdef OPEN_MPI // others are refused (CF341)
extern "C" {
#define MPI_DATATYPE(Symbol, Kind, InFortran, Mpich)                                               \
  extern struct ompi_predefined_datatype_t Symbol;
#include "parallel/mpi/Datatypes.def"
}

namespace {

enum Kind {
#define CF_MPI_HANDLE_KIND(kind, name) kind,
#include "contraflow/abi_mpi_handles.def"
};

template <class Handle> void returns(Kind Of, Handle Here, MPI_Fint There) {
  EXPECT_EQ(cf_v1_mpi_from_fortran(Of, There), Here);
  EXPECT_EQ(cf_v1_mpi_to_fortran(Of, Here), There);
}

TEST(Fortran, HandlesReturn) {
  returns(Comm, MPI_COMM_WORLD, MPI_Comm_c2f(MPI_COMM_WORLD));
  returns(Datatype, MPI_DOUBLE, MPI_Type_c2f(MPI_DOUBLE));
  returns(Op, MPI_SUM, MPI_Op_c2f(MPI_SUM));
  returns(Request, MPI_REQUEST_NULL, MPI_Request_c2f(MPI_REQUEST_NULL));
  returns(Info, MPI_INFO_NULL, MPI_Info_c2f(MPI_INFO_NULL));
  returns(Group, MPI_GROUP_EMPTY, MPI_Group_c2f(MPI_GROUP_EMPTY));
  EXPECT_EQ(cf_v1_mpi_to_fortran(Message, nullptr), -1);
}

TEST(Fortran, ArraysReturn) {
  MPI_Request Made = MPI_REQUEST_NULL;
  MPI_Irecv(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, &Made);
  std::vector<MPI_Fint> Handles = {MPI_Request_c2f(MPI_REQUEST_NULL), MPI_Request_c2f(Made)};
  auto *All = static_cast<MPI_Request *>(cf_v1_mpi_requests_from_fortran(2, Handles.data()));
  EXPECT_EQ(All[1], Made);
  MPI_Waitall(2, All, MPI_STATUSES_IGNORE);
  cf_v1_mpi_requests_to_fortran(2, All, Handles.data());
  EXPECT_EQ(Handles[1], MPI_Request_c2f(MPI_REQUEST_NULL));
  int32_t Count = 2, Indices[] = {0, 4, 7};
  cf_v1_mpi_indices_to_fortran(&Count, Indices);
  EXPECT_EQ(Indices[1], 5);
  EXPECT_EQ(Indices[2], 7);
  Count = MPI_UNDEFINED;
  cf_v1_mpi_indices_to_fortran(&Count, Indices);
  EXPECT_EQ(Indices[0], 1);
}

TEST(Fortran, ArraysOfDatatypesAreKept) {
  int Ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &Ranks);
  const std::vector<MPI_Fint> Types(Ranks, MPI_Type_c2f(MPI_FLOAT));
  const void *First = cf_v1_mpi_types_from_fortran(Types.data(), MPI_COMM_WORLD, 0, nullptr);
  EXPECT_EQ(static_cast<const MPI_Datatype *>(First)[Ranks - 1], MPI_FLOAT);
  EXPECT_EQ(cf_v1_mpi_types_from_fortran(Types.data(), MPI_COMM_WORLD, 0, nullptr), First);
  EXPECT_EQ(cf_v1_mpi_types_from_fortran(Types.data(), MPI_COMM_WORLD, 0, MPI_IN_PLACE), nullptr);
}

TEST(Fortran, TheCompilerKnowsDatatypes) {
#define MPI_DATATYPE(Symbol, Kind, InFortran, Mpich)                                               \
  if (InFortran != 0) {                                                                            \
    EXPECT_EQ(MPI_Type_f2c(InFortran), reinterpret_cast<MPI_Datatype>(&Symbol)) << #Symbol;        \
  }
#include "parallel/mpi/Datatypes.def"
}

} // namespace
#endif
