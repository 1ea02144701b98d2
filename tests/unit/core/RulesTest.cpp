// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One test for each row of the derivative table: for float, double, long double and vectors, and
// for each form of the operation, at points of the row's domain (its corners and random ones) the
// partial derivatives that the compiler emits are compared with differences of the operation
// itself. The differences are taken in long double and extrapolated to eighth order, so that they
// are better than what is tested; a point is left out if a wider difference says that the operation
// has a kink there.

#include "RuleJit.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>
#include <random>

namespace contraflow::test {
namespace {

using Point = std::vector<long double>;

std::vector<const RuleRow *> allRows() {
  std::vector<const RuleRow *> Rows;
  for (const RuleRow &Row : ruleRows())
    Rows.push_back(&Row);
  return Rows;
}

std::string nameOfRow(const testing::TestParamInfo<const RuleRow *> &Info) {
  return Info.param->key().name();
}

/// What the derivative may be off by, relative to its size plus one. Differences of an operation
/// that has no long double version are less exact than the rest.
long double toleranceOf(Precision Tested, Precision Reference) {
  if (Tested == Precision::Float)
    return 64 * std::numeric_limits<float>::epsilon();
  return Reference == Precision::LongDouble ? 1e-12L : 1e-10L;
}

/// Draws points from a row's domain; multiples of 2^-12, which with all steps taken from them every
/// precision represents.
class Sampler {
public:
  Sampler(const RuleRow &Row, const CompiledRow &Op, unsigned Seed)
      : Row(Row), Op(Op), Engine(Seed) {}

  Point random() {
    Point X;
    for (unsigned I = 0; I < Row.operands(); ++I) {
      const auto Domain = Row.domain(I);
      const Interval In = Domain[Engine() % Domain.size()];
      X.push_back(place(I, std::uniform_real_distribution<double>(In.Low, In.High)(Engine)));
    }
    return X;
  }

  /// Every combination of interval ends.
  std::vector<Point> corners() const {
    std::vector<Point> Points = {{}};
    for (unsigned I = 0; I < Row.operands(); ++I) {
      std::vector<Point> Longer;
      for (const Point &X : Points)
        for (const Interval In : Row.domain(I))
          for (double End : {In.Low, In.High}) {
            Longer.push_back(X);
            Longer.back().push_back(place(I, End));
          }
      Points = std::move(Longer);
    }
    return Points;
  }

private:
  long double place(unsigned I, double At) const {
    return Op.isInteger(I) ? std::floor(At) : std::round(At * 0x1p12) * 0x1p-12;
  }

  const RuleRow &Row;
  const CompiledRow &Op;
  std::mt19937 Engine;
};

long double difference(const CompiledRow &Op, const Point &X, unsigned I, long double Step) {
  Point Left = X, Right = X;
  Left[I] -= Step;
  Right[I] += Step;
  return (Op.primal(Right) - Op.primal(Left)) / (2 * Step);
}

/// True if the slopes to the left and to the right differ, or a wide difference and a narrow one.
bool hasKink(const CompiledRow &Op, const Point &X, unsigned I, long double Step) {
  Point Left = X, Right = X;
  Left[I] -= Step;
  Right[I] += Step;
  const long double Bend = (Op.primal(Left) + Op.primal(Right) - 2 * Op.primal(X)) / Step;
  const long double Narrow = difference(Op, X, I, Step), Wide = difference(Op, X, I, 4 * Step);
  const long double Allowed = 0.05L * (1 + std::fabs(Narrow));
  return !(std::fabs(Bend) <= Allowed && std::fabs(Wide - Narrow) <= Allowed);
}

/// Central differences with halved steps, extrapolated. Empty at a kink.
std::optional<long double> slope(const CompiledRow &Op, const Point &X, unsigned I) {
  constexpr int Levels = 4;
  const long double First = 0x1p-10L;
  if (hasKink(Op, X, I, First))
    return std::nullopt;
  long double Column[Levels];
  for (int L = 0; L < Levels; ++L)
    Column[L] = difference(Op, X, I, std::ldexp(First, -L));
  for (int Order = 1; Order < Levels; ++Order)
    for (int L = 0; L < Levels - Order; ++L)
      Column[L] = Column[L + 1] + (Column[L + 1] - Column[L]) / (std::ldexp(1.0L, 2 * Order) - 1);
  return Column[0];
}

class RuleTest : public testing::TestWithParam<const RuleRow *> {
protected:
  static constexpr int RandomPoints = 40;

  void SetUp() override {
    const RuleRow &Row = *GetParam();
    Best = formsOf(Row, Precision::LongDouble).empty() ? Precision::Double : Precision::LongDouble;
    Reference = std::make_unique<CompiledRow>(Row, formsOf(Row, Best).front(), Best);
    ASSERT_EQ(Reference->problem(), "");
    Seed = std::random_device()();
  }

  void checkForm(Form F, Precision P) {
    const RuleRow &Row = *GetParam();
    const CompiledRow Op(Row, F, P);
    ASSERT_EQ(Op.problem(), "");
    Sampler Draw(Row, Op, Seed);
    for (const Point &X : Draw.corners())
      checkPoint(Op, X, toleranceOf(P, Best));
    for (int K = 0; K < RandomPoints; ++K)
      checkPoint(Op, Draw.random(), toleranceOf(P, Best));
  }

  void checkPoint(const CompiledRow &Op, const Point &X, long double Tolerance) {
    for (unsigned I = 0; I < X.size(); ++I) {
      const long double Seed = 1.75L;
      const long double Emitted = Op.partial(I, Seed, X);
      if (Op.isInteger(I)) {
        EXPECT_TRUE(Op.isZero(I)) << "integer operand " << I;
        continue;
      }
      ++Asked;
      const std::optional<long double> Slope = slope(*Reference, X, I);
      if (!Slope)
        continue;
      ++Checked;
      const long double Expected = (Op.resultIsInteger() ? 1 : Seed) * *Slope;
      EXPECT_NEAR(Emitted, Expected, Tolerance * (1 + std::fabs(Expected)))
          << "operand " << I << " at " << testing::PrintToString(X);
    }
  }

  Precision Best = Precision::LongDouble;
  std::unique_ptr<CompiledRow> Reference;
  unsigned Seed = 0;
  int Asked = 0, Checked = 0;
};

TEST_P(RuleTest, AgreesWithDifferences) {
  for (Precision P :
       {Precision::Float, Precision::Double, Precision::LongDouble, Precision::Vector})
    for (Form F : formsOf(*GetParam(), P)) {
      SCOPED_TRACE(nameOf(P) + ", " + nameOf(F) + ", random seed " + std::to_string(Seed));
      checkForm(F, P);
    }
  EXPECT_GE(Checked, 0.6 * Asked) << "too many points at kinks";
}

INSTANTIATE_TEST_SUITE_P(Table, RuleTest, testing::ValuesIn(allRows()), nameOfRow);

/// A line of Math.def without a row, or two rows for one operation, would go unnoticed otherwise.
TEST(RuleTable, HasOneRowForEveryFunction) {
  std::vector<std::string> Names;
  for (const RuleRow &Row : ruleRows()) {
    Names.push_back(Row.key().name());
    const RuleRow *Found =
        Row.key().function() ? findRow(*Row.key().function()) : findRow(Row.key().opcode());
    EXPECT_EQ(Found, &Row) << Names.back() << " has two rows";
  }
  for (unsigned I = 0; I < NumMathFns; ++I)
    EXPECT_NE(findRow(static_cast<MathFn>(I)), nullptr)
        << mathName(static_cast<MathFn>(I)).str() << " has no row";
}

TEST(RuleTable, HasADomainForEveryOperand) {
  for (const RuleRow &Row : ruleRows())
    for (unsigned I = 0; I < Row.operands(); ++I)
      EXPECT_FALSE(Row.domain(I).empty()) << Row.key().name();
}

} // namespace
} // namespace contraflow::test
