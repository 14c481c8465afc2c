"""Names of results, which name directories and files: of any system, whoever wrote the store."""

from __future__ import annotations

import re

_MOST_BYTES = 100
_MOST_READ = 170
"""Bytes of a name that an earlier Weir may have written: with number, id and suffix a name of a file."""

# What Windows refuses, control characters, halves of characters (a name that is not UTF-8), and what turns
# the direction of text.
_FOREIGN = re.compile(
    r'[<>:"/\\|?*\x00-\x1f\x7f-\x9f\ud800-\udfff\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]+'
)
_ELSEWHERE = re.compile(r"[/\\\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_ID = re.compile(r"[0-9A-Za-z_-]{1,40}")
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)", re.IGNORECASE)


def file_name(text: str) -> str:
    """The text as a part of the name of a file or directory: shortened, and without what none may have."""
    plain = _FOREIGN.sub("-", text).strip(" .")
    return plain.encode()[:_MOST_BYTES].decode(errors="ignore").rstrip(" .") or "unnamed"


def ascii_name(text: str) -> str:
    """The text reduced to letters, digits, `.`, `_` and `-`, to begin a file's name with; empty if none are
    left."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.")[:_MOST_BYTES].rstrip("-.")
    return f"_{plain}" if _RESERVED.match(plain) else plain


def names_a_file(name: object) -> bool:
    """Returns true if a name that was read stays in its folder, with any prefix and suffix."""
    return (
        isinstance(name, str)
        and _ELSEWHERE.search(name) is None
        and name.strip(" .") != ""
        and len(name.encode()) <= _MOST_READ
    )


def is_id(key: object) -> bool:
    """Returns true if the key is an id as results have it."""
    return isinstance(key, str) and _ID.fullmatch(key) is not None


def text_of(text: str) -> str:
    """The text as a journal can keep it: bytes of a file's name that are not UTF-8 are written out."""
    return text.encode(errors="backslashreplace").decode()
