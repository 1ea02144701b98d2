// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers whose bytes are given to a string and that are read from one. Bytes that are compared
// are nothing but a key.
//
// RUN: %not %clangxx -O0 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clangxx -O2 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s

#include <cstring>
#include <string>

double __enzyme_autodiff(void *, ...);

static double appended(const double *x, int n) {
  std::string text;
  double s = 0, y;
  for (int i = 0; i < n; i++) {
    y = x[i] * x[i];
    // CHECK-DAG: string_bytes.cpp:[[@LINE+1]]:{{.*}}[CF216]{{.*}}string
    text.append(reinterpret_cast<const char *>(&y), sizeof y);
  }
  for (int i = 0; i < n; i++) {
    std::memcpy(&y, text.data() + i * sizeof y, sizeof y);
    s += y * x[i];
  }
  return s;
}
static double written(const double *x, int n) {
  std::string text;
  double s = 0, y;
  text.resize(n * sizeof y);
  for (int i = 0; i < n; i++) {
    y = x[i] * x[i];
    // CHECK-DAG: string_bytes.cpp:[[@LINE+1]]:{{.*}}[CF216]{{.*}}string
    std::memcpy(&text[i * sizeof y], &y, sizeof y);
  }
  for (int i = 0; i < n; i++) {
    std::memcpy(&y, text.data() + i * sizeof y, sizeof y);
    s += y * x[i];
  }
  return s;
}
static double compared(const double *x, int n) {
  std::string key, other("key");
  double y = x[0] * x[n - 1];
  // CHECK-NOT: string_bytes.cpp:[[@LINE+1]]:
  key.append(reinterpret_cast<const char *>(&y), sizeof y);
  return key == other ? y : 2 * y;
}
void ask(double *x, double *xb, int n) {
  __enzyme_autodiff((void *)appended, x, xb, n);
  __enzyme_autodiff((void *)written, x, xb, n);
  __enzyme_autodiff((void *)compared, x, xb, n);
}
