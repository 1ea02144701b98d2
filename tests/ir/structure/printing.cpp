// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What makes text of values, and what prints them, stays a call: nothing of it is prepared. The
// function in front of it is inlined, so that the value has no address.
//
// RUN: %clangxx -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O0 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=NONE

#include <cstdio>

namespace fmt {
inline namespace v11 {
struct Values {
  double number;
};
struct Text {
  char characters[64];
  int length;
};
inline Text vformat(const char *pattern, Values values) {
  Text text = {};
  while (*pattern && text.length < 60) {
    if (*pattern != '{') {
      text.characters[text.length++] = *pattern++;
      continue;
    }
    union {
      double number;
      unsigned long bits;
    } u = {values.number};
    for (int digit = 0; digit < 16; ++digit)
      text.characters[text.length++] = "0123456789abcdef"[u.bits >> (60 - 4 * digit) & 15];
    pattern += 2;
  }
  return text;
}
template <class T> Text format(const char *pattern, const T &value) {
  return vformat(pattern, Values{value});
}
} // namespace v11
} // namespace fmt

static int reports;

__attribute__((noinline)) static void report(const double *x, int n) {
  char line[80];
  for (int i = 0; i < n; ++i) {
    const int used = std::snprintf(line, sizeof line, "%d: %g%s", i, x[i], x[i] < 0 ? " (!)" : "");
    for (int k = 0; k < used; ++k)
      if (line[k] == ' ' && k > 10)
        line[k] = '_';
      else if (line[k] == '!')
        line[k] = i % 2 ? '?' : '!';
      else if (line[k] == ':' && k > 3)
        line[k] = line[k - 1] == '9' ? ';' : ':';
    std::puts(line);
  }
  ++reports;
}

static double energy(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i] * x[i] * x[i];
  const fmt::Text text = fmt::format("energy {}", sum);
  if (text.length > 62)
    std::puts(text.characters);
  report(x, n);
  return sum * sum;
}

extern int enzyme_dup, enzyme_const;
template <class... T> void __enzyme_autodiff(void *, T...);

void gradient(double *x, double *dx, int n) {
  __enzyme_autodiff<int, double *, double *, int, int>(reinterpret_cast<void *>(energy), enzyme_dup,
                                                       x, dx, enzyme_const, n);
}

// CHECK-LABEL: define {{.*}}@cf.adjoint.{{.*}}energy
// CHECK-NOT: snprintf
// CHECK: call {{.*}}vformat
// CHECK-NOT: snprintf
// CHECK: call {{.*}}report
// CHECK-NOT: snprintf
// CHECK: ret void

// NONE-NOT: define {{.*}}@cf.{{.*}}vformat
// NONE-NOT: define {{.*}}@cf.{{.*}}report
