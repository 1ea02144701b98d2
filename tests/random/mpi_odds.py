# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rarer patterns of random MPI programs (generate_mpi.py): bytes, planes, folds on one rank, attributes, receives that are
cancelled, sends that are buffered or forgotten, questions before waits, rows of a grid, calls that fail.
"""

WORLD = "MPI_COMM_WORLD"


class Odds:
    """Needs what generate_mpi.Program has; patterns end at once where no two arrays are free."""

    def bytes_of_all(self):
        """Numbers as bytes, to all."""
        source, target = self.pair_of_arrays()
        if not source:
            return
        m, root = self.number(1, 4), self.number(0, 6)
        if self.chance(0.5):
            self.primal.append(f"MPI_Bcast({target} + 2, {m} * sizeof(real), MPI_BYTE, {root} % size, {WORLD});")
            self.oracle.append(f"{{ States old = v; EACH_RANK for (int i = 2; i < {m} + 2; i++) v[rank].{target}[i] = old[{root} % size].{target}[i]; }}")
            return
        self.primal.append(f"MPI_Allgather({source}, {m} * sizeof(real), MPI_BYTE, {target}, {m} * sizeof(real), MPI_BYTE, {WORLD});")
        self.oracle.append(f"{{ States old = v; EACH_RANK for (int p = 0; p < size; p++) for (int i = 0; i < {m}; i++) v[rank].{target}[p * {m} + i] = old[p].{source}[i]; }}")

    def plane(self):
        """The arrays are 4 x 8: a column goes where a row, or a column backwards, is."""
        source, target = self.pair_of_arrays()
        if not source:
            return
        t, tag, column = self.fresh("plane"), self.fresh(""), self.number(0, 7)
        row = self.number(0, 3)
        backwards = self.chance(0.5)
        there = f"{target} + 24 + {column}, 1, {t}[1]" if backwards else f"{target} + {8 * row}, 4, MPI_DOUBLE"
        self.primal.append(f"{{ int whole[2] = {{4, 8}}, part[2] = {{4, 1}}, at[2] = {{0, {column}}}; MPI_Datatype {t}[2]; "
                           f"MPI_Type_create_subarray(2, whole, part, at, MPI_ORDER_C, MPI_DOUBLE, &{t}[0]); MPI_Type_vector(4, 1, -8, MPI_DOUBLE, &{t}[1]); "
                           f"for (int i = 0; i < 2; i++) MPI_Type_commit(&{t}[i]); MPI_Sendrecv({source}, 1, {t}[0], ring(rank + 1, size), {tag}, {there}, ring(rank - 1, size), {tag}, "
                           f"{WORLD}, MPI_STATUS_IGNORE); for (int i = 0; i < 2; i++) MPI_Type_free(&{t}[i]); }}")
        place = f"8 * (3 - i) + {column}" if backwards else f"{8 * row} + i"
        self.oracle.append(f"{{ States old = v; EACH_RANK for (int i = 0; i < 4; i++) v[rank].{target}[{place}] = old[ring(rank - 1, size)].{source}[8 * i + {column}]; }}")

    def folded(self):
        """One step of a reduction, without others."""
        source, target = self.pair_of_arrays()
        if not source:
            return
        op, text = self.pick((("MPI_SUM", "p + q"), ("MPI_PROD", "p * q"), ("MPI_MIN", "fmin(p, q)"), ("MPI_MAX", "fmax(p, q)")))
        self.primal.append(f"MPI_Reduce_local({source} + 3, {target} + 1, 5, MPI_DOUBLE, {op});")
        self.oracle.append(f"EACH for (int i = 0; i < 5; i++) {{ Dual p = {source}[3 + i], q = {target}[1 + i]; {target}[1 + i] = {text}; }}")

    def noted(self):
        """A communicator has an attribute, whose functions count its copies."""
        source, target = self.pair_of_arrays()
        if not source:
            return
        k, c = self.fresh("key"), self.fresh("noted")
        self.primal.append(
            f"{{ static int copies; copies = 1; int {k}, found; void *value; MPI_Comm {c}[2]; MPI_Comm_create_keyval("
            "[](MPI_Comm, int, void *extra, void *value, void *to, int *flag) { ++*(int *)extra; *(void **)to = value; *flag = 1; return MPI_SUCCESS; }, "
            f"[](MPI_Comm, int, void *, void *extra) {{ --*(int *)extra; return MPI_SUCCESS; }}, &{k}, &copies); MPI_Comm_dup({WORLD}, &{c}[0]); "
            f"MPI_Comm_set_attr({c}[0], {k}, (void *)(long){self.number(1, 3)}); MPI_Comm_dup({c}[0], &{c}[1]); MPI_Comm_get_attr({c}[1], {k}, &value, &found); "
            f"real factor = copies * real((long)value); MPI_Allreduce({source}, {target}, 3, MPI_DOUBLE, MPI_SUM, {c}[1]); "
            f"for (int i = 0; i < 3; i++) {target}[i] *= 0.1 * factor; MPI_Comm_free(&{c}[1]); for (int i = 0; i < 3; i++) {target}[i] *= copies; "
            f"MPI_Comm_free(&{c}[0]); MPI_Comm_free_keyval(&{k}); }}")
        value = self.primal[-1].split("(void *)(long)")[1].split(")")[0]
        self.oracle.append(f"{{ States old = v; EACH_RANK for (int i = 0; i < 3; i++) {{ Dual t = 0; for (int r = 0; r < size; r++) t += old[r].{source}[i]; "
                           f"v[rank].{target}[i] = t * 0.1 * 2.0 * {value}.0; }} }}")

    def given_up(self):
        """A receive that nothing comes for is cancelled, behind a message of another tag."""
        source, target = self.pair_of_arrays()
        if not source:
            return
        q, tag = self.fresh("q"), self.fresh("")
        self.primal.append(f"{{ real never = {source}[1]; MPI_Request {q}; MPI_Irecv(&never, 1, MPI_DOUBLE, ring(rank - 1, size), 900, {WORLD}, &{q}); "
                           f"MPI_Sendrecv({source}, 3, MPI_DOUBLE, ring(rank + 1, size), {tag}, {target}, 3, MPI_DOUBLE, ring(rank - 1, size), {tag}, {WORLD}, MPI_STATUS_IGNORE); "
                           f"MPI_Cancel(&{q}); MPI_Status status; MPI_Wait(&{q}, &status); int gone; MPI_Test_cancelled(&status, &gone); if (gone) {target}[4] = never * never; }}")
        self.oracle.append(f"{{ States old = v; EACH_RANK {{ for (int i = 0; i < 3; i++) v[rank].{target}[i] = old[ring(rank - 1, size)].{source}[i]; "
                           f"v[rank].{target}[4] = old[rank].{source}[1] * old[rank].{source}[1]; }} }}")

    def asked(self):
        """What has arrived is read before the wait."""
        source, target = self.pair_of_arrays()
        if not source:
            return
        q, tag = self.fresh("q"), self.fresh("")
        self.primal.append(f"{{ MPI_Request {q}[2]; MPI_Irecv({target}, 3, MPI_DOUBLE, ring(rank - 1, size), {tag}, {WORLD}, {q}); "
                           f"MPI_Isend({source}, 3, MPI_DOUBLE, ring(rank + 1, size), {tag}, {WORLD}, {q} + 1); "
                           f"for (int flag = 0; !flag;) MPI_Request_get_status({q}[0], &flag, MPI_STATUS_IGNORE); {target}[5] = {target}[0] * {target}[2]; "
                           f"MPI_Waitall(2, {q}, MPI_STATUSES_IGNORE); }}")
        self.oracle.append(f"{{ States old = v; EACH_RANK {{ auto &t = v[rank].{target}; for (int i = 0; i < 3; i++) t[i] = old[ring(rank - 1, size)].{source}[i]; t[5] = t[0] * t[2]; }} }}")

    def unwaited(self):
        """A send is buffered, or its request given back at once."""
        source, target = self.pair_of_arrays()
        if not source:
            return
        q, tag, k = self.fresh("q"), self.fresh(""), self.number(-1, 2)
        to, by = f"ring(rank + {k}, size), {tag}, {WORLD}", f"ring(rank - {k}, size), {tag}, {WORLD}, MPI_STATUS_IGNORE"
        if self.chance(0.5):
            self.primal.append(f"{{ int room; MPI_Pack_size(3, MPI_DOUBLE, {WORLD}, &room); room += MPI_BSEND_OVERHEAD; char *pool = (char *)malloc(room); MPI_Buffer_attach(pool, room); "
                               f"real t[3] = {{{source}[0], {source}[1] * {source}[2], {source}[2]}}; MPI_Bsend(t, 3, MPI_DOUBLE, {to}); t[0] = 0; MPI_Recv({target}, 3, MPI_DOUBLE, {by}); "
                               "MPI_Buffer_detach(&pool, &room); free(pool); }")
        else:
            self.primal.append(f"{{ real t[3] = {{{source}[0], {source}[1] * {source}[2], {source}[2]}}; MPI_Request {q}; MPI_Isend(t, 3, MPI_DOUBLE, {to}, &{q}); MPI_Request_free(&{q}); "
                               f"MPI_Recv({target}, 3, MPI_DOUBLE, {by}); MPI_Barrier({WORLD}); }}")
        self.oracle.append(f"{{ States old = v; EACH_RANK {{ auto &o = old[ring(rank - {k}, size)].{source}; auto &t = v[rank].{target}; t[0] = o[0]; t[1] = o[1] * o[2]; t[2] = o[2]; }} }}")

    def rows(self):
        """A sum along the rows of a grid, or the columns."""
        source, target = self.pair_of_arrays()
        if not source:
            return
        g, along = self.fresh("grid"), self.number(0, 1)
        self.primal.append(f"{{ int sides[2] = {{size == 4 ? 2 : size, size == 4 ? 2 : 1}}, ends[2] = {{0, 0}}, keep[2] = {{{1 - along}, {along}}}; MPI_Comm {g}, part; "
                           f"MPI_Cart_create({WORLD}, 2, sides, ends, 0, &{g}); MPI_Cart_sub({g}, keep, &part); MPI_Allreduce({source}, {target}, 4, MPI_DOUBLE, MPI_SUM, part); "
                           f"MPI_Comm_free(&part); MPI_Comm_free(&{g}); }}")
        same = "r / wide == rank / wide" if along else "r % wide == rank % wide"
        self.oracle.append(f"{{ States old = v; int wide = size == 4 ? 2 : 1; EACH_RANK for (int i = 0; i < 4; i++) {{ Dual t = 0; for (int r = 0; r < size; r++) if ({same}) "
                           f"t += old[r].{source}[i]; v[rank].{target}[i] = t; }} }}")

    def failed(self):
        """A call that fails, and goes on with another one."""
        source, target = self.pair_of_arrays()
        if not source:
            return
        h, tag = self.fresh("handler"), self.fresh("")
        arguments = f"{source}, 3, MPI_DOUBLE, {{}}, {tag}, {target}, 3, MPI_DOUBLE, ring(rank - 1, size), {tag}, {WORLD}, MPI_STATUS_IGNORE"
        self.primal.append(f"{{ MPI_Errhandler {h}; MPI_Comm_get_errhandler({WORLD}, &{h}); MPI_Comm_set_errhandler({WORLD}, MPI_ERRORS_RETURN); "
                           f"if (MPI_Sendrecv({arguments.format('size + 1')}) != MPI_SUCCESS) MPI_Sendrecv({arguments.format('ring(rank + 1, size)')}); "
                           f"MPI_Comm_set_errhandler({WORLD}, {h}); MPI_Errhandler_free(&{h}); }}")
        self.shifted((source, target), 1, 3)

    def odds(self):
        return [self.bytes_of_all, self.plane, self.folded, self.noted, self.given_up, self.asked, self.unwaited, self.rows, self.failed]
