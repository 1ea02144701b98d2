// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers of packed values. They are used again: a time loop allocates nothing once it has done its
// first step, and memory that the system would have to clear is not asked for.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace contraflow::mpi {

struct Recycle {
  void operator()(std::byte *Buffer) const;
};
using Packed = std::unique_ptr<std::byte[], Recycle>;

/// Aligned for every kind of value; its contents are undefined.
Packed packedBuffer(std::int64_t Bytes);

} // namespace contraflow::mpi
