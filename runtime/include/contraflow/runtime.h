/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a program may ask of the runtime: how much tape its derivatives take, and how much they may.
 *
 *   cf_tape_set_budget(INT64_C(2) << 30);
 *   cf_tape_statistics_reset();
 *   __enzyme_autodiff((void *)simulate, ...);
 *   struct cf_tape_statistics tape;
 *   cf_tape_statistics(&tape);
 *   printf("tape: %lld bytes\n", (long long)tape.high_water_bytes);
 */
#ifndef CONTRAFLOW_RUNTIME_H
#define CONTRAFLOW_RUNTIME_H

#include <stdint.h>

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* Over all threads of the process, since the last reset. */
struct cf_tape_statistics {
  int64_t high_water_bytes; /* most bytes in frames: the sum of what each thread's tape reached */
  int64_t reserved_bytes;   /* most bytes of chunks held at one time: what the budget must allow */
  int64_t frames;           /* frames reserved by calls (those reserved inline are not counted) */
  int64_t chunks;           /* chunks begun */
  int64_t budget_bytes;     /* the budget in force */
};

/* May be called at any time; what other threads record meanwhile may or may not be seen. */
void cf_tape_statistics(struct cf_tape_statistics *out);
void cf_tape_statistics_reset(void);

/* The most bytes of tape that the process may hold. 0 or less: what the environment says in
 * CONTRAFLOW_TAPE_BUDGET (8GiB, 500M, ...), or 80 % of the physical memory. */
void cf_tape_set_budget(int64_t bytes);

/* What to do instead of abort() after an error was printed; it is given the exit status. For
 * libraries that know how to end a program of many processes. Null: abort(). */
void cf_set_abort_hook(void (*hook)(int status));

/* The rank to name in messages; a negative number: none. Null: no rank. */
void cf_set_rank_hook(int (*hook)(void));

#ifdef __cplusplus
}
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
