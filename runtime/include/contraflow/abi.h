/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What derivative code calls, as C declarations: every line of abi.def becomes cf_v1_<name>. C11
 * and C++20. Programs do not call these functions; runtime.h is for them.
 *
 *   CF_FN(tape_begin, struct cf_tape *, (void))   ->   struct cf_tape *cf_v1_tape_begin(void);
 */
#ifndef CONTRAFLOW_ABI_H
#define CONTRAFLOW_ABI_H

#include <stdint.h>

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* How an arena begins. Compiled code may reserve a frame inline: if limit - top >= size (a multiple
 * of 16), the frame is the old top and top grows by size. Releasing is always a call. */
struct cf_tape {
  char *top;
  char *limit;
};

/* The record of one parallel region. */
struct cf_team;

/* The record of one task. */
struct cf_task;

/* A thread of the differentiated program (runtime/lib/threads). */
struct cf_thread;

/* The record of one message or collective operation. */
struct cf_mpi_record;

/* One member of a repeated layout. For fields of shadows only: kinds 3, 4 and 7 to 9, and the
 * offset -1, the first address that is a multiple of the period. For bytes of messages only: from
 * kind 5 to kind 6, or to the end, nothing is known of the bytes. Kinds: 0: float, 1: double,
 * 2: x87 80-bit, 3: pointer, 4: double or pointer, 7: float that may be part of a pointer,
 * 8: floats or pointer, 9: not a pointer any more. */
struct cf_field {
  int64_t offset; /* in bytes; the fields of a layout come in the order of their offsets */
  int32_t kind;
};

/* A kind of object behind global variables. Members repeat with the period, 0: they do not;
 * pointers come first. */
struct cf_member {
  int64_t offset;
  int32_t kind;   /* as of a field */
  int32_t target; /* of a pointer: the shape of what it leads to, -1: not followed, -2 - s: a global
                     variable of shape s */
  int64_t place;  /* and the offset in it */
};
struct cf_shape {
  int64_t period;
  const struct cf_member *members;
  int32_t npointers;
  int32_t nmembers;
  int32_t shadowed; /* 0: no shadow is wanted */
  int32_t matters;  /* 1: active values may be written there, 2: are asked for if they are */
};

/* The reverse of copying `count` records of `period` bytes each. */
struct cf_copy_adjoint {
  void *dst_bar;
  void *src_bar;
  int64_t count;
  int64_t period;
  const struct cf_field *fields;
  int32_t nfields;
  int32_t atomic; /* 1: other threads may add to src_bar at the same time */
};

/* Where the iterations of a loop add: iteration i touches the bytes
 * [base + stride * i, base + stride * i + extent).
 *
 * omp_phases writes the overlap d, the largest |i - k| > 0 for which iterations i and k touch a
 * common byte, and returns the number of phases, the same on every thread of the team:
 *
 *   1:      d = 0, or a team of one: everything at once;
 *   2:      every thread's contiguous chunk has 2 d iterations or more: first all but the last d of
 *           each thread, then the last d;
 *   others: one thread after the other; phases without a thread are empty.
 *
 * Between phases there is a barrier. The argument `stride` repeats the stride that most groups
 * share; every group says its own. */
struct cf_footprint {
  int64_t base;   /* lowest byte address touched at i = 0 */
  int64_t extent; /* bytes */
  int64_t stride; /* bytes per iteration, of either sign */
};

/* What the iterations of a loop add to through an index array that holds no number twice: the
 * array's places, and for each number k in them the bytes [low + scale * k, high + scale * k). */
struct cf_promise {
  struct cf_footprint places;
  int64_t bytes; /* of a number; negative: of a signed one */
  int64_t scale;
  int64_t low;
  int64_t high;
};

/* How one thread runs its part of a shared loop in reverse: iterations first[p]..last[p],
 * downwards, in each of `phases` phases. */
struct cf_share {
  int32_t phases;
  int32_t locked;
  int64_t first[2];
  int64_t last[2];
};

/* Where a thread adds what belongs to the `bytes` bytes of an adjoint that begin at `base`. */
struct cf_private {
  int64_t base;
  char *memory;
  int64_t bytes;
};

/* Where a thread keeps what it adds to the part of an adjoint that it comes to: `bytes` bytes from
 * `base` on. Empty at first; all bytes and no memory where the thread is alone. */
struct cf_window {
  int64_t base;
  int64_t bytes;
  char *memory;
  int64_t misses; /* negative: covers all that will come */
};

/* Where a thread comes to through indices: from the lowest address to behind the highest, in how
 * many additions, in how many runs of the loop. */
struct cf_reach {
  int64_t low;
  int64_t high;
  int64_t count;
  int64_t times;
};

#if defined(__GNUC__)
__attribute__((noreturn)) void cf_v1_fail(const char *message);
#endif

#define CF_FN(name, ret, args) ret cf_v1_##name args;
#include "contraflow/abi.def"
#undef CF_FN

#ifdef __cplusplus
}
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
