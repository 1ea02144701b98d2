// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes with arrays of keys, numbers and children, which move within and between nodes by memmove
// and memcpy; how many is known at run time only.
// Supports: structures, arrays of them, pointers to pointers, linked lists
#include "GradientCheck.h"
#include <stdlib.h>
#include <string.h>

enum { Most = 3 };

struct Node {
  short count, leaf;
  int key[Most];
  double value[Most];
  struct Node *child[Most + 1];
};

static struct Node *made(int leaf) {
  struct Node *node = calloc(1, sizeof *node);
  node->leaf = (short)leaf;
  return node;
}

static void split(struct Node *parent, int at) {
  struct Node *low = parent->child[at], *high = made(low->leaf);
  const size_t behind = parent->count - at;
  high->count = 1;
  high->key[0] = low->key[2];
  high->value[0] = low->value[2];
  if (!low->leaf)
    memcpy(high->child, low->child + 2, 2 * sizeof *high->child);
  low->count = 1;
  memmove(parent->child + at + 2, parent->child + at + 1, behind * sizeof *parent->child);
  parent->child[at + 1] = high;
  memmove(parent->key + at + 1, parent->key + at, behind * sizeof *parent->key);
  memmove(parent->value + at + 1, parent->value + at, behind * sizeof *parent->value);
  parent->key[at] = low->key[1];
  parent->value[at] = low->value[1];
  parent->count++;
}

static void insert(struct Node *node, int key, double value) {
  int at = node->count;
  if (node->leaf) {
    for (; at > 0 && key < node->key[at - 1]; at--) {
      node->key[at] = node->key[at - 1];
      node->value[at] = node->value[at - 1];
    }
    node->key[at] = key;
    node->value[at] = value;
    node->count++;
    return;
  }
  while (at > 0 && key < node->key[at - 1])
    at--;
  if (node->child[at]->count == Most) {
    split(node, at);
    if (key > node->key[at])
      at++;
  }
  insert(node->child[at], key, value);
}

static double folded(struct Node *node, double sum) {
  for (int i = 0; i <= node->count; i++) {
    if (!node->leaf)
      sum = folded(node->child[i], sum);
    if (i < node->count)
      sum = 0.9 * sum + node->value[i] * (node->key[i] % 3 + 1);
  }
  free(node);
  return sum;
}

static double b_tree(const double *x, int n) {
  struct Node *root = made(1);
  for (int i = 0; i < 2 * n; i++) {
    if (root->count == Most) {
      struct Node *above = made(0);
      above->child[0] = root;
      split(above, 0);
      root = above;
    }
    insert(root, (i * 7) % 13, x[i % n] * x[(i + 1) % n]);
  }
  return folded(root, 0);
}

GRADIENT_CHECK(b_tree, Double, b_tree, In(double, 6), Int(6))
