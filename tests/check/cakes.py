"""Changes that cause notes on CAKE, and on keys that it alone reads."""

from collections.abc import Mapping
from typing import Any

from plain import ACCECN, QUEUE

CAKE: Mapping[str, Any] = {QUEUE: {"cake": {}}}
BACK: Mapping[str, Any] = {"links.a.reverse": {"buffer": "2 BDP", "queue": {"cake": {}}}}
FILTERED: Mapping[str, Any] = {
    "links.a.reverse": {"buffer": "2 BDP", "queue": {"ack-filter": {"mode": "aggressive"}}}
}
FILTER = "links.a.reverse.queue.ack-filter.mode"


def cake(**parameters: str) -> Mapping[str, Any]:
    return {QUEUE: {"cake": parameters}}


CAKES: list[tuple[str, str, str, Mapping[str, Any], Mapping[str, Any]]] = [
    ("dscp-unused", "note", "flows.ftp.dscp", {"flows.ftp.dscp": "EF"}, CAKE),
    ("dscp-unused", "note", "flows.ftp.dscp", {"flows.ftp.dscp": "CS1"}, {"flows.ftp.dscp": "CS0"}),
    ("dscp-unused", "note", "flows.ftp.dscp", {"flows.ftp.dscp": 46, **cake(tins="besteffort")}, CAKE),
    # ACKs have the codepoint, too.
    ("dscp-unused", "note", "flows.ftp.dscp", {"flows.ftp.dscp": "EF"}, BACK),
    ("host-unused", "note", "flows.ftp.to_host", {"flows.ftp.to_host": "tv"}, CAKE),
    (
        "host-unused", "note", "flows.ftp.to_host",
        {"flows.ftp.to_host": "tv", **cake(isolation="flows")}, cake(isolation="dual-dsthost"),
    ),
    (
        "host-unused", "note", "flows.ftp.from_host",
        {"flows.ftp.from_host": "tv", **cake(isolation="dual-dsthost")}, cake(isolation="srchost"),
    ),
    # ACKs come from the host that data go to.
    (
        "host-unused", "note", "flows.ftp.to_host",
        {"flows.ftp.to_host": "tv", **cake(isolation="dual-srchost")}, BACK,
    ),
    ("ack-filter-unused", "note", "links.a.queue.cake.ack_filter", cake(ack_filter="aggressive"), CAKE),
    ("ack-filter-unused", "note", "links.a.queue.ack-filter.mode", {QUEUE: {"ack-filter": {}}}, CAKE),
    # ACKs pass the other direction.
    (
        "ack-filter-unused", "note", "links.a.queue.cake.ack_filter", cake(ack_filter="conservative"),
        {**CAKE, "links.a.reverse": {"buffer": "2 BDP", "queue": {"ack-filter": {}}}},
    ),
    # Before the first mark each ACK has the flag AE.
    ("ack-filter-accecn", "note", FILTER, {**FILTERED, **ACCECN}, {QUEUE: {"codel": {"ecn": True}}}),
    ("ack-filter-accecn", "note", FILTER, {**FILTERED, **ACCECN}, {"flows.ftp.tcp.receiver_ecn": "classic"}),
    (
        "ack-filter-accecn", "note", FILTER,
        {**FILTERED, **ACCECN, "flows.ftp.tcp.accecn_option": True, QUEUE: {"codel": {"ecn": True}}},
        {"flows.ftp.tcp.accecn_option": False},
    ),
    (
        "ack-filter-accecn", "note", FILTER,
        {**FILTERED, **ACCECN}, {"flows.web": {"rtt": "60 ms", "start_jitter": "1 s"}},
    ),
    (
        "shaper-above-rate", "warning", "links.a.queue.cake.bandwidth",
        cake(bandwidth="11 Mbit/s"), cake(bandwidth="10 Mbit/s"),
    ),
    # 1000 B take 53 times 22 on the wire: 8.6 Mbit/s of 10.
    (
        "shaper-above-rate", "warning", "links.a.queue.cake.bandwidth",
        cake(bandwidth="11 Mbit/s"), cake(bandwidth="11 Mbit/s", overhead="44 B", carrier="atm"),
    ),
    (
        "shaper-above-rate", "warning", "links.a.queue.cake.bandwidth",
        cake(bandwidth="20 Mbit/s"), {"links.a.rate_schedule": [{"at": "20 s", "rate": "30 Mbit/s"}]},
    ),
    (
        "shaper-above-rate", "warning", "changes[0].links.a.queue.cake.bandwidth",
        {**CAKE, "changes": [{"at": "20 s", "links.a.queue.cake.bandwidth": "12 Mbit/s"}]},
        {"changes": []},
    ),
]  # fmt: skip
