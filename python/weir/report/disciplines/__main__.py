"""`python -m weir.report.disciplines DIRECTORY`: writes the pages of the disciplines and their figures."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from weir.disciplines._reference import COLUMNS, registered
from weir.plot import save
from weir.plot._files import environment
from weir.report.disciplines._figure import figures
from weir.scenario._scenario import Scenario
from weir.scenario._toml import to_toml

SCENARIO = "step-load"
"""What every discipline is shown on."""


def pages() -> dict[str, str]:
    """File name to Markdown, for every discipline of the core."""
    disciplines = registered()
    templates = environment(Path(__file__).parent, markdown=True)
    templates.filters["toml"] = to_toml
    title = Scenario.load(SCENARIO).title.rstrip(".")
    common = {"scenario": SCENARIO, "title": title, "columns": COLUMNS}
    index, page = (templates.get_template(name) for name in ("index.md.jinja", "page.md.jinja"))
    written = {f"{d.name}.md": page.render(common, d=d) for d in disciplines}
    return {"index.md": index.render(common, disciplines=disciplines), **written}


def main() -> None:
    """Writes what is there, and removes pages of what is no more."""
    parser = argparse.ArgumentParser(prog="python -m weir.report.disciplines", description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--only-text", action="store_true", help="leave the figures as they are")
    options = parser.parse_args()
    directory: Path = options.directory
    directory.mkdir(parents=True, exist_ok=True)

    texts = pages()
    for name, text in texts.items():
        (directory / name).write_text(text, encoding="utf-8")
    names = {Path(name).stem for name in texts}
    for path in directory.iterdir():
        if path.suffix in {".md", ".svg"} and path.stem not in names:
            path.unlink()
    sys.stderr.write(f"{len(texts)} pages: {directory}\n")
    if options.only_text:
        return
    for name, figure in figures(Scenario.load(SCENARIO), registered()).items():
        path = directory / f"{name}.svg"
        save(figure, path, caption=False)
        sys.stderr.write(f"{path}\n")


if __name__ == "__main__":
    main()
