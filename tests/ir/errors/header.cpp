// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mistake made through the C++ header is shown at the user's line, not inside the header; what
// C++ itself can see is refused with one sentence.
//
// RUN: %not %clangxx -std=c++20 -O0 -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=BODY
// RUN: %not %clangxx -std=c++20 -O2 -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=BODY
// RUN: %not %clangxx -std=c++20 -DMISUSE -Wno-unused-value -fsyntax-only %s 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MISUSE

#include <contraflow/contraflow.hpp>

using namespace contraflow;

double energy(const double *x, std::size_t n, double k);
double product(double a, double b);

#ifndef MISUSE
double noBody(std::vector<double> &x, std::vector<double> &x_bar) {
  // BODY: header.cpp:[[@LINE+1]]:10: error: [CF102] {{.*}}'energy(
  return adjoint(energy, dup(x, x_bar), constant(x.size()), active(2.0));
}
#else
using Field = std::vector<double>;
class Opaque {
public:
  explicit Opaque(double v) : hidden(v) {}

private:
  double hidden;
};
void misuse(Field &x, Field &g, const Field &c, double k) {
  // MISUSE: error: {{.*}}contraflow: wrap each argument in dup(x, dx), active(v) or constant(c)
  adjoint(energy, x, g);
  // MISUSE: error: {{.*}}what is differentiated is a function, or an object that can be called
  adjoint(k, active(1.0));
  // MISUSE: error: {{.*}}contraflow: a shadow has the type of its primal
  adjoint(energy, dup(x, c), constant(3), constant(k));
  // MISUSE: error: {{.*}}contraflow: an integer has no shadow; pass it as constant(n)
  adjoint(energy, dup(x, g), dup(3, 3), constant(k));
  // MISUSE: error: {{.*}}contraflow: one argument for each parameter of the function
  adjoint(energy, dup(x, g), constant(3));
  // MISUSE: error: {{.*}}the adjoint of a number {{.*}} is returned; use active(v)
  adjoint(product, dup(1.0, 2.0), constant(k));
  // MISUSE: error: {{.*}}in a tangent {{.*}} passed as dup(v, v_dot)
  tangent(product, active(1.0), constant(1.0));
  // MISUSE: error: {{.*}}gradient() needs an array, vector or span
  gradient(energy, x.data(), 3, 4.0);
  // MISUSE: error: {{.*}}the argument cannot be passed to the function's parameter
  gradient(energy, std::vector<float>(3), 3, 4.0);
  // MISUSE: error: {{.*}}the direction of hvp() is an object like x
  hvp(energy, x, std::vector<float>(3), 3, 4.0);
  // MISUSE: error: {{.*}}the function returns a class; jacobian() takes it
  adjoint([](const Field &f) { return f; }, dup(x, g));
  // MISUSE: error: {{.*}}jacobian() is for a function that returns its outputs
  jacobian([](const double *, double *) {}, x, g);
  // MISUSE: error: {{.*}}no shadow is known for this type: write
  make_shadow(Opaque(1.0));
}
#endif
