"""`python -m weir.disciplines DIRECTORY`: writes the pages of the disciplines and their figures."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from weir.disciplines._figure import figures
from weir.disciplines._page import SCENARIO, pages
from weir.disciplines._reference import registered
from weir.plot import save
from weir.scenario._scenario import Scenario


def main() -> None:
    """Writes what is there, and removes pages of what is no more."""
    parser = argparse.ArgumentParser(prog="python -m weir.disciplines", description=__doc__)
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
