"""What Linux's endpoints do that is an option here, and how the scenario file looks without it."""

from __future__ import annotations

from collections.abc import Sequence

Pieces = Sequence[tuple[str, str]]
"""Of the scenario file, each with what stands in its place."""

HABITS: tuple[tuple[str, str, Pieces], ...] = (
    (
        "cubic.friendly_growth",
        "Reno's window is taken to grow by α throughout, not by 1 from where it was cut",
        ((', friendly_growth = "alpha"', ""),),
    ),
    (
        "cubic.ahead",
        "CUBIC aims by the least round trip ahead, not the smoothed",
        ((', ahead = "least"', ""),),
    ),
    (
        "whole_steps, whole_cuts",
        "windows are whole segments",
        ((", whole_steps = true", ""), ("whole_cuts = true, ", "")),
    ),
    (
        "dctcp.round_ends",
        "a window of data ends when all of it is acknowledged, not with more than that",
        (('round_ends = "at", ', ""),),
    ),
    (
        "sack.mark_reduction",
        "after a mark the window goes down over a round trip and then grows",
        (('mark_reduction = "proportional", ', ""),),
    ),
    (
        "sack.grow_at_exit",
        "the ACK that ends recovery lets the window grow",
        (("grow_at_exit = true, ", ""),),
    ),
    ("sack.loss", "losses are found by time (RACK)", (('loss = "time", ', ""), (", tail_probe = true", ""))),
    ("sack.tail_probe", "the tail is probed", ((", tail_probe = true", ""),)),
    ("prompt_echoes", "news of marks is acknowledged at once", (("prompt_echoes = true\n", ""),)),
    (
        "delayed_ack",
        "every second segment is acknowledged",
        (('delayed_ack = "40 ms"\nquick_acks = 32\nprompt_echoes = true\n', ""),),
    ),
    ("counts", "windows grow by segments, not by ACKs", (('counts = "segments"\n', ""),)),
    (
        "steady_syns",
        "SYNs are sent again four times before the timeout doubles",
        (("steady_syns = 4\n", ""),),
    ),
    (
        "min_rto, rto_floor",
        "timeouts at least 200 ms after a round trip",
        (('min_rto = "200 ms"\nrto_floor = "variation"\n', ""),),
    ),
)
"""Option, what it does, and the pieces of the scenario file without which it is gone."""


def without(text: str, pieces: Pieces) -> str:
    """The scenario file without a habit. Raises ValueError where it has no such piece."""
    for piece, instead in pieces:
        if piece not in text:
            raise ValueError(f"the scenario file has no {piece!r}")
        text = text.replace(piece, instead)
    return text
