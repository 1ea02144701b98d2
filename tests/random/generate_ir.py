# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random modules of IR: blocks that go anywhere (irreducible, switches, several exits), loops with several latches,
functions that are given tables of addresses, called directly, through tables, by invoke and by themselves.

@f(x, y) reads and writes both; CheckIr.cpp compares its derivatives, in each way of asking for them, with differences.
Each loop uses up some fuel, and every access is within eight doubles at least.
"""

import random
from pathlib import Path

from ir_operations import Habits, Operations

HEAD = """
declare double @llvm.sin.f64(double)
declare double @llvm.cos.f64(double)
declare double @llvm.sqrt.f64(double)
declare double @llvm.fabs.f64(double)
declare double @llvm.fma.f64(double, double, double)
declare double @llvm.copysign.f64(double, double)
declare double @llvm.pow.f64(double, double)
declare double @llvm.maxnum.f64(double, double)
declare double @llvm.minimum.f64(double, double)
declare {double, double} @llvm.sincos.f64(double)
declare <4 x double> @llvm.sin.v4f64(<4 x double>)
declare double @llvm.vector.reduce.fadd.v4f64(double, <4 x double>)
declare <4 x double> @llvm.masked.load.v4f64.p0(ptr, i32, <4 x i1>, <4 x double>)
declare void @llvm.masked.store.v4f64.p0(<4 x double>, ptr, i32, <4 x i1>)
declare <4 x double> @llvm.masked.gather.v4f64.v4p0(<4 x ptr>, i32, <4 x i1>, <4 x double>)
declare void @llvm.masked.scatter.v4f64.v4p0(<4 x double>, <4 x ptr>, i32, <4 x i1>)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)
declare ptr @malloc(i64)
declare ptr @calloc(i64, i64)
declare ptr @realloc(ptr, i64)
declare void @free(ptr)
declare i32 @__gxx_personality_v0(...)
@variable = internal global [8 x double] zeroinitializer
"""

REQUESTS = """
declare double @__enzyme_fwddiff(...)
declare [2 x double] @__enzyme_fwddiff_wide(...)
declare void @__enzyme_autodiff(...)
declare {ptr, double} @__enzyme_augmentfwd(...)
declare void @__enzyme_reverse(...)
define double @tangent(ptr %x, ptr %dx, ptr %y, ptr %dy) {
  %r = call double (...) @__enzyme_fwddiff(ptr @f, metadata !"enzyme_dup", ptr %x, ptr %dx, metadata !"enzyme_dup", ptr %y, ptr %dy)
  ret double %r
}
define void @adjoint(ptr %x, ptr %dx, ptr %y, ptr %dy) {
  call void (...) @__enzyme_autodiff(ptr @f, metadata !"enzyme_dup", ptr %x, ptr %dx, metadata !"enzyme_dup", ptr %y, ptr %dy)
  ret void
}
define void @split(ptr %x, ptr %dx, ptr %y, ptr %dy) {
  %a = call {ptr, double} (...) @__enzyme_augmentfwd(ptr @f, ptr %x, ptr %dx, ptr %y, ptr %dy)
  %t = extractvalue {ptr, double} %a, 0
  call void (...) @__enzyme_reverse(ptr @f, ptr %x, ptr %dx, ptr %y, ptr %dy, double 1.0, ptr %t)
  ret void
}
define void @tangents(ptr %x, ptr %dx, ptr %ex, ptr %y, ptr %dy, ptr %ey, ptr %g) {
  %r = call [2 x double] (...) @__enzyme_fwddiff_wide(ptr @f, metadata !"enzyme_width", i64 2, metadata !"enzyme_dup", ptr %x, ptr %dx, ptr %ex, metadata !"enzyme_dup", ptr %y, ptr %dy, ptr %ey)
  store [2 x double] %r, ptr %g
  ret void
}
"""

TWO_ADJOINTS = """
define void @adjoints(ptr %x, ptr %dx, ptr %ex, ptr %y, ptr %dy, ptr %ey) {
  call void (...) @__enzyme_autodiff(ptr @f, metadata !"enzyme_width", i64 2, metadata !"enzyme_dup", ptr %x, ptr %dx, ptr %ex, metadata !"enzyme_dup", ptr %y, ptr %dy, ptr %ey)
  ret void
}
"""


class Function(Operations):
    """A function; helpers are those that it may call."""

    def __init__(self, program, fuel):
        super().__init__(program.random, program.habits, fuel)
        self.helpers = program.helpers

    # --- Branches ---------------------------------------------------------------------------------
    def op_branches(self):
        """A switch whose cases may fall into each other."""
        cases = self.labels("case", "next", "last", "after")
        part = self.value(f"urem i32 {self.fuel}, {self.pick((2, 3, 5))}")
        arms = " ".join(f"i32 {number}, label %{self.pick(cases)}" for number in range(3))
        self.do(f"switch i32 {part}, label %{self.pick(cases)} [ {arms} ]")
        for number, label in enumerate(cases[:3]):
            self.at(label)
            self.operations(2)
            self.go(self.pick((cases[number + 1], cases[3])))
        self.at(cases[3])

    def op_loop(self):
        """With two latches and two exits, handing on a number, an address and what it has come to."""
        head, body, one, other, early, after = self.labels("head", "body", "one", "other", "early", "after")
        start, before, base = self.load(), self.block, self.pick(self.kept)
        self.go(head)
        self.at(head)
        names = [f"%{head}.{stem}" for stem in ("i", "sum", "p")]
        phis = len(self.lines)
        self.go(body)
        self.at(body)
        fuel, self.fuel = self.fuel, names[0]
        self.bases.append((names[2], 8))
        if self.chance(0.6):
            self.operations(2)
        total = self.moderate(self.value(f"fadd double {names[1]}, {self.value(f'fmul double {self.load()}, {self.load()}')}"))
        self.bases.pop()
        address = self.pick((names[2], self.pick(self.kept), self.address()))
        up = self.value(f"add i32 {names[0]}, 1")
        self.do(f"br i1 {self.condition()}, label %{one}, label %{other}")
        self.at(one)
        self.do(f"br i1 {self.value(f'icmp slt i32 {up}, {self.random.randrange(1, 6)}')}, label %{head}, label %{after}")
        self.at(other)
        self.keep(names[1])
        end, less = self.block, self.value(f"icmp slt i32 {up}, {self.random.randrange(1, 6)}")
        self.do(f"br i1 {less}, label %{head}, label %{early}")
        self.at(early)
        again = self.moderate(total)
        self.go(after)
        kinds = (("i32", "0", up, up), ("double", start, total, names[1]), ("ptr", base, address, address))
        self.lines[phis:phis] = [f"  {name} = phi {kind} [ {first}, %{before} ], [ {second}, %{one} ], [ {third}, %{end} ]"
                                 for name, (kind, first, second, third) in zip(names, kinds)]
        self.fuel = fuel
        self.at(after)
        self.keep(self.value(f"phi double [ {total}, %{one} ], [ {again}, %{early} ]"))

    def op_sum(self):
        """A loop that only reads, so that nothing of it need be recorded."""
        head, after = self.labels("head", "after")
        start, before = self.load(), self.block
        self.go(head)
        self.at(head)
        index, total, phis = f"%{head}.i", f"%{head}.sum", len(self.lines)
        fuel, self.fuel = self.fuel, index
        bases, self.bases = self.bases, [base for base in self.bases if self.chance(0.5)] or self.bases
        product = self.value(f"fmul double {self.load()}, {self.load()}")
        if self.chance(0.5):
            product = self.value(f"fmul double {product}, {self.load()}")
        self.bases = bases
        more, up = self.value(f"fadd double {total}, {product}"), self.value(f"add i32 {index}, 1")
        self.lines[phis:phis] = [f"  {index} = phi i32 [ 0, %{before} ], [ {up}, %{self.block} ]",
                                 f"  {total} = phi double [ {start}, %{before} ], [ {more}, %{self.block} ]"]
        self.do(f"br i1 {self.value(f'icmp slt i32 {up}, {self.random.randrange(2, 9)}')}, label %{head}, label %{after}")
        self.fuel = fuel
        self.at(after)
        self.keep(more)

    # --- Calls ------------------------------------------------------------------------------------
    def arguments(self):
        table, other = self.pick(self.tables), self.pick(self.tables)
        return f"ptr {self.address()}, ptr {table}, ptr {other}, double {self.moderate(self.load())}, i32 {self.value(f'and i32 {self.fuel}, 3')}"

    def op_call(self):
        if not self.helpers:
            return
        callee, passed = self.pick(self.helpers), self.arguments()
        way = self.random.randrange(3)
        if way == 0:
            index = self.value(f"urem i32 {self.fuel}, {len(self.helpers)}")
            callee = self.value(f"load ptr, ptr {self.value(f'getelementptr ptr, ptr @functions{len(self.helpers)}, i32 {index}')}")
        if way != 1:
            self.keep(self.value(f"call double {callee}({passed})"))
            return
        fine, caught, after = self.labels("fine", "caught", "after")
        result = self.value(f"invoke double {callee}({passed}) to label %{fine} unwind label %{caught}")
        self.at(caught)
        self.do(f"%{caught}.pad = landingpad {{ptr, i32}} cleanup")
        self.do(f"resume {{ptr, i32}} %{caught}.pad")
        self.at(fine)
        self.go(after)
        self.at(after)
        self.keep(result)

    def op_results(self):
        """A structure of numbers and of an address comes back."""
        pair = self.load("[2 x double]", 2)
        both = self.value(f"call {{double, <2 x double>}} @pairs([2 x double] {pair}, double {self.load()})")
        vector = self.value(f"extractvalue {{double, <2 x double>}} {both}, 1")
        self.keep(self.value(f"extractelement <2 x double> {vector}, i32 {self.random.randrange(2)}"))
        chosen = self.value(f"call {{double, ptr}} @chosen(ptr {self.address()}, ptr {self.address()}, i32 {self.fuel})")
        base = self.value(f"extractvalue {{double, ptr}} {chosen}, 1")
        self.keep(self.value(f"fadd double {self.value(f'extractvalue {{double, ptr}} {chosen}, 0')}, {self.value(f'load double, ptr {base}')}"))


KNOWN = """
define internal {double, <2 x double>} @pairs([2 x double] %a, double %b) noinline {
  %x = extractvalue [2 x double] %a, 0
  %y = extractvalue [2 x double] %a, 1
  %m = fmul double %x, %y
  %n = fsub double %m, %b
  %s = call double @llvm.sin.f64(double %n)
  %v = insertelement <2 x double> poison, double %s, i32 0
  %w = insertelement <2 x double> %v, double %x, i32 1
  %r = insertvalue {double, <2 x double>} poison, double %m, 0
  %q = insertvalue {double, <2 x double>} %r, <2 x double> %w, 1
  ret {double, <2 x double>} %q
}
define internal {double, ptr} @chosen(ptr %a, ptr %b, i32 %k) noinline {
  %o = and i32 %k, 1
  %c = icmp eq i32 %o, 0
  %p = select i1 %c, ptr %a, ptr %b
  %l = load double, ptr %a
  %s = call double @llvm.sin.f64(double %l)
  %at = getelementptr double, ptr %p, i64 2
  %r = insertvalue {double, ptr} poison, double %s, 0
  %q = insertvalue {double, ptr} %r, ptr %at, 1
  ret {double, ptr} %q
}
"""


class Program:
    """One module; `text` is all of it."""

    per_unit = 1
    suffix = ".ll"
    companions = [Path(__file__).resolve().parent / "CheckIr.cpp"]
    may_be_refused = True
    configurations = (["-O0"], ["-O1"], ["-O2"], ["-O0", "-mllvm", "-contraflow-mincut=0"], ["-O0"], ["-O3"], ["-O1"],
                      ["-O2", "-mllvm", "-contraflow-activity=0"])

    def __init__(self, seed, name):
        self.random = random.Random(f"{seed}/{name}")
        self.habits = Habits(self.random, [name for name in dir(Function) if name.startswith("op_")])
        self.helpers = []
        parts = [HEAD, KNOWN]
        for number in range(self.random.randrange(4)):
            parts.append(self.helper(f"@h{number}"))
            self.helpers = [*self.helpers, f"@h{number}"]
            parts.append(f"@functions{number + 1} = internal constant [{number + 1} x ptr] [{', '.join(f'ptr {h}' for h in self.helpers)}]")
        parts.append(self.root())
        two = "" if any("@free(" in part for part in parts[1:]) else TWO_ADJOINTS  # they are refused where memory is given back
        self.text = "\n".join([*parts, REQUESTS, two])

    def helper(self, name):
        """It keeps the address of an array of its own in one of the tables while it runs."""
        code = Function(self, "%k")
        code.bases, code.kept, code.tables = [("%a", 8), ("@variable", 8), ("%own", 8)], ["%a", "@variable", "%own"], ["%t", "%u"]
        code.do("%own = alloca [8 x double], align 16")
        code.do("call void @llvm.memset.p0.i64(ptr align 16 %own, i8 0, i64 64, i1 false)")
        code.do("store double %v, ptr %own")
        for table in code.tables:
            for slot in range(2):
                code.do(f"{table}.{slot} = getelementptr ptr, ptr {table}, i64 {slot}")
                code.do(f"{table}.old{slot} = load ptr, ptr {table}.{slot}")
        if code.chance(0.5):
            code.do(f"store ptr %own, ptr {code.pick(('%t.0', '%t.1', '%u.0'))}")
        code.operations(5)
        if code.chance(0.3):  # it calls itself
            more, done = code.labels("more", "done")
            code.do(f"br i1 {code.value('icmp sgt i32 %k, 0')}, label %{more}, label %{done}")
            code.at(more)
            code.keep(code.value(f"call double {name}(ptr %a, ptr %u, ptr %t, double {code.moderate('%v')}, i32 {code.value('sub i32 %k, 1')})"))
            code.go(done)
            code.at(done)
        result = code.value(f"fadd double {code.load()}, {code.value('load double, ptr %own')}")
        for table in code.tables:
            for slot in range(2):
                code.do(f"store ptr {table}.old{slot}, ptr {table}.{slot}")
        code.do(f"ret double {code.moderate(result)}")
        kind = code.pick(("noinline", "noinline", ""))
        return "\n".join([f"define internal double {name}(ptr %a, ptr %t, ptr %u, double %v, i32 %k) {kind} personality ptr @__gxx_personality_v0 {{",
                          "entry:", *code.lines, "}"])

    def root(self):
        code = Function(self, "%fuel")
        blocks, freed = self.random.randrange(2, 6), self.random.random() < 0.5
        code.bases = [("%x", 8), ("%y", 8), ("%local", 24), ("%local", 24), ("%heap", 8), ("@variable", 8)]
        code.kept, code.tables = ["%x", "%y", "%local", "%local", "%heap", "@variable"], ["%table", "%table", "%other"]
        code.written = [base for base in code.bases if code.chance(0.6)]
        for text in ("%local = alloca [24 x double], align 16", "%table = alloca [2 x ptr]", "%other = alloca [2 x ptr]", "%left = alloca i32",
                     f"%heap = {'call ptr @malloc(i64 64)' if freed else 'alloca [8 x double], align 16'}", "call void @llvm.memset.p0.i64(ptr align 8 %heap, i8 0, i64 64, i1 false)",
                     "call void @llvm.memset.p0.i64(ptr align 16 %local, i8 0, i64 192, i1 false)",
                     "call void @llvm.memset.p0.i64(ptr align 8 @variable, i8 0, i64 64, i1 false)",
                     "call void @llvm.memcpy.p0.p0.i64(ptr %local, ptr %x, i64 64, i1 false)"):
            code.do(text)
        for table in ("%table", "%other"):
            for slot in range(2):
                code.do(f"{table}.{slot} = getelementptr ptr, ptr {table}, i64 {slot}")
                code.do(f"store ptr {code.pick(code.kept)}, ptr {table}.{slot}")
        code.do(f"store i32 {self.random.randrange(3, 20)}, ptr %left")
        code.go("block0")
        for number in range(blocks):
            self.block(code, number, blocks)
        code.at("exit")
        self.sum(code)
        if freed:
            code.lines.insert(-1, "  call void @free(ptr %heap)")
        return "\n".join(["define double @f(ptr %x, ptr %y) personality ptr @__gxx_personality_v0 {", "entry:", *code.lines, "}"])

    def block(self, code, number, blocks):
        code.at(f"block{number}")
        code.fuel = f"%fuel{number}"
        code.do(f"%fuel{number} = load i32, ptr %left")
        code.do(f"%less{number} = sub i32 %fuel{number}, 1")
        code.do(f"store i32 %less{number}, ptr %left")
        code.operations(3)
        code.do(f"%over{number} = icmp slt i32 %less{number}, 0")
        code.do(f"br i1 %over{number}, label %exit, label %on{number}")
        code.at(f"on{number}")

        def target():
            return f"label %block{self.random.randrange(blocks)}"
        way = self.random.random()
        if way < 0.4:
            code.go(f"block{(number + 1) % blocks}")
        elif way < 0.8:
            code.do(f"br i1 {code.condition()}, {target()}, {target()}")
        else:
            part = code.value(f"urem i32 %less{number}, {code.pick((3, 5))}")
            code.do(f"switch i32 {part}, {target()} [ i32 0, {target()} i32 2, {target()} i32 1, {target()} ]")

    @staticmethod
    def sum(code):
        """Everything counts."""
        total = "0.0"
        for base, room in (("%local", 24), ("@variable", 8), ("%heap", 8)):
            for index in range(room):
                one = code.value(f"load double, ptr {code.value(f'getelementptr double, ptr {base}, i64 {index}')}")
                total = code.value(f"fadd double {total}, {code.value(f'fmul double {one}, {1 + index / 4}')}")
        code.do(f"ret double {total}")


def unit(kind, seed, first, count):
    assert count == 1
    return kind(seed, f"m{first}").text
