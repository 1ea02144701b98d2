// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks put calls between variables and their uses, and variables stay in memory up to us: their
// debug records belong to one function each, and to no shadow.
//
// RUN: %clangxx -std=c++20 -O1 -g -fsanitize=function -I %S/../../support -c %S/../../numeric/std_function.cpp -o %t.o
