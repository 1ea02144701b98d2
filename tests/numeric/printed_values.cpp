// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values become text on the way: the text has no derivatives, and what prints it stays a call.
// Supports: values turned into text (`to_chars`, functions that print)
#include "GradientCheck.h"
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

static int reports;

// Writes what is its own, and counts.
__attribute__((noinline)) static void report(const double *x, int n, double sum) {
  char line[200], name[40];
  int used = 0;
  std::snprintf(name, sizeof name, "report %d", reports);
  used += std::snprintf(line + used, sizeof line - used, "%s: %g of %d", name, sum, n);
  for (int i = 0; i < n && used < 150; ++i) {
    const double v = x[i];
    const char *mark = v < 0 ? "-" : v > 1 ? "+" : "=";
    used += std::snprintf(line + used, sizeof line - used, " %s%.3e", mark, v);
    if (i % 3 == 2)
      used += std::snprintf(line + used, sizeof line - used, "|");
    for (int k = 0; k < i; ++k)
      if (x[k] > v)
        line[k] = '*';
      else if (x[k] < v && line[k] == '*')
        line[k] = ' ';
  }
  for (int i = 0; i < used; ++i) {
    if (line[i] == 'q')
      line[i] = 'Q';
    if (line[i] == 'x' && i > 3)
      line[i - 1] = 'X';
    if (line[i] == 'y' && i > 5)
      line[i - 2] = 'Y';
  }
  if (used > 190)
    std::puts(line);
  ++reports;
}

static double reported(const double *x, int n) {
  reports = 0;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += x[i] * x[i] * (1 + reports % 2);
    report(x, n, sum);
    sum *= 1 + 0.1 * x[i] * reports;
  }
  return sum;
}

GRADIENT_CHECK(printed_report, Double, reported, In(double, 6), Int(6))

// What it reads is a local variable that it is given the address of.
__attribute__((noinline)) static bool isOrdered(const double *v, int n) {
  for (int i = 1; i < n; ++i)
    if (v[i] < v[i - 1])
      return false;
  return true;
}

static double observed(const double *x, int n) {
  double v[8], sum = 0;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < n; ++i)
      v[i] = round == 0 ? x[i] * x[i] : v[i] * x[n - 1 - i];
    report(v, n, v[0]);
    for (int i = 0; i < n; ++i)
      sum += isOrdered(v, n) ? v[i] : 2 * v[i] * reports;
  }
  return sum;
}

static double observe(const double *x, int n) {
  reports = 3;
  return observed(x, n);
}

GRADIENT_CHECK(printed_locals, Double, observe, In(double, 6), Int(6))

// The end of the text is written through what the call returns.
static double spelled(const double *x, int n) {
  double sum = 1;
  char text[80] = "abcdefghijklmnopqrstuvwxyz";
  for (int i = 0; i < n; ++i) {
    const double w = text[i + 60];
    sum = sum * x[i] + w * x[i] * x[i];
    auto end = std::to_chars(text, text + 60, sum);
    std::memset(text + 60, 'a' + i, 20);
    *end.ptr = 0;
    std::string copy = text;
    if (copy.size() > 70)
      sum += 1;
  }
  return sum * 1e-2;
}

GRADIENT_CHECK(printed_digits, Double, spelled, In(double, 6), Int(6))

// A message with a number lies beside the stream that coefficients are read from, and beside
// numbers: it is none of them.
static struct {
  char name[32], message[160];
  std::FILE *file;
  double coefficients[4], last;
} table;
static void complain(const char *what) {
  char when[64];
  std::sprintf(when, " at %.3f", table.last);
  std::snprintf(table.message, sizeof table.message, "%s: %s", table.name, what);
  std::strcat(table.message, when);
}
static bool readTable() {
  char line[64];
  if (!table.file) {
    std::strcpy(table.name, "coefficients");
    table.file = std::tmpfile();
    for (int i = 0; i < 4; ++i)
      std::fprintf(table.file, "%g\n", 1 + 0.25 * i);
  }
  std::rewind(table.file);
  for (double &c : table.coefficients) {
    if (!std::fgets(line, sizeof line, table.file)) {
      complain("too short");
      return false;
    }
    c = std::atof(line);
  }
  return true;
}
static double tabulated(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    table.last = x[i];
    if (x[i] > 1e3)
      complain("out of range");
    if (!readTable())
      return -1;
    double value = 0;
    for (double c : table.coefficients)
      value = value * x[i] + c;
    sum += value * x[0];
  }
  return sum;
}
GRADIENT_CHECK(printed_messages, Double, tabulated, In(double, 6), Int(6))
