#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The best other compiler tool, Enzyme, on our own programs.

bench/peer.py install BUILD                      fetches it (a package of PyPI, 120 MB) into BUILD/peer
bench/peer.py compile BUILD FILE -o OBJECT ...   a source file through clang 22 and Enzyme; further words go to clang
bench/peer.py survey  BUILD [--only WORD]        every program of tests/numeric through it: BUILD/peer/survey.json
bench/peer.py page    BUILD                      what the survey has found: docs/peer-programs.md

The package is Enzyme with an LLVM of its own, made for JAX. Our clang makes the unoptimised IR, the package
differentiates and optimises it, and our clang makes the object: the same source, headers, checker and
measurement on both sides.
"""

import argparse
import json
import re
import resource
import signal
import struct
import subprocess
import sys
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "enzyme_ad==0.0.16"
ENTRY = "contraflow_peer_entry"
SECONDS = 60  # of CPU time, to compile
SECONDS_TO_RUN = 10
PATIENCE = 600
MEMORY = 8 << 30
SPECIAL_NUMBERS = {"+inf": "0x7FF0000000000000", "-inf": "0xFFF0000000000000",
                   "+qnan": "0x7FF8000000000000", "-qnan": "0xFFF8000000000000"}


class PeerFailed(Exception):
    """One of: refused, crashed, hung; with what it printed."""

    def __init__(self, how, text):
        super().__init__(text)
        self.how = how


def folder(build):
    return build / "peer"


def install(build):
    """Returns the folder with the package, fetching it if it is not there."""
    place = folder(build) / "package"
    if not (place / "enzyme_ad").exists():
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", place, PACKAGE],
                       check=True)
    return place


def older_number(digits):
    """A number by its bits, whose count tells the type."""
    if len(digits) == 8:
        digits = struct.pack(">d", struct.unpack(">f", bytes.fromhex(digits))[0]).hex().upper()
    return {4: "0xH", 16: "0x", 20: "0xK", 32: "0xL"}[len(digits)] + digits


def older_spelling(text):
    """IR as LLVM 22 reads it: the package's LLVM is a little newer."""
    def memory(found):
        kept = [part for part in found[1].split(", ") if not re.match(r"(errnomem|target_mem\d*):", part)]
        return f"memory({', '.join(kept)})" if kept else ""
    text = re.sub(r"memory\(([^)]*)\)", memory, text)
    text = text.replace("define dso_local void @entry(", "define internal void @entry(")
    text = re.sub(r"\bf0x([0-9A-F]+)\b", lambda found: older_number(found[1]), text)
    text = re.sub(r'(= (?:distinct )?!\{!\d+, )i1 (?:true|false), (!")', r"\1\2", text)
    for new, old in SPECIAL_NUMBERS.items():
        text = re.sub(r"(?<=[ (,<])" + re.escape(new) + r"\b", old, text)
    return text


def differentiate(package, source, result):
    """Runs in a process of its own: the package ends the process where it cannot go on."""
    sys.path.insert(0, str(package / "enzyme_ad/jax"))
    import enzyme_call  # pylint: disable=import-error,import-outside-toplevel
    shape = [("double", [1])]
    enzyme_call.compile_to_llvm(str(result), source.read_text(), ENTRY, shape, shape, ("-O2",),
                                enzyme_call.Language.LLVM, True, "")
    result.write_text(older_spelling(result.read_text()))


def limits(seconds):
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limited(command, seconds):
    """Runs it, for so many seconds of CPU time; one that waits for something is ended as well."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", timeout=PATIENCE, preexec_fn=lambda: limits(seconds), check=False)
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise subprocess.TimeoutExpired(command, seconds)
    return done


def step(command, how):
    try:
        done = limited(command, SECONDS)
    except subprocess.TimeoutExpired:
        raise PeerFailed("hung", f"still at work after {SECONDS} s") from None
    if done.returncode:
        raise PeerFailed("crashed" if done.returncode < 0 else how, done.stdout)


def compile_file(build, source, result, words):
    """`source` as an object file `result`; `words` are options of clang. Raises PeerFailed."""
    package = install(build)
    compiler = ["clang++-22", "-std=c++20"] if source.suffix == ".cpp" else ["clang-22"]
    before, after = result.with_suffix(".before.ll"), result.with_suffix(".after.ll")
    step([*compiler, "-O2", *words, "-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm", source, "-o", before],
         "front end")
    with before.open("a") as text:
        text.write(f"define void @{ENTRY}(ptr %o, ptr %i) {{ ret void }}\n")
    step([sys.executable, __file__, "differentiate", package, before, after], "refused")
    step([*compiler[:1], "-O2", "-c", after, "-o", result], "not readable")


def flags_of_tests():
    return [f"-I{ROOT}/tests/support", f"-I{ROOT}/runtime/include", f"-I{ROOT}"]


def link(build, objects, result):
    libraries = [build / "tests/lib/libcontraflow_checker.a", build / "lib/libcontraflow_runtime.a"]
    step(["clang++-22", "-O2", *objects, "-o", result, *libraries, "-lm", "-lz", "-lpthread"], "not linked")


# The survey.

CHECK = re.compile(r"^GRADIENT_CHECK\w*(\()(?:[\d.eE+-]+, *)?(\w+),", re.M)


def requests(text):
    """(name, first, behind) of each GRADIENT_CHECK line, to its closing bracket."""
    for found in CHECK.finditer(text):
        depth, at = 1, found.end(1)
        while depth:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
        yield found[2], found.start(), at


def alone(text, wanted):
    """The source with no program but `wanted`."""
    for name, first, behind in reversed(list(requests(text))):
        if name != wanted:
            text = text[:first] + text[behind:]
    return text


def survey_file(build, file):
    """{program: how it went} for one file: together, and one by one if that fails."""
    names = [name for name, _, _ in requests(file.read_text())]
    place = folder(build) / "survey"
    place.mkdir(parents=True, exist_ok=True)
    try:
        return run_programs(build, file, place / file.stem, names)
    except PeerFailed as together:
        if len(names) == 1:
            return {names[0]: together.how}
    found = {}
    for name in names:
        single = place / f"{name}{file.suffix}"
        single.write_text(alone(file.read_text(), name))
        try:
            found |= run_programs(build, single, place / name, [name])
        except PeerFailed as failure:
            found[name] = failure.how
    return found


def run_programs(build, file, stem, names):
    compile_file(build, file, stem.with_suffix(".o"), [f"-I{ROOT}/tests/numeric", *flags_of_tests()])
    driver = build / "tests/lib/libcontraflow_serial_driver.a"
    link(build, [stem.with_suffix(".o"), driver], stem)
    found = {}
    try:
        done = limited([stem], SECONDS_TO_RUN)
        said = dict(reversed(line.split()) for line in done.stdout.splitlines() if re.match(r"(passed|failed) \w+$", line))
        reasons = dict(re.findall(r"^FAIL (\w+) \([^)]*\): ([\w ]+)", done.stdout, re.M)[::-1])
        ended = "crashes" if done.returncode < 0 else "wrong"
    except subprocess.TimeoutExpired:
        said, reasons, ended = {}, {}, "does not end"
    if len(said) < len(names) and len(names) > 1:
        raise PeerFailed(ended, "")
    for name in names:
        found[name] = {"passed": "right", "failed": f"wrong ({reasons.get(name)})"}.get(said.get(name), ended)
    return found


def survey(build, only):
    """Continues an earlier survey where that ended."""
    results = folder(build) / "survey.json"
    found = json.loads(results.read_text()) if results.exists() else {}
    files = sorted(path for path in (ROOT / "tests/numeric").iterdir() if path.suffix in (".c", ".cpp"))
    for file in files:
        if only not in file.name or file.name in found:
            continue
        found[file.name] = survey_file(build, file)
        print(file.name, " ".join(f"{name}:{how}" for name, how in found[file.name].items()), flush=True)
        results.write_text(json.dumps(found, indent=1) + "\n")
    counts = {}
    for how in (how for programs in found.values() for how in programs.values()):
        counts[how] = counts.get(how, 0) + 1
    print(", ".join(f"{how} {count}" for how, count in sorted(counts.items())))


# The page.

PAGE = ROOT / "docs/peer-programs.md"
HOW = {"refused": "refused", "crashed": "its compiler ends without a result", "hung": "its compiler takes more than a minute",
       "crashes": "the derivative crashes or ends the program", "does not end": "the derivative does not end",
       "wrong (differences)": "wrong, against differences", "wrong (dot product)": "its modes disagree",
       "wrong (primal)": "wrong value of the function", "wrong": "wrong"}
UNMEASURED = ("not linked", "not readable", "front end")
PREFACE = """<!-- written by bench/peer.py page; do not edit -->
# Programs that another tool leaves undifferentiated

Every program of `tests/numeric` ({files} files) through Enzyme, {date}: package `{package}` of PyPI, driven as
[bench/README](../bench/README.md) says. Each program is checked by the same
[GradientCheck](../tests/support/GradientCheck.h) as ours: tangent and adjoint against differences and against each other,
compiled with `-O2`. A compilation may take {seconds} s of CPU time and 8 GB, a program {to_run} s.

**What Contraflow does:** all derivatives that a program asks for are right, at `-O0` to `-O3`, for every program here: these are the
tests that have to pass. The programs were written to test Contraflow, so a share of programs says nothing about programs in general: what
counts is which kinds of program are in the list. A program that is wrong may also rely on a convention that the two tools do
not share; causes were not looked into.

| of {all} programs | |
|---|---|
"""


def opening(file):
    """The first sentence of a file's opening comment."""
    lines = []
    for line in file.read_text().splitlines()[2:]:
        if not line.startswith("//") or line.startswith("// Supports:"):
            break
        lines.append(line[2:].strip())
    return re.split(r"(?<=[.:;])\s", " ".join(lines).strip() + " ")[0].rstrip(".:;")


def page(build):
    results = folder(build) / "survey.json"
    found = json.loads(results.read_text())
    counts = {}
    for how in (how for programs in found.values() for how in programs.values()):
        known = "right" if how == "right" else "not measured: what it writes does not fit our LLVM" if how in UNMEASURED else \
            HOW.get(how, HOW["wrong"])
        counts[known] = counts.get(known, 0) + 1
    text = PREFACE.format(files=len(found), date=date.fromtimestamp(results.stat().st_mtime), package=PACKAGE, seconds=SECONDS,
                          to_run=SECONDS_TO_RUN, all=sum(counts.values()))
    text += "".join(f"| {how} | {count} |\n" for how, count in sorted(counts.items(), key=lambda pair: -pair[1]))
    text += "\n| program | what it is about | right | not right |\n|---|---|---|---|\n"
    for name, programs in sorted(found.items()):
        faults = {}
        for program, how in programs.items():
            if how != "right" and how not in UNMEASURED:
                faults.setdefault(HOW.get(how, HOW["wrong"]), []).append(f"`{program}`")
        if faults:
            right = sum(how == "right" for how in programs.values())
            said = "; ".join(f"{', '.join(those)}: {how}" for how, those in faults.items())
            text += f"| [{name}](../tests/numeric/{name}) | {opening(ROOT / 'tests/numeric' / name)} | {right} of {len(programs)} | {said} |\n"
    clean = sorted(name for name, programs in found.items() if all(how == "right" for how in programs.values()))
    text += f"\nAll right: {', '.join(f'`{name}`' for name in clean)}.\n"
    files = {path.name for path in (ROOT / "tests/numeric").iterdir() if path.suffix in (".c", ".cpp")}
    if files - found.keys():
        text += f"\nNot run: {', '.join(f'`{name}`' for name in sorted(files - found.keys()))}.\n"
    PAGE.write_text(text)


def main():
    if sys.argv[1:2] == ["differentiate"]:
        differentiate(*map(Path, sys.argv[2:5]))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["install", "compile", "survey", "page"])
    parser.add_argument("build", type=lambda word: Path(word).resolve())
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("-o", dest="object", type=Path)
    parser.add_argument("--only", default="")
    options, words = parser.parse_known_args()
    folder(options.build).mkdir(parents=True, exist_ok=True)
    if options.what == "install":
        print(install(options.build))
    elif options.what == "survey":
        survey(options.build, options.only)
    elif options.what == "page":
        page(options.build)
    else:
        try:
            compile_file(options.build, options.file, options.object, words)
        except PeerFailed as failure:
            sys.exit(f"{failure.how}: {failure}")


if __name__ == "__main__":
    main()
