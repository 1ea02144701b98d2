// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Results.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <fstream>

namespace tsunami {
namespace {

void finish(std::ofstream &out, const std::string &file) {
  if (!out.flush())
    throw InputError(file + ": cannot be written");
}

/// Legacy VTK stores numbers with the most significant byte first.
void writeBigEndian(std::ofstream &out, const std::vector<double> &values) {
  std::vector<std::uint64_t> words(values.size());
  std::transform(values.begin(), values.end(), words.begin(),
                 [](double v) { return __builtin_bswap64(std::bit_cast<std::uint64_t>(v)); });
  out.write(reinterpret_cast<const char *>(words.data()),
            static_cast<std::streamsize>(words.size() * sizeof(std::uint64_t)));
}

const char *mark(bool holds) { return holds ? "ok" : "FAILS"; }

} // namespace

void writeFields(const std::string &file, const Ocean &ocean, const NamedFields &fields) {
  std::ofstream out;
  if (ocean.rank() == 0) {
    const Mesh &m = ocean.mesh();
    out.open(file, std::ios::binary);
    out << "# vtk DataFile Version 3.0\n"
        << ocean.deck().title << "\nBINARY\n"
        << "DATASET STRUCTURED_POINTS\n"
        << fmt::format("DIMENSIONS {} {} 1\nORIGIN 0 0 0\nSPACING {} {} 1\nCELL_DATA {}\n",
                       m.cols + 1, ocean.globalRows() + 1, m.dx, m.dy, ocean.globalCells());
  }
  for (const auto &[name, own] : fields) {
    const std::vector<double> global = ocean.gather(own);
    if (ocean.rank() == 0) {
      out << "SCALARS " << name << " double 1\nLOOKUP_TABLE default\n";
      writeBigEndian(out, global);
      out << '\n';
    }
  }
  if (ocean.rank() == 0)
    finish(out, file);
}

void writeGauges(const std::string &file, const Problem &problem, const Records &simulated) {
  const Records &observed = problem.observations();
  std::vector<GaugeSite> columns;
  Records table;
  table.times = simulated.times;
  for (std::size_t g = 0; g < simulated.levels.size(); ++g) {
    const GaugeSite &site = problem.ocean().deck().gauges[g];
    columns.push_back({site.name + "_simulated", site.at});
    columns.push_back({site.name + "_observed", site.at});
    table.levels.push_back(simulated.levels[g]);
    table.levels.emplace_back();
    for (const double t : simulated.times)
      table.levels.back().push_back(levelAt(observed.times, observed.levels[g], t));
  }
  writeRecords(file, {"sea level (m) over time (s)"}, columns, table);
}

double distanceToTruth(const Problem &problem, const ControlVector &source) {
  const Array truth = problem.ocean().surface(problem.ocean().deck().truth);
  double sums[2] = {0.0, 0.0};
  for (long i = 0; i < truth.size(); ++i) {
    sums[0] += (source.eta0[i] - truth[i]) * (source.eta0[i] - truth[i]);
    sums[1] += truth[i] * truth[i];
  }
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, problem.ocean().mesh().comm);
  return std::sqrt(sums[0] / sums[1]);
}

nlohmann::json describe(const Problem &problem, int threads) {
  const Mesh &m = problem.ocean().mesh();
  const Deck &deck = problem.ocean().deck();
  nlohmann::json gauges = nlohmann::json::array();
  for (const GaugeSite &site : deck.gauges)
    gauges.push_back({{"name", site.name}, {"x", site.at.x}, {"y", site.at.y}});
  return {{"title", deck.title},
          {"deck", deck.file},
          {"ranks", problem.ocean().ranks()},
          {"threads", threads},
          {"cells", {m.cols, problem.ocean().globalRows()}},
          {"steps", m.steps},
          {"time_step_s", m.dt},
          {"duration_s", deck.duration},
          {"unknowns", problem.ocean().globalCells() + 1},
          {"gauges", gauges}};
}

nlohmann::json describe(const Performance &p) {
  return {{"primal_s", p.primalSeconds},
          {"gradient_s", p.gradientSeconds},
          {"gradient_over_primal", p.ratio()},
          {"repeats", p.repeats},
          {"tape_bytes_per_rank", p.tapeBytes},
          {"tape_bytes_per_cell_and_step", p.tapePerCellStep},
          {"tape_bytes_per_cell_step_and_variable", p.tapePerCellStepVariable()}};
}

nlohmann::json describe(const Verification &v) {
  return {{"tangent", v.tangent},
          {"taylor_steps", v.steps},
          {"taylor_errors", v.errors},
          {"taylor_order", v.taylorOrder},
          {"taylor_least_order", Verification::LeastOrder},
          {"taylor_holds", v.taylorHolds()},
          {"dot_product_error", v.dotError},
          {"dot_product_largest_error", Verification::LargestDotError},
          {"dot_product_holds", v.dotHolds()}};
}

nlohmann::json describe(const Inversion &inversion, double truthDistance) {
  nlohmann::json steps = nlohmann::json::array();
  for (const InversionStep &s : inversion.steps)
    steps.push_back({{"misfit", s.misfit},
                     {"cost", s.cost},
                     {"gradient_norm", s.gradientNorm},
                     {"evaluations", s.evaluations}});
  return {{"steps", steps},
          {"message", inversion.message},
          {"distance_to_truth", truthDistance},
          {"misfit_fell", inversion.misfitFell()}};
}

void writeSummary(const std::string &file, const nlohmann::json &summary) {
  std::ofstream out(file);
  out << summary.dump(2) << '\n';
  finish(out, file);
}

void printHeading(const Problem &problem, int threads) {
  const Ocean &ocean = problem.ocean();
  const Mesh &m = ocean.mesh();
  fmt::print(
      "{}\n  {} x {} cells, {} steps of {:.2f} s, {} gauges, {} unknowns, {} ranks x {} threads\n",
      ocean.deck().title, m.cols, ocean.globalRows(), m.steps, m.dt, ocean.deck().gauges.size(),
      ocean.globalCells() + 1, ocean.ranks(), threads);
}

void printTable(const Performance &p, double misfit, double frictionGradient) {
  fmt::print("\n  misfit                      {:12.6e} m^2\n", misfit);
  fmt::print("  d misfit / d friction       {:12.4e}\n", frictionGradient);
  fmt::print("  simulation                  {:12.3f} s     median of {}\n", p.primalSeconds,
             p.repeats);
  fmt::print("  gradient                    {:12.3f} s     median of {}\n", p.gradientSeconds,
             p.repeats);
  fmt::print("  gradient / simulation       {:12.2f}\n", p.ratio());
  fmt::print("  tape of a rank              {:12.1f} MiB\n", p.tapeBytes / 1048576.0);
  fmt::print("  tape per cell and step      {:12.2f} B     {:.2f} per variable\n",
             p.tapePerCellStep, p.tapePerCellStepVariable());
}

void printTable(const Verification &v) {
  fmt::print("  Taylor order                {:12.3f}       at least {}: {}\n", v.taylorOrder,
             Verification::LeastOrder, mark(v.taylorHolds()));
  fmt::print("  dot-product error           {:12.2e}       at most {:.0e}: {}\n", v.dotError,
             Verification::LargestDotError, mark(v.dotHolds()));
}

} // namespace tsunami
