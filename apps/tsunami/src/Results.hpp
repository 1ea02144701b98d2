// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The results folder: summary.json, gradient.vtk (legacy VTK, read by ParaView), gauges.csv, and
// after an inversion source.vtk.
#pragma once

#include "Inversion.hpp"
#include "Problem.hpp"
#include "Verification.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace tsunami {

/// Median wall times, and what the tape took at most on any rank.
struct Performance {
  double primalSeconds = 0.0, gradientSeconds = 0.0;
  double tapeBytes = 0.0; // per rank, the largest
  double tapePerCellStep = 0.0;
  int repeats = 0;
  double ratio() const { return gradientSeconds / primalSeconds; }
  double tapePerCellStepVariable() const { return tapePerCellStep / Variables; }
};

using NamedFields = std::vector<std::pair<std::string, const double *>>;

/// Collective: own cells' fields, gathered and written by rank 0.
void writeFields(const std::string &file, const Ocean &ocean, const NamedFields &fields);

/// Rank 0: simulated and observed sea level of every gauge at the model's times.
void writeGauges(const std::string &file, const Problem &problem, const Records &simulated);

/// Collective: of the source that an inversion found against the truth, relative distance (root
/// mean square over all cells).
double distanceToTruth(const Problem &problem, const ControlVector &source);

nlohmann::json describe(const Problem &problem, int threads);
nlohmann::json describe(const Performance &performance);
nlohmann::json describe(const Verification &verification);
nlohmann::json describe(const Inversion &inversion, double truthDistance);
void writeSummary(const std::string &file, const nlohmann::json &summary);

void printHeading(const Problem &problem, int threads);
void printTable(const Performance &performance, double misfit, double frictionGradient);
void printTable(const Verification &verification);

} // namespace tsunami
