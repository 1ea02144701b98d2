// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers whose bytes are given to a string and that are read from one. Bytes that are compared
// are nothing but a key. The same of files and streams; what is read from one and written to
// another is as good as constant.
//
// RUN: %not %clangxx -O0 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clangxx -O2 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s

#include <cstdio>
#include <cstring>
#include <sstream>
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
static double copied(const double *x, int n) {
  std::string text, other;
  double s = 0, y;
  for (int i = 0; i < n; i++) {
    y = x[i] * x[i];
    // CHECK-DAG: string_bytes.cpp:[[@LINE+1]]:{{.*}}[CF216]{{.*}}string
    text.append(reinterpret_cast<const char *>(&y), sizeof y);
  }
  other = text;
  for (int i = 0; i < n; i++) {
    std::memcpy(&y, other.data() + i * sizeof y, sizeof y);
    s += y * x[i];
  }
  return s;
}
extern "C" int exchange(const char *from, char *to, std::size_t n)
    __attribute__((annotate("enzyme_inactive")));
static double handedOn(const double *x, int n) {
  std::string text, other(n * sizeof *x, ' ');
  double s = 0, y;
  for (int i = 0; i < n; i++) {
    y = x[i] * x[i];
    // CHECK-DAG: string_bytes.cpp:[[@LINE+1]]:{{.*}}[CF216]{{.*}}string
    text.append(reinterpret_cast<const char *>(&y), sizeof y);
  }
  exchange(text.data(), &other[0], text.size());
  for (int i = 0; i < n; i++) {
    std::memcpy(&y, other.data() + i * sizeof y, sizeof y);
    s += y * x[i];
  }
  return s;
}
static double apart(const double *x, int n) {
  std::string key, table(n * sizeof *x, ' '), other("key");
  double y = x[0] * x[n - 1], s = 0;
  // CHECK-NOT: string_bytes.cpp:[[@LINE+1]]:
  key.append(reinterpret_cast<const char *>(&y), sizeof y);
  for (int i = 0; i < n; i++) {
    std::memcpy(&y, table.data() + i * sizeof y, sizeof y);
    s += y * x[i];
  }
  return key == other ? s : 2 * s;
}
static double total(const double *y, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += y[i] * y[i];
  return s;
}
static double reopened(const double *x, int n) {
  double y[8];
  FILE *file = std::fopen("numbers", "wb");
  std::fwrite(x, sizeof *x, n, file);
  std::fclose(file);
  file = std::fopen("numbers", "rb");
  // CHECK-DAG: string_bytes.cpp:[[@LINE+1]]:{{.*}}[CF216]{{.*}}file
  n = std::fread(y, sizeof *y, n, file);
  std::fclose(file);
  return total(y, n);
}
static double rewound(const double *x, int n) {
  double y[8];
  FILE *file = std::tmpfile();
  std::fwrite(x, sizeof *x, n, file);
  std::rewind(file);
  // CHECK-DAG: string_bytes.cpp:[[@LINE+1]]:{{.*}}[CF216]{{.*}}file
  n = std::fread(y, sizeof *y, n, file);
  return total(y, n);
}
static double streamed(const double *x, int n) {
  double y[8];
  std::stringstream stream;
  stream.write(reinterpret_cast<const char *>(x), n * sizeof *x);
  // CHECK-DAG: string_bytes.cpp:[[@LINE+1]]:{{.*}}[CF216]{{.*}}file
  stream.read(reinterpret_cast<char *>(y), n * sizeof *y);
  return total(y, n);
}
static double inMemory(const double *x, int n) {
  double y[8] = {}, z = x[0] * x[1], last;
  FILE *file = fmemopen(y, sizeof y, "wb");
  // CHECK-DAG: string_bytes.cpp:[[@LINE+1]]:{{.*}}[CF216]{{.*}}file
  std::fwrite(&z, sizeof z, 1, file);
  std::fclose(file);
  char *bytes;
  std::size_t count;
  file = open_memstream(&bytes, &count);
  // CHECK-DAG: string_bytes.cpp:[[@LINE+1]]:{{.*}}[CF216]{{.*}}file
  std::fwrite(&z, sizeof z, 1, file);
  std::fclose(file);
  std::memcpy(&last, bytes, sizeof last);
  return last + total(y, n);
}
static double passed(const double *x, int n) {
  double y[8] = {}, s = 0;
  FILE *in = std::fopen("weights", "rb"), *out = std::fopen("sums", "wb");
  // CHECK-NOT: string_bytes.cpp:[[@LINE+1]]:
  n = std::fread(y, sizeof *y, n, in);
  for (int i = 0; i < n; i++)
    s += y[i] * x[i];
  std::fwrite(&s, sizeof s, 1, out);
  return s;
}
static double restarted(const double *x, int n) {
  double y[8] = {};
  std::FILE *state = std::fopen("state", "rb");
  // CHECK-NOT: string_bytes.cpp:[[@LINE+1]]:
  n = std::fread(y, sizeof *y, n, state);
  std::fclose(state);
  for (int i = 0; i < n; i++) {
    y[i] += x[i];
    state = std::fopen("state", "wb");
    std::fwrite(y, sizeof *y, n, state);
    std::fclose(state);
  }
  return total(y, n);
}
static double swapped(const double *x, int n) {
  double y[8] = {}, s = 0;
  std::FILE *file = std::fopen("state", "r+b");
  for (int i = 0; i < n; i++) {
    // CHECK-DAG: string_bytes.cpp:[[@LINE+1]]:{{.*}}[CF216]{{.*}}file
    s += std::fread(y, sizeof *y, 2, file) * y[0] * x[i];
    std::fwrite(&s, sizeof s, 1, file);
  }
  return s;
}
void ask(double *x, double *xb, int n) {
  __enzyme_autodiff((void *)appended, x, xb, n);
  __enzyme_autodiff((void *)written, x, xb, n);
  __enzyme_autodiff((void *)compared, x, xb, n);
  __enzyme_autodiff((void *)copied, x, xb, n);
  __enzyme_autodiff((void *)handedOn, x, xb, n);
  __enzyme_autodiff((void *)apart, x, xb, n);
  __enzyme_autodiff((void *)reopened, x, xb, n);
  __enzyme_autodiff((void *)rewound, x, xb, n);
  __enzyme_autodiff((void *)streamed, x, xb, n);
  __enzyme_autodiff((void *)inMemory, x, xb, n);
  __enzyme_autodiff((void *)passed, x, xb, n);
  __enzyme_autodiff((void *)restarted, x, xb, n);
  __enzyme_autodiff((void *)swapped, x, xb, n);
}
