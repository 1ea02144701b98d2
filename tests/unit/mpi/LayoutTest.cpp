// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts against MPI itself: what packs as leaves is what MPI_Pack packs of a buffer without
// integers, and the runs of a layout are where MPI's typemap has them.

#include "Harness.h"

#include "mpi/Layout.h"

#include <algorithm>
#include <cstring>
#include <numeric>

using namespace contraflow::mpi;
using namespace contraflow::test;

namespace {

/// Commits a datatype for the length of a test.
class Committed {
public:
  template <class Make> explicit Committed(Make make) {
    make(&Type);
    PMPI_Type_commit(&Type);
  }
  ~Committed() { PMPI_Type_free(&Type); }
  Committed(const Committed &) = delete;
  Committed &operator=(const Committed &) = delete;
  operator MPI_Datatype() const { return Type; }

private:
  MPI_Datatype Type;
};

/// Compares with MPI_Pack for a type of doubles only.
void expectLikeMpi(MPI_Datatype Type, int Count) {
  std::vector<double> Data(400), Bar(400);
  std::iota(Data.begin(), Data.end(), 1.0);
  double *Middle = Data.data() + 200; // datatypes may reach to either side
  int Bytes = 0, Position = 0;
  PMPI_Pack_size(Count, Type, MPI_COMM_SELF, &Bytes);
  std::vector<std::byte> Theirs(static_cast<std::size_t>(Bytes) + 1);
  PMPI_Pack(Middle, Count, Type, Theirs.data(), Bytes, &Position, MPI_COMM_SELF);

  const View V = viewOf({Middle, Middle, Count, Type});
  ASSERT_EQ(V.bytes(), Position);
  std::vector<std::byte> Ours(static_cast<std::size_t>(Position) + 1);
  V.pack(Ours.data());
  EXPECT_EQ(std::memcmp(Ours.data(), Theirs.data(), static_cast<std::size_t>(Position)), 0);
  EXPECT_EQ(leavesIn(*V.L, Position), V.Leaves);

  const View BarView = viewOf({Bar.data() + 200, Bar.data() + 200, Count, Type});
  BarView.store(Ours.data());
  BarView.add(Ours.data());
  std::vector<double> Twice(400);
  int Again = 0;
  PMPI_Unpack(Ours.data(), Position, &Again, Twice.data() + 200, Count, Type, MPI_COMM_SELF);
  for (double &X : Twice)
    X *= 2;
  EXPECT_EQ(Bar, Twice);
  BarView.zero();
  EXPECT_EQ(Bar, std::vector<double>(400));
}

TEST(Layout, Constructors) {
  const int Lengths[] = {2, 0, 3, 1}, Displs[] = {5, 1, 9, -4};
  const MPI_Aint Bytes[] = {40, 0, 120, -32};
  const Committed Contiguous([](auto *T) { PMPI_Type_contiguous(3, MPI_DOUBLE, T); });
  const Committed Vector([](auto *T) { PMPI_Type_vector(4, 2, 5, MPI_DOUBLE, T); });
  const Committed Backwards([](auto *T) { PMPI_Type_vector(4, 1, -3, MPI_DOUBLE, T); });
  const Committed Hvector([&](auto *T) { PMPI_Type_create_hvector(2, 1, 24, Vector, T); });
  const Committed Indexed([&](auto *T) { PMPI_Type_indexed(4, Lengths, Displs, MPI_DOUBLE, T); });
  const Committed Hindexed(
      [&](auto *T) { PMPI_Type_create_hindexed(4, Lengths, Bytes, MPI_DOUBLE, T); });
  const Committed Block(
      [&](auto *T) { PMPI_Type_create_indexed_block(4, 2, Displs, Contiguous, T); });
  const Committed Hblock(
      [&](auto *T) { PMPI_Type_create_hindexed_block(4, 2, Bytes, MPI_DOUBLE, T); });
  const Committed Resized([&](auto *T) { PMPI_Type_create_resized(Contiguous, -8, 48, T); });
  const Committed Dup([&](auto *T) { PMPI_Type_dup(Vector, T); });
  for (MPI_Datatype Type : {MPI_Datatype(MPI_DOUBLE), MPI_Datatype(Contiguous),
                            MPI_Datatype(Vector), MPI_Datatype(Backwards), MPI_Datatype(Hvector),
                            MPI_Datatype(Indexed), MPI_Datatype(Hindexed), MPI_Datatype(Block),
                            MPI_Datatype(Hblock), MPI_Datatype(Resized), MPI_Datatype(Dup)})
    for (int Count : {0, 1, 2, 3})
      expectLikeMpi(Type, Count);
}

TEST(Layout, Subarrays) {
  const int Sizes[] = {4, 5, 6}, Parts[] = {2, 3, 2}, Starts[] = {1, 1, 3};
  for (int Order : {MPI_ORDER_C, MPI_ORDER_FORTRAN}) {
    const Committed Three(
        [&](auto *T) { PMPI_Type_create_subarray(3, Sizes, Parts, Starts, Order, MPI_DOUBLE, T); });
    expectLikeMpi(Three, 1);
    const Committed Two(
        [&](auto *T) { PMPI_Type_create_subarray(2, Sizes, Parts, Starts, Order, MPI_DOUBLE, T); });
    expectLikeMpi(Two, 2);
  }
}

/// Integers count in the signature, not among the leaves.
TEST(Layout, PartlyReceivedStructures) {
  const int Lengths[] = {1, 1, 2, 1};
  const MPI_Aint Places[] = {offsetof(Mixed, A), offsetof(Mixed, K), offsetof(Mixed, B),
                             offsetof(Mixed, C)};
  const MPI_Datatype Types[] = {MPI_DOUBLE, MPI_INT, MPI_FLOAT, MPI_DOUBLE};
  const Committed Element([&](auto *T) { PMPI_Type_create_struct(4, Lengths, Places, Types, T); });
  const Layout &L = layoutOf(Element);
  EXPECT_EQ(L.Leaves, 4);
  EXPECT_EQ(L.LeafBytes, 24);
  EXPECT_EQ(L.Size, 28);
  EXPECT_EQ(L.Widest, Leaf::F64);
  const std::pair<int, int> Expected[] = {{0, 0},  {8, 1},  {12, 1}, {16, 2},
                                          {20, 3}, {28, 4}, {36, 5}, {56, 8}};
  for (const auto &[Bytes, Leaves] : Expected)
    EXPECT_EQ(leavesIn(L, Bytes), Leaves) << Bytes;
  Mixed M[2] = {{1, 10, {2, 3}, 4}, {5, 11, {6, 7}, 8}};
  double Wide[8];
  const View V = viewOf({M, M, 2, Element});
  EXPECT_EQ(V.bytes(), 48);
  V.packAs(Leaf::F64, reinterpret_cast<std::byte *>(Wide));
  for (int I = 0; I < 8; ++I)
    EXPECT_EQ(Wide[I], 1 + I);
  V.addAs(Leaf::F64, reinterpret_cast<std::byte *>(Wide));
  EXPECT_EQ(M[1].B[1], 14);
  EXPECT_EQ(M[1].K, 11);
}

TEST(Layout, KindsOfLeaves) {
  EXPECT_EQ(layoutOf(MPI_INT).Leaves, 0);
  EXPECT_EQ(layoutOf(MPI_CHAR).Leaves, 0);
  EXPECT_EQ(layoutOf(MPI_FLOAT).Widest, Leaf::F32);
  EXPECT_EQ(layoutOf(MPI_LONG_DOUBLE).Widest, Leaf::F80);
  EXPECT_EQ(layoutOf(MPI_C_FLOAT_COMPLEX).Leaves, 2);
  EXPECT_EQ(layoutOf(MPI_DOUBLE_INT).Leaves, 1);
  EXPECT_FALSE(layoutOf(MPI_DOUBLE_INT).Dense);
  EXPECT_TRUE(layoutOf(MPI_DOUBLE).Dense);
  EXPECT_TRUE(layoutOf(MPI_BYTE).Raw);
  const Committed Bytes([](auto *T) { PMPI_Type_contiguous(3, MPI_BYTE, T); });
  EXPECT_TRUE(layoutOf(Bytes).Raw);
  EXPECT_EQ(layoutOf(Bytes).Leaves, 3);
}

/// Datatypes made anew in every step do not pile up.
TEST(Layout, EqualDatatypesShareOne) {
  const Committed One([](auto *T) { PMPI_Type_vector(4, 2, 5, MPI_DOUBLE, T); });
  const Committed Other([](auto *T) { PMPI_Type_vector(4, 2, 5, MPI_DOUBLE, T); });
  const Committed Different([](auto *T) { PMPI_Type_vector(4, 2, 6, MPI_DOUBLE, T); });
  EXPECT_EQ(&layoutOf(One), &layoutOf(Other));
  EXPECT_NE(&layoutOf(One), &layoutOf(Different));
}

} // namespace
