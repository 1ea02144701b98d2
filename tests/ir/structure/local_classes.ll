; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Two files have a class (anonymous namespace)::Shape. Linked together, what describes the second one
; has another name, and its functions are candidates of the calls of its file.
;
; RUN: %opt -passes=contraflow %s -S | FileCheck %s
; CHECK-LABEL: define internal {{.*}}@cf.adjoint.area(
; CHECK: icmp eq ptr %{{.*}}, @circle_area
; CHECK: icmp eq ptr %{{.*}}, @square_area
@class = external constant ptr
@name = internal constant [3 x i8] c"5X\00"
@_ZTIN12_GLOBAL__N_15ShapeE = internal constant { ptr, ptr } { ptr @class, ptr @name }
@_ZTIN12_GLOBAL__N_15ShapeE.9 = internal constant { ptr, ptr } { ptr @class, ptr @name }
@_ZTIN12_GLOBAL__N_16CircleE.11 = internal constant { ptr, ptr, ptr } { ptr @class, ptr @name, ptr @_ZTIN12_GLOBAL__N_15ShapeE.9 }
@_ZTIN12_GLOBAL__N_16SquareE.4 = internal constant { ptr, ptr, ptr } { ptr @class, ptr @name, ptr @_ZTIN12_GLOBAL__N_15ShapeE.9 }
@_ZTVN12_GLOBAL__N_16CircleE.1 = internal constant { [3 x ptr] } { [3 x ptr] [ptr null, ptr @_ZTIN12_GLOBAL__N_16CircleE.11, ptr @circle_area] }
@_ZTVN12_GLOBAL__N_16SquareE.2 = internal constant { [3 x ptr] } { [3 x ptr] [ptr null, ptr @_ZTIN12_GLOBAL__N_16SquareE.4, ptr @square_area] }

declare double @__enzyme_autodiff(...)

define internal double @circle_area(ptr %object, double %x) {
  %y = fmul double %x, %x
  ret double %y
}
define internal double @square_area(ptr %object, double %x) {
  %y = fmul double %x, 4.0
  ret double %y
}

define internal double @area(double %x, i1 %round) {
  %object = alloca ptr
  %table = select i1 %round, ptr getelementptr inbounds (i8, ptr @_ZTVN12_GLOBAL__N_16CircleE.1, i64 16), ptr getelementptr inbounds (i8, ptr @_ZTVN12_GLOBAL__N_16SquareE.2, i64 16)
  store volatile ptr %table, ptr %object
  %loaded = load volatile ptr, ptr %object
  %function = load ptr, ptr %loaded
  %y = call double %function(ptr %object, double %x), !cf.virtual !0
  ret double %y
}

define double @ask(double %x, i1 %round) {
  %g = call double (...) @__enzyme_autodiff(ptr @area, double %x, i1 %round)
  ret double %g
}
!0 = !{!"(anonymous namespace)::Shape"}
