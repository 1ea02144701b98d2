# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Spack package of Contraflow. Until there are releases it builds the checkout that it lies in."""

import pathlib

from spack.package import *
from spack_repo.builtin.build_systems.cmake import CMakePackage


class Contraflow(CMakePackage):
    """Compiler plugin for LLVM and runtime that differentiate parallel programs: from MPI and OpenMP
    code in C and C++ it makes tangent and adjoint code that is parallel itself."""

    git = pathlib.Path(__file__).resolve().parents[5].as_uri()

    tags = ["autodiff", "hpc"]
    test_requires_compiler = True

    license("Apache-2.0 WITH LLVM-exception")

    version("main", branch="main")

    variant("mpi", default=True, description="Differentiate MPI programs")
    variant("openmp", default=True, description="Differentiate OpenMP programs")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    # The plugin is loaded by this clang and by no other: same major and minor version.
    depends_on("llvm@22.1 +clang", type=("build", "link", "run"))
    depends_on("mpi@3:", when="+mpi", type=("build", "link", "run"))
    depends_on("python@3.9:", type="test")
    depends_on("googletest", type="test")

    requires("%c=llvm@22.1", "%cxx=llvm@22.1", msg="Contraflow is built by the clang that loads it")

    generator("ninja")

    sanity_check_is_file = [
        join_path("bin", "contraflow"),
        join_path("bin", "contraflow-clang"),
        join_path("bin", "contraflow-clang++"),
        join_path("lib", "Contraflow.so"),
        join_path("lib", "ContraflowAttributes.so"),
        join_path("lib", "libcontraflow_runtime.a"),
        join_path("lib", "cmake", "Contraflow", "ContraflowConfig.cmake"),
        join_path("include", "contraflow", "runtime.h"),
    ]

    def cmake_args(self):
        return [
            self.define_from_variant("CONTRAFLOW_MPI", "mpi"),
            self.define_from_variant("CONTRAFLOW_OPENMP", "openmp"),
            self.define("CONTRAFLOW_TESTS", self.run_tests),
            self.define("CONTRAFLOW_APPS", False),
            self.define("LLVM_DIR", join_path(self.spec["llvm"].prefix, "lib", "cmake", "llvm")),
            self.define("CMAKE_INSTALL_LIBDIR", "lib"),
        ]

    def check(self):
        """Tests at build time: those that take seconds."""
        with working_dir(self.build_directory):
            ctest = Executable(self.spec["cmake"].prefix.bin.ctest)
            ctest("--output-on-failure", "-L", "fast")

    def setup_run_environment(self, env):
        env.set("CONTRAFLOW_CLANG", join_path(self.spec["llvm"].prefix.bin, "clang"))

    def setup_dependent_build_environment(self, env, dependent_spec):
        self.setup_run_environment(env)

    @run_after("install")
    def keep_test_sources(self):
        cache_extra_test_sources(self, join_path("tests", "packaging", "consumer"))

    def test_gradient_c(self):
        """derivative of x*x in C through contraflow-clang"""
        self._compile_and_run("contraflow-clang", "square.c")

    def test_gradient_cxx(self):
        """both modes on x*x in C++ through contraflow-clang++"""
        self._compile_and_run("contraflow-clang++", "square.cpp")

    def test_gradient_openmp(self):
        """gradient of a sum over threads"""
        if self.spec.satisfies("~openmp"):
            raise SkipTest("built without OpenMP")
        self._compile_and_run("contraflow-clang++", "sum_omp.cpp", "-fopenmp")

    def _compile_and_run(self, wrapper, source, *options):
        sources = self.test_suite.current_test_cache_dir.tests.packaging.consumer
        program = source.replace(".", "_")
        compiler = Executable(join_path(self.prefix.bin, wrapper))
        compiler("-O2", *options, join_path(sources, source), "-o", program)
        Executable(join_path(".", program))()
