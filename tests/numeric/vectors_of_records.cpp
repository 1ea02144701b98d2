// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of a few records that begin with a vector: one is chosen by a number, others are named by
// constants. What lies at their beginning, three addresses, is no array of addresses.
#include "GradientCheck.h"
#include <vector>

namespace {
struct Job {
  std::vector<double> in;
  double out = 0;
};
} // namespace

static void work(Job &j, double s) {
  double l = 0;
  for (double v : j.in)
    l += v * s;
  j.out += l * l;
}

static double named(const double *x, double s, int n) {
  std::vector<Job> jobs(2);
  for (int i = 0; i < n; i++)
    jobs[i % 2].in.push_back(x[i]);
  work(jobs[0], s);
  work(jobs[1], s);
  return jobs[0].out - 3 * jobs[1].out;
}
GRADIENT_CHECK(vectors_of_records, Double, named, In(double, 8), Scalar(double), Int(8))

static double chosen(const double *x, double s, int n) {
  std::vector<Job> jobs(3);
  jobs[0].in = {x[0], s};
  jobs[1].in = {x[1], s, x[2]};
  jobs[2].in.assign(4, x[3]);
  for (int i = 0; i < n; i++)
    work(jobs[i * i % 3], x[i]);
  return jobs[2].out * jobs[0].out + jobs[1].out;
}
GRADIENT_CHECK(vectors_of_records_chosen, Double, chosen, In(double, 6), Scalar(double), Int(6))
