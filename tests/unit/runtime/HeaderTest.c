/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The headers are C11, and a C program can use the runtime. */

#include "contraflow/abi.h"
#include "contraflow/runtime.h"

#include <stddef.h>

_Static_assert(offsetof(struct cf_tape, top) == 0, "compiled code bumps top inline");
_Static_assert(offsetof(struct cf_tape, limit) == sizeof(char *), "and compares with limit");
_Static_assert(sizeof(struct cf_footprint) == 24, "the compiler writes tables of footprints");
_Static_assert(sizeof(struct cf_field) == 16, "and of fields");
_Static_assert(offsetof(struct cf_copy_adjoint, fields) == 32, "and copies");
_Static_assert(offsetof(struct cf_copy_adjoint, atomic) == 44, "and copies");

/* The bytes of one frame as the statistics report them, or a negative number. */
int64_t highWaterOfOneFrameInC(int64_t bytes) {
  struct cf_tape_statistics statistics;
  struct cf_tape *tape = cf_v1_tape_begin();
  cf_tape_statistics_reset();
  void *frame = cf_v1_tape_reserve(tape, bytes);
  if (!frame)
    return -1;
  cf_v1_tape_release(tape, frame);
  cf_v1_tape_end(tape);
  cf_tape_statistics(&statistics);
  return statistics.high_water_bytes;
}
