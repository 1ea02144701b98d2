// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Serialisers whose position is a member that goes on with every byte, of texts as well.
// Supports: bytes that are read and written one by one at a position in memory
#include "GradientCheck.h"

#include <map>
#include <string>
#include <vector>

template <class... A> double __enzyme_fwddiff_named(void *, A...);
template <class... A> void __enzyme_autodiff_named(void *, A...);

namespace {

/// Bytes at an index that is a member, of numbers, texts and lists.
class Archive {
public:
  template <class T> void put(const T &Value) {
    const auto *From = reinterpret_cast<const char *>(&Value);
    Bytes.resize(End + sizeof Value);
    for (std::size_t i = 0; i < sizeof Value; ++i)
      Bytes[End++] = From[i];
  }
  template <class T> void get(T &Value) {
    auto *To = reinterpret_cast<char *>(&Value);
    for (std::size_t i = 0; i < sizeof Value; ++i)
      To[i] = Bytes[At++];
  }
  void put(const std::string &Text) {
    put(Text.size());
    for (const char c : Text)
      put(c);
  }
  void get(std::string &Text) {
    std::size_t n = 0;
    get(n);
    Text.resize(n);
    for (char &c : Text)
      get(c);
  }
  void put(const std::vector<double> &v) {
    put(v.size());
    for (const double e : v)
      put(e);
  }
  void get(std::vector<double> &v) {
    std::size_t n = 0;
    get(n);
    v.resize(n);
    for (double &e : v)
      get(e);
  }

private:
  std::vector<char> Bytes;
  std::size_t At = 0, End = 0;
};

double named(const double *x, double *y, int n) {
  std::map<std::string, std::vector<double>> fields;
  for (int i = 0; i < n; ++i)
    fields[i % 2 ? "pressure of the upper layer" : "u"].push_back(x[i] * x[0]);
  Archive archive;
  archive.put(fields.size());
  for (const auto &[name, values] : fields) {
    archive.put(name);
    archive.put(values);
  }
  std::size_t m = 0;
  archive.get(m);
  double s = 0;
  for (int i = 0; i < n; ++i)
    y[i] = x[i];
  for (std::size_t i = 0; i < m; ++i) {
    std::string name;
    std::vector<double> values;
    archive.get(name);
    archive.get(values);
    for (std::size_t k = 0; k < values.size(); ++k) {
      y[k] += values[k] * values[k] * (name == "u" ? 1 : 2);
      s += y[k] * values[0];
    }
  }
  return s;
}

/// Pointers that are members.
struct Cursor {
  char *out;
  const char *in;
  int written;
};

template <class T> void write(Cursor &c, const T &Value) {
  const auto *from = reinterpret_cast<const char *>(&Value);
  for (std::size_t i = 0; i < sizeof Value; ++i) {
    *c.out++ = *from++;
    ++c.written;
  }
}
template <class T> void read(Cursor &c, T &Value) {
  auto *to = reinterpret_cast<char *>(&Value);
  for (std::size_t i = 0; i < sizeof Value; ++i)
    *to++ = *c.in++;
}

double cursors(const double *x, double *y, int n) {
  char bytes[256];
  Cursor c = {bytes, bytes, 0};
  for (int i = 0; i < n; ++i) {
    write(c, i);
    write(c, x[i] * x[i]);
  }
  double s = 0;
  while (c.in < bytes + c.written) {
    int i = 0;
    double v = 0;
    read(c, i);
    read(c, v);
    y[i] = v * x[0];
    s += (i + 1) * v * v;
  }
  return s;
}

double namedPrimal(void *const *v) {
  return named(static_cast<double *>(v[0]), static_cast<double *>(v[1]), 6);
}
double namedTangent(void *const *v, void *const *d) {
  return __enzyme_fwddiff_named((void *)named, enzyme_dup, (double *)v[0], (double *)d[0],
                                enzyme_dup, (double *)v[1], (double *)d[1], enzyme_const, 6);
}
/// In two directions at once, with half of the seed each.
void namedAdjoint(void *const *v, void *const *d) {
  auto *x = (double *)v[0], *y = (double *)v[1], *xBar = (double *)d[0], *yBar = (double *)d[1];
  double first[6] = {}, second[6] = {}, seed[6], other[6];
  for (int i = 0; i < 6; ++i)
    seed[i] = other[i] = yBar[i];
  __enzyme_autodiff_named((void *)named, enzyme_width, 2, enzyme_dup, x, first, second, enzyme_dup,
                          y, seed, other, enzyme_const, 6);
  for (int i = 0; i < 6; ++i) {
    xBar[i] += (first[i] + second[i]) / 2;
    yBar[i] = (seed[i] + other[i]) / 2;
  }
}

} // namespace

GRADIENT_CHECK_CUSTOM(byte_cursors_directions, Double, namedPrimal, namedTangent, namedAdjoint,
                      In(double, 6), Out(double, 6))
GRADIENT_CHECK(byte_cursors_named, Double, named, In(double, 6), Out(double, 6), Int(6))
GRADIENT_CHECK(byte_cursors_pointers, Double, cursors, In(double, 6), Out(double, 6), Int(6))
