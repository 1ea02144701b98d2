// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs on the pages of docs/diagnostics do what the pages say: the first one fails (or
// warns) with the page's number at the line that is marked, the others compile.
//
// RUN: python3 %S/Inputs/pages.py %S/../../../docs/diagnostics %mpi_include \
// RUN:   -- %clangxx -std=c++20 | FileCheck %s
// CHECK: CF101: as it says
// CHECK: CF102: as it says
// CHECK: CF103: as it says
// CHECK: CF104: as it says
// CHECK: CF105: as it says
// CHECK: CF106: as it says
// CHECK: CF107: as it says
// CHECK: CF108: as it says
// CHECK: CF109: as it says
// CHECK: CF110: as it says
// CHECK: CF111: as it says
// CHECK: CF201: as it says
// CHECK: CF202: as it says
// CHECK: CF203: as it says
// CHECK: CF204: as it says
// CHECK: CF205: as it says
// CHECK: CF206: as it says
// CHECK: CF207: as it says
// CHECK: CF208: as it says
// CHECK: CF209: as it says
// CHECK: CF210: as it says
// CHECK: CF211: as it says
// CHECK: programs, 0 wrong
