// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function nobody knows may call functions of this file, by their names or from a table, and
// these may change static variables: refused where such a variable is active, accepted where they
// only read it and nothing comes back, where nobody outside comes to it, and where only the pointer
// is set.
//
// RUN: %not %clangxx -O0 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clangxx -O2 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clangxx -O0 -DACCEPTED -c %s -o %t.o
// RUN: %clangxx -O2 -DACCEPTED -c %s -o %t.o

template <class... A> void __enzyme_autodiff(void *, A...);
void elsewhere();
double fromElsewhere(int);

#ifdef ACCEPTED
static double readOnly;
double level() { return readOnly; }
double ofReadOnly(double *x) {
  readOnly = x[0];
  elsewhere();
  return readOnly * x[1];
}
static double *led;
void start() { led = new double; }
void stop() { delete led; }
double ofLed(double *x) {
  *led = x[0];
  elsewhere();
  return *led * x[1];
}
static double local;
static void touchLocal() { local *= 2; }
static void apply(void (*g)()) { g(); }
double ofLocal(double *x) {
  local = x[0];
  apply(touchLocal);
  elsewhere();
  return local * x[1];
}
static double work[4];
static void useWork(double *x) {
  work[1] = x[0] * x[0];
  work[2] = work[1];
  elsewhere();
}
double ofWork(double *x) {
  useWork(x);
  return work[2] * x[1];
}
double user(double *x, double *x_bar) {
  work[0] = local = 0; // leads to derivatives
  __enzyme_autodiff((void *)ofReadOnly, x, x_bar);
  __enzyme_autodiff((void *)ofLed, x, x_bar);
  __enzyme_autodiff((void *)ofLocal, x, x_bar);
  __enzyme_autodiff((void *)ofWork, x, x_bar);
  return work[2];
}
#else
static double byName;
void touch() { byName *= 2; }
double ofName(double *x) {
  byName = x[0];
  // CHECK-DAG: called_back.cpp:[[@LINE+1]]:{{.*}}[CF201] {{.*}}'elsewhere
  elsewhere();
  return byName * x[1];
}
static double byTable;
static void touchTable() { byTable *= 2; }
void (*table[])() = {touchTable};
double ofTable(double *x) {
  byTable = x[0];
  // CHECK-DAG: called_back.cpp:[[@LINE+1]]:{{.*}}[CF201] {{.*}}'elsewhere
  elsewhere();
  return byTable * x[1];
}
struct Operations {
  void (*run)();
};
void enlist(Operations *);
static double byMember;
static void touchMember() { byMember *= 2; }
void setUp() {
  static Operations operations;
  operations.run = touchMember;
  enlist(&operations);
}
double ofMember(double *x) {
  byMember = x[0];
  // CHECK-DAG: called_back.cpp:[[@LINE+1]]:{{.*}}[CF201] {{.*}}'elsewhere
  elsewhere();
  return byMember * x[1];
}
static double isRead;
double level() { return isRead; }
double ofResult(double *x) {
  isRead = x[0];
  // CHECK-DAG: called_back.cpp:[[@LINE+1]]:{{.*}}[CF201] {{.*}}'fromElsewhere
  return fromElsewhere(1) * isRead * x[1];
}
static double *led;
void scale() { *led *= 2; }
double ofLed(double *x) {
  led = new double(x[0]);
  // CHECK-DAG: called_back.cpp:[[@LINE+1]]:{{.*}}[CF201] {{.*}}'elsewhere
  elsewhere();
  return *led * x[1];
}
static double handedOut[2];
double *where() { return handedOut; }
double ofHandedOut(double *x) {
  handedOut[1] = x[0];
  // CHECK-DAG: called_back.cpp:[[@LINE+1]]:{{.*}}[CF201] {{.*}}'elsewhere
  elsewhere();
  return handedOut[1] * x[1];
}
static double pointed[2], *pointer;
void point() { pointer = pointed; }
void put() { *pointer = 1; }
double ofPointed(double *x) {
  pointed[0] = x[0];
  // CHECK-DAG: called_back.cpp:[[@LINE+1]]:{{.*}}[CF201] {{.*}}'elsewhere
  elsewhere();
  return pointed[0] * x[1];
}
struct Base {
  virtual void run() = 0;
};
void enlist(Base *);
static double ofClass;
namespace {
struct Touching : Base {
  void run() override { ofClass *= 2; }
};
} // namespace
void setUpClass() { enlist(new Touching); }
double ofVirtual(double *x) {
  ofClass = x[0];
  // CHECK-DAG: called_back.cpp:[[@LINE+1]]:{{.*}}[CF201] {{.*}}'elsewhere
  elsewhere();
  return ofClass * x[1];
}
void user(double *x, double *x_bar) {
  __enzyme_autodiff((void *)ofName, x, x_bar);
  __enzyme_autodiff((void *)ofTable, x, x_bar);
  __enzyme_autodiff((void *)ofMember, x, x_bar);
  __enzyme_autodiff((void *)ofResult, x, x_bar);
  __enzyme_autodiff((void *)ofLed, x, x_bar);
  __enzyme_autodiff((void *)ofHandedOut, x, x_bar);
  __enzyme_autodiff((void *)ofPointed, x, x_bar);
  __enzyme_autodiff((void *)ofVirtual, x, x_bar);
}
#endif
