// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every mistake in a derivative call is reported at its line, all of them in one compilation, and
// the compilation fails; with and without optimisation.
//
// RUN: %not %clangxx -O0 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clangxx -O2 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s

extern int enzyme_dup, enzyme_out, enzyme_const, enzyme_width, enzyme_primal_return;
extern int enzyme_byref, enzyme_buffer, enzyme_trace, enzyme_tape, enzyme_dupv, enzyme_interleave;
template <class R, class... A> R __enzyme_autodiff(void *, A...);
template <class R, class... A> R __enzyme_fwddiff(void *, A...);
template <class R, class... A> R __enzyme_augmentfwd(void *, A...);
template <class R, class... A> R __enzyme_reverse(void *, A...);
template <class R, class... A> R __enzyme_batch(void *, A...);
template <class R, class... A> R __enzyme_fwdsplit(void *, A...);
template <class R, class... A> R __enzyme_tosparse(void *, A...);
template <class R, class... A> R __enzyme_truncate_mem_func(void *, A...);

struct Eight {
  double v[8];
};
struct Labelled {
  const char *label;
  double v;
};
struct Pair {
  double a, b;
};
union Either {
  double d;
  long n;
};
double labelled(Labelled s) { return s.v; }
double pair(Pair p) { return p.a * p.b; }
double either(Either e) { return e.d; }
Labelled named(double x) { return {"x", x}; }
double norm(double *x, int n) { return x[0] * n; }
double product(double a, double b) { return a * b; }
double entry(double *x, long n) { return x[n]; }
void nothing() {}
double elsewhere(double);

void unknownFunction(void *f, double a) {
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF101] the first argument
  __enzyme_autodiff<void>(f, a);
}
void noBody(double a) {
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF102] {{.*}}'elsewhere(double)', has no body
  __enzyme_autodiff<void>((void *)elsewhere, a);
}
void noShadow(double *x) {
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF103] {{.*}}shadow of parameter 1 of 'norm(
  __enzyme_autodiff<void>((void *)norm, enzyme_dup, x);
}
void noShadowBeforeMarker(double *x) {
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF103] {{.*}}shadow of parameter 1 of 'norm(
  __enzyme_autodiff<void>((void *)norm, enzyme_dup, x, enzyme_const, 3);
}
void tooMany(double *x) {
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF103] {{.*}}2 left over after the 2 parameters
  __enzyme_autodiff<void>((void *)norm, enzyme_const, x, enzyme_const, 3, 4, 5);
}
void activePointer(double *x) {
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF104] {{.*}}'enzyme_out' on parameter 1
  __enzyme_autodiff<void>((void *)norm, enzyme_out, x, enzyme_const, 3);
}
void duplicatedNumber() {
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF104] {{.*}}is returned, use enzyme_out
  __enzyme_autodiff<void>((void *)product, enzyme_dup, 1.0, 2.0, 3.0);
}
void activeInTangent() {
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF104] {{.*}}use enzyme_dup
  __enzyme_fwddiff<void>((void *)product, enzyme_out, 1.0, 2.0, 3.0);
}
void shadowOfInteger(double *x) {
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF104] {{.*}}a 32-bit integer has no shadow
  __enzyme_autodiff<void>((void *)norm, x, x, enzyme_dup, 3, 3);
}
void markerAtTheEnd() {
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF104] {{.*}}'enzyme_out' after the last parameter
  __enzyme_autodiff<void>((void *)product, 1.0, 2.0, enzyme_out);
}
void structureByValue(Labelled s) {
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF104] {{.*}}passed by value and needs a
  __enzyme_autodiff<void>((void *)labelled, s);
}
void adjointLost(Pair p) {
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF104] {{.*}}passed by value would be lost
  __enzyme_autodiff<void>((void *)pair, enzyme_dup, p, p);
}
void activeAddress(Labelled s) {
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF104] {{.*}}floating-point numbers and nothing else
  __enzyme_autodiff<void>((void *)labelled, enzyme_out, s);
}
void structureWithUnion(Either e) {
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF104] {{.*}}a union in it
  __enzyme_fwddiff<void>((void *)either, enzyme_dup, e, e);
}
void otherStructure(Pair p, Eight s) {
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF107] {{.*}}a structure of 16 bytes passed by value
  __enzyme_fwddiff<void>((void *)pair, enzyme_dup, s, p);
}
void shadowsMissing(double *x) {
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF103] {{.*}}shadow of parameter 1
  __enzyme_autodiff<void>((void *)norm, enzyme_dup, x, 3, enzyme_interleave);
}
void wrongShadow(double *x) {
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF105] {{.*}}is a pointer, not a double
  __enzyme_autodiff<void>((void *)norm, enzyme_dup, x, 1.0, 3);
}
double nothingReturned(double *x) {
  // CHECK: request.cpp:[[@LINE+1]]:10: error: [CF106] {{.*}}so nothing is returned
  return __enzyme_autodiff<double>((void *)norm, enzyme_dup, x, x, 3);
}
double twoReturned() {
  // CHECK: request.cpp:[[@LINE+1]]:10: error: [CF106] {{.*}}returned (double, double)
  return __enzyme_autodiff<double>((void *)product, 1.0, 2.0);
}
int primalOfVoid() {
  // CHECK: request.cpp:[[@LINE+1]]:10: error: [CF106] {{.*}}'nothing()' returns nothing
  return __enzyme_autodiff<int>((void *)nothing, enzyme_primal_return);
}
void narrowInteger(double *x, int n) {
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF107] {{.*}}64-bit integer, not a 32-bit
  __enzyme_autodiff<void>((void *)entry, enzyme_dup, x, x, n);
}
void numberForPointer(int n) {
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF107] {{.*}}is a pointer, not a double
  __enzyme_autodiff<void>((void *)norm, enzyme_const, 1.0, n);
}
void unsupportedMarker(double *x, int n) {
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF209] {{.*}}marker 'enzyme_trace'
  __enzyme_autodiff<void>((void *)norm, enzyme_trace, x, x, n);
}
void bufferWithoutBatch(double *x, int n) {
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF104] {{.*}}'enzyme_buffer' belongs to a batch
  __enzyme_autodiff<void>((void *)norm, enzyme_buffer, 8, x, n);
}
void bufferOfNumbers(double x) {
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF104] {{.*}}the distance of the memories of parameter 1
  __enzyme_batch<void>((void *)product, enzyme_width, 2, enzyme_buffer, 8, x, x);
}
void otherSize(double *x) {
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF104] {{.*}}which has 8 bytes
  __enzyme_autodiff<void>((void *)product, enzyme_byref, 4, enzyme_out, x, 1.0);
}
void variableWidth(double *x, int n) {
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF104] {{.*}}a number from 1 to 64
  __enzyme_fwddiff<void>((void *)norm, enzyme_width, n, x, x, n);
}
void shadowOfDirectionMissing(double *x) {
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF103] {{.*}}shadow of parameter 1
  __enzyme_fwddiff<void>((void *)norm, enzyme_width, 2, enzyme_dup, x, x, enzyme_const, 3);
}
void distanceMissing(double *x) {
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF104] {{.*}}the distance of the shadows
  __enzyme_fwddiff<void>((void *)norm, enzyme_width, 2, enzyme_dupv, x, x, 3);
}
void tapeOfWholeCall(double *x) {
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF104] {{.*}}'enzyme_tape' in a call that has no tape
  __enzyme_autodiff<void>((void *)norm, enzyme_tape, x, x, x, 3);
}
void noTape(double *x) {
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF103] {{.*}}the tape is missing
  __enzyme_reverse<void>((void *)norm, x, x, 3, 1.0);
}
void noSeed(double *x, void *tape) {
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF103] {{.*}}the adjoint of the result is missing
  __enzyme_reverse<void>((void *)norm, x, x, 3, tape);
}
int tapeIsNoNumber(double *x) {
  // CHECK: request.cpp:[[@LINE+1]]:10: error: [CF106]
  return __enzyme_augmentfwd<int>((void *)norm, x, x, 3);
}
void structureReturned() {
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF209] {{.*}}'named(double)' returns a structure
  __enzyme_autodiff<void>((void *)named, 1.0);
}
void unsupportedCall(double *x) {
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF103] {{.*}}the tape is missing
  __enzyme_fwdsplit<void>((void *)norm, x, x, 3);
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF209] {{.*}}'__enzyme_tosparse'
  __enzyme_tosparse<double *>((void *)product, (void *)nothing);
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF209] {{.*}}'__enzyme_truncate_mem_func'
  __enzyme_truncate_mem_func<void>((void *)product, 64, 32);
}
void markerOfBatch(double x) {
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF104] {{.*}}'enzyme_scalar' or 'enzyme_vector'
  __enzyme_batch<void>((void *)product, enzyme_width, 2, enzyme_dup, x, x, x);
}
double releasing(double *x) {
  const double result = x[0] * x[0];
  // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF209] {{.*}}a split tangent{{.*}}gives back memory of its caller
  __builtin_free(x);
  return result;
}
double splitTangent(double *x, void *tape) {
  return __enzyme_fwdsplit<double>((void *)releasing, x, x, tape);
}
int alive;
struct Counted {
  double v;
  Counted(double w) : v(w) { ++alive; }
  ~Counted() { --alive; }
};
double counting(const double *x) {
  double sum = alive;
  try {
    if (x[0] > 1)
      throw Counted(x[0]);
    sum += x[1];
  } catch (const Counted &c) {
    sum += c.v * c.v;
    // CHECK: request.cpp:[[@LINE+1]]:3: error: [CF209] {{.*}}'enzyme_width' in an adjoint of a function that changes memory
  }
  return sum;
}
void endsCounted(double *x) {
  __enzyme_autodiff<void>((void *)counting, enzyme_width, 2, enzyme_dup, x, x, x);
}
// CHECK: 40 errors generated.
