"""Features that are put into a scenario at random: optional lines of its file, of every kind that Weir
knows."""

from __future__ import annotations

import random
import re

_HEADER = re.compile(r"^\[(links|flows)\.([\w-]+)\].*\n", re.MULTILINE)

LINK = (
    'token_bucket = { burst = "30 kB", peak = "50 Mbit/s" }',
    'token_bucket = { burst = "1 MB" }',
    "docsis = {}",
    'docsis = { channel = "60 Mbit/s", guaranteed_grant_rate = "500 kbit/s" }',
    'reverse = { rate = "2 Mbit/s", buffer = "50 packets", docsis.request_to_grant = "5 ms" }',
    'delay_variation.uniform.max = "4 ms"',
    'delay_variation = { normal = { mean = "4 ms", sd = "1 ms" }, correlation = 0.9, reorder = true }',
    'aggregation.interval = "4 ms"',
    'aggregation = { interval = "1 ms", max_interval = "5 ms", packets = 8 }',
    'reverse = { rate = "2 Mbit/s", buffer = "50 packets", aggregation.interval = "2 ms" }',
    'rate_schedule = [{ at = "1 s", rate = "1 Mbit/s" }, { at = "2 s", rate = "9 Mbit/s" }]',
    "loss.bernoulli.per_packet = 0.01",
    'queue.dualpi2 = { delay = "longer" }',
    "queue.fq = { aqm.cobalt = {} }",
    'queue.codel.ce_threshold = "1 ms"',
    'buffer = "50 ms"',
    'buffer = "0.5 BDP"',
)
"""Lines of a link."""

_PRAGUE = '{ preset = "linux", congestion.prague = {}, ecn = true, accecn = true }'

FLOW = (
    f"tcp = {_PRAGUE}",
    'tcp = { preset = "linux", congestion.bbr1 = {} }',
    'tcp = { preset = "linux", congestion.bbr3 = {}, ecn = true }',
    'tcp = { preset = "linux", congestion.dctcp = {}, ecn = true, accecn = true, receiver_ecn = "classic" }',
    'tcp = { preset = "linux", congestion.ledbat = {}, pacing = {} }',
    "tcp = { recovery.sack = {}, pacing = {} }",
    "tcp = { recovery.sack = {}, ecn = true, accecn = true }",
    "upload = true",
    'traffic.on-off = { rate = "4 Mbit/s", on = "400 ms", off = "600 ms" }',
    'traffic.poisson = { load = 0.3, size = { exponential = { mean = "20 kB" } } }',
    'population = [{ step = 2, every = "500 ms", until = 8 }]',
    'start_jitter = "1 s"',
    'stop = "2 s"',
)
"""Lines of a group of flows."""

WHOLE = (
    '[[changes]]\nat = "1 s"\nlinks.{link}.rate = "3 Mbit/s"\n',
    '[[changes]]\nat = "500 ms"\nlinks.{link}.queue.red = {{ ecn = true }}\n',
    '[[changes]]\nat = "1 s"\nlinks.{link}.queue = {{ fq-codel = {{ flows = 4 }} }}\n',
    '[[changes]]\nat = "1 s"\nflows.{flow}.count = 4\n[[changes]]\nat = "2 s"\nflows.{flow}.count = 1\n',
    '[variants.other]\nlinks.{link}.token_bucket = {{ burst = "9 kB" }}\n',
    f"[variants.prague]\nflows.{{flow}}.tcp = {_PRAGUE.replace('{', '{{').replace('}', '}}')}\n",
)
"""Lines at the end of the file, about one of its links and groups."""


def inserted(text: str, rng: random.Random) -> str:
    """The scenario with one of the features."""
    headers = list(_HEADER.finditer(text))
    names = {kind: [found[2] for found in headers if found[1] == kind] for kind in ("links", "flows")}
    if not names["links"] or not names["flows"]:
        return text
    if rng.random() < 0.4:
        table = rng.choice(WHOLE).format(link=rng.choice(names["links"]), flow=rng.choice(names["flows"]))
        return f"{text.rstrip()}\n\n{table}"
    found = rng.choice(headers)
    line = rng.choice(LINK if found[1] == "links" else FLOW)
    # What the table has of that key makes room.
    key = re.escape(re.split(r"[ .]", line)[0])
    end = text.find("\n[", found.end()) % (len(text) + 1)
    rest = re.sub(rf"^{key}[ .].*\n", "", text[found.end() : end], flags=re.MULTILINE)
    return f"{text[: found.end()]}{line}\n{rest}{text[end:]}"


MODERN = f"""\
schema = 1
name = "modern"
title = "Senders of today over a line that varies"
seed = 7
duration = "2 s"
measure = {{ warm_up = "500 ms", period = "500 ms", series = {{ interval = "100 ms", flows = ["bbr"] }} }}

[links.bottleneck]
rate = "4 Mbit/s"
delay = "5 ms"
buffer = "100 ms"
token_bucket = {{ burst = "20 kB", peak = "20 Mbit/s" }}
delay_variation = {{ normal = {{ mean = "2 ms", sd = "1 ms" }}, correlation = 0.5, reorder = true }}
queue.drop-tail = {{}}

[links.bottleneck.reverse]
rate = "2 Mbit/s"
buffer = "50 packets"
aggregation = {{ interval = "1 ms", max_interval = "4 ms", packets = 8 }}

[flows.prague]
rtt = "30 ms"
tcp = {_PRAGUE}

[flows.bbr]
rtt = "30 ms"
tcp = {{ preset = "linux", congestion.bbr1 = {{}} }}

[flows.up]
upload = true
rtt = "30 ms"
tcp = {{ preset = "linux", congestion.bbr3 = {{}} }}

[flows.call]
rtt = "30 ms"
traffic.cbr.rate = "80 kbit/s"

[[changes]]
at = "1 s"
links.bottleneck = {{ queue.pie = {{ ecn = true }}, reverse.rate = "1 Mbit/s" }}

[[changes]]
at = "1500 ms"
flows.bbr.count = 2

[variants.fq-codel]
links.bottleneck.queue = {{ fq-codel = {{}} }}

[variants.red]
links.bottleneck.queue = {{ red = {{ ecn = true }} }}
"""
"""Scenario with many of the features, for commands."""
