"""Helpers for the tests of exports: a link to export, and the parts of a script."""

from __future__ import annotations

import re
import shlex
from typing import Any

import weir
from weir.export import Exported, Form, export
from weir.scenario._toml import Value

LINK = """\
schema = 1
name = "exported"
title = "Four users on 10 Mbit/s"
seed = 3
duration = "4 s"

[links.bottleneck]
rate = "10 Mbit/s"
delay = "10 ms"
buffer = "120 packets"

[flows.ftp]
count = 4
rtt = "60 ms"
start_jitter = "100 ms"
packet_size = "1000 B"
"""


def scenario(aqm: dict[str, Any], **link: Value) -> weir.Scenario:
    """The link under a discipline, with other values where they are named."""
    values = {f"links.bottleneck.{name}": value for name, value in link.items()}
    return weir.Scenario.loads(LINK, {"links.bottleneck.queue": aqm, **values})


def exported(
    aqm: dict[str, Any],
    form: Form = "tc",
    *,
    device: str | None = None,
    share: float | None = None,
    **link: Value,
) -> Exported:
    """Export of the link under a discipline."""
    return export(scenario(aqm, **link), form=form, device=device, share=share)


def commands(script: str) -> list[list[str]]:
    """The commands of a script, word by word, without its comments."""
    lines = re.sub(r"\\\n\s*", "", script).splitlines()
    return [shlex.split(line, comments=True) for line in lines if line.startswith("tc ")]


def options(script: str) -> dict[str, str]:
    """Options of the discipline in a script, by name; "" for a word alone. The kind is "kind"."""
    words = commands(script)[-1]
    place = words.index("root") + 1 if "root" in words else words.index("100:1") + 1
    kind, *rest = words[place:]
    found = {"kind": kind}
    while rest:
        name = rest.pop(0)
        found[name] = rest.pop(0) if rest and re.match(r"[\d.]", rest[0]) else ""
    return found


def shaper(script: str) -> dict[str, str]:
    """Options of the token bucket in a script."""
    words = next(line for line in commands(script) if "tbf" in line)
    rest = words[words.index("tbf") + 1 :]
    return dict(zip(rest[::2], rest[1::2], strict=True))


def section(text: str) -> dict[str, str]:
    """The options of the one section of a file in OpenWrt's format."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    assert re.fullmatch(r"config queue '\w+'", lines[0])
    found = [re.fullmatch(r"\toption (\w+) '([^']*)'", line) for line in lines[1:]]
    assert all(found)
    pairs = [(match[1], match[2]) for match in found if match]
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)
