// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local copies of bytes that hold a number at one time and an integer at another one; see
// WholeWords.cpp.

#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

/// While it lives, copies of such variables are not taken apart: a number would go one way with its
/// lower half and another way with its upper one.
class WholeWords {
public:
  explicit WholeWords(llvm::Function &F);
  ~WholeWords();
  /// True if there are such variables: F changes once more when the life ends.
  bool any() const { return Any; }
  WholeWords(const WholeWords &) = delete;
  WholeWords &operator=(const WholeWords &) = delete;

private:
  llvm::Function &F;
  bool Any = false;
};

} // namespace contraflow
