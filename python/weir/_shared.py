"""The page of the studio, and links to it as they are written; `weir.studio` reads them."""

from __future__ import annotations

import json
import zlib
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from pathlib import Path

PAGE = Path(__file__).with_name("studio") / "index.html"
"""The whole page, in one file; it is there once it has been built."""

MOST_SHOWN = 3
"""Variants that the page shows side by side."""


def fragment(text: str, variants: Sequence[str]) -> str:
    """Fragment of the page's address with which the page begins with the scenario of this text, and with the
    first of its variants."""
    shown: list[str | None] = [*variants[:MOST_SHOWN]] or [None]
    return f"#s={packed(json.dumps({'text': text, 'shown': shown, 'speed': None}, ensure_ascii=False))}"


def packed(text: str) -> str:
    """A text as the letters of an address."""
    raw = zlib.compressobj(9, zlib.DEFLATED, -15)
    return urlsafe_b64encode(raw.compress(text.encode()) + raw.flush()).rstrip(b"=").decode()
