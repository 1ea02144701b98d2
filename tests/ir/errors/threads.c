// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of which nobody knows how they could run one at a time.
//
// RUN: %not %clang -O0 -DDEEP_EXIT -c %s -o %t.o 2>&1 | FileCheck --check-prefix=EXIT %s
// RUN: %not %clang -O2 -DDEEP_EXIT -c %s -o %t.o 2>&1 | FileCheck --check-prefix=EXIT %s
// RUN: %not %clang -O0 -DCANCEL -c %s -o %t.o 2>&1 | FileCheck --check-prefix=CANCEL %s
// RUN: %not %clang -O2 -DKEY -c %s -o %t.o 2>&1 | FileCheck --check-prefix=KEY %s
// RUN: %not %clang -O2 -fopenmp -DFLAG -c %s -o %t.o 2>&1 | FileCheck --check-prefix=FLAG %s
// RUN: %not %clang -O0 -fopenmp -DTEAM -c %s -o %t.o 2>&1 | FileCheck --check-prefix=TEAM %s
// RUN: %not %clang -O2 -fopenmp -DTEAM -c %s -o %t.o 2>&1 | FileCheck --check-prefix=TEAM %s

#include <pthread.h>

void __enzyme_autodiff(void *, ...);

static volatile int go;
#ifdef KEY
static pthread_key_t own;
#endif

#ifdef TEAM
static _Thread_local double room;
void share(void) {
#pragma omp parallel
  room += 1;
}
#endif

static __attribute__((noinline)) void quit(double *x) {
  x[0] *= x[1];
#ifdef DEEP_EXIT
  pthread_exit(x);
#endif
}

static void *work(void *x) {
#ifdef FLAG
  while (!go)
    ;
#pragma omp parallel
#endif
#ifdef KEY
  x = pthread_getspecific(own);
#endif
#ifdef TEAM
  room = *(double *)x;
#endif
  quit(x);
  return x;
}

void run(double *x) {
  pthread_t thread;
  // EXIT: error: [CF205] {{.*}}a thread; it is ended from within what its function calls
  // CANCEL: error: [CF205] {{.*}}a thread; another thread is looked at or ended ('pthread_cancel')
  // KEY: error: [CF205] {{.*}}a thread; threads may wait for each other ('pthread_getspecific')
  // FLAG: error: [CF205] {{.*}}a thread; threads may wait for each other
  // TEAM: error: [CF205] {{.*}}a thread; every thread has a variable 'room' of its own
  pthread_create(&thread, 0, work, x);
#ifdef CANCEL
  pthread_cancel(thread);
#endif
  go = 1;
  pthread_join(thread, 0);
}

void gradient(double *x, double *x_bar) { __enzyme_autodiff((void *)run, x, x_bar); }
