"""Congestion controls and loss recoveries as plain text: what the core declares of them."""

from __future__ import annotations

from typing import Any

from weir.catalogue import congestion_controls, recoveries
from weir.lineage.text import named, section, wrapped


def find(name: str) -> dict[str, dict[str, Any]]:
    """What has this name, by where it stands in a scenario file: `tcp.congestion`, `tcp.recovery`."""
    wanted = name.lower().replace("_", "-")
    kinds = {"tcp.congestion": congestion_controls(), "tcp.recovery": recoveries()}
    return {place: entry for place, entries in kinds.items() for entry in entries if entry["name"] == wanted}


def text_of(place: str, entry: dict[str, Any], width: int) -> str:
    """What `weir show` says of it, in lines of at most `width` columns where they can be broken."""
    blocks = [f"{place}.{entry['name']}", wrapped(entry["summary"], width)]
    parameters: list[dict[str, Any]] = entry["parameters"]
    if parameters:
        names = max(len(parameter["name"]) for parameter in parameters)
        lines: list[str] = []
        for parameter in parameters:
            said = f"{parameter['default']}. {parameter['summary']}"
            lines += named([(parameter["name"], said)], width, names)
            lines += named(parameter["choices"].items(), width, indent=" " * (names + 6))
        blocks.append(section("Parameters and their defaults", lines))
    return "\n\n".join(blocks)
