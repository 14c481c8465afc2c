"""`python -m weir.report.disciplines DOCS`: writes the pages of the disciplines, with their figures, into
DOCS/disciplines, and those of the congestion controls into DOCS/congestion."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from weir.disciplines import (
    CONTROL_FOLDER,
    DEVIATION_COLUMNS,
    DISCIPLINE_FOLDER,
    controls,
    example_of,
    registered,
)
from weir.plot import save, template_environment
from weir.report.disciplines._figure import figures
from weir.report.disciplines._theory import theory_of
from weir.scenario import CHOICE_KINDS, Scenario, to_toml

if TYPE_CHECKING:
    from jinja2 import Template

SCENARIO = "step-load"
"""Scenario on which every discipline is shown."""

_ROOT = DISCIPLINE_FOLDER.parents[2]


def pages() -> dict[str, str]:
    """Markdown of the page of every discipline of the core, by file name."""
    index, page = _templates("index")
    scenario = Scenario.load(SCENARIO)
    title = scenario.title.rstrip(".")
    common = {"scenario": SCENARIO, "title": title, "columns": DEVIATION_COLUMNS, "example": None}
    disciplines = registered()
    written = {
        f"{d.name}.md": page.render(
            common, d=d, source=DISCIPLINE_FOLDER.relative_to(_ROOT), theory=theory_of(scenario, d)
        )
        for d in disciplines
    }
    return {"index.md": index.render(common, disciplines=disciplines), **written}


def control_pages() -> dict[str, str]:
    """Markdown of the page of every congestion control, by file name."""
    index, page = _templates("controls")
    found = sorted(controls(), key=lambda control: control.year)
    written = {
        f"{d.name}.md": page.render(
            d=d,
            columns=DEVIATION_COLUMNS,
            source=CONTROL_FOLDER.relative_to(_ROOT),
            example=example_of(CHOICE_KINDS["congestion"][0], d),
        )
        for d in found
    }
    return {"index.md": index.render(controls=found), **written}


def _templates(index: str) -> tuple[Template, Template]:
    """Templates of this index and of a page."""
    templates = template_environment(Path(__file__).parent, markdown=True)
    templates.filters["toml"] = to_toml
    return templates.get_template(f"{index}.md.jinja"), templates.get_template("page.md.jinja")


def main() -> None:
    """Writes the pages, and removes pages of disciplines that no longer exist."""
    parser = argparse.ArgumentParser(prog="python -m weir.report.disciplines", description=__doc__)
    parser.add_argument("docs", type=Path)
    parser.add_argument("--only-text", action="store_true", help="leave the figures as they are")
    options = parser.parse_args()
    directory: Path = options.docs / "disciplines"
    _write(directory, pages())
    _write(options.docs / "congestion", control_pages())
    if options.only_text:
        return
    for name, figure in figures(Scenario.load(SCENARIO), registered()).items():
        path = directory / f"{name}.svg"
        save(figure, path, caption=False)
        sys.stderr.write(f"{path}\n")


def _write(directory: Path, texts: Mapping[str, str]) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (directory / name).write_text(text, encoding="utf-8")
    names = {Path(name).stem for name in texts}
    for path in directory.iterdir():
        if path.suffix in {".md", ".svg"} and path.stem not in names:
            path.unlink()
    sys.stderr.write(f"{len(texts)} pages: {directory}\n")


if __name__ == "__main__":
    main()
