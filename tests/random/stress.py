# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of llvm-stress through the plugin: stress.py --tools FOLDER --plugin SO --folder FOLDER [--seed N] [--modules N].

The code means nothing. It is differentiated or refused by number; nothing of it may end the compiler, keep it busy,
make it write IR that does not verify, or be a fault of ours (CF9xx). What does is kept in --folder.
"""

import argparse
import random
import re
import subprocess
import sys
from pathlib import Path

SECONDS = 120
PIPELINES = ("contraflow", "default<O1>", "default<O2>", "default<O3>", "default<Os>")
POINTERS = {
    "both": "metadata !\"enzyme_dup\", ptr %p, ptr %dp",
    "no": "metadata !\"enzyme_const\", ptr %p",
    "unneeded": "metadata !\"enzyme_dupnoneed\", ptr %p, ptr %dp",
}
HEAD = """
declare void @__enzyme_autodiff(...)
declare void @__enzyme_fwddiff(...)
declare ptr @__enzyme_augmentfwd(...)
declare void @__enzyme_reverse(...)
"""


def requests(function, choose):
    """Functions that ask for derivatives of one function, in several ways."""
    numbers = "i32 %i, i64 %j, i8 %k"
    text = HEAD
    for number, name in enumerate(choose.sample(["autodiff", "fwddiff", "split", "wide"], 2)):
        pointers = ", ".join(choose.choice([POINTERS["both"], POINTERS["both"], POINTERS["no"], POINTERS["unneeded"]]) for _ in range(3))
        passed = f"ptr {function}, {pointers}, {numbers}"
        lines = [f"call void (...) @__enzyme_{name}({passed})"]
        if name == "split":
            lines = [f"%t = call ptr (...) @__enzyme_augmentfwd({passed})", f"call void (...) @__enzyme_reverse({passed}, ptr %t)"]
        elif name == "wide":
            wide = re.sub(r"enzyme_dup(noneed)?\", ptr %p, ptr %dp", "enzyme_dup\", ptr %p, ptr %dp, ptr %ep", passed)
            wide = wide.replace(", ", ", metadata !\"enzyme_width\", i64 2, ", 1)
            lines = [f"call void (...) @__enzyme_fwddiff({wide})"]
        body = "\n  ".join(lines)
        text += f"define void @ask{number}(ptr %p, ptr %dp, ptr %ep, {numbers}) {{\n  {body}\n  ret void\n}}\n"
    return text


def source_of(tools, seed):
    choose = random.Random(seed)
    made = subprocess.run([tools / "llvm-stress", f"--seed={seed}", f"--size={choose.choice((20, 60, 150, 400))}"],
                          stdout=subprocess.PIPE, text=True, check=True).stdout
    function = re.search(r"^define void (@\w+)\(", made, re.M)[1]
    # Most of its branches depend on undefined values, so that nothing would be left of most functions.
    count = 0

    def decide(found):
        nonlocal count
        count += 1
        return (f"  %coin.at{count} = getelementptr i8, ptr %0, i64 {count}\n  %coin{count} = load i1, ptr %coin.at{count}\n"
                f"  br i1 %coin{count}, {found[1]}")
    made = re.sub(r"^  br i1 [^,]+, (.*)$", decide, made, flags=re.M)
    return made + requests(function, choose), choose.choice(PIPELINES)


def fault_of(tools, plugin, file, pipeline):
    """Empty if all is well, else what to say."""
    command = [tools / "opt", f"-load-pass-plugin={plugin}", f"-passes={pipeline}", "-verify-each" if pipeline == "contraflow" else "-S",
               file, "-o", "/dev/null"]
    words = " ".join(map(str, command))
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"{words}\nstill at work after {SECONDS} s"
    refused = done.returncode == 1 and re.search(r"\[CF[12]\d\d\]", done.stdout) and "[CF9" not in done.stdout
    if done.returncode == 0 or refused:
        return ""
    return f"{words}\nexit status {done.returncode}\n{done.stdout[:300]}\n...\n{done.stdout[-1500:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", type=Path, required=True)
    parser.add_argument("--plugin", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--modules", type=int, default=100)
    chosen = parser.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    faults = 0
    for seed in range(chosen.seed, chosen.seed + chosen.modules):
        text, pipeline = source_of(chosen.tools, seed)
        file = chosen.folder / f"stress{seed}.ll"
        file.write_text(text, encoding="utf-8")
        fault = fault_of(chosen.tools, chosen.plugin, file, pipeline)
        if fault:
            print(fault, flush=True)
            faults += 1
        else:
            file.unlink()
    print(f"{chosen.modules} modules of llvm-stress from seed {chosen.seed} on, {faults} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
