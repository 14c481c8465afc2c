"""The tables that measures are found in."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import polars as pl

from weir.store import StoreError

ALWAYS = ("links", "groups")


def measured(scan: Callable[[str], pl.LazyFrame]) -> dict[str, pl.DataFrame]:
    """`links`, `groups` and, unless the store is of a version that had none, `completions`."""
    tables = {name: scan(name).collect() for name in ALWAYS}
    with suppress(StoreError):
        tables["completions"] = scan("completions").collect()
    return tables
