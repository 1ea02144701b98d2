// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs over `own`, `table` and `record`, threadprivate variables of the file that includes
// this.
#ifndef CONTRAFLOW_TEST_OWNVARIABLES_H
#define CONTRAFLOW_TEST_OWNVARIABLES_H

static double copied(const double *x, double *y, int n) {
  double s = 0;
  own = x[0] * x[1];
  for (int k = 0; k < 4; k++)
    table[k] = x[k] * x[k];
  record.sum = x[2];
  record.count = 2;
#pragma omp parallel copyin(own, table, record) reduction(+ : s)
  {
    record.sum *= own;
#pragma omp for
    for (int i = 0; i < n; i++) {
      y[i] = x[i] * own * table[i % 4] * record.count;
      s += record.sum * y[i];
    }
  }
  return s;
}

static double accumulated(const double *x, int n) {
  double s = 0;
#pragma omp parallel
  {
    own = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++)
      own += x[i] * x[i];
#pragma omp atomic
    s += own;
  }
  return s * s;
}

#endif
