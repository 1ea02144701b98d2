; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; What no front end writes, and what other compilers' code may hold, is refused by number: none of it
; ends the compiler. An error of an inner request is reported once. No function here has three parameters.
;
; RUN: %not %opt -passes=enzyme %s -S -o /dev/null 2>&1 | FileCheck %s --check-prefixes=CHECK,WHOLE
; RUN: %not %opt -passes='default<O2>' %s -S -o /dev/null 2>&1 | FileCheck %s

; CHECK-DAG: in 'no_arguments': [CF101]
; CHECK-DAG: in 'null_function': [CF101]
; CHECK-DAG: in 'inner_fault': [CF101]
; CHECK-DAG: in 'marker_last': [CF103]
; CHECK-DAG: in 'other_shadow': [CF105]
; CHECK-DAG: in 'itself': [CF109]
; CHECK-DAG: in 'scalable': [CF205] {{.*}}a vector of scalable size
; CHECK-DAG: in 'ask_scalable_result': [CF205] {{.*}}a vector of scalable size
; CHECK-DAG: in 'asm_goto': [CF206]
; CHECK-DAG: in 'funclets': [CF206] {{.*}}a funclet
; CHECK-DAG: in 'deoptimised': [CF206] {{.*}}an interpreter
; CHECK-DAG: in 'other_personality': [CF206] {{.*}}a funclet
; CHECK-DAG: in 'escaped_local': [CF206] {{.*}}a variable that a funclet uses
; CHECK-DAG: in 'collected': [CF206] {{.*}}where garbage is collected
; WHOLE-DAG: in 'coroutine': [CF206] {{.*}}a coroutine
; CHECK: error: differentiation failed: {{14|15}} errors

@enzyme_dup = external global i32
@targets = internal constant [2 x ptr] [ptr blockaddress(@computed, %left), ptr blockaddress(@computed, %right)]

declare double @__enzyme_autodiff(...)

define double @square(ptr %p) {
  %x = load double, ptr %p
  %s = fmul double %x, %x
  ret double %s
}

define double @no_arguments() {
  %r = call double (...) @__enzyme_autodiff()
  ret double %r
}

define double @null_function(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr null, double %x)
  ret double %r
}

define double @inner_fault(ptr %f, double %x) noinline {
  %r = call double (...) @__enzyme_autodiff(ptr %f, double %x, double %x, double %x)
  ret double %r
}
define double @calls_it(ptr %f, double %x) noinline {
  %r = call double @inner_fault(ptr %f, double %x)
  ret double %r
}
define double @outer(ptr %f, double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @calls_it, metadata !"enzyme_const", ptr %f, double %x)
  ret double %r
}

define void @marker_last(ptr %p) {
  %dup = load i32, ptr @enzyme_dup
  call double (...) @__enzyme_autodiff(ptr @square, i32 %dup, ptr %p)
  ret void
}

define void @other_shadow(ptr %p, double %x) {
  call double (...) @__enzyme_autodiff(ptr @square, metadata !"enzyme_dup", ptr %p, double %x)
  ret void
}

define double @itself(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @itself, double %x)
  %p = fmul double %x, %r
  ret double %p
}

define void @scalable(ptr %x, ptr %y) {
  %v = load <vscale x 2 x double>, ptr %x
  %s = fmul <vscale x 2 x double> %v, %v
  store <vscale x 2 x double> %s, ptr %y
  ret void
}
define void @ask_scalable(ptr %x, ptr %dx, ptr %y, ptr %dy) {
  call void (...) @__enzyme_autodiff(ptr @scalable, ptr %x, ptr %dx, ptr %y, ptr %dy)
  ret void
}

define double @computed(double %x, i64 %i) {
  %at = getelementptr ptr, ptr @targets, i64 %i
  %to = load ptr, ptr %at
  indirectbr ptr %to, [label %left, label %right]
left:
  %s = fmul double %x, %x
  ret double %s
right:
  ret double %x
}
define double @ask_computed(double %x, i64 %i) {
  %r = call double (...) @__enzyme_autodiff(ptr @computed, double %x, i64 %i)
  ret double %r
}

define double @asm_goto(double %x) {
  callbr void asm sideeffect "", "!i"() to label %next [label %other]
next:
  %s = fmul double %x, %x
  ret double %s
other:
  ret double %x
}
define double @ask_asm_goto(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @asm_goto, double %x)
  ret double %r
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
define double @coroutine(double %x) noinline {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %h = call ptr @llvm.coro.begin(token %id, ptr null)
  %s = fmul double %x, %x
  ret double %s
}
define double @ask_coroutine(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @coroutine, double %x)
  ret double %r
}

declare i32 @__CxxFrameHandler3(...)
declare void @may_throw(ptr)
define double @funclets(double %x) noinline personality ptr @__CxxFrameHandler3 {
  %q = alloca double
  store double %x, ptr %q
  invoke void @may_throw(ptr %q) to label %end unwind label %pad
pad:
  %s = catchswitch within none [label %handler] unwind to caller
handler:
  %c = catchpad within %s [ptr null, i32 64, ptr null]
  catchret from %c to label %end
end:
  %r = fmul double %x, %x
  ret double %r
}
define double @ask_funclets(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @funclets, double %x)
  ret double %r
}

declare double @llvm.experimental.deoptimize.f64(...)
define double @deoptimised(double %x, i1 %b) noinline {
  br i1 %b, label %go, label %out
out:
  %d = call double (...) @llvm.experimental.deoptimize.f64() [ "deopt"() ]
  ret double %d
go:
  %r = fmul double %x, %x
  ret double %r
}
define double @ask_deoptimised(double %x, i1 %b) {
  %r = call double (...) @__enzyme_autodiff(ptr @deoptimised, double %x, i1 %b)
  ret double %r
}

declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
declare void @safepoint()
define double @collected(double %x, ptr addrspace(1) %p) noinline gc "statepoint-example" {
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @safepoint, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %p) ]
  %moved = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  %v = load double, ptr addrspace(1) %moved
  %r = fmul double %x, %v
  ret double %r
}
define double @ask_collected(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @collected, double %x, metadata !"enzyme_const", ptr addrspace(1) null)
  ret double %r
}

define double @other_personality(double %x) noinline personality i8 42 {
  %q = alloca double
  store double %x, ptr %q
  invoke void @may_throw(ptr %q) to label %end unwind label %pad
pad:
  %s = catchswitch within none [label %handler] unwind to caller
handler:
  %c = catchpad within %s []
  catchret from %c to label %end
end:
  %r = fmul double %x, %x
  ret double %r
}
define double @ask_other_personality(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @other_personality, double %x)
  ret double %r
}

declare void @llvm.localescape(...)
define double @escaped_local(double %x) noinline {
  %q = alloca double
  call void (...) @llvm.localescape(ptr %q)
  store double %x, ptr %q
  %v = load double, ptr %q
  %r = fmul double %v, %v
  ret double %r
}
define double @ask_escaped_local(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @escaped_local, double %x)
  ret double %r
}

define double @calls_funclets(double %x) noinline personality ptr @__CxxFrameHandler3 {
  %r = call double @other_personality(double %x)
  ret double %r
}
define double @ask_calls_funclets(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @calls_funclets, double %x)
  ret double %r
}

define <vscale x 2 x double> @scalable_result(<vscale x 2 x double> %x) noinline {
  ret <vscale x 2 x double> %x
}
define <vscale x 2 x double> @ask_scalable_result(<vscale x 2 x double> %x) {
  %r = call <vscale x 2 x double> (...) @__enzyme_autodiff(ptr @scalable_result, <vscale x 2 x double> %x)
  ret <vscale x 2 x double> %r
}

define double @steps_nowhere(ptr %p) noinline {
  %q = getelementptr { double, i32 }, ptr %p
  %v = load double, ptr %q
  %r = fmul double %v, %v
  ret double %r
}
define void @ask_steps_nowhere(ptr %p, ptr %s) {
  call void (...) @__enzyme_autodiff(ptr @steps_nowhere, ptr %p, ptr %s)
  ret void
}
