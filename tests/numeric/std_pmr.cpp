// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Containers whose memory comes from the library's memory resources, from the default one, and
// from a resource of the program's own in front of it.
// Supports: `std::pmr` containers and memory resources
#include "GradientCheck.h"
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <vector>

namespace {
struct Counting : std::pmr::memory_resource {
  std::pmr::memory_resource *next;
  std::size_t bytes = 0;
  explicit Counting(std::pmr::memory_resource *next = std::pmr::get_default_resource())
      : next(next) {}
  void *do_allocate(std::size_t size, std::size_t alignment) override {
    bytes += size;
    return next->allocate(size, alignment);
  }
  void do_deallocate(void *p, std::size_t size, std::size_t alignment) override {
    next->deallocate(p, size, alignment);
  }
  bool do_is_equal(const memory_resource &other) const noexcept override { return this == &other; }
};
} // namespace

static double inABuffer(const double *x, int n) {
  char room[512];
  std::pmr::monotonic_buffer_resource buffer(room, sizeof room);
  std::pmr::vector<std::pmr::vector<double>> rows(&buffer);
  for (int i = 0; i < n; ++i) {
    rows.emplace_back(i + 1, x[i]);
    rows.back()[0] *= x[0];
  }
  double sum = 0;
  for (auto &row : rows)
    for (double v : row)
      sum += v * v;
  return sum;
}

static double inAPool(const double *x, int n) {
  std::pmr::unsynchronized_pool_resource pool;
  std::pmr::map<int, double> bins(&pool);
  for (int i = 0; i < n; ++i)
    bins[i * 7 % 4] += x[i] * x[i];
  double sum = 0;
  for (auto &[key, v] : bins)
    sum += v * v * (key + 1);
  return sum;
}

static double counted(const double *x, int n) {
  Counting resource;
  std::pmr::vector<double> v(&resource);
  for (int i = 0; i < n; ++i)
    v.push_back(x[i] * x[0]);
  double sum = 0;
  for (double d : v)
    sum += d * d * d;
  return sum + x[1] * double(resource.bytes);
}

/// What hands memory on is one of the library's, which only the program's own resource asks.
static double countedInABuffer(const double *x, int n) {
  std::pmr::monotonic_buffer_resource buffer;
  Counting resource(&buffer);
  std::pmr::vector<double> v(&resource);
  for (int i = 0; i < n; ++i)
    v.push_back(x[i] * x[1]);
  return v[0] * v.back() + x[1] * double(resource.bytes);
}

/// The resource is made where nobody asks it for memory.
struct Workspace {
  std::byte room[512];
  std::pmr::monotonic_buffer_resource pool;
  __attribute__((noinline)) explicit Workspace(int n) : pool(room, sizeof room) {
    for (int i = 0; i < n; ++i)
      room[i] = std::byte(i);
    if (n > 2)
      Workspace inner(n - 1); // calls itself, so it stays a call
  }
};

static double inAWorkspace(const double *x, int n) {
  Workspace own(n);
  std::pmr::vector<double> v(x, x + n, &own.pool);
  double sum = 0;
  for (double d : v)
    sum += d * d * d;
  return sum;
}

/// Resources that end by a virtual destructor, or by one that is called.
template <class Resource> static double owned(const double *x, int n) {
  auto pool = std::make_unique<Resource>();
  std::unique_ptr<std::pmr::memory_resource> buffer =
      std::make_unique<std::pmr::monotonic_buffer_resource>(pool.get());
  std::pmr::vector<double> v(buffer.get()), w(pool.get());
  for (int i = 0; i < n; ++i) {
    v.push_back(x[i] * x[0]);
    w.push_back(v.back() * x[i]);
  }
  return v[n - 1] * w[1] + w.back() * w.back();
}
static double destroyed(const double *x, int n) {
  std::optional<std::pmr::monotonic_buffer_resource> buffer(std::in_place);
  double sum = 0;
  for (int turn = 0; turn < 3; ++turn) {
    {
      std::pmr::vector<double> v(x, x + n, &*buffer);
      for (double d : v)
        sum += d * d * v[turn];
    }
    buffer.reset();
    buffer.emplace();
  }
  return sum;
}

GRADIENT_CHECK(pmr_owned_buffer, Double, owned<std::pmr::monotonic_buffer_resource>, In(double, 5),
               Int(4))
GRADIENT_CHECK(pmr_owned_pool, Double, owned<std::pmr::unsynchronized_pool_resource>, In(double, 5),
               Int(4))
GRADIENT_CHECK(pmr_destroyed, Double, destroyed, In(double, 5), Int(4))
GRADIENT_CHECK(pmr_workspace, Double, inAWorkspace, In(double, 5), Int(4))
GRADIENT_CHECK(pmr_buffer, Double, inABuffer, In(double, 5), Int(5))
GRADIENT_CHECK(pmr_pool, Double, inAPool, In(double, 6), Int(6))
GRADIENT_CHECK(pmr_counted, Double, counted, In(double, 5), Int(5))
GRADIENT_CHECK(pmr_counted_buffer, Double, countedInABuffer, In(double, 5), Int(5))
