// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that are written as text and read again. What is only written, or only read, is constant,
// and so is what comes from a file of another name.
//
// RUN: %not %clangxx -O0 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clangxx -O2 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
//
// CHECK-COUNT-25: [CF216]
// CHECK: 25 errors generated

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>

double __enzyme_autodiff(void *, ...);

static double copied(const double *x) {
  char text[64], copy[64];
  std::snprintf(text, sizeof text, "%.17g", x[0] * x[1]);
  std::strcpy(copy, text);
  return std::atof(copy) * x[2];
}
static double scanned(const double *x) {
  char text[64];
  double y;
  std::snprintf(text, sizeof text, "%.17g", x[0] * x[1]);
  return std::sscanf(text, "%lf", &y) * y * x[2];
}
static double rewound(const double *x) {
  std::FILE *file = std::tmpfile();
  double y;
  std::fprintf(file, "%.17g", x[0] * x[1]);
  std::rewind(file);
  return std::fscanf(file, "%lf", &y) * y * x[2];
}
static double lines(const double *x) {
  char text[64];
  std::snprintf(text, sizeof text, "%.17g", x[0] * x[1]);
  std::FILE *file = std::fopen("numbers", "w");
  std::fputs(text, file);
  std::fclose(file);
  file = std::fopen("numbers", "r");
  char line[64];
  const bool isThere = std::fgets(line, sizeof line, file);
  std::fclose(file);
  return isThere * std::strtod(line, nullptr) * x[2];
}
static double renamed(const double *x) {
  std::FILE *file = std::fopen("new", "w");
  std::fprintf(file, "%.17g", x[0] * x[1]);
  std::fclose(file);
  if (std::rename("new", "numbers"))
    return 0;
  file = std::fopen("numbers", "r");
  double y;
  const int n = std::fscanf(file, "%lf", &y);
  std::fclose(file);
  return n * y * x[2];
}
__attribute__((noinline)) static void save(const double *y, int n, const char *name) {
  std::FILE *file = std::fopen(name, "w");
  for (int i = 0; i < n; i++)
    std::fprintf(file, "%.17g %d\n", y[i], i);
  std::fprintf(file, "end of %d\n", n);
  std::fclose(file);
}
static double saved(const double *x) {
  double y[2] = {x[0] * x[1], x[0]};
  save(y, 2, "numbers");
  std::FILE *file = std::fopen("numbers", "r");
  const int n = std::fscanf(file, "%lf", y);
  std::fclose(file);
  return n * y[0] * x[2];
}
static double inMemory(const double *x) {
  char *text;
  std::size_t size;
  std::FILE *file = open_memstream(&text, &size);
  std::fprintf(file, "%.17g", x[0] * x[1]);
  std::fclose(file);
  const double y = std::atof(text);
  std::free(text);
  return y * x[2];
}
static double files(const double *x) {
  double y;
  {
    std::ofstream out("numbers");
    out << "y " << x[0] * x[1];
  }
  std::ifstream in("numbers");
  in >> y;
  return y * x[2];
}
static double named(const double *x) {
  const std::string name = "numbers";
  double y;
  {
    std::ofstream out(name);
    out << x[0] * x[1];
  }
  std::ifstream in(name);
  in >> y;
  return y * x[2];
}
static double bytes(const double *x) {
  double y = x[0] * x[1], z;
  {
    std::ofstream out("numbers", std::ios::binary);
    out.write(reinterpret_cast<const char *>(&y), sizeof y);
  }
  std::ifstream in("numbers", std::ios::binary);
  in.read(reinterpret_cast<char *>(&z), sizeof z);
  return z * x[2];
}
static double piped(const double *x) {
  int ends[2];
  if (pipe(ends))
    return 0;
  double y = x[0] * x[1], z = 0;
  return (write(ends[1], &y, sizeof y) + read(ends[0], &z, sizeof z)) * z * x[2];
}
static double strings(const double *x) { return std::stod(std::to_string(x[0] * x[1])) * x[2]; }
static double streams(const double *x) {
  std::ostringstream out;
  out << x[0] << ' ' << x[1];
  std::istringstream in(out.str());
  double y;
  in >> y;
  return y * x[2];
}
static double swapped(const double *x) {
  std::string text = std::to_string(x[0] * x[1]), other = "1";
  text.swap(other);
  return std::stod(other) * x[2];
}
static double commands(const double *x) {
  std::FILE *file = popen("sort > numbers", "w");
  std::fprintf(file, "%.17g", x[0] * x[1]);
  pclose(file);
  file = popen("cat 'numbers'", "r");
  double y;
  const int n = std::fscanf(file, "%lf", &y);
  pclose(file);
  return n * y * x[2];
}
static double fromCommand(const double *x) {
  std::FILE *file = popen("cat>numbers", "w");
  std::fprintf(file, "%.17g", x[0] * x[1]);
  pclose(file);
  file = std::fopen("numbers", "r");
  double y;
  const int n = std::fscanf(file, "%lf", &y);
  std::fclose(file);
  return n * y * x[2];
}
static double wideString(const double *x) { return std::stod(std::to_wstring(x[0])) * x[2]; }
static double wideArray(const double *x) {
  wchar_t text[64], copy[64];
  std::swprintf(text, 64, L"%.17g", x[0] * x[1]);
  std::wcscpy(copy, text);
  return std::wcstod(copy, nullptr) * x[2];
}
static double wideStream(const double *x) {
  std::wstringstream text;
  text << x[0];
  double y;
  text >> y;
  return y * x[2];
}
static void check(double y) {
  if (y > 1)
    throw std::range_error("at " + std::to_string(y));
}
static double message(const double *x) {
  try {
    check(x[0]);
  } catch (const std::exception &e) {
    return std::atof(e.what() + 3) * x[2];
  }
  return x[1];
}
struct Failure : std::exception {
  std::string text;
  explicit Failure(double y) : text(std::to_string(y)) {}
  const char *what() const noexcept override { return text.c_str(); }
};
static double ownMessage(const double *x) {
  try {
    if (x[0] > 1)
      throw Failure(x[0] * x[1]);
  } catch (const std::exception &e) {
    return std::stod(e.what()) * x[2];
  }
  return x[1];
}
static double systemError(const double *x) {
  try {
    throw std::system_error(std::make_error_code(std::errc::io_error), std::to_string(x[0]));
  } catch (const std::exception &e) {
    return std::atof(e.what()) * x[2];
  }
}
static double streamFailure(const double *x) {
  try {
    throw std::ios_base::failure(std::to_string(x[0]));
  } catch (const std::ios_base::failure &e) {
    return std::atof(e.what()) * x[2];
  }
}

static double viewed(const double *x) {
  const std::string text = std::to_string(x[0] * x[1]);
  std::string_view view = text;
  view.remove_prefix(1);
  return std::strtod(view.data(), nullptr) * x[2];
}
__attribute__((noinline)) static double parse(std::string_view view) {
  return std::stod(std::string(view.substr(0, 4)));
}
static double viewHandedOn(const double *x) { return parse(std::to_string(x[0] * x[1])) * x[2]; }

// No errors: a log, then a file of another name; input, then output.
static double logged(const double *x) {
  std::FILE *log = std::fopen("log", "a"), *in = std::fopen("weights", "r");
  std::fprintf(log, "%g\n", x[0]);
  std::printf("%g\n", x[1]);
  char line[64];
  double y, s = 0;
  while (std::fgets(line, sizeof line, in))
    if (std::sscanf(line, "%lf", &y) == 1)
      s += y * x[0];
  std::fprintf(stderr, "%g\n", s);
  return s;
}
static double updated(const double *x) {
  double y;
  std::ifstream in("numbers");
  in >> y;
  std::ofstream out("numbers");
  out << y * x[0];
  return y * x[1];
}
static double reported(const double *x) {
  std::ofstream log("log");
  log << x[0] << '\n';
  std::ifstream in("weights");
  double y;
  in >> y;
  return y * x[0];
}
static std::map<std::string, std::string> settings;
static void say(const std::string &line) { std::cerr << line << '\n'; }
static double configured(const double *x) {
  double s = 0;
  for (const auto &[name, value] : settings) {
    say("with " + name + " at " + std::to_string(x[0]));
    s += std::stod(value) * x[0];
  }
  return s;
}
static double told(const double *x) {
  const double scale = std::stod(settings["scale"]);
  try {
    check(x[0]);
  } catch (const std::exception &e) {
    std::cerr << e.what() << '\n';
    return scale * x[2];
  }
  return x[1];
}
static double plotted(const double *x) {
  std::FILE *file = popen("gnuplot -p", "w");
  std::fprintf(file, "plot %g * x\n", x[0]);
  pclose(file);
  file = popen("nproc --all", "r");
  double y;
  const int n = std::fscanf(file, "%lf", &y);
  pclose(file);
  return n * y * x[0];
}
static double viewOfSetting(const double *x) {
  const std::string setting = "2.5", line = std::to_string(x[0]);
  const std::string_view view = setting, shown = line;
  std::cerr << shown << '\n';
  return std::strtod(view.data(), nullptr) * x[0];
}
void ask(double *x, double *xb) {
  __enzyme_autodiff((void *)copied, x, xb);
  __enzyme_autodiff((void *)scanned, x, xb);
  __enzyme_autodiff((void *)rewound, x, xb);
  __enzyme_autodiff((void *)lines, x, xb);
  __enzyme_autodiff((void *)renamed, x, xb);
  __enzyme_autodiff((void *)saved, x, xb);
  __enzyme_autodiff((void *)inMemory, x, xb);
  __enzyme_autodiff((void *)files, x, xb);
  __enzyme_autodiff((void *)named, x, xb);
  __enzyme_autodiff((void *)bytes, x, xb);
  __enzyme_autodiff((void *)piped, x, xb);
  __enzyme_autodiff((void *)strings, x, xb);
  __enzyme_autodiff((void *)streams, x, xb);
  __enzyme_autodiff((void *)swapped, x, xb);
  __enzyme_autodiff((void *)viewed, x, xb);
  __enzyme_autodiff((void *)viewHandedOn, x, xb);
  __enzyme_autodiff((void *)viewOfSetting, x, xb);
  __enzyme_autodiff((void *)commands, x, xb);
  __enzyme_autodiff((void *)fromCommand, x, xb);
  __enzyme_autodiff((void *)wideString, x, xb);
  __enzyme_autodiff((void *)wideArray, x, xb);
  __enzyme_autodiff((void *)wideStream, x, xb);
  __enzyme_autodiff((void *)message, x, xb);
  __enzyme_autodiff((void *)ownMessage, x, xb);
  __enzyme_autodiff((void *)systemError, x, xb);
  __enzyme_autodiff((void *)streamFailure, x, xb);
  __enzyme_autodiff((void *)logged, x, xb);
  __enzyme_autodiff((void *)updated, x, xb);
  __enzyme_autodiff((void *)reported, x, xb);
  __enzyme_autodiff((void *)configured, x, xb);
  __enzyme_autodiff((void *)told, x, xb);
  __enzyme_autodiff((void *)plotted, x, xb);
}
