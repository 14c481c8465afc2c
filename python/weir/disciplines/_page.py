"""docs/disciplines: a page per discipline, and the lineage."""

from __future__ import annotations

from pathlib import Path

from weir.disciplines._reference import COLUMNS, registered
from weir.plot._page import environment
from weir.scenario._scenario import Scenario
from weir.scenario._toml import to_toml

SCENARIO = "step-load"
"""What every discipline is shown on."""


def pages() -> dict[str, str]:
    """File name to Markdown, for every discipline of the core."""
    disciplines = registered()
    templates = environment(Path(__file__).parent, markdown=True)
    templates.filters["cell"] = _cell
    templates.filters["toml"] = to_toml
    title = Scenario.load(SCENARIO).title.rstrip(".")
    common = {"scenario": SCENARIO, "title": title, "columns": COLUMNS}
    index, page = (templates.get_template(name) for name in ("index.md.jinja", "page.md.jinja"))
    written = {f"{d.name}.md": page.render(common, d=d) for d in disciplines}
    return {"index.md": index.render(common, disciplines=disciplines), **written}


def _cell(text: str) -> str:
    """In a table, a bar would begin the next cell."""
    return text.replace("|", "\\|")
