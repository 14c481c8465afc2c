"""A scenario without notes, and changes that cause notes."""

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
PRAGUE: Mapping[str, Any] = {"flows.ftp.tcp.congestion": {"prague": {}}}
ACCECN: Mapping[str, Any] = {ECN: True, "flows.ftp.tcp.accecn": True, "flows.ftp.tcp.recovery": {"sack": {}}}
CODEL: Mapping[str, Any] = {QUEUE: {"codel": {"ecn": True}}}
LINUX: Mapping[str, Any] = {"flows.ftp.tcp.preset": "linux"}
DCTCP: Mapping[str, Any] = {"flows.ftp.tcp.congestion.dctcp": {}}
DCTCP_UPLOAD: Mapping[str, Any] = {
    "flows.web": {
        "rtt": "60 ms",
        "start_jitter": "1 s",
        "upload": True,
        "tcp": {"ecn": True, "congestion": {"dctcp": {}}},
    },
}
BOTH = {"flows.ftp.path": ["a", "b"]}

CASES: list[tuple[str, str, str, Mapping[str, Any], Mapping[str, Any]]] = [
    # Code, severity, where, what brings it about, and what takes it away.
    ("ecn-without-senders", "warning", "links.a.queue.rem.ecn", {QUEUE: {"rem": {"ecn": True}}}, {ECN: True}),
    ("ecn-without-senders", "warning", "links.a.queue.step.ecn", {QUEUE: {"step": {}}}, {ECN: True}),
    (
        "ecn-without-senders", "warning", "links.a.queue.codel.ce_threshold",
        {QUEUE: {"codel": {"ce_threshold": "1 ms"}}}, {ECN: True},
    ),
    (
        "ecn-without-senders", "warning", "links.a.queue.fq.aqm.rem.ecn",
        {QUEUE: {"fq": {"aqm": {"rem": {"ecn": True}}}}}, {ECN: True},
    ),
    ("ecn-without-marks", "note", "flows.ftp.tcp.ecn", {ECN: True}, {QUEUE: {"rem": {"ecn": True}}}),
    ("ecn-without-marks", "warning", "flows.ftp.tcp.ecn", {ECN: True, **DCTCP}, {QUEUE: {"step": {}}}),
    ("dctcp-without-ecn", "warning", "flows.ftp.tcp.congestion.dctcp", DCTCP, {ECN: True}),
    (
        "empty-class", "note", "links.a.queue.dualpi2.low_latency",
        {QUEUE: {"dualpi2": {}}}, {QUEUE: {"pi2": {}}},
    ),
    (
        "empty-class", "warning", "links.a.queue.dualpi2.low_latency",
        {QUEUE: {"dualpi2": {}}, ECN: True, **DCTCP}, {QUEUE: {"step": {}}},
    ),
    (
        "empty-class", "warning", "links.a.queue.dualpi2.low_latency",
        {QUEUE: {"dualpi2": {"low_latency": "any-ect"}}}, {QUEUE: {"pi2": {}}},
    ),
    (
        "empty-class", "note", "links.a.queue.dualpi2",
        {QUEUE: {"dualpi2": {"low_latency": "any-ect"}}, ECN: True, **DCTCP},
        {"flows.web": {"rtt": "60 ms", "start_jitter": "1 s"}},
    ),
    (
        "classic-in-low-latency", "warning", "links.a.queue.dualpi2.low_latency",
        {QUEUE: {"dualpi2": {"low_latency": "any-ect"}}, ECN: True}, DCTCP,
    ),
    (
        "accecn-fallback", "note", "flows.ftp.tcp.receiver_ecn",
        {**ACCECN, "flows.ftp.tcp.receiver_ecn": "classic", QUEUE: {"rem": {"ecn": True}}},
        {"flows.ftp.tcp.receiver_ecn": "accecn"},
    ),
    (
        "accecn-fallback", "warning", "flows.ftp.tcp.receiver_ecn",
        {**ACCECN, **PRAGUE, "flows.ftp.tcp.receiver_ecn": "classic", QUEUE: {"dualpi2": {}}},
        {"flows.ftp.tcp.receiver_ecn": "accecn"},
    ),
    (
        "prague-in-classic-queue", "note", "links.a.queue.rem",
        {
            **ACCECN, **PRAGUE, QUEUE: {"rem": {"ecn": True}},
            "flows.web": {"rtt": "60 ms", "start_jitter": "1 s", "tcp": {"ecn": True}},
        },
        {QUEUE: {"dualpi2": {}}},
    ),
    (
        "marks-ignored", "note", "flows.ftp.tcp.ecn",
        {**LINUX, "flows.ftp.tcp.congestion": {"bbr1": {}}, ECN: True, **CODEL}, {ECN: False},
    ),
    (
        "marks-ignored", "note", "flows.ftp.tcp.ecn",
        {**LINUX, "flows.ftp.tcp.congestion": {"bbr3": {}}, ECN: True, **CODEL},
        {"flows.ftp.tcp.congestion": {"cubic": {}}},
    ),
    (
        # Four packets of 1000 bytes each 10 ms are 3.2 of 10 Mbit/s.
        "grants-below-rate", "warning", "links.a.aggregation.packets",
        {"links.a.aggregation": {"interval": "5 ms", "max_interval": "15 ms", "packets": 4}},
        {"links.a.aggregation.packets": 13},
    ),
    (
        "receiver-ecn-unused", "warning", "flows.ftp.tcp.receiver_ecn",
        {**ACCECN, "flows.ftp.tcp.accecn": False, "flows.ftp.tcp.receiver_ecn": "none", **CODEL},
        {"flows.ftp.tcp.accecn": True},
    ),
    (
        "ecn-on-unused", "warning", "flows.ftp.tcp.ecn_on_syn",
        {"flows.ftp.tcp.ecn_on_syn": True, "flows.ftp.tcp.ecn_on_acks": True, **CODEL}, {ECN: True},
    ),
    (
        "target-out-of-reach", "warning", "flows.ftp.tcp.congestion.ledbat.target",
        {"flows.ftp.tcp.congestion": {"ledbat": {}}, QUEUE: {"codel": {}}}, {QUEUE: {"drop-tail": {}}},
    ),
    (
        "target-out-of-reach", "warning", "flows.ftp.tcp.congestion.ledbat-plus-plus.target",
        {"flows.ftp.tcp.congestion": {"ledbat-plus-plus": {}}, "links.a.buffer": "50 packets"},
        {"flows.ftp.tcp.congestion.ledbat-plus-plus.target": "20 ms"},
    ),
    (
        # 100 ms of 10 Mbit/s are 125 packets of 1000 bytes.
        "target-out-of-reach", "warning", "flows.ftp.tcp.congestion.ledbat.target",
        {
            "flows.ftp.tcp.congestion": {"ledbat": {}}, "links.a.buffer": "300 packets",
            QUEUE: {"red": {"max_th": "120 packets"}},
        },
        {"links.a.queue.red.max_th": "130 packets"},
    ),
    (
        "target-out-of-reach", "warning", "flows.ftp.tcp.congestion.ledbat.target",
        {
            "flows.ftp.tcp.congestion": {"ledbat": {}}, "links.a.buffer": "300 packets",
            QUEUE: {"step": {"threshold": "120 packets"}}, ECN: True,
        },
        {"links.a.queue.step.threshold": "130 packets"},
    ),
    (
        "threshold-above-buffer", "warning", "links.a.queue.red.min_th",
        {QUEUE: {"red": {"min_th": "150 packets", "max_th": "200 packets"}}}, {"links.a.buffer": "3 BDP"},
    ),
    (
        "threshold-above-buffer", "note", "links.a.queue.red.max_th",
        {QUEUE: {"red": {"min_th": "50 packets", "max_th": "160 packets"}}},
        {"links.a.buffer": "160 packets"},
    ),
    (
        "threshold-above-buffer", "warning", "links.a.queue.pie.target",
        {QUEUE: {"pie": {}}, "links.a.buffer": "15 packets"}, {"links.a.buffer": "60 packets"},
    ),
    (
        "threshold-below-bdp", "warning", "links.a.queue.red.max_th",
        {QUEUE: {"red": {"min_th": "5 packets"}}, "links.a.rate": "50 Mbit/s"}, {"links.a.rate": "2 Mbit/s"},
    ),
    (
        # 50 Mbit/s and 60 ms hold 375 packets of 1000 bytes.
        "threshold-below-bdp", "note", "links.a.queue.red.max_th",
        {QUEUE: {"red": {"max_th": "180 packets"}}, "links.a.rate": "50 Mbit/s"},
        {"links.a.queue.red.max_th": "195 packets"},
    ),
    (
        "threshold-below-bdp", "note", "links.a.queue.red.max_th",
        {
            QUEUE: {"red": {"max_th": "90 packets"}},
            "links.a.rate": "50 Mbit/s",
            "flows.ftp.tcp.congestion.cubic": {},
        },
        {"links.a.queue.red.max_th": "100 packets"},
    ),
    (
        "threshold-below-bdp", "warning", "links.a.queue.choke.max_th",
        {QUEUE: {"choke": {"max_th": "15 packets"}}, "links.a.rate": "50 Mbit/s"},
        {"links.a.queue.choke.max_th": "20 packets"},
    ),
    (
        "threshold-below-bdp", "note", "links.a.queue.step.threshold",
        {QUEUE: {"step": {"threshold": "10 packets"}}, ECN: True}, {"flows.ftp.tcp.congestion.cubic": {}},
    ),
    (
        "threshold-below-bdp", "warning", "links.a.queue.step.threshold",
        {QUEUE: {"step": {"threshold": "5 packets"}}, ECN: True, **DCTCP},
        {"links.a.queue.step.threshold": "11 packets"},
    ),
    (
        "threshold-below-bdp", "warning", "links.a.queue.rem.target",
        {QUEUE: {"rem": {"target": "2 packets"}}}, {"links.a.queue.rem.target": "10 packets"},
    ),
    (
        "target-below-packet", "warning", "links.a.queue.codel.target",
        {QUEUE: {"codel": {}}, "links.a.rate": "1 Mbit/s"}, {"links.a.rate": "2 Mbit/s"},
    ),
    (
        "buffer-below-bdp", "note", "links.a.buffer",
        {"links.a.buffer": "18 packets"}, {"links.a.buffer": "20 packets"},
    ),
    (
        "buffer-below-bdp", "warning", "links.a.buffer",
        {"links.a.buffer": "3 packets", QUEUE: {"codel": {}}}, {"links.a.buffer": "0.2 BDP"},
    ),
    (
        "queue-never-fills", "note", "flows.ftp.tcp.receive_window",
        {"flows.ftp.tcp.receive_window": "20 packets"}, {"flows.ftp.count": 20},
    ),
    (
        "queue-never-fills", "note", "flows.ftp.tcp.receive_window",
        {"flows.ftp.tcp.receive_window": "10 packets", QUEUE: {"rem": {}}},
        {"flows.ftp.tcp.receive_window": "20 packets"},
    ),
    (
        "buffer-never-fills", "note", "links.a.buffer",
        {"links.a.buffer": "100000 packets"}, {QUEUE: {"codel": {}}},
    ),
    (
        "fixed-while-rate-varies", "note", "links.a.buffer",
        {"links.a.rate_schedule": [{"at": "20 s", "rate": "5 Mbit/s"}]}, {"links.a.buffer": "150 packets"},
    ),
    (
        "fixed-while-rate-varies", "note", "links.a.buffer",
        {"changes": [{"at": "20 s", "links.a.rate": "5 Mbit/s"}]},
        {"changes": [{"at": "20 s", "links.a": {"rate": "5 Mbit/s", "buffer": "2 BDP"}}]},
    ),
    (
        "fixed-while-rate-varies", "note", "changes[0].links.a.buffer",
        {
            "changes": [
                {"at": "20 s", "links.a": {"rate": "5 Mbit/s", "buffer": "2 BDP"}},
                {"at": "30 s", "links.a.rate": "2 Mbit/s"},
            ]
        },
        {"duration": "30 s"},
    ),
    (
        "fixed-while-rate-varies", "note", "links.a.queue.pi.q_ref",
        {
            "links.a.rate_schedule": [{"at": "20 s", "rate": "5 Mbit/s"}],
            "links.a.buffer": "150 packets",
            QUEUE: {"pi": {}},
        },
        {QUEUE: {"pi2": {}}},
    ),
    (
        "load-above-rate", "warning", "flows.web.traffic.poisson.rate",
        {"flows.web": {"rtt": "60 ms", "traffic": {"poisson": {"rate": "130 /s", "size": "10 kB"}}}},
        {"flows.web.traffic.poisson.rate": "120 /s"},
    ),
    (
        "load-above-rate", "warning", "flows.web.traffic.poisson.load",
        {"flows.web": {"rtt": "60 ms", "traffic": {"poisson": {"load": 1.1, "size": "9 packets"}}}},
        {"flows.web.traffic.poisson.load": 1.0},
    ),
    (
        # The mean of web-search is 1.7 MB.
        "load-above-rate", "warning", "flows.web.traffic.poisson.rate",
        {
            "flows.web": {
                "rtt": "60 ms", "traffic": {"poisson": {"rate": "1 /s", "size": {"cdf": "web-search"}}},
            },
            "links.a.rate": "12 Mbit/s",
        },
        {"links.a.rate": "15 Mbit/s"},
    ),
    (
        "load-above-rate", "warning", "flows.web.traffic.poisson.load",
        {
            "flows.web": {"rtt": "60 ms", "traffic": {"poisson": {"load": 0.8, "size": "10 kB"}}},
            "flows.call": {"rtt": "60 ms", "traffic": {"cbr": {"rate": "3 Mbit/s"}}},
        },
        {"flows.call.traffic.cbr.rate": "1 Mbit/s"},
    ),
    (
        "load-above-rate", "warning", "flows.web.traffic.poisson.rate",
        {
            "flows.web": {"rtt": "60 ms", "traffic": {"poisson": {"rate": "120 /s", "size": "10 kB"}}},
            "links.a.rate_schedule": [{"at": "30 s", "rate": "5 Mbit/s"}],
        },
        {"flows.web.stop": "30 s"},
    ),
    (
        "design-exceeded", "warning", "links.a.queue.pi.design.rtt",
        {QUEUE: {"pi": {"design": {"flows": 8, "rtt": "50 ms"}}}}, {"flows.ftp.rtt": "40 ms"},
    ),
    (
        "design-exceeded", "warning", "links.a.queue.pi.design.flows",
        {QUEUE: {"pi": {"design": {"flows": 9, "rtt": "60 ms"}}}}, {"flows.ftp.count": 9},
    ),
    (
        "design-exceeded", "warning", "links.a.queue.hred.rtt",
        {QUEUE: {"hred": {}}, "flows.ftp.rtt": "300 ms"}, {"links.a.queue.hred.rtt": "300 ms"},
    ),
    (
        "change-after-end", "note", "changes",
        {"changes": [{"at": "60 s", "links": {"a": {"buffer": "3 BDP"}}}]}, {"duration": "61 s"},
    ),
    (
        "change-after-end", "note", "links.a.rate_schedule",
        {"changes": [{"at": "70 s", "links": {"a": {"rate": "11 Mbit/s"}}}]}, {"duration": "80 s"},
    ),
    (
        "change-after-end", "note", "flows.ftp.population",
        {"changes": [{"at": "70 s", "flows": {"ftp": {"count": 9}}}]}, {"duration": "80 s"},
    ),
    (
        "no-traffic-measured", "warning", "measure.warm_up",
        {"flows.ftp.stop": "4 s", "measure.warm_up": "4 s"}, {"flows.ftp.stop": "5 s"},
    ),
    ("no-warm-up", "note", "measure.warm_up", {"measure.warm_up": "0 s"}, {"measure.warm_up": "5 s"}),
    (
        "no-warm-up", "note", "measure.warm_up",
        {"measure.warm_up": "0 s"}, {"flows.ftp.traffic": {"cbr": {"rate": "1 Mbit/s"}}},
    ),
    (
        "drawn-rtts", "note", "flows.ftp.rtt",
        {"flows.ftp.rtt": {"uniform": {"from": "40 ms", "to": "80 ms"}}}, {"flows.ftp.rtt": "60 ms"},
    ),
    (
        "flows-in-step", "warning", "flows.ftp.start_jitter",
        {"flows.ftp.start_jitter": "0 s"}, {QUEUE: {"rem": {}}},
    ),
    (
        "flows-in-step", "warning", "flows.ftp.start_jitter",
        {"flows.ftp.start_jitter": "0 s"}, {"flows.ftp.count": 1},
    ),
    (
        "flows-in-step", "warning", "flows.ftp.start_jitter",
        {
            "flows.ftp.start_jitter": "0 s",
            "links.a.reverse": {"buffer": "50 packets", "aggregation": {"interval": "1 ms"}},
        },
        {"links.a.reverse.aggregation.max_interval": "3 ms"},
    ),
    (
        "flows-in-step", "warning", "flows.ftp.start_jitter",
        {"flows.ftp.start_jitter": "0 s", "links.a.reverse": {"buffer": "50 packets"}},
        {"links.a.reverse.docsis": {}},
    ),
    (
        "phase-effects", "note", "flows.ftp.send_jitter",
        {"flows.ftp.count": 3}, {"flows.ftp.send_jitter": "1 ms"},
    ),
    ("phase-effects", "note", "flows.ftp.send_jitter", {"flows.ftp.count": 3}, {"flows.ftp.count": 5}),
    (
        "phase-effects", "warning", "flows.ftp.send_jitter",
        {"flows.far": {"count": 200, "rtt": "80 ms", "packet_size": "1000 B", "start_jitter": "1 s"}},
        {QUEUE: {"codel": {}}},
    ),
    (
        "phase-effects", "warning", "flows.ftp.send_jitter",
        {"flows.large": {"count": 8, "rtt": "60 ms", "packet_size": "1500 B", "start_jitter": "1 s"}},
        {"flows.large.packet_size": "1000 B"},
    ),
    (
        "phase-effects", "note", "flows.ftp.send_jitter",
        {"flows.ftp.count": 3}, {"links.a.delay_variation.uniform.max": "2 ms"},
    ),
]  # fmt: skip


def codes(scenario: weir.Scenario) -> list[str]:
    """Codes of the notes of a scenario."""
    return [note.code for note in notes(scenario)]
