"""Check that the compiled core belongs to these sources."""

from __future__ import annotations

import zlib
from functools import cache
from importlib import import_module
from pathlib import Path

__version__ = "0.2.0"
"""Version of the workspace, as in Cargo.toml."""


@cache
def mismatch() -> str | None:
    """Mismatch between the extension and the sources, in one line; None if they belong together."""
    remedy = "run `make test` or `pip install .` in the sources"
    try:
        core = import_module("weir._core")
    except ImportError as error:
        return f"the extension weir._core cannot be loaded ({error}): {remedy}"
    if core.__version__ != __version__:
        return f"the extension weir._core has version {core.__version__}, the package {__version__}: {remedy}"
    interface = zlib.crc32(Path(__file__).with_name("_core.pyi").read_bytes())
    if getattr(core, "interface", None) != interface:
        return f"the extension weir._core was built from other sources: {remedy}"
    return None
