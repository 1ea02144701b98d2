// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Second derivatives through a function in pieces: a map of keys that depend on the numbers to
// objects of a class, copied with a hint where each goes, and exchanged for its copy.
// Supports: derivatives of derivatives through lists, maps, hash tables and trees
#include "Hessian.h"
#include <iterator>
#include <map>
#include <memory>
#include <utility>

namespace {

struct Piece {
  virtual ~Piece() = default;
  virtual double at(double t) const = 0;
  virtual std::unique_ptr<Piece> clone() const = 0;
};

struct Constant final : Piece {
  double v;
  explicit Constant(double v) : v(v) {}
  double at(double) const override { return v; }
  std::unique_ptr<Piece> clone() const override { return std::make_unique<Constant>(*this); }
};

struct Line final : Piece {
  double a, b;
  Line(double a, double b) : a(a), b(b) {}
  double at(double t) const override { return a + b * t; }
  std::unique_ptr<Piece> clone() const override { return std::make_unique<Line>(*this); }
};

class Pieces {
public:
  Pieces() = default;
  Pieces(const Pieces &other) {
    for (auto &[from, piece] : other.pieces)
      pieces.emplace_hint(pieces.end(), from, piece->clone());
  }
  Pieces &operator=(Pieces other) {
    std::swap(pieces, other.pieces);
    return *this;
  }
  void add(double from, std::unique_ptr<Piece> piece) { pieces[from] = std::move(piece); }
  double at(double t) const {
    auto next = pieces.upper_bound(t);
    return next == pieces.begin() ? 0 : std::prev(next)->second->at(t - std::prev(next)->first);
  }

private:
  std::map<double, std::unique_ptr<Piece>> pieces;
};

enum { n = 5 };

} // namespace

static double hessian_pieces(const double *x) {
  Pieces p;
  p.add(-4, std::make_unique<Constant>(x[0] * x[1]));
  p.add(-3 + 0.1 * x[1], std::make_unique<Line>(x[2], -x[3] * x[4]));
  p.add(3 + 0.1 * x[4], std::make_unique<Line>(x[1] * x[1], x[0]));
  p = Pieces(p);
  return p.at(-3.9) * p.at(0.5 * x[0]) + p.at(5);
}
HESSIAN(hessian_pieces)
