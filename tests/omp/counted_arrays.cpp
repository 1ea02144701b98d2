// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that own their memory by records which a library makes and counts, and reductions in
// memory that it lends to its threads: the functions of Kokkos that callee/Views.def names, in
// short.
#include "GradientCheck.h"
#include "LentMemory.h"
#include <atomic>
#include <cmath>
#include <cstdlib>

namespace Kokkos::Impl {

struct Header {
  char label[128];
};

template <class Space, class Destroy> class SharedAllocationRecord;

template <> class SharedAllocationRecord<void, void> {
public:
  explicit SharedAllocationRecord(size_t n)
      : Begin(static_cast<Header *>(std::malloc(n + sizeof(Header)))) {
    for (size_t i = 0; i < n; ++i)
      data()[i] = 0x7f; // nobody has promised zeros
    ++Alive;
  }
  virtual ~SharedAllocationRecord() {
    std::free(Begin);
    --Alive;
  }
  char *data() const { return reinterpret_cast<char *>(Begin + 1); }
  static void increment(SharedAllocationRecord *r) { ++r->Count; }
  static SharedAllocationRecord *decrement(SharedAllocationRecord *r) {
    if (--r->Count == 0) {
      delete r;
      return nullptr;
    }
    return r;
  }
  static inline std::atomic<int> Alive = 0;

private:
  Header *Begin;
  std::atomic<int> Count = 0;
};
using Record = SharedAllocationRecord<void, void>;

/// Knows what it holds, as far as its end goes.
template <class T> struct ValueFunctor {
  T *ptr = nullptr;
  size_t n = 0;
};

template <class Space, class Destroy> class SharedAllocationRecord : public Record {
public:
  using Record::Record;
  static SharedAllocationRecord *allocate(const Space &, size_t n) {
    return new SharedAllocationRecord(n);
  }
  Destroy destroy;
};

} // namespace Kokkos::Impl

namespace {

using namespace Kokkos::Impl;

struct HostSpace {};

/// A record's address; odd: it is not counted.
class Tracker {
public:
  Tracker() : Bits(1) {}
  explicit Tracker(Record *r) : Owner(r) { Record::increment(Owner); }
  Tracker(const Tracker &t) : Bits(Counts ? t.Bits : t.Bits | 1) { retain(); }
  Tracker &operator=(const Tracker &t) {
    if (this != &t) {
      release();
      Bits = t.Bits;
      retain();
    }
    return *this;
  }
  ~Tracker() { release(); }
  static inline thread_local bool Counts = true;

private:
  void retain() {
    if (!(Bits & 1))
      Record::increment(Owner);
  }
  void release() {
    if (!(Bits & 1))
      Record::decrement(Owner);
  }
  union {
    uintptr_t Bits;
    Record *Owner;
  };
};

template <class T> class Array {
public:
  Array() = default;
  explicit Array(int n) : Size(n) {
    auto *r = SharedAllocationRecord<HostSpace, ValueFunctor<T>>::allocate({}, n * sizeof(T));
    Begin = reinterpret_cast<T *>(r->data());
    r->destroy.ptr = Begin;
    r->destroy.n = n;
    for (int i = 0; i < n; ++i)
      Begin[i] = 0;
    Owner = Tracker(r);
  }
  T &operator()(int i) const { return Begin[i]; }
  int size() const { return Size; }

private:
  Tracker Owner;
  T *Begin = nullptr;
  int Size = 0;
};

template <class F> double sum(int n, const F &body) {
  double result = 0;
  const Kokkos::OpenMP space;
  Tracker::Counts = false;
  const Sum<F> kernel{body, space.impl_internal_space_instance(), n, &result};
  Tracker::Counts = true;
  kernel.execute();
  return result;
}

template <class F> void each(int n, const F &body) {
  Tracker::Counts = false;
  const F own(body);
  Tracker::Counts = true;
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    own(i);
}

/// Arrays that are copied, swapped and overwritten by new ones.
double energy(const double *x, int n) {
  Array<double> a(n), b;
  for (int i = 0; i < n; ++i)
    a(i) = x[i];
  for (int k = 0; k < 3; ++k) {
    Array<double> next(n);
    each(n, [=](int i) { next(i) = a(i) + 0.1 * std::sin(a((i + 1) % n)) * a(i); });
    b = a;
    a = next;
  }
  const double s = sum(n, [=](int i, double &t) { t += a(i) * b(i) * b(i); });
  return s * sum(n, [=](int i, double &t) { t += std::exp(-a(i)) * s; });
}

} // namespace

GRADIENT_CHECK(counted_arrays, Double, energy, In(double, 9), Int(9))
