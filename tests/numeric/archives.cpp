// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers packed into bytes behind a count or a name, where nothing is aligned: archives that grow,
// are copied as a whole, once or several times, and read again.
// Supports: numbers serialised into bytes, wherever they begin
#include "GradientCheck.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

class Writer {
public:
  template <class T> void put(const T &Value) { append(&Value, sizeof Value); }
  void put(const std::vector<double> &Values) {
    put(static_cast<int>(Values.size()));
    append(Values.data(), Values.size() * sizeof(double));
  }
  void put(const std::string &Text) {
    put(static_cast<char>(Text.size()));
    append(Text.data(), Text.size());
  }
  std::vector<char> Bytes;

private:
  void append(const void *From, std::size_t Count) {
    const std::size_t At = Bytes.size();
    Bytes.resize(At + Count);
    std::memcpy(Bytes.data() + At, From, Count);
  }
};

class Reader {
public:
  explicit Reader(const std::vector<char> &Bytes) : Next(Bytes.data()) {}
  template <class T> T get() {
    T Value;
    std::memcpy(&Value, Next, sizeof Value);
    Next += sizeof Value;
    return Value;
  }
  std::vector<double> values() {
    std::vector<double> Values(get<int>());
    std::memcpy(Values.data(), Next, Values.size() * sizeof(double));
    Next += Values.size() * sizeof(double);
    return Values;
  }
  void skipText() { Next += get<char>(); }

private:
  const char *Next;
};

double copied(const double *x, double *y, int n) {
  Writer Out;
  std::vector<double> v(n);
  for (int i = 0; i < n; ++i)
    v[i] = x[i] * x[i];
  Out.put(v);
  Out.put(std::sin(x[0]));
  const std::vector<char> Sent(Out.Bytes);
  Reader In(Sent);
  const std::vector<double> w = In.values();
  const double e = In.get<double>();
  double s = 0;
  for (int i = 0; i < n; ++i) {
    y[i] = w[i] * e + x[i];
    s += y[i] * y[i];
  }
  return s;
}

double named(const double *x, double *y, int n) {
  Writer Out;
  for (int i = 0; i < n; ++i) {
    Out.put(std::string("abc", 1 + i % 3));
    Out.put(std::exp(x[i]));
  }
  Reader In(Out.Bytes);
  double s = 0;
  for (int i = 0; i < n; ++i) {
    In.skipText();
    y[i] = In.get<double>() * x[(i + 1) % n];
    s += y[i] * y[i];
  }
  return s;
}

/// What is packed moves to the front.
double erased(const double *x, double *y, int n) {
  std::vector<char> Bytes(3);
  for (int i = 0; i < n; ++i) {
    const double t = std::exp(x[i]);
    Bytes.resize(Bytes.size() + sizeof t);
    std::memcpy(Bytes.data() + Bytes.size() - sizeof t, &t, sizeof t);
  }
  Bytes.erase(Bytes.begin(), Bytes.begin() + 3);
  double s = 0;
  for (int i = 0; i < n; ++i) {
    double w = 0;
    std::memcpy(&w, Bytes.data() + i * sizeof w, sizeof w);
    y[i] = w * x[i];
    s += y[i];
  }
  return s;
}

double allocated(const double *x, double *y, int n) {
  const std::size_t Bytes = sizeof n + n * sizeof(double);
  auto *Old = static_cast<char *>(std::malloc(Bytes)),
       *New = static_cast<char *>(std::malloc(Bytes));
  auto *v = static_cast<double *>(std::malloc(n * sizeof(double)));
  for (int i = 0; i < n; ++i)
    v[i] = x[i] * x[(i + 1) % n];
  std::memcpy(Old, &n, sizeof n);
  std::memcpy(Old + sizeof n, v, n * sizeof(double));
  std::memcpy(New, Old, Bytes);
  std::memcpy(v, New + sizeof n, n * sizeof(double));
  double s = 0;
  for (int i = 0; i < n; ++i) {
    y[i] = v[i] + x[i];
    s += y[i] * y[i];
  }
  std::free(Old);
  std::free(New);
  std::free(v);
  return s;
}

/// Several copies of the same bytes are read, and the bytes themselves; then they are written anew,
/// with the numbers at other places. A constant among them.
double copiedTwice(const double *x, double *y, int n) {
  double s = 0;
  std::vector<char> Bytes;
  const auto Put = [&](const auto &Value) {
    const auto *From = reinterpret_cast<const char *>(&Value);
    Bytes.insert(Bytes.end(), From, From + sizeof Value);
  };
  for (int Round = 1; Round <= 3; ++Round) {
    Bytes.clear();
    for (int i = 0; i < Round; ++i)
      Put('r');
    Put(1.5);
    Put(n);
    for (int i = 0; i < n; ++i)
      Put(x[i] * x[(i + Round) % n]);
    const std::vector<char> First(Bytes), Second(Bytes);
    for (const char *Copy :
         {First.data(), Second.data(), static_cast<const char *>(Bytes.data())}) {
      const char *At = Copy + Round;
      double Factor = 0, Value = 0;
      std::memcpy(&Factor, At, sizeof Factor);
      for (int i = 0; i < n; ++i) {
        std::memcpy(&Value, At + sizeof Factor + sizeof n + i * sizeof Value, sizeof Value);
        y[i] = Value * Factor + s;
        s += Value * Value * y[i];
      }
    }
  }
  return s;
}

/// What is packed was appended to, so only its alignment tells where its numbers are; in the bytes
/// they lie elsewhere.
double appended(const double *x, double *y, int n) {
  std::vector<double> own[3];
  for (int i = 0; i < n; ++i)
    own[i % 3].push_back(x[i] * x[i]);
  std::vector<char> Bytes;
  auto put = [&](const void *From, std::size_t Count) {
    const char *First = static_cast<const char *>(From);
    Bytes.insert(Bytes.end(), First, First + Count);
  };
  for (const auto &v : own) {
    const int count = static_cast<int>(v.size());
    put(&count, sizeof count);
    put(v.data(), v.size() * sizeof(double));
  }
  const char *Next = Bytes.data();
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    int count;
    std::memcpy(&count, Next, sizeof count);
    std::vector<double> v(count);
    std::memcpy(v.data(), Next + sizeof count, v.size() * sizeof(double));
    Next += sizeof count + v.size() * sizeof(double);
    y[k] = v[0] * x[k];
    for (const double e : v)
      sum += e * e;
  }
  return sum;
}

struct Head {
  int length, kind;
  double time, step;
};

/// A header that is read and written where it is, text, and an array behind it: that the header is
/// aligned says nothing of the array.
double headed(const double *x, double *y, int n) {
  const std::string name = "ab";
  std::vector<double> v(n), w(n);
  for (int i = 0; i < n; ++i)
    v[i] = x[i] * x[i];
  std::vector<char> out(sizeof(Head) + name.size() + n * sizeof(double));
  auto *head = reinterpret_cast<Head *>(out.data());
  head->length = static_cast<int>(name.size());
  head->time = x[0] * x[1];
  head->step = x[1];
  std::memcpy(out.data() + sizeof(Head), name.data(), name.size());
  std::memcpy(out.data() + sizeof(Head) + name.size(), v.data(), n * sizeof(double));
  const std::vector<char> in(out);
  const auto *read = reinterpret_cast<const Head *>(in.data());
  std::memcpy(w.data(), in.data() + sizeof(Head) + read->length, n * sizeof(double));
  double sum = read->time;
  for (int i = 0; i < n; ++i) {
    y[i] = w[i] * read->step;
    sum += w[i] * read->time;
  }
  return sum;
}

} // namespace

GRADIENT_CHECK(archive_copied, Double, copied, In(double, 5), Out(double, 5), Int(5))
GRADIENT_CHECK(archive_named, Double, named, In(double, 5), Out(double, 5), Int(5))
GRADIENT_CHECK(archive_erased, Double, erased, In(double, 5), Out(double, 5), Int(5))
GRADIENT_CHECK(archive_allocated, Double, allocated, In(double, 5), Out(double, 5), Int(5))
GRADIENT_CHECK(archive_copied_twice, Double, copiedTwice, In(double, 3), Out(double, 3), Int(3))
GRADIENT_CHECK(archive_appended, Double, appended, In(double, 5), Out(double, 3), Int(5))
GRADIENT_CHECK(archive_headed, Double, headed, In(double, 5), Out(double, 5), Int(5))
