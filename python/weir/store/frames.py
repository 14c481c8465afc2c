"""Tables as bytes and back.

Text is Enum throughout: a byte or two a row, where strings would cost several times as much to
write, read and put in order.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

RUN = "run"

# Rows: large enough to compress well, small enough that a reader gets along with a few at a time.
_GROUP = 250_000


def prepared(name: str, frame: pl.DataFrame, runs: Collection[int]) -> pl.DataFrame:
    """The frame with all its text as Enum. Raises ValueError if it is not a table of those runs."""
    if not frame.columns or frame.columns[0] != RUN or frame.schema[RUN] != pl.Int64:
        raise ValueError(f"the first column of the table {name!r} must be `run`, Int64")
    foreign = set(blocks(frame.get_column(RUN))[0].tolist()).difference(runs)
    if foreign:
        raise ValueError(f"the table {name!r} has rows of runs that are not of its chunk: {min(foreign)}")
    text = [column for column, kind in frame.schema.items() if isinstance(kind, pl.String | pl.Categorical)]
    return frame.with_columns(as_enum(frame.get_column(column)) for column in text) if text else frame


def as_enum(column: pl.Series) -> pl.Series:
    """Text as Enum of the texts that occur, in alphabetical order."""
    text = column.cast(pl.String)
    return text.cast(pl.Enum(text.drop_nulls().unique().sort()))


def encoded(frame: pl.DataFrame) -> bytes:
    """An Arrow stream."""
    buffer = io.BytesIO()
    frame.write_ipc_stream(buffer, compression="zstd")
    return buffer.getvalue()


def decoded(data: bytes, column: str | None = None) -> pl.DataFrame:
    """The frame that `encoded` was given, or one column of it: the others are not even unpacked."""
    return pl.read_ipc_stream(io.BytesIO(data), columns=None if column is None else [column])


def schema(data: bytes) -> pl.Schema:
    """Of the frame that `encoded` was given, from the first message of the stream."""
    (length,) = struct.unpack_from("<i", data, 4)  # after the mark of a message
    return pl.read_ipc_stream(io.BytesIO(data[: 8 + length])).schema


def only(frame: pl.DataFrame, runs: Collection[int]) -> pl.DataFrame:
    """The rows of some runs."""
    return frame.filter(among(runs))


def among(runs: Collection[int]) -> pl.Expr:
    """Whether a row is of one of these runs."""
    return pl.col(RUN).is_in(pl.Series(list(runs), dtype=pl.Int64).implode())


def parquet(frame: pl.DataFrame, metadata: Mapping[str, str] | None = None) -> bytes:
    """A Parquet file.

    Without statistics: they cost as much as the rest of the writing, and the runs of a sweep are
    spread over all row groups by their keys.
    """
    buffer = io.BytesIO()
    frame.write_parquet(
        buffer,
        compression="zstd",
        compression_level=1,
        statistics=False,
        row_group_size=_GROUP,
        metadata=dict(metadata) if metadata else None,
    )
    return buffer.getvalue()


def blocks(runs: pl.Series) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows of one run stand together, as a rule: the run of every block, and its first row."""
    values = runs.to_numpy()
    if not len(values):
        return values, np.zeros(0, np.int64)
    starts = np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))
    return values[starts], starts


def alike(schemas: Sequence[Mapping[str, pl.DataType]]) -> dict[str, pl.Enum]:
    """For every column that is an Enum somewhere, the one that holds the texts of all."""
    kinds: dict[str, set[pl.Enum]] = {}
    for schema in schemas:
        for name, kind in schema.items():
            if isinstance(kind, pl.Enum):
                kinds.setdefault(name, set()).add(kind)
    # One kind everywhere is left as it is: nothing needs to be changed.
    return {
        name: next(iter(found))
        if len(found) == 1
        else pl.Enum(sorted({t for k in found for t in k.categories}))
        for name, found in kinds.items()
    }
