"""A scenario without notes, and what brings notes about."""

from collections.abc import Mapping
from typing import Any

import weir
from weir.check import notes

PLAIN = """\
schema = 1
name = "plain"
duration = "60 s"
measure.warm_up = "10 s"

[links.a]
rate = "10 Mbit/s"
delay = "10 ms"
buffer = "2 BDP"

[flows.ftp]
count = 8
rtt = "60 ms"
packet_size = "1000 B"
start_jitter = "1 s"
"""

TWO_LINKS = (
    PLAIN
    + """
[flows.cross]
path = ["b"]
count = 8
rtt = "60 ms"
packet_size = "1000 B"
start_jitter = "1 s"
start = "20 s"

[links.b]
rate = "12 Mbit/s"
delay = "10 ms"
buffer = "2 BDP"
"""
)

QUEUE = "links.a.queue"
ECN = "flows.ftp.tcp.ecn"
DCTCP: Mapping[str, Any] = {"flows.ftp.tcp.congestion.dctcp": {}}
BOTH = {"flows.ftp.path": ["a", "b"]}


def codes(scenario: weir.Scenario) -> list[str]:
    """Of the notes of a scenario."""
    return [note.code for note in notes(scenario)]
