; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; The shadow that other front ends give to a global variable has to be one, and is for one direction.
;
; RUN: %not %opt -passes=enzyme -disable-output %s 2>&1 | FileCheck %s
; CHECK: error: in 'slope': [CF209] {{.*}}'enzyme_shadow' of a global variable has to name one other variable of its type
; CHECK: 1 error
; RUN: sed -e 's/float 0.0/double 0.0/' %s > %t.ll
; RUN: %opt -passes=enzyme -disable-output %t.ll
; RUN: sed -e 's/%r = call double/%r = call [2 x double]/; s/(ptr @f, /(ptr @f, metadata !"enzyme_width", i64 2, /; s/ret double %r/ret double %x/' %t.ll > %t.wide.ll
; RUN: %not %opt -passes=enzyme -disable-output %t.wide.ll 2>&1 | FileCheck %s --check-prefix=WIDE
; WIDE: error: in 'slope': [CF209] {{.*}}'enzyme_shadow', which is for one direction

@state = global double 3.0, !enzyme_shadow !0
@state_bar = global float 0.0
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
