// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members of two bytes go into an archive beside numbers, and come back from there. So might a
// number that is moved in pieces, where there are as many of them as it has: its derivative would
// be lost.
//
// RUN: %clangxx -O0 -c %s -o /dev/null
// RUN: %clangxx -O2 -c %s -o /dev/null
// RUN: %not %clangxx -O0 -DPIECES -c %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %not %clangxx -O2 -DPIECES -c %s -o /dev/null 2>&1 | FileCheck %s
#include <cstring>
#include <vector>

extern int enzyme_dup;
template <class R, class... A> R __enzyme_autodiff(void *, A...);

using Bytes = std::vector<char>;
template <class T> void put(Bytes &to, const T &v) {
  const size_t at = to.size();
  to.resize(at + sizeof v);
  std::memcpy(to.data() + at, &v, sizeof v);
}
template <class T> void get(const char *&from, T &v) {
  std::memcpy(&v, from, sizeof v); // CHECK: short_pieces.cpp:[[@LINE]]:{{.*}}[CF203]
  from += sizeof v;
}

#ifdef PIECES
struct Record {
  double weight;
  short a, b, c, d;
};
double archived(const double *x, int n) {
  Bytes first, second;
  for (int i = 0; i < n; i++)
    put(first, 'v'), put(first, x[i] * x[0]);
  std::vector<Record> all(n);
  const char *next = first.data();
  for (Record &r : all) {
    next += 1;
    r.weight = 1;
    get(next, r.a), get(next, r.b), get(next, r.c), get(next, r.d);
  }
  for (const Record &r : all)
    put(second, 'v'), put(second, r.a), put(second, r.b), put(second, r.c), put(second, r.d);
  next = second.data();
  double sum = 0, v;
  for (int i = 0; i < n; i++) {
    next += 1;
    get(next, v);
    sum += v * v;
  }
  return sum;
}
#else
struct Record {
  int id;
  double at[3];
  short kind;
};
double archived(const double *x, int n) {
  std::vector<Record> all(n), got(n);
  Bytes bytes;
  for (int i = 0; i < n; i++) {
    all[i].kind = short(i % 3);
    for (int k = 0; k < 3; k++)
      all[i].at[k] = x[i] * k;
    put(bytes, all[i].id), put(bytes, all[i].at), put(bytes, all[i].kind);
  }
  const char *next = bytes.data();
  double sum = 0;
  for (Record &r : got) {
    get(next, r.id), get(next, r.at), get(next, r.kind);
    for (int k = 0; k < 3; k++)
      sum += r.at[k] * r.at[2 - k] * r.kind;
  }
  return sum;
}
#endif

void gradient(const double *x, double *x_bar, int n) {
  __enzyme_autodiff<void>((void *)archived, enzyme_dup, x, x_bar, n);
}
