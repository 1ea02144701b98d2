; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; The normal destination of an invoke may begin with phis although nobody else goes there.
;
; RUN: %opt -passes='enzyme,verify' %s -S | FileCheck %s

; CHECK-LABEL: define double @slope(
; CHECK: [[PAIR:%.*]] = invoke { double } @cf.adjoint.square(double %x, double 1.000000e+00)
; CHECK: [[SLOPE:%.*]] = extractvalue { double } [[PAIR]], 0
; CHECK: ret double [[SLOPE]]

declare double @__enzyme_autodiff(ptr, ...)
declare i32 @__gxx_personality_v0(...)

define double @square(double %x) {
  %s = fmul double %x, %x
  ret double %s
}

define double @slope(double %x) personality ptr @__gxx_personality_v0 {
  %r = invoke double (ptr, ...) @__enzyme_autodiff(ptr @square, double %x)
          to label %fine unwind label %failed
fine:
  %p = phi double [ %r, %0 ]
  ret double %p
failed:
  %l = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %l
}
