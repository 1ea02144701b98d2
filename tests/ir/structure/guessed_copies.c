// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adjoints of bytes of which nothing tells what they are wait until something does; at the end of
// the call it is asked whether anything has, also where nothing is recorded.

// RUN: %clang -O0 %s -S -emit-llvm -o - | FileCheck %s
// RUN: %clang -O2 %s -S -emit-llvm -o - | FileCheck %s

// CHECK: define {{.*}}@cf.adjoint.move
// CHECK: call {{.*}}@cf_v1_tape_begin
// CHECK: call {{.*}}@cf_v1_copy_fields_adjoint
// CHECK: call {{.*}}@cf_v1_tape_end

#include <string.h>

extern void __enzyme_autodiff(void *, ...);
extern int enzyme_dup;

struct ends {
  void *to, *from;
};
static void move(struct ends *e) { memcpy(e->to, e->from, 24); }
void gradient(struct ends *e, struct ends *e_bar) {
  __enzyme_autodiff((void *)move, enzyme_dup, e, e_bar);
}
