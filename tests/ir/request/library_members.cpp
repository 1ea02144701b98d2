// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records that the standard library moves as a whole, of whose members nobody looks at any: arrays
// of structures in which numbers share their words with others.
//
// RUN: %cf_clangxx -std=c++20 -O0 %s -o %t && %t | FileCheck %s
// RUN: %cf_clangxx -std=c++20 -O2 %s -o %t && %t | FileCheck %s
// RUN: %cf_clangxx -std=c++20 -O2 -fno-strict-aliasing %s -o %t && %t | FileCheck %s
#include <algorithm>
#include <cstdio>
#include <deque>
#include <optional>
#include <vector>

extern int enzyme_dup, enzyme_const;
template <class... A> void __enzyme_autodiff(void *, A...);

struct vote {
  float weight;
  char mark;
};
struct sheet {
  vote of[3];
  double sum;
};

static void shuffle(const sheet *in, sheet *out, int n) {
  std::vector<sheet> v(in, in + n);
  std::reverse(v.begin(), v.end());
  v.insert(v.begin() + 1, in[0]);
  std::deque<sheet> d(v.begin(), v.end());
  d.push_front(v[2]);
  std::swap(d[0], d[1]);
  const std::optional<sheet> last = d.back();
  std::copy(d.begin(), d.end(), out);
  out[n + 2] = *last;
}

int main() {
  constexpr int N = 3, M = N + 3;
  static sheet in[N], out[M], in_bar[N], out_bar[M];
  for (int i = 0; i < M; ++i)
    out_bar[i] = {{{1.F + i, 0}, {10.F + i, 0}, {100.F + i, 0}}, 1000. + i};
  __enzyme_autodiff(reinterpret_cast<void *>(shuffle), enzyme_dup, in, in_bar, enzyme_dup, out,
                    out_bar, enzyme_const, N);
  // out: 2, 1, 0, 1, 0, 0 of in
  // CHECK: 14 41 311 3011
  // CHECK: 6 24 204 2004
  // CHECK: 1 10 100 1000
  for (const sheet &s : in_bar)
    std::printf("%g %g %g %g\n", s.of[0].weight, s.of[1].weight, s.of[2].weight, s.sum);
  // CHECK: 0 0 0 0
  const sheet &left = out_bar[1];
  std::printf("%g %g %g %g\n", left.of[0].weight, left.of[1].weight, left.of[2].weight, left.sum);
}
