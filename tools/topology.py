"""Draws the topology of every template of `weir init`: `python tools/topology.py docs/images`."""

from __future__ import annotations

import sys
from pathlib import Path

import weir
from weir.cli import templates


def main() -> None:
    """Writes `topology-NAME.svg` into the folder given."""
    folder = Path(sys.argv[1])
    for name, text in templates().items():
        svg = weir.plot.topology(weir.Scenario.loads(text))
        (folder / f"topology-{name}.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
