// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// volume = area * height, with an area that a library calculates.

double area(double side);

double volume(const double *size) { return area(size[0]) * size[1]; }
