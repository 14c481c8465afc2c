"""Equations of the reference, typeset: from their plain text, as a terminal shows it, to MathML in tables.

Two spaces or more end a cell. Cells that begin in the same column of the text are below each other. In a cell
with a relation, such as `=`, `a / b` is a fraction and `x_y` has an index. A name before `(`, without a space
between, is a function. A denominator is one factor. `/` divides all factors before it; without spaces, one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

RELATIONS = ("+=", "-=", "−=", "/=", "<=", ">=", "←", "=", "≤", "≥", "<", ">", "≫", "≈", "→")
_SHOWN = {"<=": "≤", ">=": "≥", "-=": "−=", "-": "−", "x": "×"}
_RAISED = {"²": "2", "³": "3", "⁺": "+"}
_LARGE = {"Σ": "∑", "Π": "∏"}
_TIGHT, _GAP = "", '<mspace width="0.25em"/>'

_NAME = r"[^\W\d_]\u0303?[^\W_²³]*(?:-[^\W\d_]+)*(?:'s(?!\w))?'?(?:_[^\W_²³]+)*'?\*?"
_TOKENS = re.compile(
    r"(?P<number>\d+(?:\.\d+)?(?:e-\d+)?%?(?![^\W_]))"
    rf"|(?P<name>{_NAME})"
    rf"|(?P<relation>{'|'.join(map(re.escape, RELATIONS))})"
    r"|(?P<mark>\S)"
)
_FORMULA = re.compile("|".join((*map(re.escape, RELATIONS), r"[√^²·]", " / ", r"\d/\d", r"\d x \d")))
_SYMBOL = re.compile(r"(?<![\w'.)/-])(?:[^\W\d_]+'?_[^\W_]+\b'?|[B-Zb-zα-ω]\u0303?['*]?(?!\())(?![\w'’-])")
_INDICES = {"th", "p", "lo", "hi", "min", "bw", "rtt", "ecn"}
"""Indices of words; a letter may have any. Other names with `_` belong to a program."""
_OPEN = {"(": ")", "[": "]"}


class _UnknownError(Exception):
    """Something that the grammar does not have."""


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    spaced: bool
    """True after a space."""


def tables(lines: Sequence[str]) -> str:
    """HTML of the equations: a table for each paragraph, with a row for each line."""
    paragraphs = re.split(r"\n\s*\n", "\n".join(lines))
    return "".join(_paragraph(one.split("\n")) for one in paragraphs)


def _paragraph(lines: Sequence[str]) -> str:
    rows = [[(m.start(), m[0]) for m in re.finditer(r"\S+(?: \S+)*", line)] for line in lines]
    columns = sorted({0, *(start for row in rows for start, _ in row)})
    return f'<table role="presentation">{"".join(_row(row, columns) for row in rows)}</table>'


def _row(cells: Sequence[tuple[int, str]], columns: Sequence[int]) -> str:
    places = [columns.index(start) for start, _ in cells] + [len(columns)]
    indent = f'<td colspan="{places[0]}"></td>' if places[0] else ""
    written = (
        f'<td colspan="{places[at + 1] - places[at]}">{cell(text)}</td>' for at, (_, text) in enumerate(cells)
    )
    return f"<tr>{indent}{''.join(written)}</tr>"


def cell(text: str) -> str:
    """HTML of a cell: a formula, or words among which symbols stand."""
    if _FORMULA.search(text) or re.fullmatch(r"[^\W\d_](\(\w+\))?", text):
        return _math(formula(text))
    found = re.split(f"({_SYMBOL.pattern})", text)
    # A number before it makes an s a second.
    return "".join(
        _math(_name(part))
        if at % 2 and not (part == "s" and re.search(r"\d $", found[at - 1]))
        else escape(part)
        for at, part in enumerate(found)
    )


def _math(inner: str) -> str:
    return f'<math displaystyle="true">{inner}</math>'


def formula(text: str) -> str:
    """MathML of a formula. Raises ValueError for what is none."""
    parser = _Parser(text)
    try:
        return parser.items(None)
    except _UnknownError as error:
        raise ValueError(f"{text!r} cannot be typeset: {error}") from None


class _Parser:
    """Recursive descent: relations and commas, sums, products, factors."""

    def __init__(self, text: str) -> None:
        self.tokens = [
            _Token(str(m.lastgroup), m[0], spaced=m.start() == 0 or text[m.start() - 1] == " ")
            for m in _TOKENS.finditer(text)
        ]
        self.at = 0

    def peek(self, ahead: int = 0) -> _Token:
        place = self.at + ahead
        return self.tokens[place] if 0 <= place < len(self.tokens) else _Token("end", "", spaced=True)

    def take(self) -> _Token:
        self.at += 1
        return self.peek(-1)

    def items(self, end: str | None) -> str:
        """Sums with relations and punctuation between them, up to a bracket or the end."""
        parts: list[str] = []
        while (token := self.peek()).kind != "end" and token.text != end:
            if token.kind == "relation":
                parts.append(_operator(self.take().text))
            elif token.text in {",", ";", ":", ".", "…"}:
                parts.append(f"<mo>{self.take().text}</mo>{_GAP if self.peek().spaced else _TIGHT}")
            else:
                parts.append(self.sum())
        if end is not None and self.take().text != end:
            raise _UnknownError(f"{end} is missing")
        return "".join(parts)

    def sum(self) -> str:
        parts = [_operator(self.take().text, "prefix")] if self.peek().text in {"-", "−"} else []
        parts.append(self.product())
        while self.peek().text in {"+", "-", "−"}:
            parts += [_operator(self.take().text), self.product()]
        return "".join(parts)

    def product(self) -> str:
        done: list[str] = []
        run: list[str] = []
        """Factors since the last fraction."""
        while True:
            token = self.peek()
            if token.text == "/" and (run or done):
                self.take()
                # Without a space before it, it divides the last factor alone.
                above = run if token.spaced else run[-1:]
                kept = [] if token.spaced else run[:-1]
                if not above:
                    above = [done.pop()]
                gap = _GAP if above[0].startswith(_GAP) and (kept or done) else _TIGHT
                done += [*kept, f"{gap}<mfrac>{_row_of(above)}{_row_of([self.factor()])}</mfrac>"]
                run = []
            elif token.text in {"·", "×"} or (token.text == "x" and self.peek(1).kind == "number"):
                run.append(_operator(self.take().text))
            elif token.kind in {"number", "name"} or token.text in {*_OPEN, *_LARGE, "√"}:
                gap = _GAP if token.spaced and (run or done) else _TIGHT
                run.append(gap + self.factor())
            else:
                break
        if not done and not run:
            raise _UnknownError(f"{token.text!r} stands where a factor should")
        return "".join((*done, *run))

    def factor(self) -> str:
        found = self.primary()
        while True:
            token = self.peek()
            if token.text in _RAISED:
                found = f"<msup>{_one(found)}<mo>{_RAISED[self.take().text]}</mo></msup>"
            elif token.text == "^" and not self.peek(1).spaced:
                self.take()
                found = f"<msup>{_one(found)}{_one(self.exponent())}</msup>"
            elif token.text == "^":
                self.take()
                found = f'<mover accent="true">{_one(found)}<mo>^</mo></mover>'
            else:
                return found

    def exponent(self) -> str:
        if self.peek().text == "+":
            return _operator(self.take().text, "prefix")
        if self.peek().text in {"-", "−"}:
            return _operator(self.take().text, "prefix") + self.primary()
        # An argument after it belongs to the base.
        return _name(self.take().text) if self.peek().kind == "name" else _bare(self.primary())

    def primary(self) -> str:
        token = self.take()
        if token.text in _OPEN:
            end = _OPEN[token.text]
            inner = self.items(end)
            mo = f'<mo stretchy="{"true" if "<mfrac>" in inner else "false"}">'
            return f"<mrow>{mo}{token.text}</mo>{inner}{mo}{end}</mo></mrow>"
        if token.text == "√":
            return f"<msqrt>{_bare(self.primary())}</msqrt>"
        if token.text in _LARGE:
            return f"<mo>{_LARGE[token.text]}</mo>"
        if token.kind == "number":
            return f"<mn>{token.text}</mn>"
        if token.kind != "name":
            raise _UnknownError(f"{token.text!r} stands where a factor should")
        following = self.peek()
        if following.text == "(" and not following.spaced:
            return f"<mrow>{_name(token.text)}{self.primary()}</mrow>"
        return f"<mtext>{token.text}</mtext>" if self._is_word(token) else _name(token.text)

    def _is_word(self, token: _Token) -> bool:
        """An `a` before a word is an article unless an operand is due, and an `s` after a number a unit."""
        before, after = self.peek(-2) if self.at > 1 else _Token("end", "", spaced=True), self.peek()
        if token.text == "s":
            return before.kind == "number"
        due = before.kind == "relation" or before.text in {"+", "-", "−", "/", "(", "["}
        return token.text == "a" and not due and after.kind == "name" and len(after.text) > 1


def _row_of(factors: Sequence[str]) -> str:
    """Factors as one element, without the gap before them and without brackets around all of them."""
    text = "".join(factors).removeprefix(_GAP)
    return _bare(text) if len(factors) == 1 else f"<mrow>{text}</mrow>"


def _bare(element: str) -> str:
    """An element without its round brackets."""
    inside = re.fullmatch(r"<mrow><mo[^>]*>\(</mo>(.*)<mo[^>]*>\)</mo></mrow>", element)
    return f"<mrow>{inside[1]}</mrow>" if inside else f"<mrow>{element}</mrow>"


def _one(element: str) -> str:
    return f"<mrow>{element}</mrow>"


def _operator(text: str, form: str = "infix") -> str:
    return f'<mo form="{form}">{escape(_SHOWN.get(text, text))}</mo>'


def _name(text: str) -> str:
    """A name, with its index, prime and star; names in a program stay as they are."""
    stem, star = text.removesuffix("*"), text.endswith("*")
    primes = stem.count("'") if "'s" not in stem else 0
    stem = stem.replace("'", "") if primes else stem
    base, _, index = stem.partition("_")
    if digits := re.fullmatch(r"([^\W\d_])(\d+)", stem):
        base, index = digits[1], digits[2]
    if index and len(base) > 1 and index not in _INDICES:
        return f"<mtext>{escape(stem)}</mtext>"
    shown = f"<mi>{escape(base)}</mi>"
    if primes:
        shown = f'<mrow>{shown}<mo lspace="0" rspace="0">{"′" * primes}</mo></mrow>'
    if index and star:
        return f"<msubsup>{shown}<mi>{index}</mi><mo>∗</mo></msubsup>"
    if index:
        return f"<msub>{shown}<mi>{index}</mi></msub>"
    return f"<msup>{shown}<mo>∗</mo></msup>" if star else shown
