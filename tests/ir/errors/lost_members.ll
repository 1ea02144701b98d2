; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Bits of numbers that travel as integers of a structure in registers, through calls that stay calls.
;
; RUN: %not %opt -passes=contraflow %s -S 2>&1 | FileCheck %s
; CHECK: in 'changed'{{.*}}[CF216]
; CHECK: in 'moved'{{.*}}[CF216]
declare { double, double } @__enzyme_autodiff(...)

define internal { i64, i32 } @count({ i64, i32 } %x, i32 %n) noinline {
  %z = icmp eq i32 %n, 0
  br i1 %z, label %last, label %next
last:
  ret { i64, i32 } %x
next:
  %k = sub i32 %n, 1
  %r = call { i64, i32 } @count({ i64, i32 } %x, i32 %k)
  %c = extractvalue { i64, i32 } %r, 1
  %d = add i32 %c, %n
  %s = insertvalue { i64, i32 } %r, i32 %d, 1
  ret { i64, i32 } %s
}

define double @changed(double %x, double %y) {
  %i = bitcast double %x to i64
  %b = xor i64 %i, 5
  %s = insertvalue { i64, i32 } poison, i64 %b, 0
  %t = insertvalue { i64, i32 } %s, i32 3, 1
  %r = call { i64, i32 } @count({ i64, i32 } %t, i32 2)
  %e = extractvalue { i64, i32 } %r, 0
  %j = xor i64 %e, 5
  %v = bitcast i64 %j to double
  %m = fmul double %v, %y
  ret double %m
}

define double @moved(double %x, double %y) {
  %i = bitcast double %x to i64
  %s = insertvalue { i64, i32 } poison, i64 %i, 0
  %t = insertvalue { i64, i32 } %s, i32 3, 1
  %r = call { i64, i32 } @count({ i64, i32 } %t, i32 2)
  %e = extractvalue { i64, i32 } %r, 0
  %v = bitcast i64 %e to double
  %m = fmul double %v, %y
  ret double %m
}

define void @ask(double %x, double %y) {
  %a = call { double, double } (...) @__enzyme_autodiff(ptr @changed, double %x, double %y)
  %b = call { double, double } (...) @__enzyme_autodiff(ptr @moved, double %x, double %y)
  ret void
}
