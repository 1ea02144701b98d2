; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; String attributes as other front ends write them: some say what a function is, the rest changes
; nothing.
;
; RUN: %opt -passes='enzyme,verify' %s -S | FileCheck %s
; RUN: sed -e 's/"enzyme_allocator"="0"/"enzyme_allocator"="7"/' %s > %t.ll
; RUN: %not %opt -passes='enzyme,verify' %t.ll -S -o /dev/null 2>&1 | FileCheck %s --check-prefix=WRONG
; WRONG: [CF108] {{.*}}'enzyme_allocator': entry 2 is not the index of a parameter that is a size
; RUN: sed -e 's/ !enzyme_deallocator_fn !0//' %s > %t.ll
; RUN: %not %opt -passes='enzyme,verify' %t.ll -S -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE
; NONE: [CF108] {{.*}}'enzyme_allocator': no function gives the memory back

declare double @__enzyme_autodiff(ptr, ...)
declare !enzyme_deallocator !1 !enzyme_deallocator_fn !0 ptr @take(i64) #0
declare void @give(ptr)
declare double @quick(double) #1
declare double @report(double) #2

define double @f(double "enzyme_type"="{[-1]:Float@double}" %x) #3 {
  %m = call ptr @take(i64 8)
  %l = call double @quick(double %x) #4
  store double %l, ptr %m
  %v = load double, ptr %m
  call void @give(ptr %m)
  %r = call double @report(double %x)
  %o = call double @other(double %x) #2
  %s = fadd double %v, %r
  %t = fadd double %s, %o
  ret double %t
}
define double @other(double %x) noinline #5 {
  %y = fmul double %x, %x
  ret double %y
}

; The derivative of the logarithm alone.
; CHECK-LABEL: define double @slope(
; CHECK: call { double } @cf.adjoint.f(double %x, double 1.000000e+00)
; CHECK: define internal {{.*}}@cf.adjoint.f(
; CHECK-DAG: call ptr @take(i64 8)
; CHECK-DAG: fdiv {{.*}}double %0, %x
; CHECK-NOT: fmul
; CHECK: ret { double }
define double @slope(double %x) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %x)
  ret double %r
}

attributes #0 = { "enzyme_allocator"="0" "enzyme_no_escaping_allocation" }
attributes #1 = { "enzyme_math"="log" "enzyme_preserve_primal"="*" }
attributes #2 = { "enzyme_inactive" }
attributes #3 = { "enzyme_notypeanalysis" "enzyme_ta_norecur" "enzyme_active" }
attributes #4 = { "enzyme_nocache" "enzyme_shouldrecompute" }
attributes #5 = { "enzyme_elementwise_read" "enzyme_sparse_accumulate" }
!0 = !{ptr @give}
!1 = !{!"-1"}
