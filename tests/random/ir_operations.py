# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a random function of IR does between its branches (generate_ir.py): loads, stores and moves of numbers as what an
optimiser may leave (vectors, aggregates, words), addresses chosen and kept in tables, copies, atomics, heap memory.
"""

VECTOR = "<4 x double>"
UNARY = ("call double @llvm.sin.f64(double {})", "fmul double {}, 4.5e-1", "call double @llvm.cos.f64(double {})")
BINARY = ("fadd", "fsub", "fmul")


class Habits:
    """What a program does at all: where everything happens, all is written everywhere, and nothing is left to be concluded."""

    def __init__(self, choose, operations):
        share = choose.choice((0.15, 0.4, 0.8))
        self.operations = ["op_sum"] + [name for name in operations if choose.random() < share]
        self.reads, self.writes = ([way for way in range(6) if choose.random() < share] for _ in range(2))
        self.straight = choose.choice((0.4, 0.7, 0.95))  # how many accesses are to an object by its name


class Code:
    """Instructions of one function, in the order in which they are written."""

    def __init__(self, choose, habits, fuel):
        self.random = choose
        self.habits = habits
        self.fuel = fuel       # an i32 that the place of an access may depend on
        self.lines = []
        self.counter = 0
        self.block = "entry"
        self.bases = []        # (address, so many doubles lie there)
        self.written = []      # those of them that are written by their names
        self.kept = []         # those that tables may hold: eight doubles that stay
        self.tables = []       # of two addresses
        self.depth = 0         # of what is written within loops and branches

    def pick(self, options):
        return self.random.choice(list(options))

    def chance(self, p):
        return self.random.random() < p

    def value(self, text):
        self.counter += 1
        self.do(f"%v{self.counter} = {text}")
        return f"%v{self.counter}"

    def do(self, text):
        self.lines.append("  " + text)

    def labels(self, *stems):
        self.counter += 1
        return [f"{stem}{self.counter}" for stem in stems]

    def go(self, label):
        self.do(f"br label %{label}")

    def at(self, label):
        self.block = label
        self.lines.append(f"{label}:")

    # --- Addresses --------------------------------------------------------------------------------
    def slot(self):
        """The place of an address in a table."""
        index = self.value(f"and i32 {self.fuel}, 1") if self.chance(0.5) else self.random.randrange(2)
        return self.value(f"getelementptr [2 x ptr], ptr {self.pick(self.tables)}, i64 0, i32 {index}")

    def address(self, ways=None):
        """Of eight doubles at least that stay, found in some way."""
        way = self.pick(self.habits.reads + [5] if ways is None else ways + [5])
        one, other = self.pick(self.kept), self.pick(self.kept)
        if way == 0:
            chosen = self.value(f"icmp ugt i32 {self.fuel}, {self.random.randrange(20)}")
            return self.value(f"select i1 {chosen}, ptr {one}, ptr {other}")
        if way == 1 and self.tables:
            return self.value(f"load ptr, ptr {self.slot()}")
        if way == 2:
            return self.joined("ptr", lambda: self.pick(self.kept), lambda: self.pick(self.kept))
        if way == 3:
            number = self.value(f"ptrtoint ptr {one} to i64")
            return self.value(f"inttoptr i64 {number} to ptr")
        return self.value(f"freeze ptr {one}") if way == 4 else one

    def index(self, most):
        """Up to most (exclusive), known or not."""
        if most < 4 or self.chance(0.6):
            return self.random.randrange(max(most, 1))
        number = self.value(f"mul i32 {self.fuel}, {self.pick((1, 3, 5))}")
        number = self.value(f"and i32 {number}, {7 if most >= 8 else 3}")
        return self.value(f"zext i32 {number} to i64")

    def place(self, width=1):
        """Of so many doubles, to be read."""
        fits = [base for base in self.bases if base[1] >= width]
        return self.within_object(width, *(self.pick(fits) if self.chance(self.habits.straight) else (self.address(), 8)))

    def target(self, width=1):
        """The same, to be written."""
        fits = [base for base in self.written if base[1] >= width]
        if fits and self.chance(self.habits.straight):
            return self.within_object(width, *self.pick(fits))
        return self.within_object(width, self.address(self.habits.writes), 8)

    def within_object(self, width, base, room):
        index = self.index(room - width + 1)
        if self.chance(0.6):
            return self.value(f"getelementptr inbounds double, ptr {base}, i64 {index}")
        if isinstance(index, int):
            return self.value(f"getelementptr i8, ptr {base}, i64 {8 * index}")
        return self.value(f"getelementptr [1 x double], ptr {base}, i64 {index}, i64 0")

    # --- Numbers ----------------------------------------------------------------------------------
    def load(self, kind="double", width=1):
        return self.value(f"load {kind}, ptr {self.place(width)}, align 8")

    def store(self, number, kind="double", width=1):
        self.do(f"store {kind} {number}, ptr {self.target(width)}, align 8")

    def moderate(self, number):
        if self.chance(0.8):
            return self.value(self.pick(UNARY).format(number))
        square = self.value(f"fmul double {number}, {number}")
        return self.value(f"fdiv double {number}, {self.value(f'fadd double {square}, 1.0')}")

    def keep(self, number):
        self.store(self.moderate(number))

    def condition(self):
        if self.chance(0.3):
            return self.value(f"fcmp {self.pick(('ogt', 'ult'))} double {self.load()}, {self.pick((-1.1, 0.2, 1.3))}")
        part = self.value(f"and i32 {self.fuel}, {self.pick((1, 2, 3, 4))}")
        return self.value(f"icmp eq i32 {part}, 0")

    def joined(self, kind, first, second):
        """What one of two branches makes."""
        one, other, after = self.labels("one", "other", "joined")
        self.do(f"br i1 {self.condition()}, label %{one}, label %{other}")
        came = []
        for label, make in ((one, first), (other, second)):
            self.at(label)
            came.append((make(), self.block))
            self.go(after)
        self.at(after)
        return self.value(f"phi {kind} " + ", ".join(f"[ {made}, %{block} ]" for made, block in came))


class Operations(Code):
    """Each op_ is one thing to do; what is stored stays moderate."""

    def operation(self):
        deep = ("op_loop", "op_branches", "op_heap", "op_local")
        getattr(self, self.pick([name for name in self.habits.operations if self.depth < 2 or name not in deep]))()

    def operations(self, most):
        self.depth += 1
        for _ in range(self.random.randrange(1, most + 1)):
            self.operation()
        self.depth -= 1

    def op_scalars(self):
        self.keep(self.value(f"{self.pick(BINARY)} double {self.load()}, {self.load()}"))

    def op_functions(self):
        number = self.load()
        above = self.value(f"fadd double {self.value(f'call double @llvm.fabs.f64(double {number})')}, 1.0")
        self.keep(self.value(self.pick((
            f"call double @llvm.sqrt.f64(double {above})", f"call double @llvm.pow.f64(double {above}, double {number})",
            f"call double @llvm.fma.f64(double {number}, double {above}, double {number})",
            f"call double @llvm.copysign.f64(double {above}, double -1.0)", f"call double @llvm.maxnum.f64(double {number}, double -5.0)",
            f"call double @llvm.minimum.f64(double {above}, double 70.0)", f"freeze double {number}"))))

    def op_wide(self):
        wide = self.pick(("x86_fp80", "fp128"))
        number = self.value(f"fpext double {self.load()} to {wide}")
        number = self.value(f"fmul {wide} {number}, {number}")
        self.keep(self.value(f"fptrunc {wide} {number} to double"))

    def op_vectors(self):
        one, other = self.load(VECTOR, 4), self.load(VECTOR, 4)
        lanes = ", ".join(f"i32 {self.random.randrange(8)}" for _ in range(4))
        mixed = self.value(f"shufflevector {VECTOR} {one}, {VECTOR} {other}, <4 x i32> <{lanes}>")
        product = self.value(f"{self.pick(BINARY)} {VECTOR} {one}, {mixed}")
        if self.chance(0.3):
            less = self.value(f"fcmp olt {VECTOR} {one}, {other}")
            product = self.value(f"select <4 x i1> {less}, {VECTOR} {product}, {VECTOR} {mixed}")
        self.store(self.value(f"call {VECTOR} @llvm.sin.v4f64({VECTOR} {product})"), VECTOR, 4)

    def op_lanes(self):
        vector, lane = self.load(VECTOR, 4), self.value(f"and i32 {self.fuel}, 3")
        one = self.value(f"extractelement {VECTOR} {vector}, i32 {lane}")
        vector = self.value(f"insertelement {VECTOR} {vector}, double {self.moderate(one)}, i32 {self.value(f'xor i32 {lane}, 1')}")
        self.keep(self.value(f"call double @llvm.vector.reduce.fadd.v4f64(double {one}, {VECTOR} {vector})"))

    def op_masks(self):
        mask = "<4 x i1> <" + ", ".join(f"i1 {self.random.randrange(2)}" for _ in range(4)) + ">"
        indices = ", ".join(f"i64 {self.random.randrange(8)}" for _ in range(4))
        places = self.value(f"getelementptr double, ptr {self.pick(self.kept)}, <4 x i64> <{indices}>")
        other, straight = self.load(VECTOR, 4), self.target(4)
        if self.chance(0.5):
            read = self.value(f"call {VECTOR} @llvm.masked.gather.v4f64.v4p0(<4 x ptr> {places}, i32 8, {mask}, {VECTOR} {other})")
        else:
            read = self.value(f"call {VECTOR} @llvm.masked.load.v4f64.p0(ptr {straight}, i32 8, {mask}, {VECTOR} {other})")
        made = self.value(f"call {VECTOR} @llvm.sin.v4f64({VECTOR} {self.value(f'fmul {VECTOR} {read}, {other}')})")
        if self.chance(0.5):
            self.do(f"call void @llvm.masked.scatter.v4f64.v4p0({VECTOR} {made}, <4 x ptr> {places}, i32 8, {mask})")
        else:
            self.do(f"call void @llvm.masked.store.v4f64.p0({VECTOR} {made}, ptr {straight}, i32 8, {mask})")

    def op_aggregates(self):
        kind = self.pick(("{double, double}", "[2 x double]"))
        pair = self.load(kind, 2)
        if self.chance(0.4):
            pair = self.joined(kind, lambda: pair, lambda: self.load(kind, 2))
        one = self.value(f"extractvalue {kind} {pair}, {self.random.randrange(2)}")
        self.store(self.value(f"insertvalue {kind} {pair}, double {self.moderate(one)}, {self.random.randrange(2)}"), kind, 2)

    def op_choice(self):
        one, other = self.load(), self.load()
        if self.chance(0.5):
            self.keep(self.value(f"select i1 {self.condition()}, double {one}, double {other}"))
        else:
            self.keep(self.joined("double", lambda: self.moderate(one), self.load))

    def op_words(self):
        """Numbers that travel as integers."""
        kind, width = self.pick((("i64", 1), ("i64", 1), ("i128", 2), ("<2 x i64>", 2)))
        word = self.load(kind, width)
        if kind == "i64" and self.chance(0.4):
            word = self.value(f"select i1 {self.condition()}, i64 {word}, i64 {self.load('i64')}")
        self.store(word, kind, width)

    def op_sign(self):
        word = self.value(f"bitcast double {self.load()} to i64")
        word = self.value(self.pick((f"xor i64 {word}, -9223372036854775808", f"and i64 {word}, 9223372036854775807")))
        self.keep(self.value(f"bitcast i64 {word} to double"))

    def op_copy(self):
        doubles = self.random.randrange(1, 5)
        size = 8 * doubles
        if self.chance(0.3):
            size = self.value(f"zext i32 {self.value(f'and i32 {self.fuel}, {8 * (doubles - 1) & 24}')} to i64")
        self.do(f"call void @llvm.memmove.p0.p0.i64(ptr align 8 {self.target(doubles)}, ptr align 8 {self.place(doubles)}, i64 {size}, i1 false)")

    def op_clear(self):
        self.do(f"call void @llvm.memset.p0.i64(ptr align 8 {self.target(2)}, i8 0, i64 {self.pick((8, 16))}, i1 false)")

    def op_atomic(self):
        number = self.moderate(self.load())
        if self.chance(0.3):
            self.do(f"store atomic double {number}, ptr {self.target()} monotonic, align 8")
            return
        old = self.value(f"atomicrmw {self.pick(('fadd', 'fsub', 'xchg'))} ptr {self.target()}, double {number} monotonic")
        if self.chance(0.5):
            self.keep(old)

    def op_address(self):
        """An address moves into a table, or from one place in a table to another."""
        if self.tables and self.chance(0.8):
            self.do(f"store ptr {self.address(self.habits.writes)}, ptr {self.slot()}")
        elif self.tables:
            self.do(f"store i64 {self.value(f'load i64, ptr {self.slot()}')}, ptr {self.slot()}")

    def op_sincos(self):
        both = self.value(f"call {{double, double}} @llvm.sincos.f64(double {self.load()})")
        one = self.value(f"extractvalue {{double, double}} {both}, 0")
        self.keep(self.value(f"fmul double {one}, {self.value(f'extractvalue {{double, double}} {both}, 1')}"))

    # --- Memory that is there for a while -----------------------------------------------------------
    def within(self, base, room):
        """Something is done with it."""
        self.bases.append((base, room))
        self.written.append((base, room))
        self.operations(3)
        self.keep(self.value(f"load double, ptr {base}, align 8"))
        self.bases.pop()
        self.written.pop()

    def op_heap(self):
        doubles = self.pick((2, 4, 8))
        if self.chance(0.5):
            base = self.value(f"call ptr @calloc(i64 {doubles}, i64 8)")
        else:
            base = self.value(f"call ptr @malloc(i64 {8 * doubles})")
            self.do(f"call void @llvm.memcpy.p0.p0.i64(ptr align 8 {base}, ptr align 8 {self.place(doubles)}, i64 {8 * doubles}, i1 false)")
        self.within(base, doubles)
        if self.chance(0.4):
            base = self.value(f"call ptr @realloc(ptr {base}, i64 {8 * (doubles + 2)})")
            self.within(base, doubles)
        self.do(f"call void @free(ptr {base})")

    def op_local(self):
        """A local variable, in a loop or not."""
        mark = self.value("call ptr @llvm.stacksave.p0()")
        base = self.value("alloca [4 x double], align 8")
        self.do(f"call void @llvm.memset.p0.i64(ptr align 8 {base}, i8 0, i64 32, i1 false)")
        self.within(base, 4)
        self.do(f"call void @llvm.stackrestore.p0(ptr {mark})")
