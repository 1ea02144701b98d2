# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a user of tsunami meets: tsunami_cli_test.py decks|budget|pictures PROGRAM APP_FOLDER

decks     a wrong deck or observation file is refused with file, key and reason, and exit status 2
budget    a tape beyond the budget ends the run with a message that names budget and need
pictures  the plot script makes its pictures from a run's results (skipped without matplotlib)
"""
import os
import pathlib
import subprocess
import sys
import tempfile

# What is changed in the small deck (from, to), and what the message must then name.
WrongDecks = [
    ("cells = [48, 40]", "cells = [48]", ["domain.cells", "two numbers"]),
    ("cells = [48, 40]", "cells = [4, 40]", ["domain.cells", "at least 8"]),
    ("cfl = 0.55", "cfl = 0.9", ["domain.cfl", "0.6"]),
    ("cfl = 0.55", "cfl = \"fast\"", ["domain.cfl", "must be a number"]),
    ("duration = 480.0", "durtion = 480.0", ["domain.duration", "missing"]),
    ("gravity = 9.81", "gravity = 9.81\nwind = 3.0", ["domain.wind", "not a key"]),
    ("shelf_depth = 60.0", "shelf_depth = 5.0", ["ocean", "fall dry"]),
    ("at = [45e3, 100e3]", "at = [945e3, 100e3]", ["gauge 'west'", "not inside"]),
    ("at = [45e3, 100e3]", "at = [115e3, 65e3]", ["gauge 'west'", "land"]),
    ("name = \"south\"", "name = \"west\"", ["gauge.name", "two gauges"]),
    ("small_gauges.csv", "nowhere.csv", ["observations.file", "nowhere.csv", "--make-observations"]),
    ("title = ", "title ", ["not TOML"]),
]
WrongObservations = [
    ("time,west", "time,east", ["'east'", "not a gauge"]),
    ("\n30.000,", "\n30.000,x", ["is not a number"]),
    ("\n30.000,", "\n10.000,", ["times must increase"]),
    ("\n30.000,", "\n30.000,0.1,", ["fields"]),
]


def launch(program, arguments, **environment):
    full = dict(os.environ, OMP_NUM_THREADS="1", **environment)
    return subprocess.run([program, *arguments], env=full, capture_output=True, text=True, check=False)


def expect(condition, what, done):
    if not condition:
        sys.exit(f"{what}\nexit status {done.returncode}\n{done.stdout}{done.stderr}")


def replaced(text, old, new):
    if old not in text:
        sys.exit(f"the small case no longer has {old!r}")
    return text.replace(old, new, 1)


def refuse(program, folder, deck, observations, words):
    (folder / "deck.toml").write_text(deck)
    (folder / "small_gauges.csv").write_text(observations)
    done = launch(program, [folder / "deck.toml", "--output", folder / "results"])
    expect(done.returncode == 2, f"expected a refusal that names {words}", done)
    for word in words + [str(folder)]:
        expect(word in done.stderr, f"the message does not name {word!r}", done)


def check_decks(program, app, folder):
    deck = (app / "cases" / "small.toml").read_text()
    observations = (app / "cases" / "small_gauges.csv").read_text()
    for old, new, words in WrongDecks:
        refuse(program, folder, replaced(deck, old, new), observations, words)
    for old, new, words in WrongObservations:
        refuse(program, folder, deck, replaced(observations, old, new), words)
    done = launch(program, [folder / "none.toml"])
    expect(done.returncode == 2 and "no such deck" in done.stderr, "a deck that is not there", done)


def check_budget(program, app, folder):
    done = launch(program, [app / "cases" / "small.toml", "--output", folder, "--repeat", "1"],
                  CONTRAFLOW_TAPE_BUDGET="100K")
    expect(done.returncode != 0, "a tape beyond the budget went through", done)
    for word in ("contraflow: error", "budget"):
        expect(word in done.stderr, f"the message does not name {word!r}", done)


def check_pictures(program, app, folder):
    plotter = [app / "plot", folder]
    probe = subprocess.run(["/usr/bin/python3", "-c", "import matplotlib"], check=False,
                           capture_output=True)
    if probe.returncode != 0:
        print("no matplotlib in /usr/bin/python3")
        sys.exit(77)
    case = app / "cases" / "small.toml"
    for mode in (["--repeat", "1"], ["--invert", "2"]):
        done = launch(program, [case, "--output", folder, *mode])
        expect(done.returncode == 0, f"tsunami {mode} failed", done)
    done = subprocess.run(plotter, capture_output=True, text=True, check=False)
    expect(done.returncode == 0, "plot failed", done)
    for name in ("sensitivity", "gauges", "taylor", "inversion", "gauges_inverted"):
        picture = folder / f"{name}.png"
        expect(picture.exists() and picture.stat().st_size > 10000, f"no {picture.name}", done)


def main():
    check, program, app = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    with tempfile.TemporaryDirectory() as folder:
        {"decks": check_decks, "budget": check_budget,
         "pictures": check_pictures}[check](program, app, pathlib.Path(folder))


if __name__ == "__main__":
    main()
