"""docs/disciplines: a page per discipline, and the lineage."""

from __future__ import annotations

from pathlib import Path

import jinja2

from weir.disciplines.reference import COLUMNS, Discipline, registered
from weir.scenario.scenario import Scenario
from weir.scenario.toml import to_toml

SCENARIO = "step-load"
"""What every discipline is shown on."""


def pages() -> dict[str, str]:
    """File name to Markdown, for every discipline of the core."""
    disciplines = registered()
    common = {"scenario": SCENARIO, "title": _sentence(Scenario.load(SCENARIO).title), "columns": COLUMNS}
    template = _template("page.md.jinja")
    written = {f"{d.name}.md": template.render(common, d=d) for d in disciplines}
    lineage = sorted(disciplines, key=_year)
    return {"index.md": _template("index.md.jinja").render(common, disciplines=lineage), **written}


def _template(name: str) -> jinja2.Template:
    environment = jinja2.Environment(  # noqa: S701 - Markdown, of our own texts
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["cell"] = _cell
    environment.filters["toml"] = to_toml
    return environment.get_template(name)


def _cell(text: str) -> str:
    """In a table, a bar would begin the next cell."""
    return text.replace("|", "\\|")


def _sentence(title: str) -> str:
    return title.rstrip(".")


def _year(discipline: Discipline) -> int:
    return discipline.year
