// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strings are built and compared beside the arithmetic, and their characters are numbers in it.
// Supports: `std::string`, `valarray`
#include "GradientCheck.h"
#include <string>

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
