; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; What no C or C++ of ours makes, but other front ends and targets do, is differentiated where the
; meaning is clear: no request is left, and the IR is valid.
;
; RUN: %opt -passes=contraflow %s -S | FileCheck %s
; RUN: %opt -passes='default<O2>' %s -S -o - | FileCheck %s --check-prefix=REST
;
; REST-NOT: @__enzyme_
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_strictfp(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_musttail(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_swifterror(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_swifterror_root(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_swiftself(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_funclet(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_catchswitch(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_addrspace(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_addrspace_other_shadow(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_addrspace_global(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_addrspace_alloca(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_token(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_bundles(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_gc(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_array_of_struct_ret(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_big_vector(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_freeze(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_target_ext(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_fp_types(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_odd_int(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_ppc(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_invoke_request(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_callbr_request(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_self_arg(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_alias(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_gep_fn(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_ptrtoint_fn(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_indirect_self(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_irreducible(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_returns_twice(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_vector_of_ptrs(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_lanes_in_other_orders(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_atomic_space(
; CHECK-NOT: @__enzyme_
; CHECK: define {{.*}}@ask_called_otherwise(
; CHECK-NOT: @__enzyme_
; CHECK: define internal {{.*}}@cf.adjoint.lanes_in_other_orders.f(
; CHECK-NOT: @llvm.matrix
; CHECK-NOT: memset.pattern
; CHECK: {{^}}}
; CHECK: define internal {{.*}}@cf.adjoint.half_as_integer.f(
; CHECK: fptrunc double %x to half
; CHECK: fmul
; CHECK: {{^}}}
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
declare <4 x double> @llvm.masked.gather.v4f64.v4p0(<4 x ptr>, i32, <4 x i1>, <4 x double>)
declare [3 x {double, [2 x float]}] @__enzyme_fwddiffs(...)
declare double @g(double) memory(none)
declare double @llvm.experimental.constrained.fmul.f64(double, double, metadata, metadata)
declare i32 @__CxxFrameHandler3(...)
declare i32 @__gxx_personality_v0(...)
declare ppc_fp128 @__enzyme_autodiffp(...)
declare token @llvm.experimental.convergence.anchor() convergent
declare void @llvm.assume(i1)
declare void @may()

define double @strictfp.f(double %x) strictfp {
  %s = call double @llvm.experimental.constrained.fmul.f64(double %x, double %x, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  ret double %s
}
define double @ask_strictfp(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @strictfp.f, double %x)
  ret double %r
}


define double @musttail.f(double %x) {
  %s = fmul double %x, %x
  %r = musttail call double @musttail.g(double %s)
  ret double %r
}
define double @musttail.g(double %x) noinline {
  %r = musttail call double @musttail.f2(double %x)
  ret double %r
}
define double @musttail.f2(double %x) noinline {
  %c = fcmp ogt double %x, 10.0
  br i1 %c, label %a, label %b
a:
  %h = fmul double %x, 0.5
  %r = musttail call double @musttail.g(double %h)
  ret double %r
b:
  %s = fmul double %x, %x
  ret double %s
}
define double @ask_musttail(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @musttail.f, double %x)
  ret double %r
}


define double @swifterror.g(double %x, ptr swifterror %e) noinline {
  store ptr null, ptr %e
  %s = fmul double %x, %x
  ret double %s
}
define double @swifterror.f(double %x) {
  %e = alloca swifterror ptr
  store ptr null, ptr %e
  %r = call double @swifterror.g(double %x, ptr swifterror %e)
  %v = load ptr, ptr %e
  %c = icmp eq ptr %v, null
  %q = select i1 %c, double %r, double %x
  ret double %q
}
define double @ask_swifterror(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @swifterror.f, double %x)
  ret double %r
}


define double @swifterror_root.f(double %x, ptr swifterror %e) {
  store ptr null, ptr %e
  %s = fmul double %x, %x
  ret double %s
}
define double @ask_swifterror_root(double %x, ptr %p, ptr %q) {
  %r = call double (...) @__enzyme_autodiff(ptr @swifterror_root.f, double %x, ptr %p, ptr %q)
  ret double %r
}

define swiftcc double @swiftself.g(double %x, ptr swiftself %e) noinline {
  %v = load double, ptr %e
  %s = fmul double %x, %v
  ret double %s
}
define double @swiftself.f(double %x) {
  %e = alloca double
  store double %x, ptr %e
  %r = call swiftcc double @swiftself.g(double %x, ptr swiftself %e)
  ret double %r
}
define double @ask_swiftself(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @swiftself.f, double %x)
  ret double %r
}


define double @funclet.f(double %x) personality ptr @__CxxFrameHandler3 {
  invoke void @may() to label %n unwind label %p
p:
  %c = cleanuppad within none []
  cleanupret from %c unwind to caller
n:
  %s = fmul double %x, %x
  ret double %s
}
define double @ask_funclet(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @funclet.f, double %x)
  ret double %r
}


define void @catchswitch.may(ptr %q) noinline nounwind {
  store i32 3, ptr %q
  ret void 
}
define double @catchswitch.f(double %x) personality ptr @__CxxFrameHandler3 {
  %q = alloca i32
  invoke void @catchswitch.may(ptr %q) to label %n unwind label %p
p:
  %c = catchswitch within none [label %h] unwind to caller
h:
  %k = catchpad within %c [ptr null, i32 64, ptr null]
  catchret from %k to label %m
n:
  %s = fmul double %x, %x
  ret double %s
m:
  ret double %x
}
define double @ask_catchswitch(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @catchswitch.f, double %x)
  ret double %r
}


define double @addrspace.f(ptr addrspace(1) %p, double %x) {
  %v = load double, ptr addrspace(1) %p
  %c = addrspacecast ptr addrspace(1) %p to ptr
  store double %x, ptr %c
  %w = load double, ptr addrspace(1) %p
  %s = fmul double %v, %w
  ret double %s
}
define double @ask_addrspace(ptr addrspace(1) %p, ptr addrspace(1) %q, double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @addrspace.f, ptr addrspace(1) %p, ptr addrspace(1) %q, double %x)
  ret double %r
}

define double @addrspace_other_shadow.f(ptr addrspace(1) %p, double %x) {
  %v = load double, ptr addrspace(1) %p
  ret double %v
}
define double @ask_addrspace_other_shadow(ptr addrspace(1) %p, ptr %q, double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @addrspace_other_shadow.f, ptr addrspace(1) %p, ptr %q, double %x)
  ret double %r
}

@addrspace_global.g = internal addrspace(3) global [4 x double] zeroinitializer
define double @addrspace_global.f(double %x) {
  store double %x, ptr addrspace(3) @addrspace_global.g
  %v = load double, ptr addrspace(3) @addrspace_global.g
  %s = fmul double %v, %x
  ret double %s
}
define double @ask_addrspace_global(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @addrspace_global.f, double %x)
  ret double %r
}


define double @addrspace_alloca.f(double %x) {
  %a = alloca [3 x double], addrspace(5)
  br label %l
l:
  %i = phi i64 [0, %0], [%n, %l]
  %p = getelementptr double, ptr addrspace(5) %a, i64 %i
  store double %x, ptr addrspace(5) %p
  %n = add i64 %i, 1
  %c = icmp eq i64 %n, 3
  br i1 %c, label %e, label %l
e:
  %v = load double, ptr addrspace(5) %a
  %s = fmul double %v, %x
  ret double %s
}
define double @ask_addrspace_alloca(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @addrspace_alloca.f, double %x)
  ret double %r
}


define double @token.f(double %x) convergent {
  %t = call token @llvm.experimental.convergence.anchor()
  %s = fmul double %x, %x
  ret double %s
}
define double @ask_token(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @token.f, double %x)
  ret double %r
}


define double @bundles.f(double %x) {
  call void @llvm.assume(i1 true) ["nonnull"(ptr @sq)]
  %s = call double @sq(double %x) ["deopt"(i32 1)]
  ret double %s
}
define double @ask_bundles(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @bundles.f, double %x)
  ret double %r
}


define double @gc.f(double %x) gc "statepoint-example" {
  %s = fmul double %x, %x
  ret double %s
}
define double @ask_gc(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @gc.f, double %x)
  ret double %r
}


define [3 x {double, [2 x float]}] @array_of_struct_ret.f(double %x) {
  %t = fptrunc double %x to float
  %a = insertvalue [3 x {double, [2 x float]}] poison, double %x, 1, 0
  %b = insertvalue [3 x {double, [2 x float]}] %a, float %t, 2, 1, 1
  ret [3 x {double, [2 x float]}] %b
}
define [3 x {double, [2 x float]}] @ask_array_of_struct_ret(double %x) {
  %r = call [3 x {double, [2 x float]}] (...) @__enzyme_fwddiffs(ptr @array_of_struct_ret.f, double %x, double %x)
  ret [3 x {double, [2 x float]}] %r
}

define double @big_vector.f(ptr %p) {
  %v = load <1000 x double>, ptr %p
  %s = fmul <1000 x double> %v, %v
  store <1000 x double> %s, ptr %p
  %e = extractelement <1000 x double> %s, i64 7
  ret double %e
}
define void @ask_big_vector(ptr %p, ptr %q) {
  call double (...) @__enzyme_autodiff(ptr @big_vector.f, ptr %p, ptr %q)
  ret void
}

define double @freeze.f(double %x) {
  %y = freeze double %x
  %z = freeze double undef
  %s = fmul double %y, %z
  ret double %s
}
define double @ask_freeze(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @freeze.f, double %x)
  ret double %r
}


define double @target_ext.f(double %x) {
  %a = alloca target("spirv.Event")
  %s = fmul double %x, %x
  ret double %s
}
define double @ask_target_ext(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @target_ext.f, double %x)
  ret double %r
}


define double @fp_types.f(double %x) {
  %h = fptrunc double %x to bfloat
  %q = fpext bfloat %h to fp128
  %m = fmul fp128 %q, %q
  %r = fptrunc fp128 %m to x86_fp80
  %s = fptrunc x86_fp80 %r to double
  ret double %s
}
define double @ask_fp_types(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @fp_types.f, double %x)
  ret double %r
}


define double @odd_int.f(double %x) {
  %i = fptosi double %x to i17
  %j = add i17 %i, 3
  %k = sitofp i17 %j to double
  %b = bitcast double %x to i64
  %t = trunc i64 %b to i33
  %z = zext i33 %t to i64
  %m = and i64 %b, -8589934592
  %o = or i64 %z, %m
  %d = bitcast i64 %o to double
  %s = fmul double %k, %d
  ret double %s
}
define double @ask_odd_int(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @odd_int.f, double %x)
  ret double %r
}


define ppc_fp128 @ppc.f(ppc_fp128 %x) {
  %s = fmul ppc_fp128 %x, %x
  ret ppc_fp128 %s
}
define ppc_fp128 @ask_ppc(ppc_fp128 %x) {
  %r = call ppc_fp128 (...) @__enzyme_autodiffp(ptr @ppc.f, ppc_fp128 %x)
  ret ppc_fp128 %r
}

define double @invoke_request.f(double %x) {
  %s = fmul double %x, %x
  ret double %s
}
define double @ask_invoke_request(double %x) personality ptr @__gxx_personality_v0 {
  %r = invoke double (...) @__enzyme_autodiff(ptr @invoke_request.f, double %x) to label %n unwind label %u
n:
  ret double %r
u:
  %l = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %l
}

define double @ask_callbr_request(double %x) {
  %r = tail call fast double (...) @__enzyme_autodiff(ptr @sq, double %x) noreturn
  unreachable
}

define double @ask_self_arg(double %x) {
  br label %l
l:
  %p = phi double [%x, %0], [%r, %l]
  %r = call double (...) @__enzyme_autodiff(ptr @sq, double %p)
  %c = fcmp olt double %r, 1.0
  br i1 %c, label %l, label %e
e:
  ret double %r
}

@alias.f = internal alias double (double), ptr @sq
@alias.f3 = weak alias double (double), ptr @alias.f
define double @ask_alias(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @alias.f3, double %x)
  ret double %r
}

define double @ask_gep_fn(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr getelementptr (i8, ptr @sq, i64 4), double %x)
  ret double %r
}

define double @ask_ptrtoint_fn(double %x) {
  %r = call double (...) @__enzyme_autodiff(i64 ptrtoint (ptr @sq to i64), double %x)
  ret double %r
}

define double @indirect_self.f(double %x, ptr %g) {
  %s = call double %g(double %x, ptr %g)
  ret double %s
}
define double @ask_indirect_self(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @indirect_self.f, double %x, ptr @indirect_self.f, ptr @indirect_self.f)
  ret double %r
}

define double @irreducible.f(double %x, i32 %i) {
  switch i32 %i, label %a [i32 1, label %b
    i32 2, label %c]
a:
  %pa = phi double [%x, %0], [%pb, %b], [%pc, %c]
  %ca = fcmp olt double %pa, 1.0
  br i1 %ca, label %b, label %c
b:
  %pb = phi double [%x, %0], [%pa, %a], [%pc2, %c2]
  %cb = fcmp olt double %pb, 2.0
  br i1 %cb, label %a, label %c2
c:
  %pc = phi double [%x, %0], [%pa, %a]
  %cc = fcmp olt double %pc, 3.0
  br i1 %cc, label %a, label %e
c2:
  %pc2 = fmul double %pb, %x
  %cd = fcmp olt double %pc2, 9.0
  br i1 %cd, label %b, label %e
e:
  %r = phi double [%pc, %c], [%pc2, %c2]
  ret double %r
}
define double @ask_irreducible(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @irreducible.f, double %x, i32 3)
  ret double %r
}

define double @returns_twice.f(double %x) returns_twice {
  %s = fmul double %x, %x
  ret double %s
}
define double @ask_returns_twice(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @returns_twice.f, double %x)
  ret double %r
}


define double @vector_of_ptrs.f(ptr %p) {
  %v = getelementptr double, ptr %p, <4 x i64> <i64 0, i64 1, i64 2, i64 3>
  %g = call <4 x double> @llvm.masked.gather.v4f64.v4p0(<4 x ptr> %v, i32 8, <4 x i1> splat (i1 true), <4 x double> poison)
  %e = extractelement <4 x double> %g, i32 2
  ret double %e
}
define void @ask_vector_of_ptrs(ptr %p, ptr %q) {
  call double (...) @__enzyme_autodiff(ptr @vector_of_ptrs.f, ptr %p, ptr %q)
  ret void
}

declare void @llvm.experimental.memset.pattern.p0.f64.i64(ptr, double, i64, i1)
define double @lanes_in_other_orders.f(ptr %p) {
  %b = alloca [4 x double]
  %v = call <4 x double> @llvm.matrix.column.major.load.v4f64.i64(ptr %p, i64 3, i1 0, i32 2, i32 2)
  %w = call <4 x double> @llvm.matrix.multiply.v4f64.v4f64.v4f64(<4 x double> %v, <4 x double> %v, i32 2, i32 2, i32 2)
  %d = call {<2 x double>, <2 x double>} @llvm.vector.deinterleave2.v4f64(<4 x double> %w)
  %even = extractvalue {<2 x double>, <2 x double>} %d, 0
  %odd = extractvalue {<2 x double>, <2 x double>} %d, 1
  %i = call <4 x double> @llvm.vector.interleave2.v4f64(<2 x double> %odd, <2 x double> %even)
  %r = call <4 x double> @llvm.vector.reverse.v4f64(<4 x double> %i)
  %e = call <2 x double> @llvm.vector.extract.v2f64.v4f64(<4 x double> %r, i64 2)
  %j = call <4 x double> @llvm.vector.insert.v4f64.v2f64(<4 x double> %v, <2 x double> %e, i64 2)
  %s = call <4 x double> @llvm.vector.splice.left.v4f64(<4 x double> %j, <4 x double> %r, i32 3)
  %x = call double @llvm.vector.reduce.fmaximum.v4f64(<4 x double> %s)
  call void @llvm.experimental.memset.pattern.p0.f64.i64(ptr %b, double %x, i64 4, i1 0)
  %y = load double, ptr %b
  ret double %y
}
define void @ask_lanes_in_other_orders(ptr %p, ptr %q) {
  call double (...) @__enzyme_autodiff(ptr @lanes_in_other_orders.f, ptr %p, ptr %q)
  ret void
}

; a half that travels as an integer
declare i16 @llvm.convert.to.fp16.f64(double)
declare double @llvm.convert.from.fp16.f64(i16)
define double @half_as_integer.f(double %x) {
  %h = call i16 @llvm.convert.to.fp16.f64(double %x)
  %r = call double @llvm.convert.from.fp16.f64(i16 %h)
  %s = fmul double %r, %r
  ret double %s
}
define double @ask_half_as_integer(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @half_as_integer.f, double %x)
  ret double %r
}

; a library function that the frame is given away to
declare ptr @strncpy(ptr, ptr, i64)
define ptr @tail_copy.inner(ptr %to, ptr %from, i64 %n) noinline {
  %r = musttail call ptr @strncpy(ptr %to, ptr %from, i64 %n)
  ret ptr %r
}
define double @tail_copy.f(double %x, ptr %from) {
  %to = alloca [16 x i8]
  %q = call ptr @tail_copy.inner(ptr %to, ptr %from, i64 8)
  %s = fmul double %x, %x
  ret double %s
}
define double @ask_tail_copy(double %x, ptr %from) {
  %r = call double (...) @__enzyme_autodiff(ptr @tail_copy.f, double %x, metadata !"enzyme_const", ptr %from)
  ret double %r
}

; a word of a variable in another address space
@tail_copy.l4 = external addrspace(4) global i8
define ptr @other_space.f() {
  %v = alloca { ptr addrspace(4) }, addrspace(2)
  store ptr addrspace(4) @tail_copy.l4, ptr addrspace(2) %v
  %r = load ptr, ptr addrspace(2) %v
  ret ptr %r
}
define ptr @ask_other_space() {
  %r = call ptr (...) @__enzyme_fwddiff(ptr @other_space.f)
  ret ptr %r
}

; an atomic exchange in another address space
define double @atomic_space.f(double %x, ptr addrspace(1) %p) {
  %old = atomicrmw xchg ptr addrspace(1) %p, double %x seq_cst
  %r = fmul double %old, %x
  ret double %r
}
define double @ask_atomic_space(double %x, ptr addrspace(1) %p, ptr addrspace(1) %d) {
  %r = call double (...) @__enzyme_autodiff(ptr @atomic_space.f, double %x, metadata !"enzyme_dup", ptr addrspace(1) %p, ptr addrspace(1) %d)
  ret double %r
}

; two calls one after the other of what takes no such arguments
declare i32 @called_otherwise.g()
define double @called_otherwise.f(double %x, i1 %b) {
  br i1 %b, label %never, label %go
never:
  %i = call i32 @called_otherwise.g(ptr null, double %x)
  %j = call i32 @called_otherwise.g(ptr null, double %x)
  br label %go
go:
  %r = fmul double %x, %x
  ret double %r
}
define double @ask_called_otherwise(double %x, i1 %b) {
  %r = call double (...) @__enzyme_autodiff(ptr @called_otherwise.f, double %x, i1 %b)
  ret double %r
}
