// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tsunami CASE.toml: simulates, differentiates, verifies and times; with --invert, finds the
// source.
//
// Exit status: 0 all well, 1 a check failed, 2 wrong input (deck, observations, arguments).
#include "Inversion.hpp"
#include "Problem.hpp"
#include "Progress.hpp"
#include "Reference.hpp"
#include "Results.hpp"
#include "Verification.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <contraflow/runtime.h>
#include <filesystem>
#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

namespace tsunami {
namespace {

struct Options {
  std::string deck, output = "results", progress = "auto";
  bool makeObservations = false, noVerification = false;
  bool bars = false; // whether this rank draws progress bars
  int invert = 0, repeat = 2;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

/// Wall time of the slowest rank.
template <class Work> double timed(MPI_Comm comm, Work work) {
  MPI_Barrier(comm);
  const double start = MPI_Wtime();
  work();
  const double own = MPI_Wtime() - start;
  double slowest = 0.0;
  MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm);
  return slowest;
}

void addTape(const Ocean &ocean, Performance &p) {
  struct cf_tape_statistics tape;
  cf_tape_statistics(&tape);
  const double bytes = static_cast<double>(tape.high_water_bytes);
  const double perCellStep = bytes / static_cast<double>(ocean.ownCells() * ocean.mesh().steps);
  MPI_Allreduce(&bytes, &p.tapeBytes, 1, MPI_DOUBLE, MPI_MAX, ocean.mesh().comm);
  MPI_Allreduce(&perCellStep, &p.tapePerCellStep, 1, MPI_DOUBLE, MPI_MAX, ocean.mesh().comm);
}

struct GradientRun {
  double misfit = 0.0;
  ControlVector gradient;
  Records simulated; // on rank 0
  Performance performance;
};

GradientRun runGradient(const Options &options, Problem &problem, ControlVector &at) {
  const Ocean &ocean = problem.ocean();
  GradientRun run;
  run.gradient.eta0 = Array(ocean.ownCells());
  std::vector<double> primal, gradient;
  for (int n = 0; n < options.repeat; ++n) {
    {
      const Progress bar("simulation", problem.stepsDone(), ocean.mesh().steps, options.bars);
      primal.push_back(timed(ocean.mesh().comm, [&] { run.misfit = problem.misfitAt(at); }));
    }
    run.simulated = problem.gauges().collect(ocean, problem.gaugeSeries());
    const Progress bar("gradient", problem.stepsDone(), ocean.mesh().steps, options.bars);
    cf_tape_statistics_reset();
    gradient.push_back(timed(ocean.mesh().comm, [&] { problem.gradientAt(at, run.gradient); }));
  }
  run.performance.primalSeconds = median(primal);
  run.performance.gradientSeconds = median(gradient);
  run.performance.repeats = options.repeat;
  addTape(ocean, run.performance);
  return run;
}

void writeGradient(const Options &options, Problem &problem, ControlVector &at,
                   const GradientRun &run) {
  const Ocean &ocean = problem.ocean();
  const Array truth = ocean.surface(ocean.deck().truth);
  writeFields(options.output + "/gradient.vtk", ocean,
              {{"bed", ocean.bed().data()},
               {"first_guess", at.eta0.data()},
               {"truth", truth.data()},
               {"gradient", run.gradient.eta0.data()}});
  if (ocean.rank() == 0)
    writeGauges(options.output + "/gauges.csv", problem, run.simulated);
}

/// The default mode. Returns whether the checks hold.
bool differentiate(const Options &options, Problem &problem, nlohmann::json &summary) {
  const Ocean &ocean = problem.ocean();
  ControlVector at = problem.firstGuess();
  const GradientRun run = runGradient(options, problem, at);
  summary["misfit"] = run.misfit;
  summary["friction_gradient"] = run.gradient.friction;
  summary["performance"] = describe(run.performance);
  writeGradient(options, problem, at, run);
  if (ocean.rank() == 0)
    printTable(run.performance, run.misfit, run.gradient.friction);
  if (options.noVerification)
    return true;
  const Verification checks = [&] {
    const Progress bar("verification", problem.stepsDone(), ocean.mesh().steps, options.bars);
    return verify(problem, at, run.gradient);
  }();
  summary["verification"] = describe(checks);
  if (ocean.rank() == 0)
    printTable(checks);
  return checks.taylorHolds() && checks.dotHolds();
}

void reportStep(int step, const InversionStep &s) {
  fmt::print("  {:4d}   {:12.5e}   {:12.5e}   {:10.3e}   {:5d}\n", step, s.misfit, s.cost,
             s.gradientNorm, s.evaluations);
  std::fflush(stdout);
}

/// --invert. Returns whether the misfit fell, as rank 0 saw it.
bool findSource(const Options &options, Problem &problem, nlohmann::json &summary) {
  const Ocean &ocean = problem.ocean();
  const bool leads = ocean.rank() == 0;
  if (leads)
    fmt::print("\n  step   misfit (m^2)   cost           |gradient|   evaluations\n");
  Inversion result = invert(problem, options.invert, reportStep);
  problem.misfitAt(result.source);
  const Records simulated = problem.gauges().collect(ocean, problem.gaugeSeries());
  const Array truth = ocean.surface(ocean.deck().truth);
  const ControlVector guess = problem.firstGuess();
  writeFields(options.output + "/source.vtk", ocean,
              {{"bed", ocean.bed().data()},
               {"first_guess", guess.eta0.data()},
               {"truth", truth.data()},
               {"source", result.source.eta0.data()}});
  const double before = distanceToTruth(problem, guess),
               after = distanceToTruth(problem, result.source);
  summary["inversion"] = describe(result, after);
  if (leads) {
    writeGauges(options.output + "/gauges_inverted.csv", problem, simulated);
    fmt::print("\n  distance of the source to the truth: {:.1f} %, was {:.1f} %\n", 100 * after,
               100 * before);
  }
  int fell = result.misfitFell();
  MPI_Bcast(&fell, 1, MPI_INT, 0, ocean.mesh().comm);
  return fell != 0;
}

int run(const Options &options) {
  const Deck deck = readDeck(options.deck);
  if (options.makeObservations) {
    makeObservations(deck, MPI_COMM_WORLD, options.bars);
    return 0;
  }
  Problem problem(deck, MPI_COMM_WORLD);
  std::filesystem::create_directories(options.output);
  const bool leads = problem.ocean().rank() == 0;
  if (leads)
    printHeading(problem, omp_get_max_threads());
  nlohmann::json summary = describe(problem, omp_get_max_threads());
  const bool holds = options.invert > 0 ? findSource(options, problem, summary)
                                        : differentiate(options, problem, summary);
  const std::string file =
      options.output + (options.invert > 0 ? "/inversion.json" : "/summary.json");
  if (leads) {
    writeSummary(file, summary);
    fmt::print("  results in {}\n", options.output);
    std::fflush(stdout);
    if (!holds)
      fmt::print(stderr, "tsunami: a check failed, see the table above\n");
  }
  return holds ? 0 : 1;
}

int parse(int argc, char **argv, Options &options) {
  CLI::App app{"Tsunami-source inversion: the adjoint of a parallel shallow-water simulation"};
  app.add_option("case", options.deck, "TOML deck")->required();
  app.add_option("-o,--output", options.output, "folder for the results")->capture_default_str();
  app.add_option("--repeat", options.repeat, "how often simulation and gradient are timed")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--no-verification", options.noVerification, "skip the checks of the derivatives");
  auto *invert =
      app.add_option("--invert", options.invert, "find the source: this many steps of L-BFGS")
          ->check(CLI::PositiveNumber);
  app.add_flag("--make-observations", options.makeObservations,
               "make the deck's observation file by a reference run, and nothing else")
      ->excludes(invert);
  app.add_option("--progress", options.progress,
                 "a bar on standard error: on, off, auto (if that is a terminal; mpirun hides it)")
      ->check(CLI::IsMember({"auto", "on", "off"}))
      ->capture_default_str();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    const int status = rank == 0 ? app.exit(e) : e.get_exit_code();
    return status == 0 ? 0 : 2;
  }
  const bool terminal = options.progress == "auto" && isatty(STDERR_FILENO) != 0;
  options.bars = rank == 0 && (terminal || options.progress == "on");
  return -1;
}

} // namespace

int mainOnEveryRank(int argc, char **argv) {
  Options options;
  if (const int status = parse(argc, argv, options); status >= 0)
    return status;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    return run(options);
  } catch (const InputError &e) {
    if (rank == 0)
      fmt::print(stderr, "tsunami: {}\n", e.what());
    return 2;
  } catch (const std::exception &e) {
    fmt::print(stderr, "tsunami: rank {}: {}\n", rank, e.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
    return 2;
  }
}

} // namespace tsunami

int main(int argc, char **argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const int status = tsunami::mainOnEveryRank(argc, argv);
  MPI_Finalize();
  return status;
}
