; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; opt has no diagnostic handler and would end at the first error; all are reported all the same, each
; once, with a count, and opt fails.
;
; RUN: %not %opt -passes='default<O2>' %s -S -o /dev/null 2>&1 | FileCheck %s

; CHECK: error: in 'first': [CF102] the function to differentiate, 'elsewhere', has no body
; CHECK: error: place.c:7:3: [CF103] {{.*}}the shadow of parameter 1 of 'square' is missing
; CHECK-NOT: [CF
; CHECK: error: differentiation failed: 2 errors

@enzyme_dup = external global i32

declare void @__enzyme_autodiff(ptr, ...)
declare double @elsewhere(double)

define double @square(ptr %x) {
  %v = load double, ptr %x
  %s = fmul double %v, %v
  ret double %s
}

define void @first(double %x) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @elsewhere, double %x)
  call void (ptr, ...) @__enzyme_autodiff(ptr @elsewhere, double %x)
  ret void
}

define void @second(ptr %x) !dbg !4 {
  %dup = load i32, ptr @enzyme_dup, !dbg !6
  call void (ptr, ...) @__enzyme_autodiff(ptr @square, i32 %dup, ptr %x), !dbg !6
  ret void, !dbg !6
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "place.c", directory: "")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 7, !"Dwarf Version", i32 5}
!4 = distinct !DISubprogram(name: "second", file: !1, line: 6, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !{})
!6 = !DILocation(line: 7, column: 3, scope: !4)
