"""Tables as bytes and back.

Text is Enum in what is kept, else Categorical: strings would cost several times as much to write, read
and put in order.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Mapping, Sequence

import polars as pl

RUN = "run"
TEXT = pl.col(pl.Enum, pl.Categorical)

# Rows: large enough to compress well, small enough that a reader gets along with a few at a time.
_GROUP = 250_000


def prepared(name: str, frame: pl.DataFrame, runs: Collection[int]) -> pl.DataFrame:
    """The frame with all its text as Enum. Raises ValueError if it is not a table of those runs."""
    schema = frame.schema
    if next(iter(schema.items()), None) != (RUN, pl.Int64):
        raise ValueError(f"the first column of the table {name!r} must be `run`, Int64")
    # Rows of a run stand together: few are left to be compared.
    foreign = set(frame[RUN].rle().struct.field("value").to_list()).difference(runs)
    if foreign:
        raise ValueError(f"the table {name!r} has rows of runs that are not of its chunk: {min(foreign)}")
    texts = [frame[title] for title, kind in schema.items() if isinstance(kind, pl.String | pl.Categorical)]
    return frame.with_columns(text.cast(_enum(text)) for text in texts) if texts else frame


def encoded(frame: pl.DataFrame) -> tuple[int, bytes]:
    """Encodes a frame for quick writing: the number of rows that it stands for, and an Arrow stream."""
    buffer = io.BytesIO()
    frame.write_ipc_stream(buffer, compression="lz4")
    lists = next((column for column in frame if column.dtype == pl.List), None)
    return frame.height if lists is None else int(lists.list.len().sum()), buffer.getvalue()


def parquet(frame: pl.DataFrame, metadata: Mapping[str, str] | None = None) -> bytes:
    """A Parquet file: small, and quick to read in part.

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


def decoded(data: bytes) -> pl.LazyFrame:
    """The frame that `encoded` or `parquet` was given."""
    if data.startswith(b"PAR1"):
        return pl.scan_parquet(data)
    return pl.read_ipc_stream(io.BytesIO(data)).lazy()


def among(runs: Collection[int]) -> pl.Expr:
    """Expression that is true for rows of these runs."""
    return pl.col(RUN).is_in(pl.Series(list(runs), dtype=pl.Int64).implode())


def flat(frame: pl.LazyFrame) -> pl.LazyFrame:
    """The frame with every list written out, a row for each value."""
    lists = [name for name, kind in frame.collect_schema().items() if kind == pl.List]
    return frame.explode(lists) if lists else frame


def joined(frames: Sequence[pl.LazyFrame]) -> pl.LazyFrame:
    """The rows of all: a column that some do not have is null there. Lists stay if all frames have them."""
    schemas = [frame.collect_schema() for frame in frames]
    if all(schema == schemas[0] for schema in schemas):
        return pl.concat(frames, rechunk=False)
    # Enums of other texts have no type in common.
    fitting = [flat(frame).with_columns(pl.col(pl.Enum).cast(pl.Categorical)) for frame in frames]
    return pl.concat(fitting, how="diagonal_relaxed", rechunk=False)


def merged(frames: Sequence[pl.LazyFrame]) -> pl.DataFrame:
    """The rows of all, in order of run, without lists.

    What comes out depends on the runs alone, in whichever chunks they were computed, so that the same
    runs give the same bytes: the texts of an Enum are those that occur, in alphabetical order.
    """
    # The widest table first: the order of its columns is that of all.
    columns = {tuple(frame.collect_schema().names()) for frame in frames}
    order = list(
        dict.fromkeys(name for names in sorted(columns, key=lambda n: (-len(n), n)) for name in names)
    )
    whole = _by_run(joined(frames).select(order).collect())
    texts = {column.name: _enum(column) for column in whole.select(TEXT)}
    renamed = [pl.col(name).cast(kind) for name, kind in texts.items() if kind != whole.schema[name]]
    return flat(whole.lazy().with_columns(renamed)).collect()


def _by_run(frame: pl.DataFrame) -> pl.DataFrame:
    """Sorted by run. The rows of a run stand together, and are moved together."""
    whole = frame.rechunk()
    spans = whole[RUN].rle().struct.unnest().with_columns(end=pl.col("len").cum_sum())
    moved = spans.sort("value", maintain_order=True).select(
        pl.int_ranges(pl.col("end") - pl.col("len"), "end").explode()
    )
    return whole[moved.to_series()]


def _enum(column: pl.Series) -> pl.Enum:
    """Enum of the texts that a column has, in alphabetical order."""
    return pl.Enum(column.unique().cast(pl.String).drop_nulls().sort())
