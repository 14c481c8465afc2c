"""Random command lines, in a folder with a scenario and a store."""

from __future__ import annotations

import os
import random
import shlex
import shutil
import tempfile
from pathlib import Path

from conftest import command_in
from soak import stores

_ANY = (
    "", " ", "-", "--", "0", "-1", "1", "2", "3", "1.5", "1e9", "99999999999999999999", "nan", "inf", "x",
    "é💥", "\x1b[31m", "a=b", "=", "a=", "=b", "a==b", "[", "{}", '"', "'", ",", "..", "1..2", "5..1",
    "small.toml", "small", "no.toml", ".", "/", "/dev/null", "/nowhere/x", "x" * 3000, "\n", "%s", "{0}",
    "$HOME", "*", "\\", "results/store", "red", "rem", "drop-tail", "codel", "Mean queue", "mean_queue",
    "p99 delay", "goodput", "links.bottleneck.rate", "links.bottleneck.rate=5 Mbit/s",
    "links.bottleneck.rate=1,2 Mbit/s", "links.bottleneck.rate=1..5 Mbit/s",
    "links.bottleneck.rate=1..1e9 by 1 Mbit/s", "flows.ftp.count=1..3 by 1", "flows.ftp.rtt=0 s",
    "seed=5", "measure.warm_up=1 ms", "links.bottleneck.queue.red.max_th=5 packets",
    "links.bottleneck.queue.codel={}", "schema=9", "goodput ±0.5%", "goodput ±1000%",
    "mean queue < 5 packets", "loss < 1%", "out", "out.svg", "out.html", "out.json", "out.csv",
    "select 1", "select * from links", "select * from nowhere", "drop table links", "replication < 1",
    "label = 'RED'", "1 kB..20 kB", "bottleneck", "bottleneck:reverse", "bottleneck=x.pcapng", "nothing",
    "lines", "heat", "tradeoff", "ellipses", "cdf", "tail", "over-time", "trend", "sensitivity",
    "variant", "users", "rates", "tc", "sqm", "wred", "junos", "red.max_th=5..50", "rate=1..5 Mbit/s",
    "modern.toml", "modern", "flows", "95%", "0.9", "rtt=10..200 ms", "changes=[]",
    "links.bottleneck.token_bucket.burst=5 kB", "links.bottleneck.delay_variation.uniform.max=3 ms",
    "links.bottleneck.reverse.aggregation.packets=0", "links.bottleneck.queue.dualpi2={}",
    "links.bottleneck.docsis.channel=20 Mbit/s",
    "flows.prague.tcp.congestion.bbr3={}", "flows.bbr.tcp.pacing={}", "flows.bbr.tcp.accecn=true",
    "flows.prague.tcp.receiver_ecn=classic", 'changes=[{at="1 s", links.bottleneck.rate="9"}]',
)  # fmt: skip

_VALUED: dict[str, tuple[str, ...]] = {
    "run": ("--set", "-n", "--seed", "--capture", "--store", "--measure", "--by", "--processes", "--dask"),
    "compare": (
        "--disciplines",
        "--variants",
        "--baseline",
        "--margin",
        "--set",
        "-n",
        "--seed",
        "--measure",
        "--by",
    ),
    "sweep": (
        "-a",
        "--samples",
        "--method",
        "--variants",
        "--disciplines",
        "--set",
        "-n",
        "--until",
        "--seed",
        "--name",
    ),
    "tune": (
        "--target",
        "--vary",
        "--over",
        "--variant",
        "--disciplines",
        "--set",
        "--seed",
        "--export",
        "--save",
    ),
    "export": ("--as", "--variant", "--set", "--link", "--device", "--share", "--out"),
    "check": ("--set", "--variant"),
    "results": ("--where", "--sql", "--export", "--table", "--measure", "--by", "--store"),
    "report": ("--store", "--out"),
    "plot": ("--kind", "--measure", "--x", "--y", "--family", "--facet", "--load", "--only", "--out"),
    "responses": ("--band", "--link", "--hold", "--average", "--at", "--export"),
    "list": (),
    "show": (),
    "init": ("--out",),
    "schema": (),
    "theory": ("--set", "--link", "--device"),
    "traffic": ("--out", "--rate", "--delay", "--buffer", "--groups", "--rtt", "--to"),
    "nothing": ("--set",),
}

_FLAGS: dict[str, tuple[str, ...]] = {
    "run": ("--json", "-q"),
    "compare": ("--json", "-q"),
    "sweep": ("--json", "-q"),
    "tune": ("--front", "--op-red", "--json", "-q"),
    "export": ("--no-measure", "-q"),
    "check": ("--json",),
    "results": ("--json", "-q", "--remove", "--prune", "--verify", "--rebuild"),
    "responses": ("--runs", "--json"),
    "init": ("--force",),
    "traffic": ("--force", "--json"),
}

_OF_A_FILE = frozenset({"run", "compare", "sweep", "check", "tune", "export"})
_LIKELY = ("small.toml", "small.toml", "modern.toml")

_SHORT = ("--set", "duration=2 s", "--threads", "1")
"""So that what is right by chance ends soon."""


def arguments(seed: int) -> list[str]:
    """The command line of a case."""
    rng = random.Random(seed)  # noqa: S311
    verb = rng.choice([*_VALUED, "run", "compare", "sweep", "results", "results", "plot", "plot"])
    words = [verb, "from-pcap"] if verb == "traffic" else [verb]
    if verb in _OF_A_FILE and rng.random() < 0.85:
        words.append(rng.choice(_LIKELY))
    elif rng.random() < 0.5:
        words.append(rng.choice(_ANY))
    for _ in range(rng.choice((0, 1, 1, 2, 2, 3, 5))):
        flags = (*_FLAGS.get(verb, ()), "--help", "--nothing")
        if _VALUED[verb] and rng.random() < 0.75:
            words += [rng.choice(_VALUED[verb]), rng.choice(_ANY)]
        else:
            words.append(rng.choice(flags if rng.random() < 0.9 else _ANY))
    if verb in {"run", "compare", "tune"}:
        words += _SHORT
    if verb == "sweep":
        words.append("--dry-run")
    if verb == "tune":
        # A search of what can be found takes long.
        words += ["--target", "nothing < 1"]
    if verb == "export":
        words.append("--no-measure")
    return words


def case(seed: int) -> None:
    """It ends with 0, 1 or 2, and says why."""
    source, _ = stores.whole()
    words = arguments(seed)
    with tempfile.TemporaryDirectory() as name:
        place = Path(name) / "case"
        shutil.copytree(source, place)
        os.environ["BROWSER"] = "true"
        try:
            done = command_in(place)(*words)
            assert done.returncode in {0, 1, 2}, (done.returncode, done.stderr)
            assert "Traceback" not in done.stderr, done.stderr
            assert done.returncode == 0 or done.stderr.strip(), "says nothing"
        except BaseException as error:
            error.add_note(shlex.join(["weir", *words])[:2000])
            raise
