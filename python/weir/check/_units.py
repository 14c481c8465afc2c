"""Quantities for people, three significant digits and a unit, as the core writes them; and lists in words."""

from __future__ import annotations

from collections.abc import Sequence

from weir import _core

scaled = _core.scaled
rate = _core.rate_in_words
time = _core.time_in_words
packets = _core.packets_in_words


def listed(words: Sequence[str]) -> str:
    """`rate, delay and buffer`."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
