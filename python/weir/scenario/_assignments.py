"""`PATH=VALUE` as people type it: in `--set` with one value, in `--axis` with several.

Semicolons stand between several: `links.a.rate=5 Mbit/s; links.a.buffer=20 packets`. Quotation marks,
brackets and braces hold semicolons together.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from weir._errors import WeirError
from weir.scenario._toml import to_toml

NUMBER = r"[+-]?(?:\d[\d_]*(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?"
UNIT = r"(?!(?:by|in|log)\b)[A-Za-zµμ%][A-Za-z0-9µμ/%]*"
QUANTITY = re.compile(rf"(?P<number>{NUMBER})\s*(?P<unit>{UNIT})?")
BEGINS_AS_RANGE = re.compile(rf"{NUMBER}\s*(?:{UNIT})?\s*\.\.")

_PATH = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")
_PLAIN_NUMBER = re.compile(r"[+-]?(?:0|[1-9]\d*)(?:\.\d+)?")
"""Number that the core reads as it is written, with a unit or without."""
_CLOSING = {"[": "]", "{": "}"}

_EXAMPLE = (
    'write for example links.bottleneck.rate="10 Mbit/s"; a text with a semicolon needs quotation marks'
)


class AssignmentError(WeirError):
    """Assignment text that sets nothing, or no single value."""


class Assignment(NamedTuple):
    """A path of a scenario and what it is set to."""

    path: str
    value: str
    """The value as it was typed."""


def assignments(text: str) -> list[Assignment]:
    """Every `PATH=VALUE` of the text. Raises AssignmentError."""
    found: list[Assignment] = []
    for piece in pieces(text):
        path, equals, value = (part.strip() for part in piece.partition("="))
        if not (path and equals):
            raise AssignmentError(f'"{piece}" sets nothing: it is not PATH=VALUE', _EXAMPLE)
        if value.startswith("="):
            raise AssignmentError(f'"{piece}" has two =; write {path}={value.lstrip("= ")}')
        found.append(Assignment(checked_path(path), value))
    if not found:
        raise AssignmentError(f'"{text}" sets nothing: it is not PATH=VALUE', _EXAMPLE)
    return found


def settings(text: str) -> list[Assignment]:
    """Every `PATH=VALUE` of the text, with one value for each path, as TOML or a plain text. Raises
    AssignmentError."""
    return [Assignment(path, _single(path, value)) for path, value in assignments(text)]


def checked_path(path: str) -> str:
    """The path without blanks around it. Raises AssignmentError for what is none."""
    path = path.strip()
    if not _PATH.fullmatch(path):
        raise AssignmentError(f'"{path}" is not a path', _EXAMPLE)
    return path


def pieces(text: str) -> list[str]:
    """Parts of the text between semicolons. Semicolons inside of quotation marks, brackets and braces do not
    count."""
    found, closing = [""], list[str]()
    for character in text:
        if closing and character == closing[-1]:
            closing.pop()
        elif closing and closing[-1] in "\"'":
            pass
        elif character in "\"'":
            closing.append(character)
        elif character in _CLOSING:
            closing.append(_CLOSING[character])
        elif character == ";" and not closing:
            found.append("")
            continue
        found[-1] += character
    return [piece.strip() for piece in found if piece.strip()]


def typed(word: str) -> str | int | float | bool:
    """The value of a word: a number, true or false, or a text."""
    if word in {"true", "false"}:
        return word == "true"
    if re.fullmatch(NUMBER, word):
        return int(Decimal(word)) if is_whole(word) else float(word)
    return word


def written(number: Decimal, unit: str, *, whole: bool) -> str | int | float:
    """A number as a scenario file takes it: with its unit as text, else whole or not."""
    if unit:
        # Never with an exponent, which would be taken for the unit.
        text = f"{number:f}"
        return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {unit}"
    return int(number) if whole else float(number)


def is_whole(number: str) -> bool:
    """Returns true if a number is written without a point, and is a whole number that fits into 64 bits."""
    value = Decimal(number)
    return "." not in number and value.adjusted() < 18 and value == value.to_integral_value()


def _single(path: str, value: str) -> str:
    words = [word.strip() for word in value.split(",")]
    listed = len(words) > 1 and all(QUANTITY.fullmatch(word) for word in words)
    if listed or BEGINS_AS_RANGE.match(value):
        raise AssignmentError(
            f"{path} is set to several values: {value}",
            f'write one; a sweep takes several: weir sweep --axis "{path}={value}"',
        )
    match = QUANTITY.fullmatch(value)
    if match is None or _PLAIN_NUMBER.fullmatch(match["number"]):
        return value
    if match["unit"]:
        return str(written(Decimal(match["number"]), match["unit"], whole=False))
    return to_toml(typed(value))
