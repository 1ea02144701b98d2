# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler wrappers: what they add, what they leave alone, what they say when something is wrong."""

import os
import pathlib
import re
import shlex
import shutil
import stat
import subprocess
import tempfile
import unittest

BIN = pathlib.Path(os.environ["CONTRAFLOW_BIN"])
CONSUMER = pathlib.Path(__file__).resolve().parent / "consumer"
C, CXX = str(BIN / "contraflow-clang"), str(BIN / "contraflow-clang++")


class WrapperTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="contraflow wrapper ")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_command(self, *command, expect=0, **environment):
        run = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False,
                             cwd=self.folder, env={**os.environ, **environment})
        self.assertEqual(run.returncode, expect, f"{command}\n{run.stdout}{run.stderr}")
        return run

    def shown(self, *arguments):
        return shlex.split(self.run_command(CXX, "--cf-show", *arguments).stdout)

    def pretended_clang(self, version):
        script = self.folder / "clang"
        script.write_text(f"#!/bin/sh\necho '{version}'\n")
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        return str(script)


class Command(WrapperTest):
    def test_arguments_survive(self):
        odd = ["-DA=a b", "-DB='\"", "-DC=$HOME *", "-D", "D=\\", "a file.cpp"]
        command = self.shown(*odd)
        self.assertEqual(command[command.index(odd[0]):][:len(odd)], odd)

    def test_compiling_links_nothing(self):
        for mode in ("-c", "-S", "-E", "-fsyntax-only"):
            command = self.shown(mode, "x.cpp")
            self.assertFalse([word for word in command if word.endswith(".a")], command)
            self.assertTrue([word for word in command if word.startswith("-fpass-plugin=")])
            self.assertTrue([word for word in command if word.startswith("-fplugin=")])

    def test_precompiling_links_nothing(self):
        for header in (["-x", "c++-header", "x"], ["-xc-header", "x"], ["x.hpp"], ["-g", "x.h", "-o", "x.pch"]):
            self.assertFalse([word for word in self.shown(*header) if word.endswith(".a")], header)
        self.assertTrue([word for word in self.shown("-x", "c++", "x.h") if word.endswith(".a")])

    def test_models_follow_the_command_line(self):
        def parts(*arguments):
            return {pathlib.Path(word).name for word in self.shown(*arguments) if word.endswith(".a")}
        self.assertEqual(parts("x.o"), {"libcontraflow_runtime.a", "libcontraflow_runtime_mpi_absent.a",
                                        "libcontraflow_runtime_omp_absent.a"})
        self.assertIn("libcontraflow_runtime_omp.a", parts("x.o", "-fopenmp"))
        self.assertIn("libcontraflow_runtime_omp.a", parts("x.o", "/usr/lib/libomp.so"))
        self.assertIn("libcontraflow_runtime_omp_absent.a", parts("x.o", "-fopenmp", "-fno-openmp"))
        self.assertIn("libcontraflow_runtime_mpi.a", parts("x.o", "-lmpi"))
        self.assertIn("libcontraflow_runtime_mpi.a", parts("x.o", "/opt/mpi/lib/libmpi.so"))

    def test_questions_are_handed_on(self):
        for question in ("--version", "-print-prog-name=ld", "-dumpversion"):
            self.assertEqual(self.shown(question)[2:], [question])

    def test_value_of_an_option_is_no_input(self):
        self.assertEqual(self.shown("-v", "-x", "c++", "-o", "out")[2:], ["-v", "-x", "c++", "-o", "out"])

    def test_version(self):
        output = self.run_command(CXX, "--cf-version").stdout
        self.assertIn(f"contraflow {os.environ['CONTRAFLOW_VERSION']}", output)
        self.assertIn("Contraflow.so", output)


class Explain(WrapperTest):
    def explain(self, *words, expect=0):
        return self.run_command(BIN / "contraflow", *words, expect=expect)

    def test_pages(self):
        for number in ("CF203", "cf203", "203", "[CF203]"):
            self.assertTrue(self.explain("explain", number).stdout.startswith("# CF203: "))
        self.assertIn("CF203: ", self.explain("explain").stdout)

    def test_unknown(self):
        self.assertIn("no diagnostic CF999", self.explain("explain", "CF999", expect=2).stderr)
        for words in ((), ("what",), ("explain", "CF203", "CF204")):
            self.assertIn("usage: ", self.explain(*words, expect=2).stderr)

    def test_version(self):
        self.assertIn(os.environ["CONTRAFLOW_VERSION"], self.explain("--version").stdout)


class Refusals(WrapperTest):
    def test_other_compilers(self):
        for version in ("clang version 19.1.7", "g++ (Debian 12.2.0) 12.2.0", "clang version 22.2.0"):
            run = self.run_command(CXX, "-c", "x.cpp", expect=1,
                                   CONTRAFLOW_CLANG=self.pretended_clang(version))
            self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
            self.assertIn(version, run.stderr)
            self.assertIn("CONTRAFLOW_CLANG", run.stderr)

    def test_no_compiler(self):
        run = self.run_command(C, "-c", "x.c", expect=1, CONTRAFLOW_CLANG="/nowhere/clang")
        self.assertIn("'/nowhere/clang' is not a compiler", run.stderr)


class Programs(WrapperTest):
    def build_and_run(self, compiler, source, *options, launcher=(), **environment):
        program = self.folder / "a program"
        run = self.run_command(*compiler, *options, CONSUMER / source, "-o", program, **environment)
        self.assertEqual(run.stderr, "", "the compiler said something")
        self.run_command(*launcher, program)

    def test_c_and_cxx_at_every_level(self):
        for level in ("-O0", "-O1", "-O2", "-O3"):
            self.build_and_run([C], "square.c", level, "-Wall", "-Werror")
            self.build_and_run([CXX], "square.cpp", level, "-Wall", "-Werror")

    def test_language_given_explicitly(self):
        self.build_and_run([CXX], "square.cpp", "-x", "c++")

    def test_precompiled_header(self):
        (self.folder / "all.h").write_text(
            "extern \"C\" double __enzyme_autodiff(void *, ...);\n"
            "inline double cube(double x) { return x * x * x; }\n")
        (self.folder / "main.cpp").write_text(
            "int main() { return __enzyme_autodiff((void *)cube, 2.0) == 12 ? 0 : 1; }\n")
        self.run_command(CXX, "-O1", "all.h", "-o", "all.h.pch")
        self.run_command(CXX, "-O1", "-include-pch", "all.h.pch", "main.cpp", "-o", "main")
        self.run_command(self.folder / "main")

    def test_exceptions_of_another_library(self):
        """What raises an exception and what keeps it have to be of one library."""
        (self.folder / "kept.cpp").write_text(
            "#include <exception>\n#include <stdexcept>\n"
            "int main() {\n  std::exception_ptr kept;\n"
            '  try {\n    throw std::runtime_error("kept");\n'
            "  } catch (...) {\n    kept = std::current_exception();\n  }\n"
            "  try {\n    std::rethrow_exception(kept);\n  } catch (const std::exception &) {\n    return 0;\n  }\n"
            "  return 1;\n}\n")
        clang = self.shown("kept.cpp")[0]
        if subprocess.run([clang, "--driver-mode=g++", "-stdlib=libc++", "kept.cpp", "-o", "plain"], cwd=self.folder,
                          capture_output=True, check=False).returncode:
            self.skipTest("no libc++")
        self.run_command(CXX, "-stdlib=libc++", "kept.cpp", "-o", "kept")
        self.run_command(self.folder / "kept")

    def test_through_a_link(self):
        link = self.folder / "linked++"
        link.symlink_to(CXX)
        self.build_and_run([link], "square.cpp")

    def link_two_files(self, mode):
        """The function to differentiate is in another file than the derivative call."""
        (self.folder / "call.c").write_text(
            "extern double __enzyme_autodiff(void *, double);\ndouble square(double);\n"
            "int main(void) { return __enzyme_autodiff((void *)square, 3.0) == 6.0 ? 0 : 1; }\n")
        (self.folder / "square.c").write_text("double square(double x) { return x * x; }\n")
        for source in ("call", "square"):
            self.run_command(C, "-O2", mode, "-c", f"{source}.c", "-o", f"{source}.o")
        self.run_command(C, "-O2", mode, "call.o", "square.o", "-o", "program")

    def test_link_time_optimisation(self):
        for mode in ("-flto", "-flto=full", "-flto=thin"):
            self.link_two_files(mode)
            self.run_command(self.folder / "program")

    def test_pointers_to_members_of_other_files(self):
        """Made in one file, in which nobody calls them, and called in another."""
        (self.folder / "rule.h").write_text(
            "struct Rate { double r; double grow(double x); };\nstruct Wave { double w; double turn(double x); };\n"
            "struct Both : Rate, Wave { virtual double mixed(double x); };\n"
            "double (Both::*choose(int which))(double);\n")
        (self.folder / "rule.cpp").write_text(
            '#include "rule.h"\ndouble Rate::grow(double x) { return r * x; }\n'
            "double Wave::turn(double x) { return w * x * x; }\ndouble Both::mixed(double x) { return r * w * x; }\n"
            "double (Both::*choose(int which))(double) {\n  if (which == 0)\n    return &Both::grow;\n"
            "  return which == 1 ? static_cast<double (Both::*)(double)>(&Wave::turn) : &Both::mixed;\n}\n")
        (self.folder / "use.cpp").write_text(
            '#include "rule.h"\ndouble __enzyme_autodiff(void *, double, int);\n'
            "double f(double x, int n) {\n  Both b;\n  b.r = 2, b.w = 3;\n  double s = 0;\n"
            "  for (int i = 0; i < n; i++)\n    s += (b.*choose(i))(x);\n  return s;\n}\n"
            "int main() { return __enzyme_autodiff((void *)f, 0.5, 3) == 2 + 3 + 6 ? 0 : 1; }\n")
        for source in ("rule", "use"):
            self.run_command(CXX, "-O1", "-flto", "-c", f"{source}.cpp", "-o", f"{source}.o")
        self.run_command(CXX, "-O1", "-flto", "use.o", "rule.o", "-o", "program")
        self.run_command(self.folder / "program")

    def test_functions_that_other_files_choose(self):
        """One file shows functions and a way to choose, another one chooses."""
        (self.folder / "kernels.c").write_text(
            "typedef double (*kernel)(double);\nstatic double square(double x) { return x * x; }\n"
            "static double cube(double x) { return x * x * x; }\nkernel kernels[] = {square, cube};\n"
            "static kernel chosen = square;\nvoid choose(kernel k) { chosen = k; }\n"
            "double __enzyme_autodiff(void *, double);\nstatic double f(double x) { return chosen(x); }\n"
            "double slope(double x) { return __enzyme_autodiff((void *)f, x); }\n")
        (self.folder / "choice.c").write_text(
            "typedef double (*kernel)(double);\nextern kernel kernels[];\nvoid choose(kernel);\n"
            "double slope(double);\nint main(void) {\n  choose(kernels[1]);\n  return slope(2) == 12 ? 0 : 1;\n}\n")
        self.run_command(C, "-O1", "kernels.c", "choice.c", "-o", "program")
        self.run_command(self.folder / "program")

    def test_inline_functions_lost_at_link_time(self):
        """What the program and the runtime both have, and the optimiser removes from the program."""
        (self.folder / "quiet.h").write_text("void quiet(int);\ninline void silent(int i) noexcept { quiet(i); }\n")
        (self.folder / "quiet.cpp").write_text("void quiet(int) {}\n")
        (self.folder / "main.cpp").write_text(
            '#include "quiet.h"\n#include <cmath>\nvoid __enzyme_autodiff(void *, const double *, double *, int);\n'
            "__attribute__((noinline)) double f(const double *x, int n) {\n  double s = *x;\n"
            "  for (int i = 0; i < n; i++) { silent(i); s = std::sin(s); }\n  return s;\n}\n"
            "int main(int n, char **) {\n  double x = 0.5, d = 0;\n  __enzyme_autodiff((void *)f, &x, &d, n);\n"
            "  return std::abs(d - std::cos(0.5)) < 1e-12 ? 0 : 1;\n}\n")
        for source in ("quiet", "main"):
            self.run_command(CXX, "-O2", "-flto", "-c", f"{source}.cpp", "-o", f"{source}.o")
        self.run_command(CXX, "-O2", "-flto", "main.o", "quiet.o", "-o", "program")
        self.run_command(self.folder / "program")

    def test_libraries_say_what_their_structures_hold(self):
        """Without TBAA, and before anybody knows that a derivative will lead there."""
        (self.folder / "state.c").write_text(
            "struct state { double h; double *row[3]; int q; double (*rhs)(double); };\n"
            "double step(struct state *s) { return s->h * s->rhs(s->row[s->q][0]); }\n")
        for mode, wanted in (("-flto", 1), ("-fno-lto", 0)):
            self.run_command(C, "-O0", mode, "-S", "-emit-llvm", "state.c", "-o", "state.ll")
            text = (self.folder / "state.ll").read_text()
            self.assertEqual(text.count("!cf.layouts = "), wanted)
            self.assertEqual(len(re.findall(r'"cf\.slot"="', text)), wanted)

    def test_no_debug_information(self):
        self.run_command(C, "-O1", "-S", CONSUMER / "square.c", "-o", "square.s")
        self.assertNotIn(".debug_info", (self.folder / "square.s").read_text())

    def test_place_without_debug_information(self):
        bad = self.folder / "bad.c"
        bad.write_text("extern double __enzyme_autodiff(void *, double);\n"
                       "double unknown(double);\n"
                       "double f(double x) { return unknown(x); }\n"
                       "double g(double x) {\n"
                       "  return __enzyme_autodiff((void *)f, x);\n}\n")
        run = self.run_command(C, "-O2", "-c", bad, expect=1)
        self.assertRegex(run.stderr, r"bad\.c:3:\d+: .*\[CF201\].*'unknown'")

    @unittest.skipUnless(shutil.which("mpicxx"), "no mpicxx")
    def test_under_mpicxx(self):
        if "Open MPI" not in subprocess.run(["mpicxx", "--showme:version"], capture_output=True, text=True,
                                            check=False).stdout:
            self.skipTest("mpicxx is not Open MPI's")
        # Open MPI takes OMPI_CXX apart at spaces, so a path without any leads to the wrapper.
        with tempfile.TemporaryDirectory() as folder:
            compiler = pathlib.Path(folder) / "contraflow-clang++"
            compiler.symlink_to(CXX)
            self.build_and_run(["mpicxx"], "sum_mpi.cpp", "-O2", launcher=("mpirun", "-n", "2"),
                               OMPI_CXX=str(compiler))


if __name__ == "__main__":
    unittest.main()
