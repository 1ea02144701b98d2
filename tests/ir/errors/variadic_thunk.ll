; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A thunk hands on arguments that it does not name: no copy of it can take them as parameters.
;
; RUN: %not %opt -passes=contraflow %s -S -o /dev/null 2>&1 | FileCheck %s
; CHECK: in 'f': [CF205]{{.*}}variadic

target triple = "x86_64-pc-linux-gnu"
declare double @__enzyme_autodiff(...)
declare void @llvm.va_start(ptr)
define internal double @sum(i32 %n, ...) {
  %l = alloca [24 x i8], align 16
  call void @llvm.va_start(ptr %l)
  %p = getelementptr i8, ptr %l, i64 16
  %r = load ptr, ptr %p
  %q = getelementptr i8, ptr %r, i64 48
  %v = load double, ptr %q
  ret double %v
}
define internal double @thunk(i32 %n, ...) {
  %c = icmp eq i32 %n, 0
  br i1 %c, label %a, label %b
a:
  %r = musttail call double (i32, ...) @sum(i32 %n, ...)
  ret double %r
b:
  %m = sub i32 %n, 1
  %s = musttail call double (i32, ...) @thunk(i32 %m, ...)
  ret double %s
}
define double @f(double %x) {
  %r = call double (i32, ...) @thunk(i32 3, double %x)
  ret double %r
}
define double @ask(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @f, double %x)
  ret double %r
}
