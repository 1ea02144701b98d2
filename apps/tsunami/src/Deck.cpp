// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a deck table by table. Every key that is read is crossed off; what is left over is a key
// that means nothing here, most likely a misspelling, and is refused.
#include "Deck.hpp"

#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <set>
#include <toml.hpp>

namespace tsunami {
namespace {

using Require = std::function<const char *(double)>; // nullptr, or what is wrong with the value

const char *positive(double v) { return v > 0.0 ? nullptr : "must be positive"; }
const char *notNegative(double v) { return v >= 0.0 ? nullptr : "must not be negative"; }
const char *anything(double) { return nullptr; }

/// One table of the deck, and which of its keys have been read.
class Table {
public:
  Table(const std::string &file, std::string name, const toml::value &table)
      : file(file), name(std::move(name)), table(table) {
    if (!table.is_table())
      throw InputError(fmt::format("{}: [{}] must be a table", file, this->name));
  }

  bool has(const char *key) const { return table.contains(key); }

  double number(const char *key, const Require &require) {
    const toml::value &v = find(key);
    if (!v.is_floating() && !v.is_integer())
      fail(key, "must be a number");
    const double x = v.is_floating() ? v.as_floating() : static_cast<double>(v.as_integer());
    if (!std::isfinite(x))
      fail(key, "must be finite");
    if (const char *reason = require(x))
      fail(key, fmt::format("{}, but is {}", reason, x));
    return x;
  }

  long integer(const char *key, long least) {
    const toml::value &v = find(key);
    if (!v.is_integer())
      fail(key, "must be an integer");
    if (v.as_integer() < least)
      fail(key, fmt::format("must be at least {}, but is {}", least, v.as_integer()));
    return v.as_integer();
  }

  std::string text(const char *key) {
    const toml::value &v = find(key);
    if (!v.is_string() || v.as_string().str.empty())
      fail(key, "must be a text that is not empty");
    return v.as_string().str;
  }

  Point point(const char *key) {
    const toml::value &v = find(key);
    if (!v.is_array() || v.as_array().size() != 2)
      fail(key, "must be two numbers [x, y]");
    double xy[2];
    for (int d = 0; d < 2; ++d) {
      const toml::value &c = v.as_array()[d];
      if (!c.is_floating() && !c.is_integer())
        fail(key, "must be two numbers [x, y]");
      xy[d] = c.is_floating() ? c.as_floating() : static_cast<double>(c.as_integer());
    }
    return {xy[0], xy[1]};
  }

  Table table_(const char *key) { return {file, path(key), find(key)}; }

  /// [[key]]: any number of tables, none if the key is absent.
  std::vector<Table> tables(const char *key) {
    std::vector<Table> result;
    if (!has(key))
      return result;
    const toml::value &v = find(key);
    if (!v.is_array())
      fail(key, "must be an array of tables, [[...]]");
    for (const toml::value &entry : v.as_array())
      result.emplace_back(file, path(key), entry);
    return result;
  }

  [[noreturn]] void fail(const std::string &key, const std::string &reason) const {
    throw InputError(fmt::format("{}: {}: {}", file, path(key), reason));
  }

  /// Every key must have been read.
  void finish() const {
    for (const auto &[key, value] : table.as_table())
      if (!seen.contains(key))
        fail(key, "is not a key that this table has");
  }

private:
  const toml::value &find(const char *key) {
    if (!has(key))
      fail(key, "is missing");
    seen.insert(key);
    return table.at(key);
  }

  std::string path(const std::string &key) const { return name.empty() ? key : name + "." + key; }

  std::string file, name;
  const toml::value &table;
  std::set<std::string> seen;
};

std::vector<Hump> readHumps(std::vector<Table> tables) {
  std::vector<Hump> humps;
  for (Table &t : tables) {
    humps.push_back({t.point("centre"), t.number("length", positive), t.number("width", positive),
                     t.number("strike", anything), t.number("height", anything)});
    t.finish();
  }
  return humps;
}

void readDomain(Table t, Deck &deck) {
  deck.extent = t.point("extent");
  if (deck.extent.x <= 0.0 || deck.extent.y <= 0.0)
    t.fail("extent", "must be positive");
  const Point cells = t.point("cells");
  deck.cellsX = static_cast<long>(cells.x);
  deck.cellsY = static_cast<long>(cells.y);
  if (deck.cellsX < 8 || deck.cellsY < 8 || std::trunc(cells.x) != cells.x ||
      std::trunc(cells.y) != cells.y)
    t.fail("cells", "must be integers of at least 8");
  deck.duration = t.number("duration", positive);
  deck.cfl = t.number("cfl", [](double v) {
    return v > 0.0 && v <= 0.6 ? nullptr : "must lie in (0, 0.6], where the scheme is stable";
  });
  deck.gravity = t.number("gravity", positive);
  t.finish();
}

void readOcean(Table t, Deck &deck) {
  deck.oceanDepth = t.number("depth", positive);
  if (t.has("shelf")) {
    Table s = t.table_("shelf");
    deck.shelf = {s.number("depth", positive), s.number("edge", notNegative),
                  s.number("slope_width", positive)};
    s.finish();
  }
  for (Table &r : t.tables("ridge")) {
    deck.ridges.push_back({r.point("from"), r.point("to"), r.number("height", positive),
                           r.number("width", positive)});
    r.finish();
  }
  for (Table &i : t.tables("island")) {
    deck.islands.push_back({i.point("centre"), i.number("coast_radius", notNegative),
                            i.number("shelf_depth", positive), i.number("slope_width", positive)});
    i.finish();
  }
  deck.spongeWidth = t.number("sponge_width", notNegative);
  deck.spongeDamping = t.number("sponge_damping", notNegative);
  deck.manning = t.number("manning", notNegative);
  t.finish();
}

void readGauges(std::vector<Table> tables, Deck &deck) {
  std::set<std::string> names;
  for (Table &t : tables) {
    deck.gauges.push_back({t.text("name"), t.point("at")});
    if (!names.insert(deck.gauges.back().name).second)
      t.fail("name", "'" + deck.gauges.back().name + "' names two gauges");
    t.finish();
  }
}

void readObservations(Table t, Deck &deck) {
  const std::filesystem::path folder = std::filesystem::path(deck.file).parent_path();
  deck.observations = (folder / t.text("file")).string();
  deck.referenceRefinement = t.integer("refinement", 1);
  deck.sampleInterval = t.number("interval", positive);
  deck.noise = t.number("noise", notNegative);
  deck.noiseSeed = static_cast<std::uint64_t>(t.integer("seed", 0));
  deck.truth = readHumps(t.tables("source"));
  t.finish();
}

void readInversion(Table t, Deck &deck) {
  deck.correlationLength = t.number("correlation_length", positive);
  deck.sourceDeviation = t.number("source_deviation", positive);
  deck.gaugeDeviation = t.number("gauge_deviation", positive);
  t.finish();
}

} // namespace

Deck readDeck(const std::string &file) {
  if (!std::filesystem::is_regular_file(file))
    throw InputError(file + ": no such deck");
  toml::value root;
  try {
    root = toml::parse(file);
  } catch (const std::exception &e) {
    throw InputError(fmt::format("{}: is not TOML: {}", file, e.what()));
  }
  Deck deck;
  deck.file = file;
  Table top(file, "", root);
  deck.title = top.text("title");
  deck.smoothDifference = top.number("smooth_difference", positive);
  readDomain(top.table_("domain"), deck);
  readOcean(top.table_("ocean"), deck);
  deck.firstGuess = readHumps(top.tables("first_guess"));
  readGauges(top.tables("gauge"), deck);
  readObservations(top.table_("observations"), deck);
  readInversion(top.table_("inversion"), deck);
  top.finish();
  if (deck.gauges.empty())
    top.fail("gauge", "at least one is needed");
  return deck;
}

} // namespace tsunami
