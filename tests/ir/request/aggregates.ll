; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Structures and arrays of numbers that IR passes and returns as they are, without markers; the
; adjoint of a structure starts from one behind the arguments. A pointer among the numbers needs a
; marker.
;
; RUN: %opt -passes=enzyme %s -S -o %t.ll
; RUN: %cf_clang -w %t.ll -o %t && %t | FileCheck %s
; RUN: %opt -passes='default<O2>,enzyme' %s -o %t.bc
; RUN: %cf_clang -w %t.bc -o %t && %t | FileCheck %s
; RUN: sed 's/;ALONE//' %s > %t.alone.ll
; RUN: %not %opt -passes=enzyme %t.alone.ll -disable-output 2>&1 | FileCheck %s --check-prefix=ALONE

@format = private constant [10 x i8] c"%g %g %g\0A\00"
declare i32 @printf(ptr, ...)
declare {double, double} @__enzyme_fwddiff(ptr, ...)
declare {double, double} @__enzyme_autodiff(ptr, ...)
declare {double, double} @__enzyme_autodiff.array(ptr, ...)

define internal {double, double} @squares({double, double} %p, double %k) {
  %a = extractvalue {double, double} %p, 0
  %b = extractvalue {double, double} %p, 1
  %m = fmul double %a, %b
  %n = fmul double %m, %k
  %r = insertvalue {double, double} poison, double %n, 0
  %s = insertvalue {double, double} %r, double %a, 1
  ret {double, double} %s
}

define internal double @product([2 x double] %p) {
  %a = extractvalue [2 x double] %p, 0
  %b = extractvalue [2 x double] %p, 1
  %m = fmul double %a, %b
  %n = fmul double %m, %b
  ret double %n
}

define internal double @behind({ptr, double} %p) {
  %a = extractvalue {ptr, double} %p, 0
  %b = extractvalue {ptr, double} %p, 1
  %m = load double, ptr %a
  %n = fmul double %m, %b
  ret double %n
}

define i32 @main() {
  %t = call {double, double} (ptr, ...) @__enzyme_fwddiff(ptr @squares, {double, double} {double 2.0, double 3.0}, {double, double} {double 1.0, double 2.0}, metadata !"enzyme_const", double 10.0)
  %ta = extractvalue {double, double} %t, 0
  %tb = extractvalue {double, double} %t, 1
  ; CHECK: 70 1 0
  call i32 (ptr, ...) @printf(ptr @format, double %ta, double %tb, double 0.0)
  %r = call {double, double} (ptr, ...) @__enzyme_autodiff(ptr @squares, {double, double} {double 2.0, double 3.0}, metadata !"enzyme_const", double 10.0, {double, double} {double 1.0, double 4.0})
  %ra = extractvalue {double, double} %r, 0
  %rb = extractvalue {double, double} %r, 1
  ; CHECK: 34 20 0
  call i32 (ptr, ...) @printf(ptr @format, double %ra, double %rb, double 0.0)
  %q = call {double, double} (ptr, ...) @__enzyme_autodiff.array(ptr @product, [2 x double] [double 2.0, double 3.0])
  %qa = extractvalue {double, double} %q, 0
  %qb = extractvalue {double, double} %q, 1
  ; CHECK: 9 12 0
  call i32 (ptr, ...) @printf(ptr @format, double %qa, double %qb, double 0.0)
  ; ALONE: [CF104]{{.*}}parameter 1 of 'behind' is a structure passed by value and needs a marker
  ;ALONE%x = alloca double
  ;ALONE%u = insertvalue {ptr, double} {ptr null, double 1.0}, ptr %x, 0
  ;ALONEcall {double, double} (ptr, ...) @__enzyme_autodiff(ptr @behind, {ptr, double} %u)
  ret i32 0
}
