"""Draws PNG images anew with few colours: charts have few, and the renderer packs them loosely.

.venv/bin/python tools/smaller.py docs/images/theory-region.png
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image

COLOURS = 48
"""Letters need some greys; the shades of a map are told apart with so many."""
LARGEST = 150_000
"""Bytes of an image."""


def smaller(path: Path) -> None:
    """Writes it again. Raises SystemExit where it is still too large."""
    with Image.open(path) as opened:
        paper = Image.new("RGBA", opened.size, "white")
        paper.alpha_composite(opened.convert("RGBA"))
    paper.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
    size = path.stat().st_size
    if size > LARGEST:
        raise SystemExit(f"{path} has {size} bytes, more than {LARGEST}")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        smaller(Path(name))
