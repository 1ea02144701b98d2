; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; What other front ends say by metadata and by attributes of values: derivatives of a function,
; numbers without a derivative, the shadow of a variable.
;
; RUN: %opt -passes=enzyme %s -S -o %t.ll
; RUN: %cf_clang -w %t.ll -o %t
; RUN: %t | FileCheck %s
; RUN: %opt -passes='default<O2>,enzyme' %s -S -o %t.ll
; RUN: %cf_clang -w %t.ll -o %t
; RUN: %t | FileCheck %s
; RUN: %opt -passes='default<O3>' %s -S -o %t.ll
; RUN: %cf_clang -w %t.ll -o %t
; RUN: %t | FileCheck %s
; RUN: sed -e 's/ !enzyme_augment !0//' %s > %t.ll
; RUN: %not %opt -passes=enzyme %t.ll -disable-output 2>&1 | FileCheck %s --check-prefix=ALONE
; ALONE: [CF108] {{.*}}'enzyme_gradient': names no function; it takes all of enzyme_augment, enzyme_gradient

@enzyme_dup = external global i32
@format = private constant [7 x i8] c"%s %g\0A\00"
@n0 = private constant [9 x i8] c"gradient\00"
@n1 = private constant [8 x i8] c"tangent\00"
@n2 = private constant [5 x i8] c"load\00"
@n3 = private constant [6 x i8] c"store\00"
@n4 = private constant [10 x i8] c"parameter\00"
@n5 = private constant [7 x i8] c"result\00"
@n6 = private constant [6 x i8] c"after\00"
@n7 = private constant [7 x i8] c"before\00"
@n8 = private constant [6 x i8] c"moved\00"

declare double @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)
declare i32 @printf(ptr, ...)

; Its derivative is taken to be 100 x, and 1000 x in a tangent.
define double @square(double %x) !enzyme_augment !0 !enzyme_gradient !1 !enzyme_derivative !2 {
  %m = fmul double %x, %x
  ret double %m
}
define internal { {}, double } @square_augmented(double %x) {
  %m = fmul double %x, %x
  %p = insertvalue { {}, double } poison, double %m, 1
  ret { {}, double } %p
}
define internal { double } @square_reverse(double %x, double %seed, {} %tape) {
  %s = fmul double %x, 100.0
  %m = fmul double %s, %seed
  %p = insertvalue { double } poison, double %m, 0
  ret { double } %p
}
define internal double @square_tangent(double %x, double %dot) {
  %s = fmul double %x, 1000.0
  %m = fmul double %s, %dot
  ret double %m
}
!0 = !{ptr @square_augmented}
!1 = !{ptr @square_reverse}
!2 = !{ptr @square_tangent}
define double @twice(double %x) {
  %s = call double @square(double %x)
  %m = fmul double %s, 2.0
  ret double %m
}

define double @loads(ptr %x) {
  %v = load double, ptr %x
  %w = load double, ptr %x, !enzyme_inactive !3
  %m = fmul double %v, %w
  ret double %m
}
define double @stores(double %x) {
  %p = alloca [2 x double]
  %q = getelementptr double, ptr %p, i64 1
  store double %x, ptr %p
  store double %x, ptr %q, !enzyme_inactive !3
  %v = load double, ptr %p
  %w = load double, ptr %q
  %m = fmul double %v, %w
  ret double %m
}
define internal double @product(double "enzyme_inactive" %a, double %b) {
  %m = fmul double %a, %b
  ret double %m
}
define double @parameter(double %x) {
  %m = call double @product(double %x, double %x)
  ret double %m
}
define internal "enzyme_inactive" double @half(double %a) {
  %m = fmul double %a, 0.5
  ret double %m
}
define double @result(double %x) {
  %h = call double @half(double %x)
  %m = fmul double %h, %x
  ret double %m
}
!3 = !{}

; state = 2: what it is before and after the call has a derivative.
@state = internal global double 2.0, !enzyme_shadow !4
@state_bar = internal global double 5.0
!4 = !{ptr @state_bar}
define double @moves(double %x) {
  %v = load double, ptr @state
  %m = fmul double %v, %x
  store double %m, ptr @state
  %r = fmul double %m, %x
  ret double %r
}

define i32 @main() {
  ; CHECK: gradient 600
  %g = call double (ptr, ...) @__enzyme_autodiff(ptr @twice, double 3.0)
  call i32 (ptr, ...) @printf(ptr @format, ptr @n0, double %g)
  ; CHECK: tangent 6000
  %t = call double (ptr, ...) @__enzyme_fwddiff(ptr @twice, double 3.0, double 1.0)
  call i32 (ptr, ...) @printf(ptr @format, ptr @n1, double %t)
  %x = alloca double
  %bar = alloca double
  store double 3.0, ptr %x
  store double 0.0, ptr %bar
  call double (ptr, ...) @__enzyme_autodiff(ptr @loads, ptr @enzyme_dup, ptr %x, ptr %bar)
  ; CHECK: load 3
  %l = load double, ptr %bar
  call i32 (ptr, ...) @printf(ptr @format, ptr @n2, double %l)
  ; CHECK: store 3
  %s = call double (ptr, ...) @__enzyme_fwddiff(ptr @stores, double 3.0, double 1.0)
  call i32 (ptr, ...) @printf(ptr @format, ptr @n3, double %s)
  ; CHECK: parameter 3
  %p = call double (ptr, ...) @__enzyme_autodiff(ptr @parameter, double 3.0)
  call i32 (ptr, ...) @printf(ptr @format, ptr @n4, double %p)
  ; CHECK: result 1.5
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @result, double 3.0)
  call i32 (ptr, ...) @printf(ptr @format, ptr @n5, double %r)
  ; 2 state x + 5 state
  ; CHECK: after 22
  %a = call double (ptr, ...) @__enzyme_autodiff(ptr @moves, double 3.0)
  call i32 (ptr, ...) @printf(ptr @format, ptr @n6, double %a)
  ; x^2 + 5 x
  ; CHECK: before 24
  %b = load double, ptr @state_bar
  call i32 (ptr, ...) @printf(ptr @format, ptr @n7, double %b)
  ; state = 6, of tangent 24: 24 x^2 + 2 state x
  ; CHECK: moved 252
  %m = call double (ptr, ...) @__enzyme_fwddiff(ptr @moves, double 3.0, double 1.0)
  call i32 (ptr, ...) @printf(ptr @format, ptr @n8, double %m)
  ; state x' + state' x
  ; CHECK: after 78
  %c = load double, ptr @state_bar
  call i32 (ptr, ...) @printf(ptr @format, ptr @n6, double %c)
  ret i32 0
}
