# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random MPI programs: computations and patterns of communication (shifts by messages of all kinds, collectives, windows,
communicators), blocking or started and completed later. None can deadlock, and what they compute does not depend on
which message comes first.

Every pattern is written twice: as MPI calls of one rank, and as data movement between the states of all ranks, v.
"""

import random

import generate
import mpi_odds

LENGTH = 32
OPERATORS = {"MPI_SUM": "p + q", "MPI_PROD": "p * q", "MPI_MIN": "fmin(p, q)", "MPI_MAX": "fmax(p, q)"}
WAITS = ("MPI_Waitall({n}, {q}, MPI_STATUSES_IGNORE);",
         "for (int w = 0; w < {n}; w++) MPI_Wait(&{q}[w], MPI_STATUS_IGNORE);",
         "for (int w = {n} - 1; w >= 0; w--) MPI_Wait(&{q}[w], MPI_STATUS_IGNORE);",
         "for (int w = 0, which; w < {n}; w++) MPI_Waitany({n}, {q}, &which, MPI_STATUS_IGNORE);",
         "for (int all = 0; !all;) MPI_Testall({n}, {q}, &all, MPI_STATUSES_IGNORE);",
         "for (int w = 0, flag; w < {n}; w++) do MPI_Test(&{q}[w], &flag, MPI_STATUS_IGNORE); while (!flag);",
         "for (int w = 0, which, flag; w < {n}; w += flag) MPI_Testany({n}, {q}, &which, &flag, MPI_STATUS_IGNORE);",
         "for (int w = 0, some, which[{n}]; w < {n}; w += some) MPI_Waitsome({n}, {q}, &some, which, MPI_STATUSES_IGNORE);",
         "for (int w = 0, some, which[{n}]; w < {n}; w += some) MPI_Testsome({n}, {q}, &some, which, MPI_STATUSES_IGNORE);",
         "complete({n}, {q});")


class Program(mpi_odds.Odds):
    """One program; `build` gives (primal, oracle)."""

    def __init__(self, seed, name):
        self.random = random.Random(f"{seed}/{name}")
        self.name = name
        self.primal, self.oracle = [], []
        self.counter = 0
        self.depth = 0
        self.pending = []      # (lines that complete it, array received, array sent)

    def pick(self, options):
        return self.random.choice(list(options))

    def chance(self, p):
        return self.random.random() < p

    def number(self, low, high):
        return self.random.randrange(low, high + 1)

    def fresh(self, stem):
        self.counter += 1
        return f"{stem}{self.counter}"

    def both(self, text):
        self.primal.append(text)
        self.oracle.append(text)

    def readable(self):
        return sorted(set("abde") - {p[1] for p in self.pending})

    def writable(self):
        return sorted(set(self.readable()) - {p[2] for p in self.pending})

    # Computation, the same text for the rank and for the oracle.

    def compute(self, text):
        self.primal.append(text)
        self.oracle.append("EACH { " + text + " }")

    def atom(self):
        array = self.pick(self.readable())
        return self.pick((f"{array}[i]", f"{array}[i]", f"{array}[(i + {self.number(1, 5)}) % {LENGTH}]",
                          f"{array}[{LENGTH - 1} - i]", "x[i % 12]", "s", "real(0.1 * rank)", f"real({self.random.uniform(-1, 1):.3f})"))

    def expression(self):
        return self.pick(("{0} * {1}", "{0} + {1}", "sin({0}) * {1}", "{0} / (1.5 + cos({1}))", "{0} - 0.5 * {1} * {0}",
                          "fmin({0}, {1})", "exp(0.2 * {0}) + {1}")).format(self.atom(), self.atom())

    def work(self):
        if not self.writable():
            return
        target = self.pick(self.writable())
        head = self.pick((f"for (int i = 0; i < {LENGTH}; i++)", f"for (int i = {LENGTH - 1}; i >= 0; i--)",
                          f"for (int i = 1; i < {LENGTH - 1}; i += 2)"))
        choice = self.random.random()
        if choice < 0.65:
            self.compute(f"{head} {target}[i] = tanh({self.expression()});")
        elif choice < 0.8:
            self.compute(f"{head} s += real(0.01) * {self.expression()};")
        elif choice < 0.9:
            self.compute(f"if (rank % 2) {{ {head} {target}[i] = sin({self.expression()}); }} else {target}[0] = s;")
        else:
            self.compute(f"for (int i = 0; i < 12; i++) y[i] += real(0.1) * {self.expression()};")

    # Started now, completed by and by.

    def start(self, lines, handles, received, sent):
        q, count = handles
        self.primal += lines
        completion = self.pick(WAITS).format(n=count, q=q)
        self.pending.append(([completion], received, sent))
        if self.chance(0.4):
            self.finish(self.kept)

    def finish(self, keep):
        """Completes what was started behind the first `keep`, in any order."""
        ours = self.pending[keep:]
        self.random.shuffle(ours)
        for lines, _, _ in ours:
            self.primal += lines
        self.pending = self.pending[:keep]

    # Shifts: every rank sends to one k further.

    def segment(self, most=6):
        stride, length = self.pick((1, 1, 1, 2, 3)), self.number(0 if self.chance(0.1) else 1, most)
        return self.number(0, LENGTH - 1 - max(length - 1, 0) * stride), stride, length

    def buffer(self, array, first, stride, length):
        """The text of address, count, datatype; and what ends the datatype."""
        if stride == 1 and self.chance(0.8):
            return f"{array} + {first}, {length}, MPI_DOUBLE", ""
        name = self.fresh("type")
        if self.chance(0.5):
            self.primal.append(f"MPI_Datatype {name}; MPI_Type_vector({length}, 1, {stride}, MPI_DOUBLE, &{name}); MPI_Type_commit(&{name});")
            return f"{array} + {first}, 1, {name}", f"MPI_Type_free(&{name});"
        self.primal.append(f"MPI_Datatype {name}; MPI_Type_create_resized(MPI_DOUBLE, 0, {8 * stride}, &{name}); MPI_Type_commit(&{name});")
        return f"{array} + {first}, {length}, {name}", f"MPI_Type_free(&{name});"

    def shift(self):
        if len(self.writable()) < 2:
            return self.finish(self.kept)
        target = self.pick(self.writable())
        source = self.pick(set(self.readable()) - {target})
        k, peer = self.number(-2, 3), self.pick(("ring", "ring", "edge"))
        first, stride, length = self.segment()
        _, stride2, _ = self.segment()
        first2 = self.number(0, LENGTH - 1 - max(length - 1, 0) * stride2)
        out, end = self.buffer(source, first, stride, length)
        into, end2 = self.buffer(target, first2, stride2, length)
        to, back, tag = f"{peer}(rank + {k}, size)", f"{peer}(rank - {k}, size)", str(self.fresh("")) + self.pick(("", " + 7 * size"))
        move = (f"{{ States old = v; EACH_RANK {{ int from = {back}; if (from >= 0) for (int i = 0; i < {length}; i++) "
                f"v[rank].{target}[{first2} + i * {stride2}] = old[from].{source}[{first} + i * {stride}]; }} }}")
        style = self.pick((self.exchange, self.blocking, self.nonblocking, self.nonblocking, self.persistent, self.probed, self.wild))
        style((out, to, tag), (into, back, tag), (source, target), move, (end, end2))

    def exchange(self, send, receive, _, move, ends):
        self.primal.append(f"MPI_Sendrecv({', '.join(send)}, {', '.join(receive)}, MPI_COMM_WORLD, MPI_STATUS_IGNORE); {' '.join(ends)}")
        self.oracle.append(move)

    def blocking(self, send, receive, _, move, ends):
        q = self.fresh("q")
        self.primal.append(f"MPI_Request {q}; MPI_Irecv({', '.join(receive)}, MPI_COMM_WORLD, &{q}); "
                           f"MPI_{self.pick(('Send', 'Ssend'))}({', '.join(send)}, MPI_COMM_WORLD); MPI_Wait(&{q}, MPI_STATUS_IGNORE); {' '.join(ends)}")
        self.oracle.append(move)

    def nonblocking(self, send, receive, arrays, move, ends):
        q = self.fresh("q")
        if self.chance(0.3):
            receive = (receive[0], f"{receive[1]} < 0 ? MPI_PROC_NULL : MPI_ANY_SOURCE", receive[2])
        lines = [f"MPI_Irecv({', '.join(receive)}, MPI_COMM_WORLD, &{q}[0]);",
                 f"MPI_{self.pick(('Isend', 'Issend'))}({', '.join(send)}, MPI_COMM_WORLD, &{q}[1]);"]
        self.random.shuffle(lines)
        self.oracle.append(move)
        self.start([f"MPI_Request {q}[2];"] + lines + [" ".join(ends)], (q, 2), arrays[1], arrays[0])

    def persistent(self, send, receive, arrays, move, ends):
        q = self.fresh("q")
        order = self.pick((f"MPI_Startall(2, {q});", f"MPI_Start(&{q}[1]); MPI_Start(&{q}[0]);"))
        self.primal.append(f"MPI_Request {q}[2]; MPI_Recv_init({', '.join(receive)}, MPI_COMM_WORLD, &{q}[0]); "
                           f"MPI_Send_init({', '.join(send)}, MPI_COMM_WORLD, &{q}[1]); {' '.join(ends)}")
        rounds = self.number(1, 3)
        self.both(f"for (int round = 0; round < {rounds}; round++) {{")
        self.primal.append(order)
        self.oracle.append(move)
        self.primal.append(self.pick(WAITS[:6]).format(n=2, q=q))
        if arrays[0] in self.writable():
            self.compute(f"for (int i = 0; i < {LENGTH}; i++) {arrays[0]}[i] = sin({arrays[0]}[i] + {arrays[1]}[i] * x[0]);")
        self.both("}")
        self.primal.append(f"MPI_Request_free(&{q}[0]); MPI_Request_free(&{q}[1]);")

    def probed(self, send, receive, _, move, ends):
        q, (into, back, tag) = self.fresh("q"), receive
        how = self.pick((f"MPI_Message h; MPI_Status t; MPI_Mprobe({back}, {tag}, MPI_COMM_WORLD, &h, &t); MPI_Mrecv({into}, &h, &t);",
                         f"MPI_Status t; MPI_Probe({back}, {tag}, MPI_COMM_WORLD, &t); MPI_Recv({into}, {back}, {tag}, MPI_COMM_WORLD, &t);",
                         f"MPI_Message h; int f = 0; while (!f) MPI_Improbe({back}, {tag}, MPI_COMM_WORLD, &f, &h, MPI_STATUS_IGNORE); "
                         f"MPI_Request r; MPI_Imrecv({into}, &h, &r); MPI_Wait(&r, MPI_STATUS_IGNORE);"))
        self.primal.append(f"MPI_Request {q}; MPI_Isend({', '.join(send)}, MPI_COMM_WORLD, &{q}); {{ {how} }} "
                           f"MPI_Wait(&{q}, MPI_STATUS_IGNORE); {' '.join(ends)}")
        self.oracle.append(move)

    def wild(self, send, receive, _, move, ends):
        q, (into, back, tag) = self.fresh("q"), receive
        anyone = f"{back} < 0 ? MPI_PROC_NULL : MPI_ANY_SOURCE"
        self.primal.append(f"MPI_Request {q}; MPI_Isend({', '.join(send)}, MPI_COMM_WORLD, &{q}); "
                           f"MPI_Recv({into}, {anyone}, {tag}, MPI_COMM_WORLD, MPI_STATUS_IGNORE); MPI_Wait(&{q}, MPI_STATUS_IGNORE); {' '.join(ends)}")
        self.oracle.append(move)

    def twice(self):
        """Two messages of one channel, waited for in another order on either side."""
        free = self.writable()
        if len(free) < 2:
            return self.finish(self.kept)
        source, target = self.random.sample(free, 2)
        q, tag, k = self.fresh("q"), self.fresh(""), self.number(-1, 2)
        out = [f"MPI_Isend({source} + {8 * j}, 3, MPI_DOUBLE, ring(rank + {k}, size), {tag}, MPI_COMM_WORLD, &{q}[{j}]);" for j in (0, 1)]
        into = [f"MPI_Irecv({target} + {9 * j}, 3, MPI_DOUBLE, ring(rank - {k}, size), {tag}, MPI_COMM_WORLD, &{q}[{2 + j}]);" for j in (0, 1)]
        self.oracle.append(f"{{ States old = v; EACH_RANK {{ int from = ring(rank - {k}, size); for (int i = 0; i < 3; i++) for (int j = 0; j < 2; j++) "
                           f"v[rank].{target}[i + 9 * j] = old[from].{source}[i + 8 * j]; }} }}")
        self.start([f"MPI_Request {q}[4];"] + out + into, (q, 4), target, source)

    def replace(self):
        if not self.writable():
            return
        array, tag, k = self.pick(self.writable()), self.fresh(""), self.number(-1, 2)
        self.primal.append(f"MPI_Sendrecv_replace({array} + 2, 5, MPI_DOUBLE, ring(rank + {k}, size), {tag}, ring(rank - {k}, size), {tag}, "
                           "MPI_COMM_WORLD, MPI_STATUS_IGNORE);")
        self.oracle.append(f"{{ States old = v; EACH_RANK for (int i = 2; i < 7; i++) v[rank].{array}[i] = old[ring(rank - {k}, size)].{array}[i]; }}")

    def workers(self):
        free = self.writable()
        if len(free) < 2:
            return
        source, target = self.random.sample(free, 2)
        tag = self.fresh("")
        how = self.pick(("MPI_ANY_SOURCE, {0}", "MPI_ANY_SOURCE, MPI_ANY_TAG")) if not self.pending else "MPI_ANY_SOURCE, {0}"
        self.primal.append(f"if (rank) MPI_Send({source}, 3, MPI_DOUBLE, 0, {tag}, MPI_COMM_WORLD); else for (int p = 1; p < size; p++) {{ "
                           f"real box[5]; MPI_Status t; MPI_Recv(box, 5, MPI_DOUBLE, {how.format(tag)}, MPI_COMM_WORLD, &t); "
                           f"for (int i = 0; i < 3; i++) {target}[4 * t.MPI_SOURCE + i] = sin(box[i]); }}")
        self.primal.append("MPI_Barrier(MPI_COMM_WORLD);")  # nobody's next message comes before another one's first
        self.oracle.append(f"for (int p = 1; p < size; p++) for (int i = 0; i < 3; i++) v[0].{target}[4 * p + i] = sin(v[p].{source}[i]);")

    def crowd(self):
        """Receives from anybody, all open at the same time, completed as they come."""
        free = self.writable()
        if len(free) < 2:
            return
        source, target = self.random.sample(free, 2)
        q, tag = self.fresh("q"), self.fresh("")
        large = self.pick(("3", "3", "p_large"))
        self.primal.append(f"if (rank) {{ const int p_large = rank % 2 ? 3 : 2000; std::vector<real> out({large}, {source}[1]); for (int i = 0; i < 3; i++) out[i] = {source}[i]; "
                           f"MPI_Send(out.data(), {large}, MPI_DOUBLE, 0, {tag}, MPI_COMM_WORLD); }} else {{ std::vector<real> box(2000 * size); std::vector<MPI_Request> {q}(size); "
                           f"for (int p = 1; p < size; p++) MPI_Irecv(&box[2000 * p], 2000, MPI_DOUBLE, MPI_ANY_SOURCE, {tag}, MPI_COMM_WORLD, &{q}[p - 1]); "
                           f"for (int p = 1; p < size; p++) {{ MPI_Status t; int w; MPI_Waitany(size - 1, {q}.data(), &w, &t); "
                           f"for (int i = 0; i < 3; i++) {target}[4 * t.MPI_SOURCE + i] = sin(box[2000 * (w + 1) + i]); }} }}")
        self.primal.append("MPI_Barrier(MPI_COMM_WORLD);")
        self.oracle.append(f"for (int p = 1; p < size; p++) for (int i = 0; i < 3; i++) v[0].{target}[4 * p + i] = sin(v[p].{source}[i]);")

    def aside(self):
        """A message on a communicator of its own, which is freed before the message has arrived."""
        free = self.writable()
        if len(free) < 2:
            return self.finish(self.kept)
        source, target = self.random.sample(free, 2)
        c, q, k = self.fresh("aside"), self.fresh("q"), self.number(-1, 2)
        make = self.pick((f"MPI_Comm_dup(MPI_COMM_WORLD, &{c});", f"MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &{c});"))
        self.oracle.append(f"{{ States old = v; EACH_RANK for (int i = 0; i < 4; i++) v[rank].{target}[i] = old[ring(rank - {k}, size)].{source}[i]; }}")
        self.start([f"MPI_Request {q}[2]; MPI_Comm {c}; {make} MPI_Irecv({target}, 4, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, {c}, &{q}[0]); "
                    f"MPI_Isend({source}, 4, MPI_DOUBLE, ring(rank + {k}, size), 3, {c}, &{q}[1]); MPI_Comm_free(&{c});"], (q, 2), target, source)

    def places(self):
        """Blocks of a datatype for each peer, at places in bytes."""
        free = self.writable()
        if len(free) < 2:
            return self.finish(self.kept)
        source, target = self.random.sample(free, 2)
        t, n = self.fresh("types"), self.fresh("ones")
        more = (f"MPI_Datatype {t}[8]; int {n}[8], {n}_at[8]; for (int r = 0; r < size; r++) {{ MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &{t}[r]); MPI_Type_commit(&{t}[r]); "
                f"{n}[r] = 1; {n}_at[r] = 32 * r; }}")
        end = f"for (int r = 0; r < size; r++) MPI_Type_free(&{t}[r]);"
        arguments = f"{source}, {n}, {n}_at, {t}, {target}, {n}, {n}_at, {t}, MPI_COMM_WORLD"
        self.oracle.append(f"{{ States old = v; EACH_RANK for (int r = 0; r < size; r++) for (int i = 0; i < 4; i += 2) "
                           f"v[rank].{target}[4 * r + i] = old[r].{source}[4 * rank + i]; }}")
        if self.chance(0.5):
            self.primal.append(f"{more} MPI_Alltoallw({arguments}); {end}")
            return None
        q = self.fresh("q")
        self.start([f"MPI_Request {q}[1]; {more} MPI_Ialltoallw({arguments}, {q}); {end}"], (q, 1), target, source)
        return None

    # Collectives: the MPI name, its arguments, and the movement.

    def collective(self):
        free = self.writable()
        if len(free) < 2:
            return self.finish(self.kept)
        source, target = self.random.sample(free, 2)
        m, root = self.number(1, 4), self.number(0, 6)
        name, arguments, move, more = self.pick((self.bcast, self.reduction, self.reduction, self.gathering, self.blocks))(source, target, m, root)
        self.oracle.append("{ States old = v; " + move + " }")
        self.primal += more
        if self.chance(0.5):
            self.primal.append(f"MPI_{name}({arguments}, MPI_COMM_WORLD);")
            return None
        q = self.fresh("q")
        self.start([f"MPI_Request {q}[1];", f"MPI_I{name[0].lower()}{name[1:]}({arguments}, MPI_COMM_WORLD, {q});"], (q, 1), target, source)
        return None

    def bcast(self, _, target, m, root):
        return ("Bcast", f"{target}, {m}, MPI_DOUBLE, {root} % size",
                f"EACH_RANK for (int i = 0; i < {m}; i++) v[rank].{target}[i] = old[{root} % size].{target}[i];", [])

    def reduction(self, source, target, m, root):
        op, text = self.pick(sorted(OPERATORS.items()))
        fold = f"auto fold = [&](int from, int to, int i) {{ Dual p = old[from].{source}[i]; for (int r = from + 1; r < to; r++) {{ Dual q = old[r].{source}[i]; p = {text}; }} return p; }}; "
        assign = f"for (int i = 0; i < {m}; i++) v[rank].{target}[i] ="
        which = self.number(0, 5)
        if which == 0:
            return "Reduce", f"{source}, {target}, {m}, MPI_DOUBLE, {op}, {root} % size", fold + f"{{ int rank = {root} % size; {assign} fold(0, size, i); }}", []
        if which == 1:
            return "Scan", f"{source}, {target}, {m}, MPI_DOUBLE, {op}", fold + f"EACH_RANK {assign} fold(0, rank + 1, i);", []
        if which == 2:
            return "Exscan", f"{source}, {target}, {m}, MPI_DOUBLE, {op}", fold + f"EACH_RANK if (rank) {assign} fold(0, rank, i);", []
        if which == 3:
            return ("Reduce_scatter_block", f"{source}, {target}, {m}, MPI_DOUBLE, {op}",
                    fold + f"EACH_RANK {assign} fold(0, size, i + rank * {m});", [])
        if which == 4:
            return ("Allreduce", f"MPI_IN_PLACE, {target}, {m}, MPI_DOUBLE, {op}", fold.replace(f".{source}[", f".{target}[") + f"EACH_RANK {assign} fold(0, size, i);", [])
        return "Allreduce", f"{source}, {target}, {m}, MPI_DOUBLE, {op}", fold + f"EACH_RANK {assign} fold(0, size, i);", []

    def gathering(self, source, target, m, root):
        each = f"for (int p = 0; p < size; p++) for (int i = 0; i < {m}; i++)"
        which, one, two = self.number(0, 4), f"{source}, {m}, MPI_DOUBLE", f"{target}, {m}, MPI_DOUBLE"
        if which == 0:
            return "Gather", f"{one}, {two}, {root} % size", f"{each} v[{root} % size].{target}[p * {m} + i] = old[p].{source}[i];", []
        if which == 1:
            return "Scatter", f"{one}, {two}, {root} % size", f"{each} v[p].{target}[i] = old[{root} % size].{source}[p * {m} + i];", []
        if which == 2:
            return "Allgather", f"{one}, {two}", f"EACH_RANK {each} v[rank].{target}[p * {m} + i] = old[p].{source}[i];", []
        if which == 3:
            return ("Allgather", f"MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, {two}",
                    f"EACH_RANK {each} v[rank].{target}[p * {m} + i] = old[p].{target}[p * {m} + i];", [])
        return "Alltoall", f"{one}, {two}", f"EACH_RANK {each} v[rank].{target}[p * {m} + i] = old[p].{source}[rank * {m} + i];", []

    def blocks(self, source, target, _, root):
        """Blocks of different lengths; the arrays that say so go away before the completion."""
        n, p = self.fresh("counts"), self.fresh("places")
        more = [f"int {n}[8], {p}[8]; for (int r = 0; r < size; r++) {n}[r] = length(r), {p}[r] = place(r);"]
        which = self.number(0, 3)
        if which == 0:
            return ("Gatherv", f"{source}, length(rank), MPI_DOUBLE, {target}, {n}, {p}, MPI_DOUBLE, {root} % size",
                    f"EACH_RANK for (int i = 0; i < length(rank); i++) v[{root} % size].{target}[place(rank) + i] = old[rank].{source}[i];", more)
        if which == 1:
            return ("Scatterv", f"{source}, {n}, {p}, MPI_DOUBLE, {target}, length(rank), MPI_DOUBLE, {root} % size",
                    f"EACH_RANK for (int i = 0; i < length(rank); i++) v[rank].{target}[i] = old[{root} % size].{source}[place(rank) + i];", more)
        if which == 2:
            return ("Allgatherv", f"{source}, length(rank), MPI_DOUBLE, {target}, {n}, {p}, MPI_DOUBLE",
                    f"EACH_RANK for (int r = 0; r < size; r++) for (int i = 0; i < length(r); i++) v[rank].{target}[place(r) + i] = old[r].{source}[i];", more)
        mine = self.fresh("mine")
        more.append(f"int {mine}[8]; for (int r = 0; r < size; r++) {mine}[r] = length(rank);")
        return ("Alltoallv", f"{source}, {mine}, {p}, MPI_DOUBLE, {target}, {n}, {p}, MPI_DOUBLE",
                f"EACH_RANK for (int r = 0; r < size; r++) for (int i = 0; i < length(r); i++) v[rank].{target}[place(r) + i] = old[r].{source}[place(rank) + i];", more)

    # Communicators, windows, bytes.

    def halves(self):
        free = self.writable()
        if len(free) < 2:
            return
        source, target = self.random.sample(free, 2)
        c = self.fresh("half")
        self.primal.append(f"MPI_Comm {c}; MPI_Comm_split(MPI_COMM_WORLD, rank % 2, {self.pick(('rank', '-rank'))}, &{c}); "
                           f"MPI_Allreduce({source}, {target}, 4, MPI_DOUBLE, MPI_SUM, {c}); MPI_Comm_free(&{c});")
        self.oracle.append(f"{{ States old = v; EACH_RANK for (int i = 0; i < 4; i++) {{ Dual t = 0; for (int r = rank % 2; r < size; r += 2) t += old[r].{source}[i]; "
                           f"v[rank].{target}[i] = t; }} }}")

    def neighbours(self):
        free = self.writable()
        if len(free) < 2:
            return
        source, target = self.random.sample(free, 2)
        c = self.fresh("row")
        self.primal.append(f"MPI_Comm {c}; int size_{c} = size, ends_{c} = 0; MPI_Cart_create(MPI_COMM_WORLD, 1, &size_{c}, &ends_{c}, 0, &{c}); "
                           f"MPI_Neighbor_alltoall({source}, 3, MPI_DOUBLE, {target}, 3, MPI_DOUBLE, {c}); MPI_Comm_free(&{c});")
        self.oracle.append(f"{{ States old = v; EACH_RANK for (int i = 0; i < 3; i++) {{ if (rank > 0) v[rank].{target}[i] = old[rank - 1].{source}[3 + i]; "
                           f"if (rank + 1 < size) v[rank].{target}[3 + i] = old[rank + 1].{source}[i]; }} }}")

    def window(self):
        free = self.writable()
        if len(free) < 2:
            return
        source, target = self.random.sample(free, 2)
        w, k = self.fresh("window"), self.number(-1, 2)
        kind, move = self.pick((("Put", "v[to].{1}[4 + i] = old[rank].{0}[i]"), ("Get", "v[rank].{0}[i] = old[to].{1}[4 + i]"),
                                ("Accumulate", "v[to].{1}[4 + i] += old[rank].{0}[i]")))
        op = "MPI_SUM, " if kind == "Accumulate" else ""
        to = f"ring(rank + {k}, size)"
        before, behind = self.pick(((f"MPI_Win_fence(0, {w});", f"MPI_Win_fence(0, {w});"), (f"MPI_Win_fence(0, {w});", f"MPI_Win_fence(0, {w});"),
                                    (f"MPI_Win_lock(MPI_LOCK_SHARED, {to}, 0, {w});", f"MPI_Win_unlock({to}, {w}); MPI_Barrier(MPI_COMM_WORLD);"),
                                    (f"MPI_Win_lock_all(0, {w});", f"MPI_Win_flush({to}, {w}); MPI_Win_unlock_all({w}); MPI_Barrier(MPI_COMM_WORLD);")))
        self.primal.append(f"MPI_Win {w}; MPI_Win_create({target}, {8 * LENGTH}, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &{w}); MPI_Barrier(MPI_COMM_WORLD); {before} "
                           f"MPI_{kind}({source}, 3, MPI_DOUBLE, {to}, 4, 3, MPI_DOUBLE, {op}{w}); {behind} MPI_Win_free(&{w});")
        self.oracle.append(f"{{ States old = v; EACH_RANK {{ int to = ring(rank + {k}, size); for (int i = 0; i < 3; i++) {move.format(source, target)}; }} }}")

    def parcel(self):
        free = self.writable()
        if len(free) < 2:
            return
        source, target = self.random.sample(free, 2)
        tag = self.fresh("")
        self.primal.append(f"{{ char out[64], in[64]; int at = 0; MPI_Pack({source} + 1, 4, MPI_DOUBLE, out, 64, &at, MPI_COMM_WORLD); "
                           f"MPI_Sendrecv(out, at, MPI_PACKED, ring(rank + 1, size), {tag}, in, 64, MPI_PACKED, ring(rank - 1, size), {tag}, MPI_COMM_WORLD, "
                           f"MPI_STATUS_IGNORE); at = 0; MPI_Unpack(in, 64, &at, {target}, 4, MPI_DOUBLE, MPI_COMM_WORLD); }}")
        self.oracle.append(f"{{ States old = v; EACH_RANK for (int i = 0; i < 4; i++) v[rank].{target}[i] = old[ring(rank - 1, size)].{source}[1 + i]; }}")

    # The program's own operator, bytes, epochs of windows, graphs, addresses.

    def pair_of_arrays(self):
        free = self.writable()
        return self.random.sample(free, 2) if len(free) > 1 else (None, None)

    def shifted(self, arrays, k, count, places=(0, 0)):
        (source, target), (start, place) = arrays, places
        self.oracle.append(f"{{ States old = v; EACH_RANK for (int i = 0; i < {count}; i++) "
                           f"v[rank].{target}[{place} + i] = old[ring(rank - {k}, size)].{source}[{start} + i]; }}")

    def own_operator(self):
        source, target = self.pair_of_arrays()
        if not source:
            return
        op, m = self.fresh("op"), self.number(1, 4)
        body = "double *from = (double *)in, *to = (double *)inout; for (int i = 0; i < *n; i++) to[i] = from[i] + to[i] + 0.1 * from[i] * to[i];"
        self.primal.append(f"MPI_Op {op}; MPI_Op_create([](void *in, void *inout, int *n, MPI_Datatype *) {{ {body} }}, {self.number(0, 1)}, &{op});")
        fold = (f"auto fold = [&](int to, int i) {{ Dual p = old[0].{source}[i]; for (int r = 1; r < to; r++) {{ Dual q = old[r].{source}[i]; "
                "p = p + q + 0.1 * p * q; } return p; }; ")
        name, upto = self.pick((("Allreduce", "size"), ("Scan", "rank + 1")))
        self.oracle.append(f"{{ States old = v; {fold} EACH_RANK for (int i = 0; i < {m}; i++) v[rank].{target}[i] = fold({upto}, i); }}")
        arguments = f"{source}, {target}, {m}, MPI_DOUBLE, {op}, MPI_COMM_WORLD"
        if self.chance(0.6):
            self.primal.append(f"MPI_{name}({arguments}); MPI_Op_free(&{op});")
            return
        q = self.fresh("q")
        self.primal.append(f"MPI_Request {q}; MPI_I{name.lower()}({arguments}, &{q}); MPI_Wait(&{q}, MPI_STATUS_IGNORE); MPI_Op_free(&{op});")

    def archive(self):
        """A count and numbers behind it, as bytes."""
        source, target = self.pair_of_arrays()
        if not source:
            return
        tag, k, m = self.fresh(""), self.number(-1, 2), self.number(1, 5)
        self.primal.append(f"{{ int n = {m}; std::vector<char> out(4 + 8 * n), in(4 + 8 * n); memcpy(out.data(), &n, 4); memcpy(out.data() + 4, {source}, 8 * n); "
                           f"MPI_Sendrecv(out.data(), 4 + 8 * n, MPI_BYTE, ring(rank + {k}, size), {tag}, in.data(), 4 + 8 * n, MPI_BYTE, ring(rank - {k}, size), {tag}, "
                           f"MPI_COMM_WORLD, MPI_STATUS_IGNORE); memcpy(&n, in.data(), 4); memcpy({target}, in.data() + 4, 8 * n); }}")
        self.shifted((source, target), k, m)

    def unequal(self):
        """A reduction whose blocks differ in length."""
        source, target = self.pair_of_arrays()
        if not source:
            return
        n = self.fresh("counts")
        self.primal.append(f"{{ int {n}[8]; for (int r = 0; r < size; r++) {n}[r] = length(r); "
                           f"MPI_Reduce_scatter({source}, {target}, {n}, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }}")
        self.oracle.append(f"{{ States old = v; int at = 0; EACH_RANK {{ for (int i = 0; i < length(rank); i++) {{ Dual t = 0; "
                           f"for (int r = 0; r < size; r++) t += old[r].{source}[at + i]; v[rank].{target}[i] = t; }} at += length(rank); }} }}")

    def swap(self):
        """Values are fetched and replaced, or added to, at one peer each."""
        source, target = self.pair_of_arrays()
        if not source:
            return
        w, k, old = self.fresh("window"), self.number(-1, 2), self.fresh("old")
        op, new = self.pick((("MPI_REPLACE", "= {}"), ("MPI_SUM", "+= {}"), ("MPI_NO_OP", "+= 0.0 * {}")))
        to = f"ring(rank + {k}, size)"
        access = self.pick((f"MPI_Get_accumulate({source}, 3, MPI_DOUBLE, {old}, 3, MPI_DOUBLE, {to}, 4, 3, MPI_DOUBLE, {op}, {w});",
                            f"for (int i = 0; i < 3; i++) MPI_Fetch_and_op({source} + i, {old} + i, MPI_DOUBLE, {to}, 4 + i, {op}, {w});"))
        self.primal.append(f"{{ real {old}[3]; MPI_Win {w}; MPI_Win_create({target}, {8 * LENGTH}, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &{w}); MPI_Win_fence(0, {w}); {access} "
                           f"MPI_Win_fence(0, {w}); MPI_Win_free(&{w}); for (int i = 0; i < 3; i++) {source}[8 + i] = {old}[i]; }}")
        self.oracle.append(f"{{ States old = v; EACH_RANK {{ int to = ring(rank + {k}, size); for (int i = 0; i < 3; i++) {{ v[rank].{source}[8 + i] = old[to].{target}[4 + i]; "
                           f"v[to].{target}[4 + i] {new.format(f'old[rank].{source}[i]')}; }} }} }}")

    def epoch(self):
        """Each rank opens its window to one and uses that of another one."""
        source, target = self.pair_of_arrays()
        if not source:
            return
        w, k = self.fresh("window"), self.number(-1, 2)
        self.primal.append(f"{{ MPI_Win {w}; MPI_Win_create({target}, {8 * LENGTH}, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &{w}); MPI_Group all, mine, theirs; "
                           f"MPI_Comm_group(MPI_COMM_WORLD, &all); int from = ring(rank - {k}, size), to = ring(rank + {k}, size); "
                           f"MPI_Group_incl(all, 1, &from, &mine); MPI_Group_incl(all, 1, &to, &theirs); MPI_Win_post(mine, 0, {w}); MPI_Win_start(theirs, 0, {w}); "
                           f"MPI_Put({source} + 1, 3, MPI_DOUBLE, to, 5, 3, MPI_DOUBLE, {w}); MPI_Win_complete({w}); MPI_Win_wait({w}); "
                           f"MPI_Group_free(&mine); MPI_Group_free(&theirs); MPI_Group_free(&all); MPI_Win_free(&{w}); }}")
        self.shifted((source, target), k, 3, (1, 5))

    def segments(self):
        """Memory that all ranks read."""
        source, target = self.pair_of_arrays()
        if not source:
            return
        w, k = self.fresh("window"), self.number(-1, 2)
        self.primal.append(f"{{ real *mine, *other; MPI_Win {w}; MPI_Aint bytes; int unit; MPI_Win_allocate_shared(4 * sizeof(real), sizeof(real), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &{w}); "
                           f"MPI_Win_shared_query({w}, ring(rank - {k}, size), &bytes, &unit, &other); MPI_Win_fence(0, {w}); for (int i = 0; i < 4; i++) mine[i] = {source}[i]; "
                           f"MPI_Win_fence(0, {w}); for (int i = 0; i < 4; i++) {target}[i] = other[i]; MPI_Win_fence(0, {w}); MPI_Win_free(&{w}); }}")
        self.shifted((source, target), k, 4)

    def graph(self):
        """A graph with one edge out of every rank and one into it."""
        source, target = self.pair_of_arrays()
        if not source:
            return
        c, k, m = self.fresh("graph"), self.number(-1, 2), self.number(1, 4)
        call = self.pick((f"MPI_Neighbor_allgather({source}, {m}, MPI_DOUBLE, {target}, {m}, MPI_DOUBLE, {c});",
                          f"int n = {m}, at = 0; MPI_Neighbor_alltoallv({source}, &n, &at, MPI_DOUBLE, {target}, &n, &at, MPI_DOUBLE, {c});",
                          f"MPI_Request q; MPI_Ineighbor_alltoall({source}, {m}, MPI_DOUBLE, {target}, {m}, MPI_DOUBLE, {c}, &q); MPI_Wait(&q, MPI_STATUS_IGNORE);"))
        self.primal.append(f"{{ MPI_Comm {c}; int from = ring(rank - {k}, size), to = ring(rank + {k}, size); MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &from, MPI_UNWEIGHTED, "
                           f"1, &to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &{c}); {call} MPI_Comm_free(&{c}); }}")
        self.shifted((source, target), k, m)

    def addresses(self):
        """From and to MPI_BOTTOM."""
        source, target = self.pair_of_arrays()
        if not source:
            return
        tag, k = self.fresh(""), self.number(-1, 2)
        self.primal.append(f"{{ MPI_Aint at[2]; MPI_Datatype out, in; MPI_Get_address({source}, &at[0]); MPI_Get_address({target}, &at[1]); "
                           f"MPI_Type_create_hindexed_block(1, 3, &at[0], MPI_DOUBLE, &out); MPI_Type_create_hindexed_block(1, 3, &at[1], MPI_DOUBLE, &in); MPI_Type_commit(&out); MPI_Type_commit(&in); "
                           f"MPI_Sendrecv(MPI_BOTTOM, 1, out, ring(rank + {k}, size), {tag}, MPI_BOTTOM, 1, in, ring(rank - {k}, size), {tag}, MPI_COMM_WORLD, MPI_STATUS_IGNORE); "
                           "MPI_Type_free(&out); MPI_Type_free(&in); }")
        self.shifted((source, target), k, 3)

    def grown(self):
        """Packed into memory that grows, received into as much as has come."""
        source, target = self.pair_of_arrays()
        if not source:
            return
        tag, k, world = self.fresh(""), self.number(-1, 2), "MPI_COMM_WORLD"
        put = "out.resize(at + {1}); MPI_Pack({0}, out.data(), out.size(), &at, " + world + "); "
        get = "MPI_Unpack(in.data(), in.size(), &at, {0}, " + world + "); "
        self.primal.append(f"{{ std::vector<char> out, in; int at = 0, n = 4; " + put.format("&n, 1, MPI_INT", 4) + put.format(f"{source}, n, MPI_DOUBLE", 32)
                           + put.format(f"{source} + 10, 3, MPI_DOUBLE", 24)
                           + f"MPI_Request q; MPI_Status t; MPI_Isend(out.data(), at, MPI_PACKED, ring(rank + {k}, size), {tag}, {world}, &q); "
                           f"MPI_Probe(ring(rank - {k}, size), {tag}, {world}, &t); MPI_Get_count(&t, MPI_PACKED, &n); in.resize(n); "
                           f"MPI_Recv(in.data(), n, MPI_PACKED, t.MPI_SOURCE, {tag}, {world}, MPI_STATUS_IGNORE); MPI_Wait(&q, MPI_STATUS_IGNORE); at = 0; "
                           + get.format("&n, 1, MPI_INT") + get.format(f"{target}, n, MPI_DOUBLE") + get.format(f"{target} + 8, 3, MPI_DOUBLE") + "}")
        self.oracle.append(f"{{ States old = v; EACH_RANK {{ auto &from = old[ring(rank - {k}, size)]; for (int i = 0; i < 4; i++) v[rank].{target}[i] = from.{source}[i]; "
                           f"for (int i = 0; i < 3; i++) v[rank].{target}[8 + i] = from.{source}[10 + i]; }} }}")

    def owner(self):
        """Who has the extremum tells the others more."""
        source, target = self.pair_of_arrays()
        if not source:
            return
        op, less = self.pick((("MAXLOC", "{0} < {1}"), ("MINLOC", "{1} < {0}")))
        self.primal.append(f"{{ struct {{ real v; int r; }} mine = {{{source}[3], rank}}, best; MPI_Allreduce(&mine, &best, 1, MPI_DOUBLE_INT, MPI_{op}, MPI_COMM_WORLD); "
                           f"real more[3]; for (int i = 0; i < 3; i++) more[i] = {source}[i]; MPI_Bcast(more, 3, MPI_DOUBLE, best.r, MPI_COMM_WORLD); "
                           f"{target}[2] = 0.5 * best.v; for (int i = 0; i < 3; i++) {target}[4 + i] = more[i]; }}")
        self.oracle.append(f"{{ States old = v; int best = 0; EACH_RANK if ({less.format(f'old[best].{source}[3].v', f'old[rank].{source}[3].v')}) best = rank; "
                           f"EACH_RANK {{ v[rank].{target}[2] = 0.5 * old[best].{source}[3]; for (int i = 0; i < 3; i++) v[rank].{target}[4 + i] = old[best].{source}[i]; }} }}")

    def records(self):
        """Structures of numbers and an integer, as many as the sender has."""
        source, target = self.pair_of_arrays()
        if not source:
            return
        tag, k = self.fresh(""), self.number(-1, 2)
        self.primal.append(f"{{ struct Record {{ real v; int id; real w; }}; MPI_Datatype items, type; int ones[3] = {{1, 1, 1}}; MPI_Datatype kinds[3] = {{MPI_DOUBLE, MPI_INT, MPI_DOUBLE}}; "
                           "MPI_Aint at[3] = {offsetof(Record, v), offsetof(Record, id), offsetof(Record, w)}; MPI_Type_create_struct(3, ones, at, kinds, &items); "
                           "MPI_Type_create_resized(items, 0, sizeof(Record), &type); MPI_Type_commit(&type); MPI_Type_free(&items); std::vector<Record> out, in; "
                           f"for (int j = 0; j <= rank % 2; j++) out.push_back({{{source}[j], j + 1, {source}[j] * {source}[j + 5]}}); MPI_Request q; MPI_Message m; MPI_Status t; int n; "
                           f"MPI_Isend(out.data(), out.size(), type, ring(rank + {k}, size), {tag}, MPI_COMM_WORLD, &q); MPI_Mprobe(MPI_ANY_SOURCE, {tag}, MPI_COMM_WORLD, &m, &t); "
                           "MPI_Get_count(&t, type, &n); in.resize(n); MPI_Mrecv(in.data(), n, type, &m, MPI_STATUS_IGNORE); MPI_Wait(&q, MPI_STATUS_IGNORE); MPI_Type_free(&type); "
                           f"for (const Record &r : in) {target}[r.id] = r.v + 0.3 * r.w; MPI_Barrier(MPI_COMM_WORLD); }}") # what comes later may have this tag again
        self.oracle.append(f"{{ States old = v; EACH_RANK {{ int from = ring(rank - {k}, size); for (int j = 0; j <= from % 2; j++) "
                           f"v[rank].{target}[j + 1] = old[from].{source}[j] + 0.3 * (old[from].{source}[j] * old[from].{source}[j + 5]); }} }}")

    def tree(self):
        """Pairs of ranks combine what they have, then pairs of pairs."""
        source, target = self.pair_of_arrays()
        if not source:
            return
        tag = self.fresh("")
        self.primal.append(f"{{ real t[3], u[3]; for (int i = 0; i < 3; i++) t[i] = {source}[i]; for (int step = 1; step < size; step *= 2) {{ "
                           f"if (rank % (2 * step)) {{ MPI_Send(t, 3, MPI_DOUBLE, rank - step, {tag}, MPI_COMM_WORLD); break; }} "
                           f"if (rank + step < size) {{ MPI_Recv(u, 3, MPI_DOUBLE, rank + step, {tag}, MPI_COMM_WORLD, MPI_STATUS_IGNORE); for (int i = 0; i < 3; i++) t[i] = 0.5 * t[i] + sin(u[i]); }} }} "
                           f"if (rank == 0) for (int i = 0; i < 3; i++) {target}[i] = t[i]; }}")
        self.oracle.append(f"{{ States t = v; for (int step = 1; step < size; step *= 2) for (int r = 0; r + step < size; r += 2 * step) for (int i = 0; i < 3; i++) "
                           f"t[r].{source}[i] = 0.5 * t[r].{source}[i] + sin(t[r + step].{source}[i]); for (int i = 0; i < 3; i++) v[0].{target}[i] = t[0].{source}[i]; }}")

    def section(self):
        """Memory of one peer is read and written under a lock."""
        source, target = self.pair_of_arrays()
        if not source:
            return
        w, k = self.fresh("window"), self.number(-1, 2)
        place = f"to, 4, 3, MPI_DOUBLE, {w}"
        self.primal.append(f"{{ MPI_Win {w}; MPI_Win_create({target}, {8 * LENGTH}, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &{w}); int to = ring(rank + {k}, size); real t[3]; "
                           f"MPI_Barrier(MPI_COMM_WORLD); MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, {w}); MPI_Get(t, 3, MPI_DOUBLE, {place}); MPI_Win_flush(to, {w}); "
                           f"for (int i = 0; i < 3; i++) t[i] = 0.5 * t[i] * {source}[i] + {source}[i]; MPI_Put(t, 3, MPI_DOUBLE, {place}); MPI_Win_unlock(to, {w}); "
                           f"MPI_Barrier(MPI_COMM_WORLD); MPI_Win_free(&{w}); }}")
        self.oracle.append(f"{{ States old = v; EACH_RANK {{ int to = ring(rank + {k}, size); for (int i = 0; i < 3; i++) "
                           f"v[to].{target}[4 + i] = 0.5 * old[to].{target}[4 + i] * old[rank].{source}[i] + old[rank].{source}[i]; }} }}")

    def shared(self):
        """Ranks of a machine look into a neighbour's memory."""
        source, target = self.pair_of_arrays()
        if not source:
            return
        w, k = self.fresh("window"), self.number(-1, 2)
        sync = self.pick((f"MPI_Win_fence(0, {w});", f"MPI_Win_sync({w}); MPI_Barrier(MPI_COMM_WORLD); MPI_Win_sync({w});"))
        begin, end = (sync, "") if "fence" in sync else (f"MPI_Win_lock_all(0, {w});", f"MPI_Win_unlock_all({w});")
        self.primal.append(f"{{ MPI_Win {w}; real *mine, *other; MPI_Aint bytes; int unit; MPI_Win_allocate_shared(4 * sizeof(real), sizeof(real), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &{w}); "
                           f"MPI_Win_shared_query({w}, ring(rank + {k}, size), &bytes, &unit, &other); {begin} for (int i = 0; i < 4; i++) mine[i] = sin({source}[i]); {sync} "
                           f"for (int i = 0; i < 4; i++) {target}[i] = other[i] * {source}[i]; {sync} {end} MPI_Win_free(&{w}); }}")
        self.oracle.append(f"{{ States old = v; EACH_RANK for (int i = 0; i < 4; i++) v[rank].{target}[i] = sin(old[ring(rank + {k}, size)].{source}[i]) * old[rank].{source}[i]; }}")

    def matrices(self):
        """Products of matrices of all ranks, in order."""
        source, target = self.pair_of_arrays()
        if not source:
            return
        op, t = self.fresh("op"), self.fresh("type")
        body = ("double *a = (double *)in, *b = (double *)inout; for (int k = 0; k < *n; k++, a += 4, b += 4) { double c[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], "
                "a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]}; for (int i = 0; i < 4; i++) b[i] = c[i]; }")
        name, upto, least = self.pick((("Allreduce", "size", 0), ("Scan", "rank + 1", 0), ("Exscan", "rank", 1), ("Reduce", "size", "last")))
        root = " size - 1," if name == "Reduce" else ""
        call = f"MPI_{name}({source}, {target}, 2, {t}, {op},{root} MPI_COMM_WORLD);"
        if self.chance(0.4):
            call = f"MPI_Request q; MPI_I{name.lower()}({source}, {target}, 2, {t}, {op},{root} MPI_COMM_WORLD, &q); MPI_Wait(&q, MPI_STATUS_IGNORE);"
        self.primal.append(f"{{ MPI_Op {op}; MPI_Datatype {t}; MPI_Op_create([](void *in, void *inout, int *n, MPI_Datatype *) {{ {body} }}, 0, &{op}); MPI_Type_contiguous(4, MPI_DOUBLE, &{t}); "
                           f"MPI_Type_commit(&{t}); {call} MPI_Op_free(&{op}); MPI_Type_free(&{t}); }}")
        who = "rank == size - 1" if least == "last" else f"rank >= {least}"
        product = " + ".join(f"p[i / 2 * 2 + {m}] * old[r].{source}[4 * k + {2 * m} + i % 2]" for m in (0, 1))
        self.oracle.append(f"{{ States old = v; EACH_RANK if ({who}) for (int k = 0; k < 2; k++) {{ Dual p[4], q[4]; for (int i = 0; i < 4; i++) p[i] = old[0].{source}[4 * k + i]; "
                           f"for (int r = 1; r < {upto}; r++) {{ for (int i = 0; i < 4; i++) q[i] = {product}; for (int i = 0; i < 4; i++) p[i] = q[i]; }} "
                           f"for (int i = 0; i < 4; i++) v[rank].{target}[4 * k + i] = p[i]; }} }}")

    def consensus(self):
        """Nobody knows how many messages will come; the ranks agree when all have."""
        source, target = self.pair_of_arrays()
        if not source:
            return
        tag, k = self.fresh(""), self.number(1, 3)
        self.primal.append(f"{{ real t[3] = {{0, 0, 0}}; MPI_Request open[2], all = MPI_REQUEST_NULL; MPI_Issend({source}, 3, MPI_DOUBLE, ring(rank + {k}, size), {tag}, MPI_COMM_WORLD, &open[0]); "
                           f"MPI_Issend({source} + 4, 2, MPI_DOUBLE, ring({k} * rank, size), {tag}, MPI_COMM_WORLD, &open[1]); for (int done = 0, sent = 0; !done;) {{ int come, n; MPI_Message m; MPI_Status s; "
                           f"MPI_Improbe(MPI_ANY_SOURCE, {tag}, MPI_COMM_WORLD, &come, &m, &s); if (come) {{ MPI_Get_count(&s, MPI_DOUBLE, &n); std::vector<real> in(n); "
                           f"MPI_Mrecv(in.data(), n, MPI_DOUBLE, &m, MPI_STATUS_IGNORE); for (int i = 0; i < n; i++) t[i] += in[i] * (s.MPI_SOURCE + 1); }} "
                           "if (sent) MPI_Test(&all, &done, MPI_STATUS_IGNORE); else { MPI_Testall(2, open, &sent, MPI_STATUSES_IGNORE); if (sent) MPI_Ibarrier(MPI_COMM_WORLD, &all); } } "
                           f"for (int i = 0; i < 3; i++) {target}[i] = t[i]; MPI_Barrier(MPI_COMM_WORLD); }}")
        self.oracle.append(f"{{ States old = v; EACH_RANK for (int i = 0; i < 3; i++) v[rank].{target}[i] = 0; EACH_RANK {{ for (int i = 0; i < 3; i++) v[ring(rank + {k}, size)].{target}[i] += "
                           f"old[rank].{source}[i] * (rank + 1.0); for (int i = 0; i < 2; i++) v[ring({k} * rank, size)].{target}[i] += old[rank].{source}[4 + i] * (rank + 1.0); }} }}")

    def groups(self):
        """Two groups tell one another what they have."""
        source, target = self.pair_of_arrays()
        if not source:
            return
        h, c = self.fresh("half"), self.fresh("between")
        call, value = self.pick(((f"MPI_Allreduce({source}, {target}, 3, MPI_DOUBLE, MPI_SUM, {c});", ""),
                                 (f"real t[3] = {{0, 0, 0}}; MPI_Reduce({source}, t, 3, MPI_DOUBLE, MPI_SUM, rank == 0 ? MPI_ROOT : rank % 2 ? 0 : MPI_PROC_NULL, {c}); "
                                  f"if (rank == 0) for (int i = 0; i < 3; i++) {target}[i] = t[i];", "rank == 0")))
        self.primal.append(f"if (size > 1) {{ MPI_Comm {h}, {c}; MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &{h}); MPI_Intercomm_create({h}, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &{c}); {call} "
                           f"MPI_Comm_free(&{c}); MPI_Comm_free(&{h}); }}")
        self.oracle.append(f"if (size > 1) {{ States old = v; EACH_RANK {'if (' + value + ') ' if value else ''}for (int i = 0; i < 3; i++) {{ Dual t = 0; for (int r = 1 - rank % 2; r < size; r += 2) "
                           f"t += old[r].{source}[i]; v[rank].{target}[i] = t; }} }}")

    def futures(self):
        """What is read from and added to peers is waited for by requests."""
        source, target = self.pair_of_arrays()
        if not source:
            return
        w, k = self.fresh("window"), self.number(1, 3)
        self.primal.append(f"{{ MPI_Win {w}; real *room, t[3], u[3]; MPI_Request q[2]; MPI_Win_allocate(8 * sizeof(real), sizeof(real), MPI_INFO_NULL, MPI_COMM_WORLD, &room, &{w}); "
                           f"MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, {w}); for (int i = 0; i < 8; i++) room[i] = {source}[i] * {source}[i + 1]; MPI_Win_unlock(rank, {w}); MPI_Barrier(MPI_COMM_WORLD); "
                           f"MPI_Win_lock_all(0, {w}); for (int i = 0; i < 3; i++) u[i] = 0.5 * {source}[i]; MPI_Rget(t, 3, MPI_DOUBLE, ring(rank + {k}, size), 0, 3, MPI_DOUBLE, {w}, &q[0]); "
                           f"MPI_Raccumulate(u, 3, MPI_DOUBLE, ring(rank + {k} + 1, size), 4, 3, MPI_DOUBLE, MPI_SUM, {w}, &q[1]); MPI_Waitall(2, q, MPI_STATUSES_IGNORE); MPI_Win_unlock_all({w}); "
                           f"MPI_Barrier(MPI_COMM_WORLD); MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, {w}); for (int i = 0; i < 3; i++) {target}[i] = t[i] * room[4 + i]; MPI_Win_unlock(rank, {w}); "
                           f"MPI_Barrier(MPI_COMM_WORLD); MPI_Win_free(&{w}); }}")
        self.oracle.append(f"{{ States old = v; EACH_RANK for (int i = 0; i < 3; i++) {{ auto &at = old[ring(rank + {k}, size)], &from = old[ring(rank - {k} - 1, size)]; "
                           f"v[rank].{target}[i] = at.{source}[i] * at.{source}[i + 1] * (old[rank].{source}[4 + i] * old[rank].{source}[5 + i] + 0.5 * from.{source}[i]); }} }}")

    def pencils(self):
        """Blocks of a matrix change places: rows here, columns there."""
        source, target = self.pair_of_arrays()
        if not source:
            return
        name = self.pick(("MPI_Alltoallw({0}, MPI_COMM_WORLD);", "MPI_Request q; MPI_Ialltoallw({0}, MPI_COMM_WORLD, &q); MPI_Wait(&q, MPI_STATUS_IGNORE);"))
        arguments = f"{source}, ones, from, rows, {target}, ones, to, columns"
        self.primal.append(f"if (size <= 8) {{ MPI_Datatype row, column, rows[8], columns[8]; int ones[8], from[8], to[8]; MPI_Type_contiguous(2, MPI_DOUBLE, &row); MPI_Type_vector(2, 1, 8, MPI_DOUBLE, &column); "
                           "MPI_Type_commit(&row); MPI_Type_commit(&column); for (int r = 0; r < size; r++) { ones[r] = 1; rows[r] = row; columns[r] = column; from[r] = 16 * r; to[r] = 8 * r; } "
                           f"{name.format(arguments)} MPI_Type_free(&row); MPI_Type_free(&column); }}")
        self.oracle.append(f"if (size <= 8) {{ States old = v; EACH_RANK for (int r = 0; r < size; r++) for (int i = 0; i < 2; i++) v[rank].{target}[r + 8 * i] = old[r].{source}[2 * rank + i]; }}")

    def loop(self):
        kept, self.kept = self.kept, len(self.pending)
        self.depth += 1
        counter = self.fresh("step")
        self.both(f"for (int {counter} = 0; {counter} < {self.number(1, 3)}; {counter}++) {{")
        for _ in range(self.number(2, 4)):
            self.step()
        self.finish(self.kept)
        self.both("}")
        self.depth -= 1
        self.kept = kept

    def step(self):
        kinds = [(4, self.work), (4, self.shift), (0.6, self.twice), (0.5, self.replace), (3, self.collective), (0.4, self.workers),
                 (0.3, self.halves), (0.3, self.crowd), (0.4, self.aside), (0.4, self.places), (0.4, self.neighbours), (0.4, self.window), (0.3, self.parcel),
                 (0.3, self.own_operator), (0.3, self.archive), (0.3, self.unequal), (0.3, self.swap), (0.3, self.epoch), (0.2, self.segments), (0.3, self.graph),
                 (0.2, self.addresses), (0.3, self.grown), (0.3, self.owner), (0.3, self.records), (0.3, self.tree), (0.3, self.section),
                 (0.3, self.shared), (0.3, self.matrices), (0.3, self.consensus), (0.3, self.groups), (0.3, self.futures), (0.3, self.pencils)]
        kinds += [(0.3, odd) for odd in self.odds()]
        if self.depth < 2:
            kinds.append((1, self.loop))
        weights, makers = zip(*kinds)
        self.random.choices(makers, weights)[0]()

    def build(self):
        self.kept = 0
        arrays = self.pick(("real a[32], b[32], d[32], e[32];",
                            "std::vector<real> a_(32), b_(32), d_(32), e_(32); real *a = a_.data(), *b = b_.data(), *d = d_.data(), *e = e_.data();",
                            "real *a = (real *)malloc(128 * sizeof(real)), *b = a + 32, *d = a + 64, *e = a + 96;"))
        self.primal.append(f"real s = 0.1; {arrays}")
        self.oracle.append("EACH s = 0.1;")
        self.compute(f"for (int i = 0; i < {LENGTH}; i++) {{ a[i] = x[i % 12] + 0.01 * i; b[i] = sin(x[(i + 3) % 12] * (1.0 + 0.1 * i)); d[i] = y[i % 12] * x[0]; "
                     "e[i] = cos(x[i % 12] + y[1]) * 0.5; }")
        for _ in range(self.number(4, 9)):
            self.step()
            if self.chance(0.2):
                self.work()
        self.finish(0)
        self.compute("for (int i = 0; i < 12; i++) { s += a[i] * b[i + 4] + d[i] * e[31 - i]; y[i] += real(0.1) * (a[i + 9] + s); }")
        if "malloc" in arrays:
            self.primal.append("free(a);")
        self.primal.append("return s;")
        primal = f"static double {self.name}(const double *x, double *y, int rank, int size) {{\n  " + "\n  ".join(self.primal) + "\n}\n"
        oracle = f"static void {self.name}(States &v) {{\n  const int size = v.size();\n  " + "\n  ".join(self.oracle) + "\n}\n"
        return primal, oracle


def unit(kind, seed, first, count):
    """Source of one translation unit with `count` programs of class `kind`."""
    names = [f"program{first + i}" for i in range(count)]
    made = [kind(seed, name).build() for name in names]
    out = ['#include "CheckMpi.h"', "extern int enzyme_width;", "double __enzyme_fwddiff(void *, ...);", "check::Pair __enzyme_fwddiff2(void *, ...);", "double __enzyme_autodiff(void *, ...);",
           "using namespace check;", "#define EACH_RANK for (int rank = 0; rank < size; rank++)",
           "#define EACH EACH_RANK if (auto &[x, y, a, b, d, e, s] = v[rank]; true)",
           generate.oracle("Dual", "\n".join(oracle for _, oracle in made)), "namespace primal {\nusing real = double;",
           "__attribute__((noinline)) static void complete(int n, MPI_Request *q) { MPI_Waitall(n, q, MPI_STATUSES_IGNORE); }",
           *(primal for primal, _ in made), "}",
           "int main(int Count, char **Words) {\n  MPI_Init(&Count, &Words);\n  int Failures = 0;"]
    for name in names:
        twice = f"(void *)primal::{name}, enzyme_width, 2, enzyme_dup, x, xd, xd2, enzyme_dup, y, yd, yd2, enzyme_const, rank, enzyme_const, size"
        passed = f"(void *)primal::{name}, enzyme_dup, x, xd, enzyme_dup, y, yd, enzyme_const, rank, enzyme_const, size"
        out.append(f'  Failures += check::runMpi("{name}", oracle::{name}, primal::{name},\n'
                   f"    std::pair([](double *x, double *xd, double *y, double *yd, int rank, int size) {{\n"
                   f"      return __enzyme_fwddiff({passed}); }},\n"
                   f"    [](double *x, double *xd, double *xd2, double *y, double *yd, double *yd2, int rank, int size) {{\n"
                   f"      return __enzyme_fwddiff2({twice}); }}),\n"
                   f"    [](double *x, double *xd, double *y, double *yd, int rank, int size) {{\n"
                   f"      __enzyme_autodiff({passed}); }}, {seed % 1000003 + 1}ul);")
    out.append("  MPI_Finalize();\n  return Failures != 0;\n}")
    return "\n".join(out) + "\n"
