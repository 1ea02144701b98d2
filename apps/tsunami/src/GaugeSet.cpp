// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A gauge lies among four cell centres and belongs to the rank of the two southern ones; it may
// read a ghost row, which is filled when gauges are read.
#include "GaugeSet.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/os.h>
#include <fstream>
#include <limits>
#include <sstream>

namespace tsunami {
namespace {

constexpr double Unknown = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> splitLine(const std::string &line) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, ',');)
    fields.push_back(field);
  if (!line.empty() && line.back() == ',')
    fields.emplace_back();
  return fields;
}

double parseNumber(const std::string &file, long line, const std::string &text) {
  if (text.find_first_not_of(" \t\r") == std::string::npos)
    return Unknown;
  char *end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (*end != '\0' && *end != '\r' && *end != ' ')
    throw InputError(fmt::format("{}:{}: '{}' is not a number", file, line, text));
  return value;
}

/// Deck gauge of each column after the first.
std::vector<std::size_t> readHeading(const Deck &deck, const std::vector<std::string> &names) {
  std::vector<std::size_t> columns;
  for (std::size_t c = 1; c < names.size(); ++c) {
    const auto site = std::find_if(deck.gauges.begin(), deck.gauges.end(),
                                   [&](const GaugeSite &g) { return g.name == names[c]; });
    if (site == deck.gauges.end())
      throw InputError(fmt::format("{}: column '{}' is not a gauge of {}", deck.observations,
                                   names[c], deck.file));
    columns.push_back(site - deck.gauges.begin());
  }
  return columns;
}

void readRow(const Deck &deck, long line, const std::vector<std::string> &fields,
             const std::vector<std::size_t> &columns, Records &records) {
  if (fields.size() != columns.size() + 1)
    throw InputError(fmt::format("{}:{}: has {} fields, the heading {}", deck.observations, line,
                                 fields.size(), columns.size() + 1));
  const double time = parseNumber(deck.observations, line, fields[0]);
  if (!(records.times.empty() ? std::isfinite(time) : time > records.times.back()))
    throw InputError(fmt::format("{}:{}: times must increase", deck.observations, line));
  records.times.push_back(time);
  for (std::vector<double> &levels : records.levels)
    levels.push_back(Unknown);
  for (std::size_t c = 0; c < columns.size(); ++c)
    records.levels[columns[c]].back() = parseNumber(deck.observations, line, fields[c + 1]);
}

} // namespace

Records readObservations(const Deck &deck) {
  std::ifstream in(deck.observations);
  if (!in)
    throw InputError(fmt::format("{}: observations.file: cannot read {} (made by `tsunami "
                                 "--make-observations {}`)",
                                 deck.file, deck.observations, deck.file));
  Records records;
  records.levels.resize(deck.gauges.size());
  std::vector<std::size_t> columns;
  long number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    while (!line.empty() && (line.back() == '\r' || line.back() == ' '))
      line.pop_back();
    if (line.empty() || line[0] == '#')
      continue;
    const std::vector<std::string> fields = splitLine(line);
    if (columns.empty())
      columns = readHeading(deck, fields);
    else
      readRow(deck, number, fields, columns, records);
  }
  if (records.times.size() < 2)
    throw InputError(deck.observations + ": has fewer than two lines of observations");
  return records;
}

void writeRecords(const std::string &file, const std::vector<std::string> &comments,
                  const std::vector<GaugeSite> &sites, const Records &records) {
  std::ofstream out(file);
  for (const std::string &comment : comments)
    out << "# " << comment << '\n';
  out << "time";
  for (const GaugeSite &site : sites)
    out << ',' << site.name;
  for (std::size_t t = 0; t < records.times.size(); ++t) {
    out << fmt::format("\n{:.3f}", records.times[t]);
    for (const std::vector<double> &levels : records.levels)
      out << (std::isnan(levels[t]) ? std::string(",") : fmt::format(",{:.6g}", levels[t]));
  }
  out << '\n';
  if (!out.flush())
    throw InputError(file + ": cannot be written");
}

double levelAt(const std::vector<double> &times, const std::vector<double> &levels, double t) {
  const auto after = std::lower_bound(times.begin(), times.end(), t);
  if (after == times.end() || (after == times.begin() && *after > t))
    return Unknown;
  const std::size_t b = after - times.begin();
  if (b == 0 || times[b] == t)
    return levels[b];
  const double part = (t - times[b - 1]) / (times[b] - times[b - 1]);
  return (1.0 - part) * levels[b - 1] + part * levels[b];
}

GaugeSet::GaugeSet(const Ocean &ocean, const Records *records) {
  for (std::size_t g = 0; g < ocean.deck().gauges.size(); ++g)
    place(ocean, static_cast<long>(g));
  observed.assign(ocean.mesh().steps * sites.size(), 0.0);
  trust.assign(observed.size(), 0.0);
  if (records)
    observe(ocean, *records);
  view = {static_cast<long>(sites.size()), cell.data(), weight.data(), observed.data(),
          trust.data()};
}

void GaugeSet::place(const Ocean &ocean, long gauge) {
  const Mesh &m = ocean.mesh();
  const GaugeSite &site = ocean.deck().gauges[gauge];
  const double x = site.at.x / m.dx - 0.5, y = site.at.y / m.dy - 0.5;
  const long i = static_cast<long>(std::floor(x)), row = static_cast<long>(std::floor(y));
  if (i < 0 || row < 0 || i + 1 >= m.cols || row + 1 >= ocean.globalRows())
    throw InputError(
        fmt::format("{}: gauge '{}' is not inside the domain", ocean.deck().file, site.name));
  const long j = row - ocean.firstRow();
  int onLand = 0;
  if (j >= 0 && j < m.rows) {
    for (const long corner : {0L, 1L, 2L, 3L})
      onLand |= ocean.isLand(j + corner / 2, i + corner % 2);
    const double fx = x - std::floor(x), fy = y - std::floor(y);
    sites.push_back(gauge);
    cell.push_back((j + Ghost) * Variables * m.stride + i + Ghost);
    weight.insert(weight.end(), {(1 - fx) * (1 - fy), fx * (1 - fy), (1 - fx) * fy, fx * fy});
  }
  MPI_Allreduce(MPI_IN_PLACE, &onLand, 1, MPI_INT, MPI_MAX, m.comm);
  if (onLand)
    throw InputError(
        fmt::format("{}: gauge '{}' stands on land or at a coast", ocean.deck().file, site.name));
}

void GaugeSet::observe(const Ocean &ocean, const Records &records) {
  const Mesh &m = ocean.mesh();
  const double share = m.dt / ocean.deck().duration;
  for (long n = 0; n < m.steps; ++n)
    for (std::size_t g = 0; g < sites.size(); ++g) {
      const double level = levelAt(records.times, records.levels[sites[g]], (n + 1) * m.dt);
      if (std::isnan(level))
        continue;
      observed[n * sites.size() + g] = level;
      trust[n * sites.size() + g] = share;
    }
}

Records GaugeSet::collect(const Ocean &ocean, const Array &series) const {
  const Mesh &m = ocean.mesh();
  const std::size_t all = ocean.deck().gauges.size();
  std::vector<double> table(m.steps * all, 0.0);
  for (long n = 0; n < m.steps; ++n)
    for (std::size_t g = 0; g < sites.size(); ++g)
      table[n * all + sites[g]] = series[static_cast<long>(n * sites.size() + g)];
  MPI_Reduce(ocean.rank() == 0 ? MPI_IN_PLACE : table.data(), table.data(),
             static_cast<int>(table.size()), MPI_DOUBLE, MPI_SUM, 0, m.comm);
  Records records;
  if (ocean.rank() != 0)
    return records;
  records.levels.resize(all);
  for (long n = 0; n < m.steps; ++n) {
    records.times.push_back((n + 1) * m.dt);
    for (std::size_t g = 0; g < all; ++g)
      records.levels[g].push_back(table[n * all + g]);
  }
  return records;
}

} // namespace tsunami
