// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Archives of integers, text, floats and doubles, one after the other, that go to all ranks: what
// comes back is added number by number, also where who reads an archive has passed it on. Flags and
// short integers between numbers that nothing aligns.
// Supports: archives of bytes that are broadcast, or sent to several ranks, or passed on and read
#include "GradientCheck.h"

#include <cmath>
#include <cstring>
#include <mpi.h>
#include <vector>

namespace {

/// As a library writes it that knows nothing of what it is given.
class Writer {
public:
  template <class T> void put(const T &Value) {
    const auto *From = reinterpret_cast<const char *>(&Value);
    Bytes.insert(Bytes.end(), From, From + sizeof Value);
  }
  void put(const std::vector<double> &v) {
    put(v.size());
    for (const double e : v)
      put(e);
  }
  std::vector<char> Bytes;
};

class Reader {
public:
  explicit Reader(const std::vector<char> &From) : At(From.data()) {}
  template <class T> T get() {
    T Value;
    std::memcpy(&Value, At, sizeof Value);
    At += sizeof Value;
    return Value;
  }
  std::vector<double> list() {
    std::vector<double> v(get<std::size_t>());
    for (double &e : v)
      e = get<double>();
    return v;
  }

private:
  const char *At;
};

struct Particle {
  int kind;
  double at, speed;
  float weight;
};

/// The size first, then the bytes, from the last rank to all; every rank reads them.
double broadcast(const double *x, double *y, int n) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Writer out;
  if (rank == size - 1) {
    out.put(n);
    out.put(x[0] * x[1]);
    out.put('a');
    for (int i = 0; i < n; ++i)
      out.put(Particle{i, x[i] * x[i], std::sin(x[i]), 0.5f});
    out.put(std::vector<double>(x, x + n));
  }
  int length = static_cast<int>(out.Bytes.size());
  MPI_Bcast(&length, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
  out.Bytes.resize(static_cast<std::size_t>(length));
  MPI_Bcast(out.Bytes.data(), length, MPI_CHAR, size - 1, MPI_COMM_WORLD);
  Reader in(out.Bytes);
  const int m = in.get<int>();
  double s = in.get<double>() * (rank + 1);
  in.get<char>();
  for (int i = 0; i < m; ++i) {
    const auto p = in.get<Particle>();
    y[i] = p.at * p.speed * x[i];
    s += p.speed * p.speed * static_cast<double>(p.weight) * (p.kind + 1);
  }
  for (const double e : in.list())
    s += e * e * y[0];
  return s;
}

/// The same bytes to each rank in a message of its own, and copied twice beside that; a constant
/// among them.
double everywhere(const double *x, double *y, int n) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Writer out;
  out.put(rank);
  out.put(2.5f);
  out.put('b');
  for (int i = 0; i < n; ++i)
    out.put(x[i] * x[(i + rank) % n]);
  const int length = static_cast<int>(out.Bytes.size());
  std::vector<MPI_Request> requests(static_cast<std::size_t>(size));
  for (int r = 0; r < size; ++r)
    MPI_Isend(out.Bytes.data(), length, MPI_BYTE, r, 0, MPI_COMM_WORLD,
              &requests[static_cast<std::size_t>(r)]);
  double s = 0;
  for (int i = 0; i < n; ++i)
    y[i] = 0;
  const auto read = [&](const std::vector<char> &From) {
    Reader in(From);
    const int sender = in.get<int>();
    const double factor = static_cast<double>(in.get<float>());
    in.get<char>();
    for (int i = 0; i < n; ++i) {
      const double e = in.get<double>();
      y[i] += e * e * factor;
      s += e * y[0] * (sender + 1);
    }
  };
  std::vector<char> bytes(out.Bytes.size());
  for (int r = 0; r < size; ++r) {
    MPI_Recv(bytes.data(), length, MPI_BYTE, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    read(bytes);
  }
  MPI_Waitall(size, requests.data(), MPI_STATUSES_IGNORE);
  const std::vector<char> first(out.Bytes), second(out.Bytes);
  read(first);
  read(second);
  return s;
}

/// Every archive goes round the ring, and everybody reads all of them when they have arrived: what
/// comes back for one that was passed on lies above the reader's own adjoints.
double around(const double *x, double *y, int n) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Writer out;
  out.put(rank);
  out.put('c');
  for (int i = 0; i < n; ++i)
    out.put(x[i] * x[0] * (rank + 1));
  const int length = static_cast<int>(out.Bytes.size());
  std::vector<std::vector<char>> all{out.Bytes};
  for (int r = 1; r < size; ++r) {
    all.emplace_back(out.Bytes.size());
    MPI_Sendrecv(all[static_cast<std::size_t>(r) - 1].data(), length, MPI_BYTE, (rank + 1) % size,
                 r, all.back().data(), length, MPI_BYTE, (rank + size - 1) % size, r,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  double s = 0;
  for (int i = 0; i < n; ++i)
    y[i] = x[i];
  for (const std::vector<char> &bytes : all) {
    Reader in(bytes);
    const int sender = in.get<int>();
    in.get<char>();
    for (int i = 0; i < n; ++i) {
      const double e = in.get<double>();
      y[i] += e * e * (sender + 1);
      s += e * y[0];
    }
  }
  return s;
}

/// Gathered, and broadcast from there; the root reads them, too.
double gathered(const double *x, double *y, int n) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Writer out;
  out.put('d');
  out.put(rank);
  for (int i = 0; i < n; ++i)
    out.put(x[i] * x[n - 1]);
  const int length = static_cast<int>(out.Bytes.size());
  std::vector<char> all(out.Bytes.size() * static_cast<std::size_t>(size));
  MPI_Gather(out.Bytes.data(), length, MPI_BYTE, all.data(), length, MPI_BYTE, 0, MPI_COMM_WORLD);
  double s = 0;
  const auto read = [&](double factor) {
    Reader in(all);
    for (int r = 0; r < size; ++r) {
      in.get<char>();
      const int sender = in.get<int>();
      for (int i = 0; i < n; ++i) {
        const double e = in.get<double>();
        y[i] += e * factor;
        s += e * e * (sender + 1);
      }
    }
  };
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * x[i];
  if (rank == 0)
    read(2.0);
  MPI_Bcast(all.data(), length * size, MPI_BYTE, 0, MPI_COMM_WORLD);
  read(3.0);
  return s;
}

/// Members of a few bytes beside numbers that nothing aligns.
struct Flagged {
  int id;
  double at[3];
  short kind;
  bool frozen;
};

template <class T> void put(std::vector<char> &Bytes, const T &v) {
  const std::size_t At = Bytes.size();
  Bytes.resize(At + sizeof v);
  std::memcpy(Bytes.data() + At, &v, sizeof v);
}

template <class T> void get(const char *&next, T &v) {
  std::memcpy(&v, next, sizeof v);
  next += sizeof v;
}

double members(const double *x, double *y, int n) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<char> out;
  put(out, n);
  for (int i = 0; i < n; ++i) {
    Flagged p = {i, {}, static_cast<short>(i % 3 + 1), i % 2 == 1};
    for (int k = 0; k < 3; ++k)
      p.at[k] = x[i] * x[k] + k;
    put(out, p.id), put(out, p.at), put(out, p.kind), put(out, p.frozen);
  }
  std::vector<char> in(out.size());
  const int length = static_cast<int>(out.size());
  MPI_Sendrecv(out.data(), length, MPI_BYTE, (rank + 1) % size, 0, in.data(), length, MPI_BYTE,
               (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const char *next = in.data();
  int m = 0;
  get(next, m);
  std::vector<Flagged> got(m);
  for (Flagged &p : got)
    get(next, p.id), get(next, p.at), get(next, p.kind), get(next, p.frozen);
  double s = 0;
  for (int i = 0; i < m; ++i) {
    for (int k = 0; k < 3; ++k)
      s += got[i].kind * got[i].at[k] * got[i].at[2 - k] * (got[i].frozen ? 2 : 1);
    y[i] = s * x[i] * got[i].id;
  }
  return s;
}

} // namespace

GRADIENT_CHECK(archive_broadcast, Double, broadcast, In(double, 4), Out(double, 4), Int(4))
GRADIENT_CHECK(archive_everywhere, Double, everywhere, In(double, 3), Out(double, 3), Int(3))
GRADIENT_CHECK(archive_around, Double, around, In(double, 3), Out(double, 3), Int(3))
GRADIENT_CHECK(archive_gathered, Double, gathered, In(double, 3), Out(double, 3), Int(3))
GRADIENT_CHECK(archive_members, Double, members, In(double, 5), Out(double, 5), Int(5))
