// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the library that move bytes as they are between memory and a stream.

#pragma once

#include "llvm/IR/InstrTypes.h"
#include <optional>

namespace contraflow {

struct StreamMove {
  enum Direction { Out, In } Way;
  const llvm::Value *Stream, *Memory;
  std::optional<uint64_t> Bytes; ///< at most so many
};

std::optional<StreamMove> streamMove(const llvm::CallBase &Call);

/// The memory that a stream is opened on.
struct StreamMemory {
  enum Place { Here, Later } Where; ///< where the pointer leads, or where what is there will lead
  const llvm::Value *Pointer;
};

std::optional<StreamMemory> streamMemory(const llvm::Value *Stream);

/// Characters go from one operand of a call to another. Of its numbers, which become characters or
/// are made of them, the same is said.
struct TextMove {
  enum Special { Result = -1, Others = -2 };
  enum How {
    Plain = 0,
    Behind = 1, ///< text and numbers may lie where what an operand leads to leads
    ToStream = 2,
    FromStream = 4
  };
  int To, From;
  int As; ///< of How
};

std::optional<TextMove> textMove(const llvm::CallBase &Call);

/// A variable of the environment, and the text that it is given or gives.
struct EnvironmentAccess {
  bool IsRead;
  const llvm::Value *Name, *Text; ///< no name: it is part of the text
};

std::optional<EnvironmentAccess> environmentAccess(const llvm::CallBase &Call);
/// True unless both names are constant and differ.
bool mayBeOneVariable(const EnvironmentAccess &A, const EnvironmentAccess &B);

/// Of a member of a string: true if it may write to more than its object or, if it returns one,
/// that.
bool exchangesText(const llvm::CallBase &Call);
/// True if the module may read a file.
bool readsStreams(const llvm::Module &M);
/// True for calls that open a file, or write to a stream in a variable that outlives the function.
bool leavesText(const llvm::CallBase &Call);

/// True if both streams may be of one file: they are the same value, or read from the same place,
/// or opened under names that may be the same.
bool mayBeOneStream(const llvm::Value *A, const llvm::Value *B);

} // namespace contraflow
