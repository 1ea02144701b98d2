// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stages of a pipeline that are pipes themselves and hold their buffers, which are pipes, too: what
// a virtual call leads to decides whether a buffer within a stage is told from the stage.
// Supports: members by value of a class with the same virtual base, called through pointers to it
#include "GradientCheck.h"
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

namespace {
struct Pipe {
  virtual ~Pipe() = default;
  virtual float *begin() = 0;
  virtual void put(const float *x, unsigned n) = 0;
  virtual unsigned take(float *out, unsigned n) = 0;
  virtual unsigned count() const = 0;
};

class Buffer : public Pipe {
  float *data = nullptr, *block = nullptr;
  unsigned capacity = 0, used = 0, at = 0;

  void reserve(unsigned n) {
    if (n > capacity) {
      const unsigned size = (n + 15) & ~15u;
      float *fresh = new float[size + 1];
      if (used)
        std::memcpy(fresh + 1, data + at, used * sizeof(float));
      delete[] block;
      block = fresh;
      data = fresh + 1;
      capacity = size;
      at = 0;
    } else if (at) {
      std::memmove(data, data + at, used * sizeof(float));
      at = 0;
    }
  }

public:
  Buffer() { reserve(16); }
  Buffer(const Buffer &) = delete;
  ~Buffer() override { delete[] block; }
  float *begin() override { return data + at; }
  float *end(unsigned more) {
    reserve(used + more);
    return data + used;
  }
  void put(const float *x, unsigned n) override {
    std::memcpy(end(n), x, n * sizeof(float));
    used += n;
  }
  unsigned take(float *out, unsigned n) override {
    n = n > used ? used : n;
    std::memcpy(out, begin(), n * sizeof(float));
    drop(n);
    return n;
  }
  void grow(unsigned n) { used += n; }
  void drop(unsigned n) {
    used -= n;
    at += n;
  }
  unsigned count() const override { return used; }
};

class Processor : public Pipe {
protected:
  Pipe *output;
  explicit Processor(Pipe *p) : output(p) {}

public:
  float *begin() override { return output->begin(); }
  unsigned take(float *out, unsigned n) override { return output->take(out, n); }
  unsigned count() const override { return output->count(); }
};

class Smooth : public Processor {
  Buffer in, out;
  std::unique_ptr<float[]> taps;
  unsigned length;

public:
  Smooth(unsigned n, float width) : Processor(&out), taps(new float[n]), length(n) {
    for (unsigned i = 0; i < n; ++i)
      taps[i] = std::exp(-width * i);
  }
  void put(const float *x, unsigned n) override {
    in.put(x, n);
    if (in.count() < length)
      return;
    const unsigned made = in.count() - length;
    float *to = out.end(made);
    const float *from = in.begin();
    for (unsigned i = 0; i < made; ++i) {
      float s = 0;
      for (unsigned k = 0; k < length; ++k)
        s += taps[k] * from[i + k];
      to[i] = s;
    }
    out.grow(made);
    in.drop(made);
  }
};

class Rate : public Processor {
  Buffer in, mid, out;
  double rate, fraction = 0;

public:
  explicit Rate(double r) : Processor(&out), rate(r) {}
  void put(const float *x, unsigned n) override {
    in.put(x, n);
    mid.put(in.begin(), in.count());
    in.drop(in.count());
    const unsigned have = mid.count();
    float *to = out.end(2 * have), *from = mid.begin();
    unsigned made = 0, k = 0;
    while (k + 1 < have) {
      to[made++] = float((1 - fraction) * from[k] + fraction * from[k + 1]);
      fraction += rate;
      const int whole = int(fraction);
      fraction -= whole;
      k += whole;
    }
    out.grow(made);
    mid.drop(k < have ? k : have);
  }
};

double drain(Pipe &pipe) {
  float out[8];
  double s = 0;
  while (const unsigned n = pipe.take(out, 8))
    for (unsigned i = 0; i < n; ++i)
      s = 0.9 * s + out[i] * out[i];
  return s;
}

double resampled(const float *x, int n) {
  Rate rate(1.23);
  for (int i = 0; i < n; i += 10)
    rate.put(x + i, 10);
  return drain(rate);
}

/// The stages are chosen at run time, and each feeds the next one.
double chained(const float *x, int n) {
  std::vector<std::unique_ptr<Pipe>> stages;
  for (int i = 0; i < 3; ++i)
    if ((n + i) % 2)
      stages.push_back(std::make_unique<Smooth>(3 + i, 0.5f + 0.1f * x[i]));
    else
      stages.push_back(std::make_unique<Rate>(0.8));
  stages.front()->put(x, n);
  for (unsigned i = 0; i + 1 < stages.size(); ++i) {
    float between[16];
    while (const unsigned m = stages[i]->take(between, 16))
      stages[i + 1]->put(between, m);
  }
  return drain(*stages.back()) + stages.back()->count();
}
} // namespace

GRADIENT_CHECK_BOUND(1e-3, stages_resampled, Double, resampled, In(float, 40), Int(40))
GRADIENT_CHECK_BOUND(1e-3, stages_chained, Double, chained, In(float, 30), Int(30))
