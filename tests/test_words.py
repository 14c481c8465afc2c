"""Doc comments begin with what they are about."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from test_tree import ROOT, files

OPENINGS = r"(?:Of|What|That of|Those|The same|Whether)\b"
"""They name nothing, or need the line above to be understood."""

COMMENTS = {
    ".rs": rf"(?m)^[ \t]*//[/!] ({OPENINGS}.*)",
    ".py": rf'(?m)^[ \t]*[rf]?"""({OPENINGS}.*)',
    ".ts": rf"(?m)^[ \t]*/\*\*\s+(?:\* )?({OPENINGS}.*)",
}
"""Suffix to a doc comment that begins so."""

ALIKE = {".pyi": ".py", ".svelte": ".ts"}
"""Suffixes of the same language."""

JUDGING = re.compile(r"python/weir_papers/\w+/(checks|optimum|points|quantities)\.py")
"""Files whose text decides the seeds of the papers' runs, by `weir_papers.reading.digest`."""

CONTINUED = re.compile(r"(?m)(^[ \t]*//[/!].*)(?:\n[ \t]*//[/!].*)+")
"""A doc comment of several lines in Rust, the first of them as a group."""


def banned(suffix: str, text: str) -> list[str]:
    """Doc comments that begin with one of the openings, as far as their first line goes."""
    first = CONTINUED.sub(r"\1", text) if suffix == ".rs" else text
    return re.findall(COMMENTS[ALIKE.get(suffix, suffix)], first)


@pytest.mark.parametrize(
    ("suffix", "text", "found"),
    [
        (".rs", "/// Of the window.\nx", ["Of the window."]),
        (".rs", "//! Packets of a flow.\n//! What is left.\n", []),
        (".py", 'def f():\n    """Whether it is so."""\n', ['Whether it is so."""']),
        (".pyi", 'x = 1\n"""Number of flows."""\n', []),
        (".svelte", "/**\n * That of the link. */", ["That of the link. */"]),
    ],
)
def test_an_opening_is_found(suffix: str, text: str, found: list[str]) -> None:
    assert banned(suffix, text) == found


def test_no_comment_begins_with_what_needs_another() -> None:
    written = {*COMMENTS, *ALIKE}
    read = [name for name in files() if Path(name).suffix in written and not JUDGING.fullmatch(name)]
    assert len(read) > 900
    found = {name: banned(Path(name).suffix, (ROOT / name).read_text(encoding="utf-8")) for name in read}
    assert {name: lines for name, lines in found.items() if lines} == {}
