; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; LLVM 22.1's pass that combines vector operations makes a * d + a * d of (a0 * d0 + a0 * d0, a0 * d1 + a1 * d0),
; the tangent of (a0 * a0, a0 * a1). It is not run on that, and is on functions of which it makes the same.
;
; RUN: %opt -passes=vector-combine -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @tangent(
; CHECK: fadd <2 x double> %p, %p
; CHECK: fadd <1 x double> %q, %r
define <2 x double> @tangent(<2 x double> %a, <2 x double> %d) {
  %a0 = shufflevector <2 x double> %a, <2 x double> poison, <1 x i32> zeroinitializer
  %a1 = shufflevector <2 x double> %a, <2 x double> poison, <1 x i32> <i32 1>
  %d0 = shufflevector <2 x double> %d, <2 x double> poison, <1 x i32> zeroinitializer
  %d1 = shufflevector <2 x double> %d, <2 x double> poison, <1 x i32> <i32 1>
  %p = fmul <2 x double> %a, %d
  %w = fadd <2 x double> %p, %p
  %s = shufflevector <2 x double> %w, <2 x double> poison, <1 x i32> zeroinitializer
  %q = fmul <1 x double> %a0, %d1
  %r = fmul <1 x double> %a1, %d0
  %t = fadd <1 x double> %q, %r
  %v = shufflevector <1 x double> %s, <1 x double> %t, <2 x i32> <i32 0, i32 1>
  ret <2 x double> %v
}

; CHECK-LABEL: @squares(
; CHECK-NEXT: fmul <2 x double> %a, %a
; CHECK-NEXT: fadd <2 x double>
; CHECK-NEXT: ret
define <2 x double> @squares(<2 x double> %a) {
  %a0 = shufflevector <2 x double> %a, <2 x double> poison, <1 x i32> zeroinitializer
  %a1 = shufflevector <2 x double> %a, <2 x double> poison, <1 x i32> <i32 1>
  %p = fmul <1 x double> %a0, %a0
  %q = fmul <1 x double> %a1, %a1
  %s = fadd <1 x double> %p, %p
  %t = fadd <1 x double> %q, %q
  %v = shufflevector <1 x double> %s, <1 x double> %t, <2 x i32> <i32 0, i32 1>
  ret <2 x double> %v
}
