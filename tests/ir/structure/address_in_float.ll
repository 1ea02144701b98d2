; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; An address that was loaded as a float, as one load becomes that serves a virtual table and a number:
; the instruction selector of -O0 looks through the bits of the float, and is stopped.
;
; RUN: %opt -passes=contraflow %s -S | FileCheck %s

declare double @__enzyme_autodiff(...)

; CHECK-LABEL: define ptr @member(
; CHECK: %bits = bitcast double %both to i64
; CHECK-NEXT: %[[FROZEN:.*]] = freeze i64 %bits
; CHECK-NEXT: %table = inttoptr i64 %[[FROZEN]] to ptr
; CHECK: %sum = add i64 %[[FROZEN]], 8
; CHECK: %other = xor i64 %bits, 1
define ptr @member(ptr %object) {
  %both = load double, ptr %object
  %bits = bitcast double %both to i64
  %table = inttoptr i64 %bits to ptr
  %sum = add i64 %bits, 8
  %next = inttoptr i64 %sum to ptr
  %other = xor i64 %bits, 1
  store i64 %other, ptr %next
  %function = load ptr, ptr %table
  ret ptr %function
}

define double @square(double %x) {
  %y = fmul double %x, %x
  ret double %y
}

define double @gradient(double %x) {
  %g = call double (...) @__enzyme_autodiff(ptr @square, double %x)
  ret double %g
}
