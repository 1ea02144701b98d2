// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The derivative of a function that is in another file, and calls one of a static library.

#include <cmath>

template <class R, class... A> R __enzyme_autodiff(void *, A...);

double volume(const double *size);

int main() {
  const double size[2] = {3, 5};
  double slope[2] = {0, 0};
  __enzyme_autodiff<void>(reinterpret_cast<void *>(volume), size, slope);
  return std::abs(slope[0] - 30) < 1e-12 && std::abs(slope[1] - 9) < 1e-12 ? 0 : 1;
}
