"""Text of others as it may be shown: nothing in it steers a terminal, or turns the order of what is read."""

from __future__ import annotations

import re

_DIRECTIONS = (0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A), 0xFEFF)
_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}
_WRITTEN = _CONTROLS | {code: f"\\u{code:04x}" for code in _DIRECTIONS}
"""Control characters of ISO 646 and 6429, and those of Unicode that break lines or set their direction
(UAX 9): titles and labels are the user's, or those of whoever sent the file."""


def printable(text: str) -> str:
    """The text with its control characters written out, but for line ends and tabs."""
    return text.translate(_WRITTEN)


_IN_JSON = {code: f"\\u{code:04x}" for code in _WRITTEN}


def printable_json(text: str) -> str:
    """JSON that says the same, with its control characters written out."""
    return text.translate(_IN_JSON)


_QUOTED = re.compile(r"(?<!\w)(?P<mark>['\"])(?P<text>(?:(?!(?P=mark)).){81,})(?P=mark)(?!\w)", re.DOTALL)
_LONG = re.compile(r"(?<=`)[^`]{301,}(?=`)|(?<=\[)[^\]\[]{301,}(?=\])")
"""A command or a table that is shown may be longer than a value that is quoted."""
_WORD = re.compile(r"\S{200,}")


def shortened(message: str) -> str:
    """The message with at most a line of what it quotes: a value or a name may have a million letters."""
    quoted = _QUOTED.sub(lambda found: f"{found['mark']}{cut(found['text'])}{found['mark']}", message)
    shown = _LONG.sub(lambda found: cut(found[0]), quoted)
    return cut(_WORD.sub(lambda found: cut(found[0]), shown), 3000, first=300)


def cut(text: str, most: int = 80, first: int = 50, last: int = 20) -> str:
    """The first and last letters of a text with more than `most` letters, with how many are left out."""
    if len(text) <= most:
        return text
    begin, end = " ".join(text[:first].split()), " ".join(text[-last:].split())
    return f"{begin} … {len(text) - first - last:,} more characters … {end}"
