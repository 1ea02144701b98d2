// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A static library of one function.

double area(double side) { return side * side; }
