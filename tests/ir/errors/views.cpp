// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shadows without memory, where they need some, or where their functions do not fit.
//
// RUN: %not %clangxx -O0 -g -fopenmp -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clangxx -O2 -g -fopenmp -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s

extern int enzyme_dup, enzyme_dupnoneed;
template <class R, class... A> R __enzyme_autodiff(void *, A...);
template <class R, class... A> R __enzyme_fwddiff(void *, A...);
template <class R, class... A> R __enzyme_todense(A...);

static double read(unsigned long, double *bar) { return *bar; }
static void write(double v, unsigned long, double *bar) { *bar = v; }
static double readMore(unsigned long, double *bar, int n) { return bar[n]; }
static float readFloat(unsigned long, double *) { return 0; }
struct Holder {
  double *place;
};
double square(const double *x) { return *x * *x; }
double held(const Holder *h) { return *h->place; }
void hidden(double *);

// CHECK-DAG: [CF211]{{.*}}its address is stored in memory
void stored(Holder *h, Holder *s, double *bar) {
  s->place = __enzyme_todense<double *>((void *)read, (void *)write, bar);
  __enzyme_autodiff<void>((void *)held, enzyme_dup, h, s);
}
// CHECK-DAG: [CF211]{{.*}}passed to 'hidden(double*)', whose body is not known
void passed(double *bar) { hidden(__enzyme_todense<double *>((void *)read, (void *)write, bar)); }
// CHECK-DAG: [CF211]{{.*}}{{either an address of it or another one|its address is stored in memory}}
double chosen(double *x, double *bar, bool which) {
  double *v = __enzyme_todense<double *>((void *)read, (void *)write, bar);
  double *p = which ? v : x;
  return *p;
}
// CHECK-DAG: [CF211]{{.*}}'readMore(unsigned long, double*, int)' has to return a number, and to take the distance
void wantsMore(double *x, double *bar) {
  __enzyme_autodiff<void>((void *)square, enzyme_dup, x,
                          __enzyme_todense<double *>((void *)readMore, (void *)write, bar));
}
// CHECK-DAG: [CF211]{{.*}}read as another type than its function returns
void otherType(double *x, double *bar) {
  __enzyme_autodiff<void>((void *)square, enzyme_dup, x,
                          __enzyme_todense<double *>((void *)readFloat, (void *)write, bar));
}
// CHECK-DAG: [CF211]{{.*}}its first two arguments are functions known at compile time
void unknown(double *x, double *bar, void *f) {
  __enzyme_autodiff<void>((void *)square, enzyme_dup, x,
                          __enzyme_todense<double *>(f, (void *)write, bar));
}
