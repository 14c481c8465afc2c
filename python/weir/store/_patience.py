"""Waiting for other processes: never long without a word."""

from __future__ import annotations

from pathlib import Path

from weir._printable import printable

SILENT_S = 2.0
"""So long nothing is said: most others need less."""


def say_waiting(store: Path, most_s: float) -> None:
    """Says that another process is waited for: a line on stderr, where nobody has set up `logging`."""
    import logging

    said = f"waiting for another process that works in {store}, at most {most_s:g} s"
    logging.getLogger(__name__).warning("%s", printable(said))
