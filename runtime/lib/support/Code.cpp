// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The segments of the program and of its libraries that are executed. Which one was found last is
// remembered: a table of functions has them all in one.

#include "support/Code.h"

#include <cstdint>
#include <link.h>

namespace contraflow {
namespace {

struct Segment {
  uintptr_t Begin = 0, End = 0;
  bool contains(uintptr_t Address) const { return Begin <= Address && Address < End; }
};

struct Search {
  uintptr_t Address;
  Segment Found;
};

int look(dl_phdr_info *Info, size_t, void *Data) {
  auto &S = *static_cast<Search *>(Data);
  for (int I = 0; I < Info->dlpi_phnum; ++I) {
    const auto &Header = Info->dlpi_phdr[I];
    const uintptr_t Begin = Info->dlpi_addr + Header.p_vaddr;
    const Segment Here{Begin, Begin + Header.p_memsz};
    if (Header.p_type == PT_LOAD && (Header.p_flags & PF_X) && Here.contains(S.Address)) {
      S.Found = Here;
      return 1;
    }
  }
  return 0;
}

} // namespace

bool isCode(const void *Address) {
  static thread_local Segment Last;
  Search S{reinterpret_cast<uintptr_t>(Address), {}};
  if (Last.contains(S.Address))
    return true;
  if (!dl_iterate_phdr(look, &S))
    return false;
  Last = S.Found;
  return true;
}

} // namespace contraflow
