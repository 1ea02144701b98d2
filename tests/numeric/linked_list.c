// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A list built, changed while it is walked, and freed; a tree that is filled through the addresses
// of its links, of which the first one is a variable.
// Supports: structures, arrays of them, pointers to pointers, linked lists
#include "GradientCheck.h"
#include <stdlib.h>

struct Node {
  double value;
  struct Node *next;
};

static struct Node *push(struct Node *head, double value) {
  struct Node *node = malloc(sizeof *node);
  node->value = value;
  node->next = head;
  return node;
}

static double chain(const double *x, int n) {
  struct Node *head = NULL;
  for (int i = 0; i < n; i++)
    head = push(head, x[i]);
  for (struct Node *p = head; p && p->next; p = p->next)
    p->next->value *= p->value;
  double sum = 0;
  while (head) {
    struct Node *next = head->next;
    sum += head->value * head->value;
    free(head);
    head = next;
  }
  return sum;
}

GRADIENT_CHECK(linked_list, Double, chain, In(double, 6), Int(6))

struct Branch {
  struct Branch *less, *more, *up;
  double key, sum;
  int size;
  float weight;
};

static struct Branch *inserted(struct Branch *root, struct Branch *branch) {
  struct Branch *up = NULL, **at = &root;
  while (*at) {
    up = *at;
    up->size++;
    up->sum += branch->key;
    at = branch->key < up->key ? &up->less : &up->more;
  }
  *at = branch;
  branch->up = up;
  return root;
}

static double folded(struct Branch *branch) {
  if (!branch)
    return 0;
  const double less = folded(branch->less), more = folded(branch->more);
  const double own = branch->sum * branch->weight * branch->size;
  const double above = branch->up ? branch->up->key : 1;
  free(branch);
  return own * above + less * more + 2 * less + more;
}

static float tree(const float *x, int n) {
  struct Branch *root = NULL;
  for (int i = 0; i < n; i++) {
    struct Branch *branch = calloc(1, sizeof *branch);
    branch->key = branch->sum = (double)x[i] * x[i] + (3 * i) % 7;
    branch->size = 1;
    branch->weight = x[i];
    root = inserted(root, branch);
  }
  return (float)folded(root);
}

GRADIENT_CHECK(linked_tree, Float, tree, In(float, 6), Int(6))
