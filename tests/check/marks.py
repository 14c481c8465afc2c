"""Changes that cause notes on queues that drop where they mark."""

from collections.abc import Mapping
from typing import Any

from plain import DCTCP, DCTCP_UPLOAD, ECN, QUEUE

WITHOUT = {"flows.web": {"rtt": "60 ms", "start_jitter": "1 s"}}
"""A group whose packets are not ECN-capable."""

MARKS: list[tuple[str, str, str, Mapping[str, Any], Mapping[str, Any]]] = [
    (
        "drops-where-it-marks",
        "note",
        "flows.ftp.tcp.ecn_on_syn",
        {QUEUE: {"step": {}}, ECN: True},
        {"flows.ftp.tcp.ecn_on_syn": True, "flows.ftp.tcp.ecn_on_retransmissions": True},
    ),
    ("drops-where-it-marks", "note", "flows.ftp.tcp.ecn_on_syn", {QUEUE: {"step": {}}, ECN: True}, DCTCP),
    (
        "drops-where-it-marks",
        "warning",
        "flows.web.tcp.ecn",
        {
            QUEUE: {"red": {"ecn": True}},
            ECN: True,
            **DCTCP,
            **WITHOUT,
        },
        {QUEUE: {"fq": {"aqm": {"red": {"ecn": True}}}}},
    ),
    (
        # What cannot be marked goes on where a ce_threshold marks.
        "drops-where-it-marks",
        "warning",
        "flows.web.tcp.ecn",
        {
            QUEUE: {"codel": {"ecn": True}},
            ECN: True,
            **DCTCP,
            **WITHOUT,
        },
        {QUEUE: {"codel": {"ce_threshold": "1 ms"}}},
    ),
    (
        # DCTCP, which is no L4S, holds the classic queue with many marks.
        "drops-where-it-marks",
        "warning",
        "flows.web.tcp.ecn",
        {
            QUEUE: {"dualpi2": {}},
            ECN: True,
            **DCTCP,
            **WITHOUT,
        },
        {QUEUE: {"dualpi2": {"low_latency": "any-ect"}}},
    ),
    (
        "drops-where-it-marks",
        "note",
        "flows.web.tcp.ecn_on_acks",
        {
            QUEUE: {"step": {}},
            ECN: True,
            **DCTCP,
            "links.a.reverse": {"buffer": "2 BDP"},
            "flows.web": {
                "rtt": "60 ms",
                "start_jitter": "1 s",
                "upload": True,
                "tcp": {"ecn": True, "ecn_on_syn_ack": True},
            },
        },
        {"flows.web.tcp.ecn_on_acks": True},
    ),
    (
        # ACKs of a download without ECN pass a queue that marks uploads.
        "drops-where-it-marks",
        "note",
        "flows.ftp.tcp.ecn",
        {
            **DCTCP_UPLOAD,
            "links.a.reverse": {"buffer": "2 BDP", "queue": {"step": {}}},
        },
        {"flows.ftp.tcp.ecn": True, "flows.ftp.tcp.ecn_on_acks": True, "flows.ftp.tcp.ecn_on_syn_ack": True},
    ),
    (
        # The step comes in mid-run.
        "drops-where-it-marks",
        "note",
        "flows.ftp.tcp.ecn_on_syn",
        {ECN: True, "changes": [{"at": "20 s", "links": {"a": {"queue": {"step": {}}}}}]},
        DCTCP,
    ),
]
