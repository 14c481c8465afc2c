"""Links to the page: what their fragment asks for, read before a browser opens it."""

from __future__ import annotations

import json
import re
import zlib
from base64 import urlsafe_b64decode
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from weir._errors import InputError, is_a
from weir._printable import cut
from weir._shared import packed
from weir.disciplines import registered
from weir.lesson import Lesson, bundled_lessons
from weir.scenario import Scenario, bundled, suggestion

MOST_BYTES = 4 * 1024 * 1024
"""Bytes of an unpacked state, as in `studio/src/core/share.ts`."""

_WHOLE = "copy the whole link, and put it in quotes: weir studio 'https://…#s=…'"


def lesson_fragment(text: str) -> str:
    """Fragment of the page's address with which the page begins with the lesson of this text."""
    return f"#l={packed(text)}"


def is_link(source: str) -> bool:
    """Returns True for a fragment, or for a whole link; other texts name a scenario."""
    return source.startswith("#") or re.match(r"(https?|file)://", source, re.IGNORECASE) is not None


def fragment_of(link: str) -> str:
    """The fragment of a link, checked: its scenario is valid, or its name is one of the page. A scenario
    of a link runs no Python. Raises InputError and ScenarioError."""
    written = link.partition("#")[2]
    if not written:
        raise InputError(f"{cut(repr(link))} holds no scenario: nothing follows its #", _WHOLE)
    if written.startswith("live="):
        raise InputError("a link to a live run opens only beside that run", "weir live --studio opens it")
    if written.startswith("s="):
        Scenario.loads(_text_of(written[2:]), python=False)
        return f"#{written}"
    if written.startswith("l="):
        Lesson.parse(_read(written[2:]), "the lesson of this link")
        return f"#{written}"
    name = unquote(written)
    known = _names()
    if name not in known:
        raise InputError(f"the studio has nothing named {cut(repr(name))}", suggestion(name, known))
    return f"#{name}"


def _names() -> list[str]:
    templates = sorted((Path(__file__).parents[1] / "templates").glob("*.toml"))
    return [
        "start",
        *(f"lesson/{name}" for name in bundled_lessons()),
        *(f"queue/{one.name}" for one in registered()),
        *(f"template/{file.stem}" for file in templates),
        *(f"scenario/{name}" for name in bundled() if "/" not in name),
    ]


def _text_of(written: str) -> str:
    """The text of the scenario in a packed state."""
    try:
        state: Any = json.loads(_read(written))
    except (json.JSONDecodeError, RecursionError):
        raise InputError("the link is cut off or changed", _WHOLE) from None
    text = state.get("text") if is_a(state, dict) else None
    if not isinstance(text, str) or not is_a(state.get("shown"), list):
        raise InputError("the link holds no scenario", _WHOLE)
    return text


def _read(written: str) -> str:
    """The text in a link. Raises InputError."""
    try:
        return _unpacked(written).decode()
    except InputError:
        raise
    except (ValueError, zlib.error):
        raise InputError("the link is cut off or changed", _WHOLE) from None


def _unpacked(packed: str) -> bytes:
    if not re.fullmatch(r"[A-Za-z0-9_-]+", packed):
        raise ValueError(packed)
    stream = zlib.decompressobj(-15)
    state = stream.decompress(urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), MOST_BYTES + 1)
    if len(state) > MOST_BYTES:
        raise InputError(
            f"the link holds more than {MOST_BYTES // 1024**2} MB", "open its scenario as a file"
        )
    if not stream.eof or stream.unused_data:
        raise ValueError(packed)
    return state
