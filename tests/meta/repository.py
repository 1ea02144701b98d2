# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files of the source tree, and the texts in them, as the checks see them."""

import functools
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE = {".cpp", ".c", ".cc", ".h", ".hpp", ".cu"}
HEADERS = {".h", ".hpp"}


@functools.cache
def files():
    """Tracked files and those that git would track, relative to ROOT, sorted; without git, all but builds."""
    git = ["git", "-c", "safe.directory=*", "-C", str(ROOT)]
    listing = subprocess.run(git + ["ls-files", "-co", "--exclude-standard", "-z"],
                             capture_output=True, text=True, check=False)
    if listing.returncode == 0:
        found = [pathlib.PurePosixPath(name) for name in listing.stdout.split("\0") if name]
    else:
        found = [pathlib.PurePosixPath(path.relative_to(ROOT)) for path in ROOT.rglob("*")
                 if path.relative_to(ROOT).parts[0] not in ("build", ".git")]
    return tuple(sorted(path for path in set(found) if (ROOT / path).is_file()))


def code(*rooms):
    """C and C++ files, of the given top-level rooms or of all."""
    return [path for path in files()
            if path.suffix in CODE and (not rooms or path.parts[0] in rooms)]


def data(path):
    return (ROOT / path).read_bytes()


def text(path):
    return data(path).decode("utf-8", errors="replace")


def is_binary(path):
    head = data(path)
    try:
        head.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return b"\0" in head


def lines(path):
    return text(path).splitlines()
