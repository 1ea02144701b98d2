; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; The shadow that other front ends give to a global variable is not written, and says so.
;
; RUN: %not %opt -passes=enzyme -disable-output %s 2>&1 | FileCheck %s
; CHECK: error: in 'slope': [CF209] {{.*}}'enzyme_shadow'
; CHECK: 1 error

@state = global double 3.0, !enzyme_shadow !0
@state_bar = global double 0.0
!0 = !{ptr @state_bar}

declare double @__enzyme_autodiff(ptr, ...)

define double @f(double %x) {
  %v = load double, ptr @state
  %m = fmul double %v, %x
  store double %m, ptr @state
  ret double %m
}
define double @slope(double %x) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %x)
  ret double %r
}
