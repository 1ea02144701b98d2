// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Straight lines, whose composition is an operator that does not commute.

#pragma once

#include <mpi.h>

struct line {
  double slope, offset;
};

/// First in, then inout.
static inline void compose(void *in, void *inout, int *count, MPI_Datatype *type) {
  const struct line *a = in;
  struct line *b = inout;
  (void)type;
  for (int i = 0; i < *count; i++) {
    b[i].offset = b[i].slope * a[i].offset + b[i].offset;
    b[i].slope = b[i].slope * a[i].slope;
  }
}
