// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An active array that is only read as integers: what is counted there and becomes a number would
// have no derivative. If the integers are an index, or are converted, they are integers.
//
// RUN: %not %clang -O0 -g -fno-strict-aliasing -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -g -fno-strict-aliasing -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O0 -g -DEXPONENT -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=EXPONENT
// RUN: %not %clang -O2 -g -DEXPONENT -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=LANES
// RUN: %not %clang -O0 -g -DBESIDE -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=BESIDE
// RUN: %not %clang -O2 -g -DBESIDE -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=BESIDE
// RUN: %clang -O0 -DINTEGERS -c %s -o %t.o
// RUN: %clang -O2 -DINTEGERS -c %s -o %t.o
typedef long Int;
void __enzyme_autodiff(void *, ...);

union Word {
  double number;
  Int bits;
};
#ifdef EXPONENT
struct Number {
  Int bits;
  double weight;
};
static double sum(const Int *x, union Word *y, int n) {
  struct Number all[8];
  double s = 0;
  for (int i = 0; i < 8; i++) {
    __builtin_memcpy(&all[i].bits, &y[i].number, sizeof(double));
    all[i].weight = y[i].number;
  }
  // Stored as integers; optimised, lanes that are known to be those of a float.
  // EXPONENT: hidden_bits.c:[[@LINE+3]]:{{.*}}[CF203]
  // LANES: hidden_bits.c:[[@LINE+2]]:{{.*}}[CF205]
  for (int i = 0; i < 8; i++)
    all[i].bits += (Int)n << 52; // times 2 to the n
  for (int i = 0; i < 8; i++) {
    double number;
    __builtin_memcpy(&number, &all[i].bits, sizeof(double));
    s += number * all[i].weight;
  }
  return s;
}
#elif defined(BESIDE)
// The first number of an array, whose others are used as such.
static double sum(const Int *x, union Word *y, int n) {
  Int first;
  volatile Int bits;
  double number;
  __builtin_memcpy(&first, &y[0], sizeof first);
  bits = first + 3;
  first = bits - 3;
  // BESIDE: hidden_bits.c:{{.*}}[CF203] {{.*}}pass it as enzyme_const
  __builtin_memcpy(&number, &first, sizeof number);
  return number * number * y[1].number + n;
}
#elif !defined(INTEGERS)
static double sum(const Int *x, union Word *y, int n) {
  double s = 0;
  // CHECK: hidden_bits.c:[[@LINE+2]]:{{.*}}[CF203] {{.*}}pass it as enzyme_const
  for (int i = 0; i < n; i++)
    y[i].bits = x[i] < 0 ? x[i] + 1 : x[i] - 1;
  for (int i = 0; i < n; i++)
    s += y[i].number * y[i].number;
  return s;
}
#else
static double sum(const Int *x, union Word *y, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    if (i % 2)
      y[i].bits = x[i] + 1;
  for (int i = 0; i < n; i++)
    s += i % 2 ? y[x[i]].number * y[i].bits : y[i].number * y[i].number;
  return s;
}
#endif
void gradient(Int *x, Int *xb, union Word *y, union Word *yb, int n) {
  __enzyme_autodiff((void *)sum, x, xb, y, yb, n);
}
