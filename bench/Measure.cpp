// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Measure.h for what is measured. A short program is run several times per round.

#include "Measure.h"

#include "contraflow/runtime.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace contraflow::bench {

using test::Arguments;
using test::Program;
using test::Ranks;

namespace {

using Clock = std::chrono::steady_clock;

class Stopwatch {
public:
  Stopwatch(const Program &P, const Ranks &R)
      : P(P), R(R), Values(P, R), Shadows(P, R), Start(P, R), Seeds(P, R) {
    Values.sample(1, R);
    Shadows.direction(2, R);
    Start = Values;
    Seeds = Shadows;
  }

  double primal() {
    return timed([&] { P.primal(Values.pointers().data()); });
  }
  double gradient() {
    return timed([&] { P.adjoint(Values.pointers().data(), Shadows.pointers().data()); });
  }

private:
  template <typename Function> double timed(Function &&Do) {
    Values = Start;
    Shadows = Seeds;
    R.sum(0); // all ranks start together
    const auto Begin = Clock::now();
    Do();
    return R.max(std::chrono::duration<double>(Clock::now() - Begin).count());
  }

  const Program &P;
  const Ranks &R;
  Arguments Values, Shadows, Start, Seeds;
};

double median(std::vector<double> V, double Part = 0.5) {
  const auto At = static_cast<std::size_t>(Part * static_cast<double>(V.size() - 1) + 0.5);
  std::nth_element(V.begin(), V.begin() + static_cast<std::ptrdiff_t>(At), V.end());
  return V[At];
}

std::int64_t tapeBytes(Stopwatch &Watch, const Ranks &R) {
  cf_tape_statistics_reset();
  Watch.gradient();
  struct cf_tape_statistics Tape;
  cf_tape_statistics(&Tape);
  return static_cast<std::int64_t>(R.sum(static_cast<double>(Tape.high_water_bytes)));
}

} // namespace

Measurement measure(const Program &P, int Rounds, const Ranks &R) {
  constexpr double RoundSeconds = 0.02;
  Stopwatch Watch(P, R);
  Measurement M;
  M.TapeBytes = tapeBytes(Watch, R);
  const int Calls = std::clamp(static_cast<int>(RoundSeconds / Watch.primal()), 1, 200);
  std::vector<double> Primals, Gradients, Ratios, Noises;
  for (int Round = 0; Round < Rounds; ++Round) {
    double Before = 0, Gradient = 0, After = 0;
    for (int Call = 0; Call < Calls; ++Call) {
      Before += Watch.primal();
      Gradient += Watch.gradient();
      After += Watch.primal();
    }
    Primals.push_back(0.5 * (Before + After) / Calls);
    Gradients.push_back(Gradient / Calls);
    Ratios.push_back(Gradients.back() / Primals.back());
    Noises.push_back(std::fabs(Before / After - 1));
  }
  M.PrimalSeconds = median(Primals);
  M.GradientSeconds = median(Gradients);
  M.Ratio = median(Ratios);
  M.Noise = median(Noises);
  M.Spread = (median(Ratios, 0.75) - median(Ratios, 0.25)) / M.Ratio;
  return M;
}

void print(const Program &P, const Measurement &M, const Ranks &R) {
  if (R.rank() != 0)
    return;
  std::printf("{\"kernel\": \"%s\", \"primal_seconds\": %.6g, \"gradient_seconds\": %.6g, "
              "\"ratio\": %.4g, \"noise\": %.3g, \"spread\": %.3g, \"tape_bytes\": %lld}\n",
              P.name, M.PrimalSeconds, M.GradientSeconds, M.Ratio, M.Noise, M.Spread,
              static_cast<long long>(M.TapeBytes));
  std::fflush(stdout);
}

int run(int Count, char **Words, const Ranks &R) {
  const int Rounds = Count > 1 ? std::atoi(Words[1]) : 7;
  const std::string Wanted = Count > 2 ? Words[2] : "";
  bool Found = false;
  for (const Program *P : test::programs("")) {
    if (!Wanted.empty() && Wanted != P->name)
      continue;
    Found = true;
    print(*P, measure(*P, std::max(Rounds, 5), R), R);
  }
  return Found ? 0 : 2;
}

} // namespace contraflow::bench
