"""Changes that cause notes on cable modems."""

from collections.abc import Mapping
from typing import Any

from plain import QUEUE

CABLES: list[tuple[str, str, str, Mapping[str, Any], Mapping[str, Any]]] = [
    (
        # 10 Mbit/s bring 2,500 B in 2 ms.
        "burst-below-interval", "warning", "links.a.token_bucket.burst",
        {"links.a.docsis": {}, "links.a.token_bucket": {"burst": "2 kB"}},
        {"links.a.token_bucket.burst": "5 kB"},
    ),
    (
        # 1.5 B in 1 us: 8 of 10 Mbit/s.
        "interval-too-short", "warning", "links.a.docsis.map_interval",
        {
            "links.a.docsis": {"map_interval": "1 us"},
            "links.a.token_bucket": {"burst": "5 kB", "peak": "12 Mbit/s"},
        },
        {"links.a.docsis.map_interval": "2 us"},
    ),
    (
        "interval-too-short", "warning", "links.a.docsis.map_interval",
        {"links.a.docsis": {"map_interval": "1 us", "channel": "10 Mbit/s"}},
        {"links.a.docsis.channel": "16 Mbit/s"},
    ),
    (
        "grant-after-run", "warning", "links.a.docsis.map_interval",
        {"links.a.docsis": {"map_interval": "40 s"}}, {"links.a.docsis.map_interval": "2 ms"},
    ),
    (
        "grant-after-run", "note", "links.a.docsis.request_to_grant",
        {"links.a.docsis": {"request_to_grant": "6 s"}, "links.a.buffer": "20000 packets"},
        {"duration": "200 s"},
    ),
    (
        "grant-after-run", "warning", "links.a.docsis.request_to_grant",
        {"links.a.docsis": {"request_to_grant": "60 s", "guaranteed_grant_rate": "5 Mbit/s"}},
        {"links.a.docsis.guaranteed_grant_rate": "9 Mbit/s"},
    ),
    (
        # 150 packets of 1000 bytes in 150 ms are 8 of 10 Mbit/s.
        "buffer-below-loop", "warning", "links.a.buffer",
        {"links.a.docsis": {"request_to_grant": "147 ms"}}, {"links.a.buffer": "190 packets"},
    ),
    (
        "target-below-loop", "warning", "links.a.queue.codel.target",
        {QUEUE: {"codel": {}}, "links.a.docsis": {"request_to_grant": "8 ms"}},
        {"links.a.docsis.request_to_grant": "2 ms"},
    ),
    (
        "target-below-loop", "warning", "links.a.queue.codel.target",
        {
            QUEUE: {"codel": {}}, "links.a.docsis.request_to_grant": "8 ms",
            "links.a.docsis.guaranteed_grant_rate": "8.9 Mbit/s",
        },
        {"links.a.docsis.guaranteed_grant_rate": "9 Mbit/s"},
    ),
    (
        # Datagrams alone: 3 of 10 Mbit/s.
        "target-below-loop", "warning", "links.a.queue.codel.target",
        {
            QUEUE: {"codel": {}}, "links.a.docsis.request_to_grant": "8 ms",
            "links.a.docsis.guaranteed_grant_rate": "2 Mbit/s",
            "flows.ftp": {"rtt": "60 ms", "traffic": {"cbr": {"rate": "3 Mbit/s"}}},
        },
        {"links.a.docsis.guaranteed_grant_rate": "3 Mbit/s"},
    ),
    (
        # Half an interval of 12 ms is beyond 5 ms.
        "target-below-loop", "warning", "links.a.queue.codel.target",
        {
            QUEUE: {"codel": {}}, "links.a.docsis.map_interval": "12 ms",
            "links.a.docsis.guaranteed_grant_rate": "10 Mbit/s",
        },
        {"links.a.docsis.map_interval": "10 ms"},
    ),
    (
        # Guaranteed grants keep a period: nothing is random.
        "phase-effects", "note", "flows.ftp.send_jitter",
        {"flows.ftp.count": 3, "links.a.docsis": {"guaranteed_grant_rate": "9.5 Mbit/s"}},
        {"links.a.docsis": {}},
    ),
]  # fmt: skip
