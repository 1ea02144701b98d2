// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses of records with numbers that threads exchange atomically: a stack without locks, pushed
// and popped by everybody, mailboxes, a table that whoever comes first makes.
// Supports: lock-free lists of records, exchanges of pointers
#include "GradientCheck.h"
#include <atomic>
#include <cmath>
#include <memory>
#include <vector>

namespace {

struct Node {
  double value;
  int key;
  Node *next;
};

struct Stack {
  std::atomic<Node *> head{nullptr};

  void push(Node *node) {
    Node *old = head.load(std::memory_order_relaxed);
    do
      node->next = old;
    while (!head.compare_exchange_weak(old, node, std::memory_order_release,
                                       std::memory_order_relaxed));
  }
  Node *pop() {
    Node *old = head.load(std::memory_order_acquire);
    while (old && !head.compare_exchange_strong(old, old->next))
      ;
    return old;
  }
};

double pushed(const double *x, double *y, int n) {
  Stack stack;
  std::vector<Node> pool(2 * n);
  std::atomic<int> used{0};
#pragma omp parallel for schedule(dynamic, 1)
  for (int i = 0; i < 2 * n; i++) {
    Node *node = &pool[used.fetch_add(1)];
    node->value = std::sin(x[i % n]) * y[i * 5 % n] + 0.1 * i;
    node->key = i;
    stack.push(node);
  }
  double s = 0;
  for (Node *node = stack.head.load(); node; node = node->next) {
    s += node->value * node->value * (1 + 0.01 * node->key);
    y[node->key % n] += 0.1 * node->value;
  }
  return s;
}

double popped(const double *x, int n) {
  Stack stack;
  std::vector<Node> pool(n);
  for (int i = 0; i < n; i++) {
    pool[i] = {x[i] * x[i], i, nullptr};
    stack.push(&pool[i]);
  }
  double s = 0;
#pragma omp parallel reduction(+ : s)
  while (Node *node = stack.pop())
    s += std::sin(node->value) * x[(node->key + 1) % n];
  return s;
}

double mailboxes(const double *x, const double *w, int n) {
  struct Box {
    double value;
    int from;
  };
  std::vector<Box> boxes(n);
  std::atomic<Box *> mail[3] = {{nullptr}, {nullptr}, {nullptr}};
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++) {
    boxes[i] = {x[i] * x[i], i};
    if (Box *got = mail[i % 3].exchange(&boxes[i]))
      s += std::sin(got->value) * w[got->from];
  }
  for (auto &m : mail)
    if (Box *got = m.exchange(nullptr))
      s += std::sin(got->value) * w[got->from];
  return s;
}

double firstComes(const double *x, int n) {
  std::atomic<std::vector<double> *> shared{nullptr};
  double s = 0;
#pragma omp parallel for schedule(static, 1) reduction(+ : s)
  for (int i = 0; i < n; i++) {
    std::vector<double> *table = shared.load(std::memory_order_acquire);
    if (!table) {
      auto made = std::make_unique<std::vector<double>>(n);
      for (int k = 0; k < n; k++)
        (*made)[k] = std::exp(-x[k]);
      if (shared.compare_exchange_strong(table, made.get()))
        table = made.release();
    }
    s += (*table)[i] * (*table)[(i + 1) % n];
  }
  delete shared.load();
  return s;
}

} // namespace

GRADIENT_CHECK(exchanged_pushed, Double, pushed, In(double, 9), InOut(double, 9), Int(9))
GRADIENT_CHECK(exchanged_popped, Double, popped, In(double, 9), Int(9))
GRADIENT_CHECK(exchanged_mailboxes, Double, mailboxes, In(double, 9), In(double, 9), Int(9))
GRADIENT_CHECK(exchanged_first, Double, firstComes, In(double, 9), Int(9))
