// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that do not make it easy: requests in structures of the heap that other functions
// complete, in recursion, behind virtual functions; communicators that live for one call; messages
// to oneself, to nobody, of no length.
// Supports: requests in structures and containers, completed by other functions, in recursion or by polling
#include "GradientCheck.h"
#include "Neighbour.h"

#include <cmath>
#include <exception>
#include <memory>
#include <mpi.h>
#include <vector>

namespace {

enum { n = 8 };

/// A channel that knows its buffers and its request.
struct Channel {
  virtual ~Channel() = default;
  virtual void start(int tag) = 0;
  bool test() {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    return done;
  }
  std::vector<double> box;
  MPI_Request request = MPI_REQUEST_NULL;
};
struct Outgoing final : Channel {
  void start(int tag) override {
    MPI_Isend(box.data(), (int)box.size(), MPI_DOUBLE, neighbour(1), tag, MPI_COMM_WORLD, &request);
  }
};
struct Incoming final : Channel {
  void start(int tag) override {
    MPI_Irecv(box.data(), (int)box.size(), MPI_DOUBLE, neighbour(-1), tag, MPI_COMM_WORLD,
              &request);
  }
};

void pollUntilDone(std::vector<std::unique_ptr<Channel>> &channels) {
  std::size_t open = channels.size();
  std::vector<bool> done(channels.size());
  while (open > 0)
    for (std::size_t i = 0; i < channels.size(); ++i)
      if (!done[i] && channels[i]->test()) {
        done[i] = true;
        --open;
      }
}

double channels(const double *x, double *y) {
  std::vector<std::unique_ptr<Channel>> all;
  for (int i = 0; i < 3; ++i) {
    all.push_back(std::make_unique<Incoming>());
    all.push_back(std::make_unique<Outgoing>());
    for (Channel *c : {all[2 * i].get(), all[2 * i + 1].get()}) {
      c->box.resize(n / 2);
      for (int k = 0; k < n / 2; ++k)
        c->box[k] = std::sin(x[k + i] * (i + 1));
    }
  }
  for (int i = 5; i >= 0; --i)
    all[i]->start(i / 2 == 1 ? 7 : 5); // two of the three have the same tag
  pollUntilDone(all);
  double sum = 0;
  for (int k = 0; k < n; ++k) {
    y[k] = all[0]->box[k / 2] * all[2]->box[k / 2] + all[4]->box[k / 2] * x[k];
    sum += y[k] * y[k];
  }
  return sum;
}

/// Each level starts, goes deeper, and completes afterwards: last in, first out.
double descend(const double *x, int depth, int deepest) {
  if (depth == deepest)
    return x[depth] * x[depth];
  double out = std::exp(0.3 * x[depth]), in = 0;
  MPI_Request open[2];
  MPI_Irecv(&in, 1, MPI_DOUBLE, neighbour(-1), 3, MPI_COMM_WORLD, &open[0]);
  MPI_Isend(&out, 1, MPI_DOUBLE, neighbour(1), 3, MPI_COMM_WORLD, &open[1]);
  const double below = descend(x, depth + 1, deepest);
  MPI_Waitall(2, open, MPI_STATUSES_IGNORE);
  return below * in + x[depth];
}
double recursion(const double *x, int levels) { return descend(x, 0, levels); }

/// A communicator for every step, with a topology or without.
double shortLived(const double *x, double *y) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    y[i] = x[i];
  for (int step = 0; step < 3; ++step) {
    int rank = 0, size = 1, periodic = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm half = MPI_COMM_NULL, ring = MPI_COMM_NULL, copy = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank == step ? MPI_UNDEFINED : rank % 2, -rank, &half);
    if (half != MPI_COMM_NULL) {
      MPI_Comm_dup(half, &copy);
      MPI_Comm_free(&half);
      MPI_Allreduce(MPI_IN_PLACE, y, n / 2, MPI_DOUBLE, MPI_SUM, copy);
      MPI_Comm_free(&copy);
    }
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    int before = 0, behind = 0;
    MPI_Cart_shift(ring, 0, 1, &before, &behind);
    MPI_Sendrecv_replace(y + n / 2, n / 2, MPI_DOUBLE, behind, 0, before, 0, ring,
                         MPI_STATUS_IGNORE);
    MPI_Comm_free(&ring);
    for (int i = 0; i < n; ++i)
      y[i] = std::sin(y[i]) * x[(i + step) % n];
    sum += y[step] * y[n - 1];
  }
  return sum;
}

/// To oneself, to nobody, of no length; a cancelled receive.
double oddities(const double *x, double *y) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double in[n] = {0}, never = x[0];
  MPI_Request open[5], lost;
  MPI_Irecv(&never, 1, MPI_DOUBLE, rank, 99, MPI_COMM_WORLD, &lost);
  MPI_Irecv(in, n, MPI_DOUBLE, rank, 1, MPI_COMM_WORLD, &open[0]);
  MPI_Irecv(in, n, MPI_DOUBLE, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &open[1]);
  MPI_Irecv(nullptr, 0, MPI_DOUBLE, neighbour(-1), 2, MPI_COMM_WORLD, &open[2]);
  MPI_Isend(x, n - 2, MPI_DOUBLE, rank, 1, MPI_COMM_WORLD, &open[3]);
  MPI_Isend(x, 0, MPI_DOUBLE, neighbour(1), 2, MPI_COMM_WORLD, &open[4]);
  MPI_Status statuses[5];
  MPI_Waitall(5, open, statuses);
  MPI_Cancel(&lost);
  MPI_Status status;
  MPI_Wait(&lost, &status);
  int cancelled = 0, count = 0;
  MPI_Test_cancelled(&status, &cancelled);
  MPI_Get_count(&statuses[0], MPI_DOUBLE, &count);
  double sum = cancelled ? never * never : 0;
  for (int i = 0; i < n; ++i) {
    y[i] = i < count ? in[i] * in[i] * x[i] : x[i];
    sum += std::cos(y[i]);
  }
  return sum;
}

/// Memory from MPI beside objects, where something may be thrown.
double ownMemory(const double *x, double *y) {
  std::vector<double> sums(n);
  double total = 0;
  try {
    double *memory = nullptr;
    MPI_Alloc_mem(n * sizeof(double), MPI_INFO_NULL, &memory);
    for (int i = 0; i < n; ++i)
      memory[i] = x[i] * x[0];
    MPI_Allreduce(memory, sums.data(), n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i)
      total += y[i] = sums.at(i) * x[i];
    MPI_Free_mem(memory);
  } catch (const std::exception &) {
    total = -1;
  }
  return total;
}

} // namespace

GRADIENT_CHECK(unkind_channels, Double, channels, In(double, n), Out(double, n))
GRADIENT_CHECK(unkind_recursion, Double, recursion, In(double, n), Int(5))
GRADIENT_CHECK(unkind_communicators, Double, shortLived, In(double, n), Out(double, n))
GRADIENT_CHECK(unkind_oddities, Double, oddities, In(double, n), Out(double, n))
GRADIENT_CHECK(unkind_memory, Double, ownMemory, In(double, n), Out(double, n))
