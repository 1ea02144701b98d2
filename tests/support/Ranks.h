// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processes that run a check together. Every rank takes the same decisions because every number
// that a decision rests on has gone through here.
#ifndef CONTRAFLOW_TEST_RANKS_H
#define CONTRAFLOW_TEST_RANKS_H

#include <vector>

namespace contraflow::test {

class Ranks {
public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual double sum(double Value) const = 0;
  virtual double max(double Value) const = 0;
  /// The values of all ranks one after the other, on every rank.
  virtual std::vector<double> gather(const std::vector<double> &Values) const = 0;
};

class OneRank final : public Ranks {
public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  double sum(double Value) const override { return Value; }
  double max(double Value) const override { return Value; }
  std::vector<double> gather(const std::vector<double> &Values) const override { return Values; }
};

} // namespace contraflow::test

#endif
