// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text is parsed to expressions whose nodes lie in a memory resource, and these are evaluated by
// visitors. Many places throw, after inlining, what one handler asks for its message.
// Supports: parsers and visitors that throw
#include "GradientCheck.h"
#include <cctype>
#include <cmath>
#include <memory_resource>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>
namespace {
struct Node;
using Ptr = Node *;
struct Num {
  double v;
};
struct Var {
  std::pmr::string name;
};
struct Un {
  char op;
  Ptr a;
};
struct Bin {
  char op;
  Ptr a, b;
};
struct Call {
  std::pmr::string fn;
  std::pmr::vector<Ptr> args;
};
struct Node {
  std::variant<Num, Var, Un, Bin, Call> v;
  template <class T> explicit Node(T t) : v(std::move(t)) {}
};
class Parser {
  std::string_view s;
  size_t i = 0;
  std::pmr::memory_resource *mr;
  std::pmr::polymorphic_allocator<std::byte> al;
  template <class T> Ptr make(T t) {
    auto *p = static_cast<Node *>(mr->allocate(sizeof(Node), alignof(Node)));
    return new (p) Node(std::move(t));
  }
  void ws() {
    while (i < s.size() && std::isspace((unsigned char)s[i]))
      ++i;
  }
  bool eat(char c) {
    ws();
    if (i < s.size() && s[i] == c) {
      ++i;
      return true;
    }
    return false;
  }
  Ptr atom() {
    ws();
    if (eat('(')) {
      auto e = sum();
      if (!eat(')'))
        throw std::runtime_error("paren");
      return e;
    }
    if (eat('-'))
      return make(Un{'-', atom()});
    if (std::isdigit((unsigned char)s[i])) {
      double v = 0, p = 1;
      bool frac = false;
      while (i < s.size() && (std::isdigit((unsigned char)s[i]) || s[i] == '.')) {
        if (s[i] == '.')
          frac = true;
        else {
          v = v * 10 + (s[i] - '0');
          if (frac)
            p *= 10;
        }
        ++i;
      }
      return make(Num{v / p});
    }
    size_t b = i;
    while (i < s.size() && (std::isalnum((unsigned char)s[i]) || s[i] == '_'))
      ++i;
    std::pmr::string name(s.substr(b, i - b), mr);
    if (eat('(')) {
      std::pmr::vector<Ptr> args(mr);
      if (!eat(')')) {
        do
          args.push_back(sum());
        while (eat(','));
        eat(')');
      }
      return make(Call{std::move(name), std::move(args)});
    }
    return make(Var{std::move(name)});
  }
  Ptr power() {
    auto a = atom();
    return eat('^') ? make(Bin{'^', a, power()}) : a;
  }
  Ptr prod() {
    auto a = power();
    for (;;) {
      if (eat('*'))
        a = make(Bin{'*', a, power()});
      else if (eat('/'))
        a = make(Bin{'/', a, power()});
      else
        return a;
    }
  }
  Ptr sum() {
    auto a = prod();
    for (;;) {
      if (eat('+'))
        a = make(Bin{'+', a, prod()});
      else if (eat('-'))
        a = make(Bin{'-', a, prod()});
      else
        return a;
    }
  }

public:
  Parser(std::string_view t, std::pmr::memory_resource *m) : s(t), mr(m), al(m) {}
  Ptr parse() { return sum(); }
};
struct Env {
  std::unordered_map<std::string, double> vars;
};
struct Eval {
  const Env &env;
  double operator()(const Num &n) const { return n.v; }
  double operator()(const Var &v) const { return env.vars.at(std::string(v.name)); }
  double operator()(const Un &u) const { return -std::visit(*this, u.a->v); }
  double operator()(const Bin &b) const {
    double x = std::visit(*this, b.a->v), y = std::visit(*this, b.b->v);
    switch (b.op) {
    case '+':
      return x + y;
    case '-':
      return x - y;
    case '*':
      return x * y;
    case '/':
      return x / y;
    case '^':
      return std::pow(x, y);
    }
    return 0;
  }
  double operator()(const Call &c) const {
    std::vector<double> a;
    for (auto p : c.args)
      a.push_back(std::visit(*this, p->v));
    if (c.fn == "sin")
      return std::sin(a.at(0));
    if (c.fn == "exp")
      return std::exp(a.at(0));
    if (c.fn == "hyp")
      return std::hypot(a.at(0), a.at(1));
    throw std::invalid_argument(std::string(c.fn));
  }
};
} // namespace
static double expressions(const double *x, int n) {
  char buffer[8192];
  std::pmr::monotonic_buffer_resource pool(buffer, sizeof buffer);
  Env env;
  for (int i = 0; i < n; ++i)
    env.vars["a_rather_long_variable_name_" + std::to_string(i)] = x[i];
  env.vars["x"] = x[0];
  env.vars["y"] = x[1] * x[2];
  double s = 0;
  for (auto t : {"x*y + sin(x^2.5)/(1+y)", "-hyp(x, y)*exp(-x*a_rather_long_variable_name_3)",
                 "oops(x)", "2^x - a_rather_long_variable_name_2/y"})
    try {
      auto e = Parser(t, &pool).parse();
      double v = std::visit(Eval{env}, e->v);
      s += v * v;
      env.vars["x"] = 0.5 * v + x[0];
    } catch (const std::invalid_argument &e) {
      s += x[1] * (double)std::string_view(e.what()).size();
    }
  return s;
}
GRADIENT_CHECK(parsed_expressions, Double, expressions, In(double, 5), Int(5))
