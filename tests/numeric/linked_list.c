// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A list built, changed while it is walked, and freed.
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
