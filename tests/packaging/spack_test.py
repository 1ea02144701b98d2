# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Spack package, imported against a stand-in for Spack's directives, and held against the build.

The options it hands to CMake must exist, the files it expects must be those that installation is tested
for, and its stand-alone tests must name programs that are there.
"""

import importlib.util
import pathlib
import re
import sys
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
REPO = ROOT / "spack" / "spack_repo" / "contraflow"
PACKAGE = REPO / "packages" / "contraflow" / "package.py"


class Prefix(str):
    def __getattr__(self, name):
        return Prefix(f"{self}/{name}")


class Executable:
    calls = []

    def __init__(self, name):
        self.name = name

    def __call__(self, *arguments):
        Executable.calls.append((self.name, *arguments))


class CMakePackage:
    """What a package inherits: the two ways of defining a CMake variable."""

    def define(self, name, value):
        return f"-D{name}={value}"

    def define_from_variant(self, name, variant):
        assert variant in DIRECTIVES["variant"], f"no variant {variant}"
        return f"-D{name}=ON"


DIRECTIVES = {}


def directive(name):
    def record(*arguments, **_keywords):
        DIRECTIVES.setdefault(name, []).append(arguments[0])
    return record


def load():
    """The class Contraflow, with the directives it uses recorded in DIRECTIVES."""
    DIRECTIVES.clear()
    package = types.ModuleType("spack.package")
    for name in ("license", "version", "variant", "depends_on", "requires", "generator", "conflicts"):
        setattr(package, name, directive(name))
    package.join_path = lambda *parts: "/".join(parts)
    package.run_after = lambda _phase: lambda function: function
    package.Executable = Executable
    package.SkipTest = unittest.SkipTest
    cmake = types.ModuleType("spack_repo.builtin.build_systems.cmake")
    cmake.CMakePackage = CMakePackage
    for name in ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["spack.package"] = package
    sys.modules["spack_repo.builtin.build_systems.cmake"] = cmake
    spec = importlib.util.spec_from_file_location("contraflow_package", PACKAGE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Contraflow


class Spec:
    def __init__(self, absent=()):
        self.absent = absent

    def __getitem__(self, _name):
        return types.SimpleNamespace(prefix=Prefix("/opt/llvm"))

    def satisfies(self, text):
        return text in self.absent


class SpackTest(unittest.TestCase):
    def setUp(self):
        self.package = load()()
        self.package.spec = Spec()
        self.package.run_tests = False
        self.package.prefix = Prefix("/opt/contraflow")
        self.package.test_suite = types.SimpleNamespace(current_test_cache_dir=Prefix(str(ROOT)))
        Executable.calls.clear()

    def test_repository_is_version_two(self):
        text = (REPO / "repo.yaml").read_text()
        self.assertRegex(text, r"(?m)^  namespace: contraflow$")
        self.assertRegex(text, r"(?m)^  api: v2\.\d+$")
        self.assertFalse((REPO.parent / "__init__.py").exists())

    def test_builds_this_checkout(self):
        self.assertEqual(self.package.git, ROOT.as_uri())

    def test_cmake_options_exist(self):
        known = set(re.findall(r"^(?:option|set)\((CONTRAFLOW_\w+)", (ROOT / "CMakeLists.txt").read_text(),
                               re.MULTILINE))
        given = {re.match(r"-D(\w+)=", argument).group(1) for argument in self.package.cmake_args()}
        self.assertEqual({name for name in given if name.startswith("CONTRAFLOW_")} - known, set())
        self.assertIn("LLVM_DIR", given)

    def test_llvm_and_cmake_are_those_of_the_build(self):
        wanted = re.search(r"find_package\(LLVM ([\d.]+)", (ROOT / "cmake/ContraflowBuild.cmake").read_text())
        self.assertIn(f"llvm@{wanted.group(1)} +clang", DIRECTIVES["depends_on"])
        minimum = re.search(r"VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
        self.assertIn(f"cmake@{minimum}:", DIRECTIVES["depends_on"])

    def test_sanity_files_are_checked_by_the_installation_test(self):
        script = (ROOT / "tests/packaging/install_and_move.cmake").read_text()
        for name in self.package.sanity_check_is_file:
            self.assertIn(name, re.findall(r"[\w./+-]+", script))

    def test_stand_alone_tests(self):
        names = [name for name in dir(self.package) if name.startswith("test_gradient")]
        for name in names:
            getattr(self.package, name)()
        compilations = [call for call in Executable.calls if len(call) > 1]
        self.assertEqual(len(compilations), len(names))
        for call in compilations:
            self.assertTrue(pathlib.Path(call[call.index("-o") - 1]).is_file(), call)

    def test_openmp_test_is_skipped_without_openmp(self):
        self.package.spec = Spec(absent=("~openmp",))
        with self.assertRaises(unittest.SkipTest):
            self.package.test_gradient_openmp()

    def test_environment(self):
        class Environment(dict):
            def set(self, name, value):
                self[name] = value
        environment = Environment()
        self.package.setup_dependent_build_environment(environment, None)
        self.assertEqual(environment, {"CONTRAFLOW_CLANG": "/opt/llvm/bin/clang"})


if __name__ == "__main__":
    unittest.main()
