// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that writes text runs once for each direction of an adjoint only if all of the text
// belongs to the derived function: not if it is the caller's, or a variable's.
//
// RUN: %not %clangxx -O0 -c -DCALLERS %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clangxx -O2 -c -DCALLERS %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clangxx -O0 -c -DVARIABLE %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clangxx -O2 -c -DVARIABLE %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clangxx -O0 -c -DLED_TO %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clangxx -O2 -c -DLED_TO %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clangxx -O0 -c %s -o %t.o
// RUN: %clangxx -O2 -c %s -o %t.o
#include <string>

extern int enzyme_dup, enzyme_const, enzyme_width;
template <class R, class... A> R __enzyme_autodiff(void *, A...);

struct Notes {
  std::string *all, last;
};
std::string variable, *led_to = new std::string;
__attribute__((noinline)) std::string &whole(Notes &notes) {
#ifdef VARIABLE
  return variable;
#elif defined LED_TO
  return *led_to;
#else
  return *notes.all;
#endif
}
__attribute__((noinline)) void note(Notes &notes, const char *what) {
  std::string line = "- ";
  line += what;
  line.insert(0, what);
  line += line;
  whole(notes).append(line);
  notes.last = line;
}
double noted(const double *x, std::string *text) {
  std::string own;
#ifdef CALLERS
  Notes notes{text, ""};
#else
  Notes notes{&own, ""};
#endif
  note(notes, "first");
  // CHECK: error: [CF209] {{.*}}'enzyme_width' in an adjoint of a function that changes memory
  note(notes, "second");
  return x[0] * x[0] * notes.last.size();
}
void ask(const double *x, double *a, double *b, std::string *text) {
  __enzyme_autodiff<void>((void *)noted, enzyme_width, 2, enzyme_dup, x, a, b, enzyme_const, text);
}
