"""A sentence has at most 25 words: in the pages, and in comments that document something."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from test_tree import ROOT, files
from test_words import JUDGING

MOST_WORDS = 25
"""Longer ones are read twice."""

WRITTEN = re.compile(r"(?!docs/(?:papers|notebooks)/).*\.(?:md|rs|pyi?|ts|svelte)")
"""Files with prose. The papers' pages quote, and notebooks are tables and code."""

CODE = re.compile(
    r"```.*?```|~~~.*?~~~|<!--.*?-->|\A---.*?\n---\n|\$\$.*?\$\$|^[ \t]*>>> .*?(?=\n[ \t]*\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
"""Blocks of a page or a docstring that are no prose."""

SHORT = re.compile(r"`[^`\n]*`|\$[^$\n]+\$|(?<=\])\([^()\s]*\)|(?<=\])\[[^\]]*\]|https?://\S+")
"""Code, formulas and addresses within a sentence: one word each."""

ITEM = re.compile(r"(?m)^\s*(?:[-*+]|\d+\.)\s|^\s*#.*$|^\s*\|.*$|^\s*:?:::?.*$|^\s*\w+:$")
"""Items, headings, rows of tables, directives and sections of a docstring begin anew."""

ENDS = re.compile(r"(?<=[.!?:])[)\"*_]*\s+|(?<=[.!?][)\"*_])\s+")
"""Ends of sentences. A colon ends one, too: it leads to a list, or to a sentence of its own."""


def passages(suffix: str, text: str) -> Iterator[str]:
    """Paragraphs of a page, or of the comments that document a file of code."""
    if suffix == ".md":
        yield from re.split(r"\n\s*\n", ITEM.sub("\n\n", CODE.sub("\n\n", text)))
        return
    if suffix == ".rs":
        found = re.findall(r"(?m)(?:^[ \t]*//[/!]?(?: .*)?\n)+", text)
        comments = [re.sub(r"(?m)^[ \t]*//[/!]? ?", "", lines) for lines in found]
    elif suffix in {".py", ".pyi"}:
        comments = [*docstrings(text)]
        comments += [
            re.sub(r"(?m)^[ \t]*# ?", "", lines) for lines in re.findall(r"(?m)(?:^[ \t]*# .*\n)+", text)
        ]
    else:
        comments = [re.sub(r"(?m)^\s*\* ?", "", lines) for lines in re.findall(r"(?s)/\*\*(.*?)\*/", text)]
        comments += [
            re.sub(r"(?m)^[ \t]*// ?", "", lines) for lines in re.findall(r"(?m)(?:^[ \t]*// .*\n)+", text)
        ]
    for comment in comments:
        yield from passages(".md", comment)


def docstrings(text: str) -> Iterator[str]:
    """Strings that stand alone as a statement."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Expr(ast.Constant(str() as found)):
                yield found
            case _:
                pass


def long_sentences(suffix: str, text: str) -> list[str]:
    """Sentences of more words than a reader takes in at once."""
    found: list[str] = []
    for passage in passages(suffix, text):
        for sentence in ENDS.split(" ".join(SHORT.sub("x", passage).split())):
            words = [word for word in sentence.split() if re.search(r"\w", word)]
            if len(words) > MOST_WORDS:
                found.append(f"{len(words)}: {sentence}")
    return found


SIX = "one two three four five six "


@pytest.mark.parametrize(
    ("suffix", "text", "count"),
    [
        (".md", f"{SIX * 4}seven.\n", 0),
        (".md", f"{SIX * 4}seven\neight.\n", 1),
        (".md", f"{SIX * 3}: {SIX * 3}. {SIX * 3}\n\n{SIX * 3}", 0),
        (".md", f"- {SIX * 3}\n- {SIX * 3}\n", 0),
        (".md", f"```\n{SIX * 5}\n```\n| {SIX * 5} |\n`{SIX * 5}`", 0),
        (".rs", f"/// {SIX * 3}\n/// {SIX * 3}\nx", 1),
        (".rs", f"/// {SIX * 3}\n///\n/// {SIX * 3}\nx", 0),
        (".py", f'"""{SIX * 3}\n\n    Raises:\n        {SIX * 3}\n"""\n', 0),
        (".py", f'x = """{SIX * 5}"""\n', 0),
        (".py", f'"""{SIX}.\n\n    Example:\n        >>> {SIX * 3}\n        {SIX * 3}\n"""\n', 0),
        (".py", f'"""{SIX}.\n\n    >>> {SIX}\n\n    {SIX * 5}\n"""\n', 1),
        (".py", f"# {SIX * 3}\n# {SIX * 3}\n", 1),
        (".svelte", f"/** {SIX * 3}\n * {SIX * 3} */", 1),
    ],
)
def test_a_long_sentence_is_found(suffix: str, text: str, count: int) -> None:
    assert len(long_sentences(suffix, text)) == count


def test_no_sentence_is_read_twice() -> None:
    read = [name for name in files() if WRITTEN.fullmatch(name) and not JUDGING.fullmatch(name)]
    assert len(read) > 1000
    found = {
        name: long_sentences(Path(name).suffix, (ROOT / name).read_text(encoding="utf-8")) for name in read
    }
    assert {name: sentences for name, sentences in found.items() if sentences} == {}
