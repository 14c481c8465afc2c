"""Default parameters to vary in a queue discipline: those that it declares as tunable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from weir import _core
from weir.check import buffer_limit
from weir.scenario import declared


def varied(discipline: str, named: Sequence[str], port: _core.Port) -> list[str]:
    """Ranges of `--vary` that are about this discipline or about none; its tunable parameters if none names
    it.

    `port` has the buffer that bounds levels of its queue.
    """
    own = [text for text in named if text.startswith(f"{discipline}.") or f".queue.{discipline}." in text]
    other = [
        text for text in named if text.startswith(("links.", "flows.", "measure.")) and ".queue." not in text
    ]
    return [*(own or _declared(discipline, port)), *other]


def _declared(discipline: str, port: _core.Port) -> Iterator[str]:
    """Ranges of the tunable parameters: `codel.target=0.5..100 ms`."""
    room = int(buffer_limit(port))
    for name, bounds in declared.tunable(discipline).items():
        low = bounds.low.partition(" ")[0]
        high = f"{room} packets" if bounds.high == declared.BUFFER else bounds.high
        # A buffer of few packets leaves no level to choose.
        if bounds.high != declared.BUFFER or float(low) < room:
            yield f"{discipline}.{name}={low}..{high}"
