// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strings are built and compared beside the arithmetic, and their characters are numbers in it.
// Supports: `std::string`, `valarray`
#include "GradientCheck.h"
#include <map>
#include <string>
#include <vector>

template <typename Result, typename... Arguments> Result __enzyme_autodiff(void *, Arguments...);
template <typename Result, typename... Arguments> Result __enzyme_fwddiff(void *, Arguments...);

static double named(const double *x, double a, int n) {
  std::string name = "term";
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    std::string key = name + "." + std::to_string(i) + " of a series of many terms";
    if (key.size() % 2 == 0 || key.find("3") != std::string::npos)
      sum += x[i] * a;
    else
      sum += x[i] * x[i];
  }
  return sum * sum;
}

GRADIENT_CHECK(std_string, Double, named, In(double, 12), Scalar(double), Int(12))

// What data() has handed out is overwritten by a call that is given the string.
static double weighted(const double *x, int n) {
  std::string text(60, 'a');
  for (int i = 0; i < 60; ++i)
    text[i] = static_cast<char>('a' + i % 26);
  const char *letters = text.data();
  double sum = 1;
  for (int i = 0; i < n; ++i) {
    const double w = letters[i];
    sum = sum * x[i] * w / 100 + sum;
    sum *= 1 / (1 + w * w * x[i] * 1e-4);
    text.replace(0, n, n, i % 2 ? 'c' : 'q');
  }
  return sum;
}

GRADIENT_CHECK(std_string_data, Double, weighted, In(double, 5), Int(5))

// What a call has handed out is written directly, and read behind the string.
static double marked(const double *x, int n) {
  std::string text(60, 'a');
  double sum = 1;
  for (int i = 0; i < n; ++i) {
    const double w = text[i + 1];
    sum = sum * x[i] * w / 100 + x[i];
    char *letters = &text[0];
    letters[i + 1] = static_cast<char>('b' + i);
    letters[i + 2] = static_cast<char>('f' + i);
  }
  return sum * text[3];
}

GRADIENT_CHECK(std_string_marked, Double, marked, In(double, 5), Int(5))

// Functions that only write text of the derived function's own run once for each direction: those
// that destroy records with names, and one that is called to note something.
namespace {
struct Quantity {
  std::string name;
  double value;
};
struct Notes {
  std::string *all, last;
};
} // namespace

__attribute__((noinline)) static void note(Notes &to, const std::string &name) {
  std::string line = "quantity ";
  line += name;
  line.insert(0, "- ");
  to.all->append(line);
  to.last = line;
}

static double quantities(const double *x) {
  const char *names[] = {"mass", "length of the long rod", "k", "mass"};
  std::string text;
  Notes notes{&text, ""};
  std::vector<Quantity> list;
  std::map<std::string, double> sums;
  for (int i = 0; i < 4; ++i) {
    list.push_back({names[i], x[i] * x[(i + 1) % 4]});
    sums[names[i]] += x[i];
    note(notes, list.back().name);
  }
  sums.erase("k");
  double result = 0;
  for (const Quantity &q : list)
    result = result * 0.7 + q.value * q.name.size();
  for (const auto &[name, sum] : sums)
    result += sum * sum * name.size();
  return result * (text.size() + notes.last.size()) / 100;
}
static double quantitiesPrimal(void *const *v) { return quantities((double *)v[0]); }
static double quantitiesTangent(void *const *v, void *const *d) {
  return __enzyme_fwddiff<double>((void *)quantities, enzyme_dup, (double *)v[0], (double *)d[0]);
}
static void quantitiesAdjoint(void *const *v, void *const *d) {
  double first[4] = {}, second[4] = {};
  __enzyme_autodiff<void>((void *)quantities, enzyme_width, 2, enzyme_dup, (double *)v[0], first,
                          second);
  for (int i = 0; i < 4; ++i) // the same twice
    ((double *)d[0])[i] += (3 * first[i] - second[i]) / 2;
}
GRADIENT_CHECK_CUSTOM(std_string_directions, Double, quantitiesPrimal, quantitiesTangent,
                      quantitiesAdjoint, In(double, 4))
