; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Structures in structures, numbers that are integers in them, and operations on some lanes of vectors:
; derivatives that are constants here.
;
; RUN: %opt -passes='contraflow,default<O2>' %s -S | FileCheck %s

declare double @__enzyme_autodiff(...)
declare double @__enzyme_fwddiff(...)

define double @nested(double %x) {
  %y = fmul double %x, 3.0
  %a = insertvalue { double, [2 x double] } zeroinitializer, double %y, 1, 1
  %b = freeze { double, [2 x double] } %a
  %c = extractvalue { double, [2 x double] } %b, 1
  %d = extractvalue [2 x double] %c, 1
  ret double %d
}
define double @integers(double %x) {
  %y = fmul double %x, 5.0
  %bits = bitcast double %y to i64
  %a = insertvalue { i64, i64 } { i64 0, i64 7 }, i64 %bits, 0
  %second = insertvalue { i64, i64 } %a, i64 8, 1
  %large = fcmp ogt double %x, 1.0
  %b = select i1 %large, { i64, i64 } %a, { i64, i64 } %second
  %c = extractvalue { i64, i64 } %b, 0
  %d = bitcast i64 %c to double
  ret double %d
}
define { double, [2 x double] } @choose(double %x) {
  %large = fcmp ogt double %x, 1.0
  br i1 %large, label %left, label %right
left:
  %a = insertvalue { double, [2 x double] } zeroinitializer, double %x, 1, 0
  ret { double, [2 x double] } %a
right:
  %b = insertvalue { double, [2 x double] } zeroinitializer, double %x, 0
  ret { double, [2 x double] } %b
}
define double @result(double %x) {
  %a = call { double, [2 x double] } @choose(double %x)
  %array = extractvalue { double, [2 x double] } %a, 1
  %b = extractvalue [2 x double] %array, 0
  %c = extractvalue { double, [2 x double] } %a, 0
  %d = fadd double %b, %c
  %e = fmul double %d, 7.0
  ret double %e
}
; Recursion, and members that lie where no front end puts them.
define internal { i32, [2 x double] } @deeper(double %x, i32 %n) noinline {
  %end = icmp eq i32 %n, 0
  br i1 %end, label %base, label %again
base:
  %a = insertvalue { i32, [2 x double] } { i32 1, [2 x double] [double 0.0, double 1.0] }, double %x, 1, 0
  ret { i32, [2 x double] } %a
again:
  %less = sub i32 %n, 1
  %r = call { i32, [2 x double] } @deeper(double %x, i32 %less)
  %array = extractvalue { i32, [2 x double] } %r, 1
  %c = extractvalue [2 x double] %array, 0
  %d = fadd double %c, %x
  %t = insertvalue [2 x double] %array, double %d, 0
  %u = insertvalue { i32, [2 x double] } %r, [2 x double] %t, 1
  ret { i32, [2 x double] } %u
}
define void @recursive(ptr %x, ptr %y) {
  %v = load double, ptr %x
  %a = call { i32, [2 x double] } @deeper(double %v, i32 3)
  store { i32, [2 x double] } %a, ptr %y
  ret void
}
; The parameter is one member of a local structure, not a structure that is passed by value.
define double @one_member(double %x) {
  %s = alloca { i64, double }
  %p = getelementptr { i64, double }, ptr %s, i64 0, i32 1
  store double %x, ptr %p
  store i64 11, ptr %s
  %k = load i64, ptr %s
  %y = load double, ptr %p
  %f = sitofp i64 %k to double
  %r = fmul double %y, %f
  ret double %r
}
define double @some_lanes(double %x) {
  %v = insertelement <2 x double> splat (double 2.0), double %x, i64 1
  %s = call <2 x double> @llvm.vp.fadd.v2f64(<2 x double> %v, <2 x double> %v, <2 x i1> splat (i1 true), i32 2)
  %first = insertelement <2 x i1> <i1 true, i1 false>, i1 true, i64 1
  %r = call reassoc double @llvm.vp.reduce.fadd.v2f64(double %x, <2 x double> %s, <2 x i1> %first, i32 2)
  ret double %r
}
define double @compressed(double %x) {
  %v = insertelement <2 x double> splat (double 2.0), double %x, i64 1
  %c = call <2 x double> @llvm.experimental.vector.compress.v2f64(<2 x double> %v, <2 x i1> <i1 false, i1 true>, <2 x double> %v)
  %a = extractelement <2 x double> %c, i64 0
  %b = extractelement <2 x double> %c, i64 1
  %s = fmul double %b, 3.0
  %r = fadd double %a, %s
  ret double %r
}

; CHECK-LABEL: define {{.*}}@ask_nested(
; CHECK: ret double 3.000000e+00
define double @ask_nested(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @nested, double %x)
  ret double %r
}
; CHECK-LABEL: define {{.*}}@ask_integers(
; CHECK: ret double 5.000000e+00
define double @ask_integers(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @integers, double %x)
  ret double %r
}
; CHECK-LABEL: define {{.*}}@ask_integers_forward(
; CHECK: ret double 5.000000e+00
define double @ask_integers_forward(double %x) {
  %r = call double (...) @__enzyme_fwddiff(ptr @integers, double %x, double 1.0)
  ret double %r
}
; CHECK-LABEL: define {{.*}}@ask_result(
; CHECK: ret double 7.000000e+00
define double @ask_result(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @result, double %x)
  ret double %r
}
; CHECK-LABEL: define {{.*}}@ask_recursive(
; CHECK: @cf.{{.*}}deeper
define void @ask_recursive(ptr %x, ptr %dx, ptr %y, ptr %dy) {
  call double (...) @__enzyme_autodiff(ptr @recursive, ptr %x, ptr %dx, ptr %y, ptr %dy)
  ret void
}
; CHECK-LABEL: define {{.*}}@ask_one_member(
; CHECK: ret double 1.100000e+01
define double @ask_one_member(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @one_member, double %x)
  ret double %r
}
; CHECK-LABEL: define {{.*}}@ask_some_lanes(
; CHECK: ret double 3.000000e+00
define double @ask_some_lanes(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @some_lanes, double %x)
  ret double %r
}
; CHECK-LABEL: define {{.*}}@ask_compressed(
; CHECK: ret double 4.000000e+00
define double @ask_compressed(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @compressed, double %x)
  ret double %r
}
