"""What is varied of a queue discipline where nothing is named: where its queue settles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_THRESHOLD, _SHARE = "max_th=6..100 packets", "max_p=0.01..0.5"
_TARGET = "target=1..50 ms"

VARIED: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(("red", "nlred", "choke"), (_THRESHOLD, _SHARE)),
    "feng-red": (_THRESHOLD,),
    "adaptive-red": ("target_delay=1..50 ms",),
    "rem": ("target=2..100 packets",),
    "pi": ("q_ref=2..100 packets",),
    "step": ("threshold=1..100 packets",),
    **dict.fromkeys(("codel", "cobalt", "fq-codel", "pie", "fq-pie", "pi2", "dualpi2"), (_TARGET,)),
}
"""Parameters and their ranges, wide around the defaults. Other disciplines keep their defaults."""


def varied(discipline: str, named: Sequence[str]) -> list[str]:
    """Of `--vary`, what is about this discipline or about none; its own set where nothing is of it."""
    own = [text for text in named if text.startswith(f"{discipline}.") or f".queue.{discipline}." in text]
    other = [
        text for text in named if text.startswith(("links.", "flows.", "measure.")) and ".queue." not in text
    ]
    return [*(own or (f"{discipline}.{text}" for text in VARIED.get(discipline, ()))), *other]
