"""Charts as files, drawn by processes of their own.

The renderer holds the interpreter for up to a second and a half at a time, in which Ctrl-C would
not be heard. A process can be ended at any time, and two of them use two cores.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from weir.charts.dimension import ChartError
from weir.processes import Process

if TYPE_CHECKING:
    from weir.charts.figure import Figure

PNG_SCALE = 3.0
"""Pixels per unit: 84 mm in print have 380 dots per inch."""

SPECIFICATION = ".vl.json"

IMAGES = (".svg", ".pdf", ".png")
"""What a report's figures are written as."""

SUFFIXES = (*IMAGES, ".html", ".json")
"""What one figure can be written as."""

SHARES = 2
"""Processes that draw a report's figures."""


def render(specifications: Mapping[str, dict[str, Any]], directory: Path) -> str:
    """Writes NAME.vl.json, .svg, .pdf and .png; returns the JavaScript that draws charts.

    The script defines `vegaEmbed` and needs nothing else.
    """
    sources: list[Path] = []
    for name, specification in specifications.items():
        sources.append(directory / f"{name}{SPECIFICATION}")
        _write_json(specification, sources[-1])
    shares = [sources[first::SHARES] for first in range(SHARES)]
    bundle = directory / "bundle.js"
    _run([["bundle", bundle], *([",".join(IMAGES), *share] for share in shares if share)])
    script = bundle.read_text(encoding="utf-8")
    bundle.unlink()
    return script


def draw(figure: Figure, path: Path) -> None:
    """Writes one figure: .svg, .pdf, .png, .html (a page that needs no network) or .json (Vega-Lite).

    Raises ChartError for another suffix, and OSError where the file cannot be written.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        said = f"{suffix} is no form of a figure" if suffix else f"{path} has no suffix"
        raise ChartError(said, f"name a file that ends in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}")
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="weir-") as directory:
        place = Path(directory)
        drawn = place / f"figure{suffix}"
        if suffix == ".json":
            _write_json(figure.specification, drawn)
        elif suffix == ".html":
            from weir.report.page import figure_page

            drawn.write_text(figure_page(figure, render({}, place)), encoding="utf-8")
        else:
            source = place / f"figure{SPECIFICATION}"
            _write_json(figure.specification, source)
            _run([[suffix, source]])
        # Only now: a figure that cannot be drawn leaves an earlier file as it was.
        path.write_bytes(drawn.read_bytes())


def _write_json(specification: dict[str, Any], path: Path) -> None:
    path.write_text(json.dumps(specification, ensure_ascii=False), encoding="utf-8")


def _run(tasks: Sequence[Sequence[str | Path]]) -> None:
    """Does the tasks at the same time."""
    with ExitStack() as stack:
        started = [stack.enter_context(Process(["-m", "weir.charts.render", *task])) for task in tasks]
        for process in started:
            process.finish()


def _work(task: str, paths: Sequence[Path]) -> None:
    import vl_convert

    if task == "bundle":
        # Without a snippet the script makes `vegaEmbed` known to the page.
        script = vl_convert.javascript_bundle()  # pyright: ignore[reportCallIssue, reportUnknownVariableType]
        paths[0].write_text(cast("str", script), encoding="utf-8")
        return
    for source in paths:
        svg = vl_convert.vegalite_to_svg(json.loads(source.read_text(encoding="utf-8")))
        name = source.name.removesuffix(SPECIFICATION)
        for suffix in task.split(","):
            target = source.parent / f"{name}{suffix}"
            if suffix == ".svg":
                target.write_text(svg, encoding="utf-8")
            elif suffix == ".png":
                target.write_bytes(vl_convert.svg_to_png(svg, scale=PNG_SCALE))
            else:
                target.write_bytes(vl_convert.svg_to_pdf(svg))


if __name__ == "__main__":
    _work(sys.argv[1], [Path(path) for path in sys.argv[2:]])
