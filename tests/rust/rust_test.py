# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rust's bitcode: functions that C differentiates, and a program of Rust that asks for a gradient itself."""

import os
import pathlib
import subprocess
import tempfile
import unittest

BIN = pathlib.Path(os.environ["CONTRAFLOW_BIN"])
SOURCES = pathlib.Path(__file__).resolve().parent
SUPPORT = SOURCES.parent / "support"
CLANG, LINKER = BIN / "contraflow-clang", BIN / "contraflow-clang++"


class RustTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="contraflow rust ")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def call(self, *command, expect=0):
        path = os.environ["LLVM_BIN"] + os.pathsep + os.environ["PATH"]
        run = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False,
                             cwd=self.folder, env={**os.environ, "PATH": path})
        self.assertEqual(run.returncode, expect, f"{command}\n{run.stdout}{run.stderr}")
        return run.stdout

    def rustc(self, *arguments):
        return self.call(os.environ["RUSTC"], *arguments)

    def functions(self, level):
        source, library = SOURCES / "functions.rs", self.folder / "libfunctions.a"
        options = ["-C", f"opt-level={level}", "-C", "codegen-units=1"]
        self.rustc(*options, "--emit=llvm-bc", source, "-o", "functions.bc")
        self.rustc(*options, "--crate-type=staticlib", source, "-o", library)
        self.call(CLANG, "-O2", "-flto", "-I", SUPPORT, "-c", SOURCES / "functions.c", "-o", "c.o")
        self.call(LINKER, "-O2", "-flto", "-Wno-override-module", "c.o", "functions.bc", *os.environ["CHECKER"].split(":"),
                  library, "-lm", "-lpthread", "-ldl", "-o", "functions")
        self.call(self.folder / "functions")

    def test_functions_o2(self):
        self.functions(2)

    def test_functions_o3(self):
        self.functions(3)

    def test_program(self):
        options = ["opt-level=2", "codegen-units=1", "linker-plugin-lto", f"linker={CLANG}", "link-arg=-fuse-ld=lld",
                   "link-arg=-flto", "link-arg=-Wl,--lto=default", "link-arg=-O2"]
        self.rustc(*(word for option in options for word in ("-C", option)), SOURCES / "program.rs", "-o", "program")
        for line in self.call(self.folder / "program").splitlines():
            exact, difference = map(float, line.split())
            self.assertAlmostEqual(exact, difference, delta=1e-6)


if __name__ == "__main__":
    unittest.main()
