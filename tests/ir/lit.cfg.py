# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""lit's view of tests/ir.

    %opt         opt with the plugin              %clang, %clangxx   clang with plugin, headers, source places
    %cf_include  folder of the users' headers     %mpi_include       compiler options that find mpi.h
    %cf_plugin   the plugin                       %not               expects the command to fail

FileCheck and the other tools of LLVM are found by name. The feature libcxx: libc++ is there.
"""

import os

import lit.formats

build = os.path.abspath(lit_config.params.get("build", "build/release"))
tools = lit_config.params.get("tools", "/usr/lib/llvm-22/bin")
plugin = os.path.join(build, "lib", "Contraflow.so")
include = os.path.join(build, "include")

config.name = "contraflow"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".ll", ".c", ".cpp"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(build, "tests", "ir")

if not os.path.exists(plugin):
    lit_config.fatal(f"no plugin at {plugin}; build it, or name the build with --param build=<folder>")

attributes = os.path.join(build, "lib", "ContraflowAttributes.so")
compile_flags = f"-fpass-plugin={plugin} -fplugin={attributes} -Rpass=contraflow-location -I{include}"
config.environment["PATH"] = tools + os.pathsep + config.environment.get("PATH", "")
config.substitutions += [
    ("%clangxx", f"{tools}/clang++ {compile_flags}"),
    ("%clang", f"{tools}/clang {compile_flags}"),
    ("%opt", f"{tools}/opt -load-pass-plugin={plugin}"),
    ("%cf_include", include),
    ("%cf_plugin", plugin),
    ("%mpi_include", lit_config.params.get("mpi_include", "")),
    ("%not", f"{tools}/not"),
]
if os.path.exists(os.path.join(tools, "..", "include", "c++", "v1", "deque")):
    config.available_features.add("libcxx")
