// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tree that functions write to bytes and read again, member by member: what is packed comes from
// between addresses, and nothing aligns it.
// Supports: trees serialised into bytes by recursive functions
#include "GradientCheck.h"

#include <cstring>
#include <memory>
#include <vector>

namespace {

class Out {
public:
  void raw(const void *From, std::size_t Count) {
    const char *First = static_cast<const char *>(From);
    Bytes.insert(Bytes.end(), First, First + Count);
  }
  std::vector<char> Bytes;
};

class In {
public:
  explicit In(const char *Next) : Next(Next) {}
  void raw(void *To, std::size_t Count) {
    std::memcpy(To, Next, Count);
    Next += Count;
  }

private:
  const char *Next;
};

struct Node {
  int id;
  double value;
  std::vector<std::unique_ptr<Node>> kids;
};

template <class A> void pass(A &Archive, int &v) { Archive.raw(&v, sizeof v); }
template <class A> void pass(A &Archive, double &v) { Archive.raw(&v, sizeof v); }
template <class A> void pass(A &Archive, Node &n) {
  pass(Archive, n.id);
  pass(Archive, n.value);
  int count = static_cast<int>(n.kids.size());
  pass(Archive, count);
  n.kids.resize(count);
  for (auto &kid : n.kids) {
    if (!kid)
      kid = std::make_unique<Node>();
    pass(Archive, *kid);
  }
}

std::unique_ptr<Node> tree(const double *x, int n, int i) {
  auto made = std::make_unique<Node>();
  made->id = i;
  made->value = x[i] * x[0];
  for (int kid = 2 * i + 1; kid <= 2 * i + 2 && kid < n; ++kid)
    made->kids.push_back(tree(x, n, kid));
  return made;
}

double total(const Node &n, int depth) {
  double sum = n.value * (depth + 1);
  for (const auto &kid : n.kids)
    sum += total(*kid, depth + 1) * n.value;
  return sum;
}

double readAgain(const double *x, double *y, int n) {
  const auto root = tree(x, n, 0);
  Out out;
  pass(out, *root);
  In in(out.Bytes.data());
  Node copy{};
  pass(in, copy);
  const double sum = total(copy, 0);
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * copy.value;
  return sum;
}

double written(const double *x, double *y, int n) {
  const auto root = tree(x, n, 0);
  Out out;
  pass(out, *root);
  In in(out.Bytes.data());
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    int id = 0, count = 0;
    double v = 0;
    pass(in, id);
    pass(in, v);
    pass(in, count);
    y[i] = v * x[i];
    sum += v * v;
  }
  return sum;
}

} // namespace

GRADIENT_CHECK(packed_tree_read_again, Double, readAgain, In(double, 6), Out(double, 6), Int(6))
GRADIENT_CHECK(packed_tree_written, Double, written, In(double, 6), Out(double, 6), Int(6))
