// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function may differentiate what it is given:
//
//   static double slope(double (*f)(double), double x) { return __enzyme_autodiff(f, x); }
//   ... slope(square, 2.0)
//
// The derivative has to be generated for each f. Every caller that names its function gets a copy
// of slope in which the parameter is that function; so does a derivative call of slope itself.

#pragma once

namespace llvm {
class Module;
}

namespace contraflow {

/// Does so for the functions of this module that nobody outside can call. What cannot be resolved
/// stays as it is and is reported where the request is read. Bounded: at most 256 copies.
void specialiseRequests(llvm::Module &M);

} // namespace contraflow
