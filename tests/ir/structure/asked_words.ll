; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A word that is a number or an address is asked for its range; the comparison is one for the two
; branches on which the word moves. That is no arithmetic of integers: what moves has a tangent.
;
; RUN: %opt -passes=contraflow %s -S | FileCheck %s

; CHECK-LABEL: define internal { double } @cf.tangent.f(
; CHECK: %a.shadow = load i64, ptr %at.shadow
; CHECK: store i64 %a.shadow, ptr %to.shadow
; CHECK: %b.shadow = load i64, ptr %behind.shadow
; CHECK: store i64 %b.shadow, ptr %room.shadow

declare double @__enzyme_fwddiff(ptr, ...)

define double @f(ptr %room, i64 %i, i64 %j, i1 %which) {
entry:
  %at = getelementptr i64, ptr %room, i64 %i
  %to = getelementptr i64, ptr %room, i64 %j
  br i1 %which, label %left, label %right

left:
  %a = load i64, ptr %at, align 8
  %a.less = add i64 %a, -1
  store i64 %a, ptr %to, align 8
  br label %met

right:
  %behind = getelementptr i64, ptr %at, i64 1
  %b = load i64, ptr %behind, align 8
  %b.less = add i64 %b, -2
  store i64 %b, ptr %room, align 8
  br label %met

met:
  %less = phi i64 [ %a.less, %left ], [ %b.less, %right ]
  %isAddress = icmp ult i64 %less, 281474976710654
  br i1 %isAddress, label %follow, label %read

follow:
  %from = select i1 %which, ptr %to, ptr %room
  %address = load ptr, ptr %from, align 8
  %held = load double, ptr %address, align 8
  ret double %held

read:
  %u = load double, ptr %room, align 8
  %v = load double, ptr %to, align 8
  %product = fmul double %u, %v
  ret double %product
}

@enzyme_dup = external global i32
@enzyme_const = external global i32

define double @dot(ptr %x, ptr %d, i64 %i, i64 %j, i1 %which) {
  %dup = load i32, ptr @enzyme_dup, align 4
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, i32 %dup, ptr %x, ptr %d, i64 %i, i64 %j, i1 %which)
  ret double %r
}
