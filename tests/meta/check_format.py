# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every C and C++ file is as clang-format leaves it."""

import subprocess

import repository


def check(options):
    paths = [str(path) for path in repository.code()]
    if not paths:
        return ["no source file found"], "0 files"
    try:
        run = subprocess.run([options.clang_format, "--dry-run", "-Werror"] + paths, text=True,
                             capture_output=True, check=False, cwd=repository.ROOT)
    except FileNotFoundError:
        return [f"{options.clang_format} is not installed"], "nothing"
    wrong = sorted({line.split(":")[0] for line in run.stderr.splitlines() if "error:" in line})
    if run.returncode and not wrong:
        wrong = [run.stderr.strip()]
    return [f"{path}: run clang-format -i on it" for path in wrong], f"{len(paths)} files"
