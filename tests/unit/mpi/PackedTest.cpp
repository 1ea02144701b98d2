// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers of packed values are used again.

#include "mpi/Packed.h"

#include <cstring>
#include <gtest/gtest.h>

namespace contraflow::mpi {
namespace {

TEST(Packed, LargeBuffersAreUsedAgain) {
  constexpr std::int64_t Bytes = 100000;
  Packed Before = packedBuffer(Bytes);
  const std::byte *First = Before.get();
  Before.reset();
  for (int Step = 0; Step < 3; ++Step) {
    const Packed Again = packedBuffer(Bytes - Step);
    EXPECT_EQ(Again.get(), First);
    std::memset(Again.get(), 1, Bytes);
  }
}

TEST(Packed, BuffersInUseAreApart) {
  const Packed A = packedBuffer(50000), B = packedBuffer(50000), Small = packedBuffer(8),
               None = packedBuffer(0);
  std::memset(A.get(), 1, 50000);
  std::memset(B.get(), 2, 50000);
  EXPECT_EQ(A[49999], std::byte{1});
  EXPECT_EQ(B[0], std::byte{2});
  EXPECT_NE(Small.get(), nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(B.get()) % alignof(long double), 0U);
}

} // namespace
} // namespace contraflow::mpi
