"""`make studio-speed`: measures the page and writes the page of the documentation."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from page_figures import all_figures, page
from playwright.sync_api import sync_playwright

from browsing import ARGUMENTS, program


def main() -> None:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--write", type=Path, help="the page")
    parser.add_argument("--quick", action="store_true", help="frames over 10 s, memory over 30 s")
    options = parser.parse_args()
    if options.write:
        options.write.parent.mkdir(parents=True, exist_ok=True)
    before = os.getloadavg()[0]
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program(), args=ARGUMENTS)
        found = all_figures(chromium, quick=options.quick)
        chromium.close()
    text = page(found, (before, os.getloadavg()[0]))
    if options.write:
        options.write.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
