"""Quantities for people, three significant digits and a unit; and lists in words."""

from __future__ import annotations

from collections.abc import Sequence


def scaled(value: float, units: Sequence[str]) -> str:
    """The value with the unit of these, each a thousand times the one before, that suits it: `340 kB`."""
    for unit in units[:-1]:
        if value < 999.5:
            return f"{value:.3g} {unit}"
        value /= 1000.0
    return f"{value:.4g} {units[-1]}"


def rate(bps: float) -> str:
    """`10 Mbit/s`."""
    return scaled(bps, ("bit/s", "kbit/s", "Mbit/s", "Gbit/s"))


def time(seconds: float) -> str:
    """`15 ms`."""
    return scaled(seconds * 1e9, ("ns", "us", "ms", "s")) if seconds else "0 s"


def packets(number: float) -> str:
    """`75 packets`."""
    text = f"{number:,.0f}" if number >= 100 else f"{number:.3g}"
    return f"{text} packet{'' if text == '1' else 's'}"


def level(number: float) -> str:
    """`1280 packets`: as a scenario takes it, without commas."""
    return packets(number).replace(",", "")


def size(number: float) -> str:
    """`31.25 kB`: of a threshold in bytes, as a scenario takes it."""
    return f"{number / 1000.0:.6g} kB" if number >= 1000.0 else f"{number:.6g} B"


def listed(words: Sequence[str]) -> str:
    """`rate, delay and buffer`."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
