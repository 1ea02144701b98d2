# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the functions of a C++ file: where they begin and end, and how many parameters they have.

No parser: comments, literals and preprocessor lines are blanked, then braces are followed from the
outside in. An opening brace belongs to a scope (namespace, class, extern "C"), to an initialiser, or to a
function, which the text since the last ';', '{' or '}' tells apart:

    namespace a {            scope: looked into
    struct B : C {           scope
    int Table[] = {1, 2};    initialiser: skipped as a whole
    B::B() : X{1}, Y(2) {    member initialisers, then the body of a function
    int f(int I) {           function: from 'int' to its closing brace, lambdas within included
"""

import dataclasses
import re

_BLANK = re.compile(
    r"""//(?:[^\n\\]|\\.|\\\n)*            # line comment, continued by a backslash
      | /\*.*?\*/                          # block comment
      | R"([^()\\\s]{0,16})\(.*?\)\1"      # raw string
      | "(?:[^"\\\n]|\\.)*"                # string
      | (?<![0-9A-Fa-f])'(?:[^'\\\n]|\\.)*'  # character, but no digit separator
      | ^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*     # preprocessor
    """, re.VERBOSE | re.DOTALL | re.MULTILINE)
_SCOPE = re.compile(r"^(inline\s+)?namespace\b|^extern\s*$|^export\b")
_CLASS = re.compile(r"\b(class|struct|union|enum)\b")
_NOT_PARAMETERS = re.compile(
    r"\b(noexcept|decltype|alignas|requires|throw|explicit|__attribute__|alignof|sizeof)\s*$")


@dataclasses.dataclass
class Function:
    name: str
    first: int
    last: int
    parameters: int

    @property
    def length(self):
        return self.last - self.first + 1


def blank(source):
    """The source with comments, literals and preprocessor lines turned to spaces, lines kept."""
    return _BLANK.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), source)


def functions(source):
    return _Scanner(blank(source)).scan()


def top_level(text, wanted):
    """Positions of the characters in `wanted` that stand outside (), [], {} and <...>."""
    depth, angle, found = 0, 0, []
    for at, char in enumerate(text):
        if char in wanted and depth == 0 and angle == 0:
            found.append(at)
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "<" and not text[at - 1:at + 2].strip().startswith("<<"):
            angle += 1
        elif char == ">" and angle > 0 and text[at - 1] != "-":
            angle -= 1
    return found


class _Scanner:
    def __init__(self, source):
        self.source = source
        self.found = []

    def scan(self):
        start, at, source = 0, 0, self.source
        while at < len(source):
            char = source[at]
            if char == ";" or char == "}":
                start = at + 1
            elif char == "(" or char == "[":
                at = self.closing(at)
            elif char == "{":
                at, start = self.open(start, at)
            at += 1
        return self.found

    def closing(self, at):
        """Position of the bracket that closes the one at `at`, or the end."""
        depth = 0
        for place in range(at, len(self.source)):
            if self.source[place] in "([{":
                depth += 1
            elif self.source[place] in ")]}":
                depth -= 1
                if depth == 0:
                    return place
        return len(self.source) - 1

    def open(self, start, at):
        """Handles the brace at `at`; returns where to go on and where the current text starts."""
        head = self.source[start:at]
        words = re.sub(r"^\s*((public|private|protected|signals)\s*:\s*)+", "", head).strip()
        kind = _kind(words)
        if kind == "scope":
            return at, at + 1
        end = self.closing(at)
        if kind == "initialiser" or self.is_member_initialiser(words, end):
            return end, start
        self.add(head, words, start, end)
        return end, end + 1

    def is_member_initialiser(self, words, end):
        colons = _single_colons(words)
        if not colons or words.endswith(")"):
            return False
        following = self.source[end + 1:].lstrip()[:1]
        return following in ("{", ",")

    def add(self, head, words, start, end):
        first = self.source.count("\n", 0, start + head.index(words)) + 1
        last = self.source.count("\n", 0, end) + 1
        name, count = signature(words)
        self.found.append(Function(name, first, last, count))


def _kind(words):
    bare = re.sub(r"^template\s*<[^{}]*?>\s*(?=(class|struct|union)\b)", "", words)
    if not words or _SCOPE.search(words):
        return "scope"
    if _CLASS.search(bare) and not re.search(r"\)\s*(const|noexcept|override|final|\s)*$", bare):
        return "scope"
    if any(not _is_operator(words, at) for at in top_level(words, "=")):
        return "initialiser"
    return "function" if "(" in words else "initialiser"


def _is_operator(words, at):
    """Whether the '=' at `at` is part of a comparison or of an operator's name."""
    around = words[max(at - 1, 0):at + 2]
    return bool(re.search(r"[=!<>]=|==", around)) or bool(
        re.search(r"operator\s*\S{0,2}$", words[:at]))


def _single_colons(words):
    return [at for at in top_level(words, ":")
            if words[at - 1:at] != ":" and words[at + 1:at + 2] != ":"]


def signature(words):
    """Name and number of parameters of a function, from the text before its body."""
    colons = _single_colons(words)
    if colons:
        words = words[:colons[0]]
    arrows = [at for at in top_level(words, "-") if words[at:at + 2] == "->"]
    if arrows:
        words = words[:arrows[0]]
    groups = [at for at in top_level(words, "(") if not _NOT_PARAMETERS.search(words[:at])]
    if not groups:
        return words.split("(")[0].split()[-1] if words.strip() else "?", 0
    opening = groups[-1]
    name = re.search(r"(operator\s*\S+|[~\w:]+)\s*$", words[:opening])
    return name.group(1) if name else "?", _count_parameters(words, opening)


def _count_parameters(words, opening):
    depth, closing = 0, len(words)
    for at in range(opening, len(words)):
        depth += {"(": 1, ")": -1}.get(words[at], 0)
        if depth == 0:
            closing = at
            break
    inside = words[opening + 1:closing].strip()
    if inside in ("", "void"):
        return 0
    return len(top_level(inside, ",")) + 1
