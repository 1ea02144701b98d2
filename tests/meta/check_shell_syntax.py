# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every shell script parses, bash scripts stop at the first error."""

import subprocess

import repository


def check(_options):
    problems, count = [], 0
    for path in repository.files():
        shell = _shell(path)
        if not shell:
            continue
        count += 1
        run = subprocess.run([shell, "-n", str(repository.ROOT / path)], capture_output=True, text=True,
                             check=False)
        if run.returncode:
            problems.append(f"{path}: {run.stderr.strip()}")
        if shell == "bash" and path.suffix != ".sh" and "set -euo pipefail" not in repository.text(path):
            problems.append(f"{path}: no 'set -euo pipefail'")
    if not count:
        problems.append("no shell script found")
    return problems, f"{count} shell scripts"


def _shell(path):
    first = repository.data(path)[:80].split(b"\n")[0].decode("utf-8", errors="replace")
    if first.startswith("#!"):
        word = first.split("/")[-1].split()[-1]
        return word if word in ("sh", "bash") else None
    return "bash" if path.suffix == ".sh" else None
