; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Requests that make no sense, code of other front ends and targets, and code that never returns: each
; is refused by number, all in one compilation.
;
; RUN: %not %opt -passes=contraflow %s -S -o /dev/null 2>&1 | FileCheck %s
; RUN: %not %opt -passes='default<O2>' %s -S -o /dev/null 2>&1 | FileCheck %s

; CHECK-DAG: in 'ask_vararg_prim': [CF209]
; CHECK-DAG: in 'ask_split_without_tape': [CF103]
; CHECK-DAG: in 'ask_metadata_args': [CF101]
; CHECK-DAG: in 'ask_md_unknown': [CF107]
; CHECK-DAG: in 'ask_inalloca_root': [CF106]
; CHECK-DAG: in 'ask_blockaddress_fn': [CF101]
; CHECK-DAG: in 'musttail_request.vf': [CF101]
; CHECK-DAG: in 'cmpxchg_weak.f': [CF205]
; CHECK-DAG: in 'strictfp.f': [CF201]
; CHECK-DAG: in 'naked.f': [CF206]
; CHECK-DAG: in 'unreachable_only.f': [CF206]
; CHECK-DAG: in 'null_store.f': [CF206]
; CHECK-DAG: in 'poison.f': [CF206]
; CHECK-DAG: in 'preallocated.f': [CF204]
; CHECK-DAG: in 'x86_amx.f': [CF201]
; CHECK-DAG: in 'interposable.h': [CF201]
; CHECK-DAG: in 'mutual_request.f': [CF109]
; CHECK-DAG: in 'mutual_request.g': [CF109]
; CHECK-DAG: in '__enzyme_autodiff': [CF209]
; CHECK-DAG: in 'ask_address_taken': [CF209]
; CHECK: error: differentiation failed: 21 errors

declare double @__enzyme_autodiff(...)
declare double @__enzyme_fwddiff(...)
declare ptr @__enzyme_augmentfwd(...)
declare double @__enzyme_reverse(...)
declare { double, double } @__enzyme_autodiff2(...)
@enzyme_dup = external global i32
@enzyme_const = external global i32
define double @sq(double %x) {
  %s = fmul double %x, %x
  ret double %s
}
declare double @__enzyme_autodiffv(ptr, ...)
declare double @llvm.experimental.constrained.fmul.f64(double, double, metadata, metadata)
declare double @llvm.vector.reduce.fadd.v4f64(double, <4 x double>)
declare ptr @llvm.call.preallocated.arg(token, i32)
declare token @llvm.call.preallocated.setup(i32)
declare void @llvm.va_start.p0(ptr)
declare void @llvm.x86.tilestored64.internal(i16, i16, ptr, i64, x86_amx)
declare x86_amx @llvm.x86.tileloadd64.internal(i16, i16, ptr, i64)

define double @cmpxchg_weak.f(ptr %p, i64 %i) {
  %a = cmpxchg weak ptr %p, i64 %i, i64 3 seq_cst monotonic
  %v = load atomic double, ptr %p unordered, align 8
  fence seq_cst
  %r = atomicrmw fmaximum ptr %p, double %v seq_cst
  %s = fmul double %v, %r
  ret double %s
}
define void @ask_cmpxchg_weak(ptr %p, ptr %q) {
  call double (...) @__enzyme_autodiff(ptr @cmpxchg_weak.f, ptr %p, ptr %q, i64 3)
  ret void
}

define double @strictfp.f(double %x) strictfp {
  %s = call double @llvm.experimental.constrained.fmul.f64(double %x, double %x, metadata !"round.upward", metadata !"fpexcept.strict") strictfp
  ret double %s
}
define double @ask_strictfp(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @strictfp.f, double %x)
  ret double %r
}

define double @naked.f(double %x) naked {
  call void asm sideeffect "ret", ""()
  unreachable
}
define double @ask_naked(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @naked.f, double %x)
  ret double %r
}

define double @unreachable_only.f(double %x) {
  unreachable
}
define double @ask_unreachable_only(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @unreachable_only.f, double %x)
  ret double %r
}

define double @null_store.f(double %x) {
  store double %x, ptr null
  %l = load double, ptr null
  ret double %l
}
define double @ask_null_store(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @null_store.f, double %x)
  ret double %r
}

define double @poison.f(double %x) {
  %s = fmul double %x, poison
  %u = fadd double %s, undef
  store double %x, ptr poison
  ret double %u
}
define double @ask_poison(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @poison.f, double %x)
  ret double %r
}

define double @vararg_prim.f(double %x, ...) {
  %a = alloca [24 x i8]
  call void @llvm.va_start.p0(ptr %a)
  ret double %x
}
define double @ask_vararg_prim(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @vararg_prim.f, double %x)
  ret double %r
}

define double @ask_split_without_tape(double %x) {
  %r = call double (...) @__enzyme_reverse(ptr @sq, double %x, double 1.0)
  ret double %r
}

define double @ask_metadata_args(double %x) {
  %r = call double (...) @__enzyme_autodiff(metadata !"enzyme_dup", metadata !{i32 3}, ptr @sq, double %x)
  ret double %r
}

define double @ask_md_unknown(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @sq, metadata !"enzyme_whatever", double %x)
  ret double %r
}

define double @inalloca_root.f(ptr inalloca({double, i32}) %a) {
  %v = load double, ptr %a
  %s = fmul double %v, %v
  ret double %s
}
define double @ask_inalloca_root(ptr %p, ptr %q) {
  %r = call double (...) @__enzyme_autodiff(ptr @inalloca_root.f, ptr %p, ptr %q)
  ret double %r
}

define double @mutual_request.f(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @mutual_request.g, double %x)
  ret double %r
}
define double @mutual_request.g(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @mutual_request.f, double %x)
  ret double %r
}

define double @preallocated.g(ptr preallocated(double) %a) noinline {
  %v = load double, ptr %a
  %s = fmul double %v, %v
  ret double %s
}
define double @preallocated.f(double %x) {
  %t = call token @llvm.call.preallocated.setup(i32 1)
  %p = call ptr @llvm.call.preallocated.arg(token %t, i32 0) preallocated(double)
  store double %x, ptr %p
  %r = call double @preallocated.g(ptr preallocated(double) %p) ["preallocated"(token %t)]
  ret double %r
}
define double @ask_preallocated(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @preallocated.f, double %x)
  ret double %r
}

define void @x86_amx.f(ptr %p) {
  %t = call x86_amx @llvm.x86.tileloadd64.internal(i16 8, i16 8, ptr %p, i64 64)
  call void @llvm.x86.tilestored64.internal(i16 8, i16 8, ptr %p, i64 64, x86_amx %t)
  ret void
}
define void @ask_x86_amx(ptr %p, ptr %q) {
  call double (...) @__enzyme_autodiff(ptr @x86_amx.f, ptr %p, ptr %q)
  ret void
}

define {} @empty_types.f(double %x, {} %e, [0 x double] %z) {
  ret {} zeroinitializer
}
define double @ask_empty_types(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @empty_types.f, double %x, {} zeroinitializer, [0 x double] zeroinitializer)
  ret double %r
}

define weak double @interposable.f(double %x) {
  %s = fmul double %x, %x
  ret double %s
}
define linkonce double @interposable.h(double %x) {
  %s = call double @interposable.f(double %x)
  ret double %s
}
define double @interposable.ask2(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @interposable.h, double %x)
  ret double %r
}
define double @ask_interposable(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @interposable.f, double %x)
  ret double %r
}

define double @blockaddress_fn.f(double %x, i64 %i) {
  switch i64 %i, label %a [i64 1, label %b
   i64 2, label %b
   i64 3, label %c]
a:
  ret double %x
b:
  %s = fmul double %x, %x
  ret double %s
c:
  unreachable
}
define double @ask_blockaddress_fn(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr blockaddress(@blockaddress_fn.f, %b), double %x)
  %z = fptosi double %x to i64
  %q = call double (...) @__enzyme_autodiff(ptr @blockaddress_fn.f, double %x, i64 %z)
  ret double %r
}

define double @musttail_request.vf(ptr %p, ...) {
  %r = musttail call double (ptr, ...) @__enzyme_autodiffv(ptr %p, ...)
  ret double %r
}

@address_kept = global ptr @__enzyme_autodiff
define double @ask_address_taken(ptr %q, double %x, i1 %c) {
  store ptr @__enzyme_fwddiff, ptr %q
  ret double %x
}
