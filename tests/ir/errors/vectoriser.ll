; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; LLVM 22.1's vectoriser of straight-line code uses a result in front of where it is calculated. It is an
; error in a derivative, and does not happen with the options that are set for these.
;
; RUN: %not %opt -passes=slp-vectorizer -disable-verify -disable-output %s 2>&1 | FileCheck %s
; RUN: %opt -passes=slp-vectorizer -slp-split-alternate-instructions=false -disable-output %s
; CHECK: error: in {{.*}}recurrences{{.*}}: [CF901] {{.*}} -fno-slp-vectorize

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

define void @cf.tangent.recurrences() {
  br label %1

1:                                                ; preds = %1, %0
  %2 = phi double [ 0.000000e+00, %0 ], [ %22, %1 ]
  %3 = phi double [ 0.000000e+00, %0 ], [ %22, %1 ]
  %4 = phi double [ 0.000000e+00, %0 ], [ %20, %1 ]
  %5 = phi double [ 0.000000e+00, %0 ], [ %15, %1 ]
  %6 = phi double [ 0.000000e+00, %0 ], [ %13, %1 ]
  %7 = phi double [ 0.000000e+00, %0 ], [ %8, %1 ]
  %8 = fadd double %7, 0.000000e+00
  %9 = fmul double %7, 0.000000e+00
  %10 = fadd double 0.000000e+00, %9
  %11 = fadd double %10, 0.000000e+00
  %12 = fadd double %11, 0.000000e+00
  %13 = fadd double %12, 0.000000e+00
  %14 = fadd double %5, 0.000000e+00
  %15 = fadd double %14, 0.000000e+00
  %16 = fmul double %5, 0.000000e+00
  %17 = fadd double 0.000000e+00, %16
  %18 = fadd double %17, 0.000000e+00
  %19 = fadd double %18, 0.000000e+00
  %20 = fadd double %19, 0.000000e+00
  %21 = fadd double 0.000000e+00, %3
  %22 = fadd double %21, 0.000000e+00
  br label %1
}
