"""The options that the preset of Linux sets, and how the scenario file looks without each of them."""

from __future__ import annotations

from collections.abc import Sequence

Pieces = Sequence[tuple[str, str]]
"""Pieces of the scenario file, each with its replacement."""

_PRESET = 'preset = "linux"\n'


def _set(values: str) -> Pieces:
    """Written beside the preset, these lines count."""
    return ((_PRESET, f"{_PRESET}{values}\n"),)


def _chosen(control: str, values: str) -> tuple[str, str]:
    return (f'congestion.{control}" = {{}}', f'congestion.{control}" = {{ {values} }}')


HABITS: tuple[tuple[str, str, Pieces], ...] = (
    (
        "cubic.friendly_growth",
        "Reno's window is taken to grow by α throughout, not by 1 from where it was cut",
        (_chosen("cubic", 'friendly_growth = "one-from-prior"'),),
    ),
    (
        "cubic.target_rtt",
        "CUBIC aims by the least round trip ahead, not the smoothed",
        (_chosen("cubic", 'target_rtt = "smoothed"'),),
    ),
    (
        "integer_cwnd",
        "windows are whole segments",
        (
            _chosen("cubic", "integer_cwnd = false"),
            _chosen("reno", "integer_cwnd = false"),
            _chosen("dctcp", "integer_cwnd = false, reno = { integer_cwnd = false }"),
        ),
    ),
    (
        "dctcp.window_end",
        "a window of data ends when all of it is acknowledged, not with more than that",
        (_chosen("dctcp", 'window_end = "passed"'),),
    ),
    (
        "sack.prr_on_mark",
        "after a mark the window goes down over a round trip and then grows",
        _set("recovery.sack.prr_on_mark = false"),
    ),
    (
        "sack.grow_on_full_ack",
        "the ACK that ends recovery lets the window grow",
        _set("recovery.sack.grow_on_full_ack = false"),
    ),
    (
        "sack.detection",
        "losses are found by time (RACK)",
        _set('recovery.sack = { detection = "dupack", tlp = false }'),
    ),
    ("sack.tlp", "the tail is probed", _set("recovery.sack.tlp = false")),
    (
        "sack_compression",
        "ACKs that tell of several holes are held back",
        (('sack_compression = "1 ms"\n', ""),),
    ),
    (
        "immediate_ecn_echo",
        "news of marks is acknowledged at once",
        _set("immediate_ecn_echo = false"),
    ),
    (
        "delayed_ack",
        "every second segment is acknowledged",
        _set('delayed_ack = "0 s"\nquickack_segments = 0\nimmediate_ecn_echo = false'),
    ),
    ("abc", "windows grow by segments, not by ACKs", _set('abc = "off"')),
    (
        "syn_linear_timeouts",
        "SYNs are sent again four times before the timeout doubles",
        _set("syn_linear_timeouts = 0"),
    ),
    (
        "min_rto, min_rto_bounds",
        "timeouts at least 200 ms after a round trip",
        _set('min_rto = "1 s"\nmin_rto_bounds = "rto"'),
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
