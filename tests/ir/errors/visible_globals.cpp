// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function nobody knows may use a global variable by its name, or what that leads to: refused
// where such memory is active, although nothing is handed over; accepted where it is not.
//
// RUN: %not %clangxx -O0 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clangxx -O2 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clangxx -O0 -DACCEPTED -c %s -o %t.o
// RUN: %clangxx -O2 -DACCEPTED -c %s -o %t.o

template <class... A> void __enzyme_autodiff(void *, A...);
void elsewhere();
extern "C" void (*signal(int, void (*)(int)))(int);
extern "C" int raise(int);

double seen[2];
double *led;
static double hidden[2];
double idle[2];

#ifdef ACCEPTED
double ofHidden(double *x) {
  hidden[0] = x[0];
  elsewhere();
  return hidden[0] * x[1];
}
double ofIdle(double *x) {
  idle[0] = 2;
  elsewhere();
  return idle[0] * x[1];
}
double locally(double *x) {
  double own = x[0];
  elsewhere();
  return own * x[1];
}
void user(double *x, double *x_bar) {
  __enzyme_autodiff((void *)ofHidden, x, x_bar);
  __enzyme_autodiff((void *)ofIdle, x, x_bar);
  __enzyme_autodiff((void *)locally, x, x_bar);
}
#else
void give(void (*)());
static double touched;
static void touch() { touched *= 2; }
static double handled;
static void handle(int) { handled *= 2; }
double byCallback(double *x) {
  touched = x[0];
  // CHECK-DAG: visible_globals.cpp:[[@LINE+1]]:{{.*}}[CF201] {{.*}}'give
  give(touch);
  // CHECK-DAG: visible_globals.cpp:[[@LINE+1]]:{{.*}}[CF201] {{.*}}'elsewhere
  elsewhere();
  return touched * x[1];
}
double bySignal(double *x) {
  signal(10, handle);
  handled = x[0];
  // CHECK-DAG: visible_globals.cpp:[[@LINE+1]]:{{.*}}[CF201] {{.*}}'raise
  raise(10);
  return handled * x[1];
}
double ofSeen(double *x) {
  seen[0] = x[0];
  // CHECK: visible_globals.cpp:[[@LINE+1]]:3: error: [CF201] {{.*}}'elsewhere()'
  elsewhere();
  return seen[0] * x[1];
}
double ofLed(double *x) {
  double own = x[0];
  led = &own;
  // CHECK: visible_globals.cpp:[[@LINE+1]]:3: error: [CF201] {{.*}}'elsewhere()'
  elsewhere();
  return own * x[1];
}
void user(double *x, double *x_bar) {
  __enzyme_autodiff((void *)byCallback, x, x_bar);
  __enzyme_autodiff((void *)bySignal, x, x_bar);
  __enzyme_autodiff((void *)ofSeen, x, x_bar);
  __enzyme_autodiff((void *)ofLed, x, x_bar);
}
#endif
