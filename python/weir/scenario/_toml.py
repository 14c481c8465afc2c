"""Python values as TOML, for overrides."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence

from weir._printable import printable, printable_json

Value = str | int | float | bool | Sequence["Value"] | Mapping[str, "Value"]
"""Any value that a scenario file can hold."""


def to_toml(value: Value) -> str:
    """The value on one line of TOML: `{"max_th": "80 packets"}` is `{"max_th" = "80 packets"}`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, int | float):
        # As themselves, not as numpy's.
        return repr(int(value) if isinstance(value, int) else float(value))
    if isinstance(value, Mapping):
        pairs = (f"{_quoted(key)} = {to_toml(entry)}" for key, entry in value.items())
        return f"{{{', '.join(pairs)}}}"
    if not _is_list(value):
        raise TypeError(f"{value!r} is nothing that a scenario can hold: no text, number, table or list")
    return f"[{', '.join(to_toml(entry) for entry in value)}]"


def _is_list(value: object) -> bool:
    return isinstance(value, Iterable)


def _quoted(text: str) -> str:
    # A TOML basic string is a JSON string, but for DEL, which TOML wants escaped.
    return printable_json(json.dumps(text, ensure_ascii=False))


_BASIC = r'"""(?:\\.|[^\\])*?"{3,5}|"(?:\\.|[^"\\])*"'
_LITERAL = r"'''.*?'{3,5}|'[^']*'"
_STRING = re.compile(f"{_BASIC}|{_LITERAL}", re.DOTALL)
"""Strings of all four kinds, in TOML without comments."""


def printable_toml(text: str) -> str:
    """TOML without comments that says the same, with the control characters in its texts written out."""
    return _STRING.sub(_written_out, text)


def _written_out(found: re.Match[str]) -> str:
    if printable(found[0]) == found[0]:
        return found[0]
    return _quoted(tomllib.loads(f"text = {found[0]}")["text"])
