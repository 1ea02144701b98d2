; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A request that is refused ends with its error, not in the code generator: its markers are metadata.
;
; RUN: %not %clang -O0 -c -x ir -Wno-override-module %s -o /dev/null 2>&1 | FileCheck %s
; RUN: %not %clang -O2 -c -x ir -Wno-override-module %s -o /dev/null 2>&1 | FileCheck %s

; CHECK: in 'f': [CF201]
; CHECK-NOT: Stack dump
target triple = "x86_64-pc-linux-gnu"
declare double @__enzyme_autodiff(...)
declare double @unknown(double)
define double @f(double %x) {
  %r = call double @unknown(double %x)
  ret double %r
}
define double @g(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @f, metadata !"enzyme_out", double %x)
  ret double %r
}
