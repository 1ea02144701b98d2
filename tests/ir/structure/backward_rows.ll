; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Whether rows overlap with others is asked for each of them where they come backwards: asked for all at
; once, in a way that supposes them to come forwards, LLVM would say yes, and drop the vectorised loop.
;
;   for (i = rows; i--;)  for (j = 0; j < n; j++)  a[1000 * i + j] += b[j];
;
; RUN: %clang -O2 -Wno-override-module -S -emit-llvm %s -o - | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define void @cf.reverse.rows(
; CHECK: fadd <2 x double>
; CHECK-NOT: freeze
; CHECK-LABEL: define void @end(
define void @cf.reverse.rows(ptr %a, ptr %b, i64 %rows, i64 %n) {
  %last = add nsw i64 %rows, -1
  br label %row

row:
  %i = phi i64 [ %last, %0 ], [ %i.next, %next ]
  %begin = mul nuw nsw i64 %i, 1000
  br label %column

column:
  %j = phi i64 [ 0, %row ], [ %j.next, %column ]
  %place = add nuw nsw i64 %begin, %j
  %at = getelementptr inbounds double, ptr %a, i64 %place
  %from = getelementptr inbounds double, ptr %b, i64 %j
  %x = load double, ptr %at, align 8
  %y = load double, ptr %from, align 8
  %sum = fadd double %x, %y
  store double %sum, ptr %at, align 8
  %j.next = add nuw nsw i64 %j, 1
  %done = icmp eq i64 %j.next, %n
  br i1 %done, label %next, label %column

next:
  %first = icmp eq i64 %i, 0
  %i.next = add nsw i64 %i, -1
  br i1 %first, label %end, label %row

end:
  ret void
}

define void @end() {
  ret void
}
