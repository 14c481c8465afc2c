"""Python values as TOML, for overrides."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

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
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
