"""Charts as files, drawn by processes of their own.

The renderer holds the interpreter for up to a second and a half at a time, in which Ctrl-C would
not be heard. A process can be ended at any time, and two of them use two cores.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from weir.processes import Process

PNG_SCALE = 3.0
"""Pixels per unit: 84 mm in print have 380 dots per inch."""

SPECIFICATION = ".vl.json"


def render(specifications: Mapping[str, dict[str, Any]], directory: Path) -> str:
    """Writes NAME.vl.json, NAME.svg and NAME.png; returns the JavaScript that draws charts.

    The script defines `vegaEmbed` and needs nothing else.
    """
    for name, specification in specifications.items():
        text = json.dumps(specification, ensure_ascii=False)
        (directory / f"{name}{SPECIFICATION}").write_text(text, encoding="utf-8")
    bundle = directory / "bundle.js"
    worker = ["-m", "weir.charts.render"]
    with (
        Process([*worker, "bundle", bundle]) as bundling,
        Process([*worker, "figures", directory]) as drawing,
    ):
        drawing.finish()
        bundling.finish()
    script = bundle.read_text(encoding="utf-8")
    bundle.unlink()
    return script


def _work(task: str, path: Path) -> None:
    import vl_convert

    if task == "bundle":
        # Without a snippet the script makes `vegaEmbed` known to the page.
        script = vl_convert.javascript_bundle()  # pyright: ignore[reportCallIssue, reportUnknownVariableType]
        path.write_text(cast("str", script), encoding="utf-8")
        return
    for source in sorted(path.glob(f"*{SPECIFICATION}")):
        name = source.name.removesuffix(SPECIFICATION)
        svg = vl_convert.vegalite_to_svg(json.loads(source.read_text(encoding="utf-8")))
        (path / f"{name}.svg").write_text(svg, encoding="utf-8")
        (path / f"{name}.png").write_bytes(vl_convert.svg_to_png(svg, scale=PNG_SCALE))


if __name__ == "__main__":
    _work(sys.argv[1], Path(sys.argv[2]))
