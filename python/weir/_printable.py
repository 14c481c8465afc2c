"""Text of others as it may be shown: nothing in it steers a terminal, or turns the order of what is read."""

from __future__ import annotations

_DIRECTIONS = (0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A), 0xFEFF)
_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}
_WRITTEN = _CONTROLS | {code: f"\\u{code:04x}" for code in _DIRECTIONS}
"""Control characters of ISO 646 and 6429, and those of Unicode that break lines or set their direction
(UAX 9): titles and labels are the user's, or those of whoever sent the file."""


def printable(text: str) -> str:
    """The text with its control characters written out, but for line ends and tabs."""
    return text.translate(_WRITTEN)
