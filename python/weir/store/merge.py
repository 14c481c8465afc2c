"""The tables of many chunks as one.

What comes out depends on the runs alone, in whichever chunks they were computed, so that the same
runs give the same bytes: rows are in order of run, and as they were within a run; the categories of
an Enum are the texts that occur, in alphabetical order.

It is done column by column, and every value goes from the unpacked chunk to its final place at
once: millions of rows cost little more memory than they are.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir.store import frames

# Bytes. Less is unpacked once and kept: a call for each column would cost more than its values.
_SMALL = 65_536

# Rows of a run. From there on it is cheaper to move them as a block than one by one.
_LONG = 16


@dataclass(frozen=True)
class Piece:
    """A table of a chunk as it was encoded, and of which of its runs the rows count; None: all."""

    data: bytes
    runs: Collection[int] | None = None

    @cached_property
    def schema(self) -> pl.Schema:
        return frames.schema(self.data)

    @cached_property
    def height(self) -> int:
        return len(self.column(frames.RUN))

    def column(self, name: str) -> pl.Series:
        """The values that count; nulls if there is no such column."""
        if name not in self.schema:
            return pl.Series(name, [None], dtype=pl.Null).new_from_index(0, self.height)
        column = self._decoded(name)
        return column if self._mask is None else column.filter(self._mask)

    @cached_property
    def _small(self) -> pl.DataFrame | None:
        return frames.decoded(self.data) if len(self.data) < _SMALL else None

    @cached_property
    def _mask(self) -> pl.Series | None:
        if self.runs is None:
            return None
        runs = self._decoded(frames.RUN).to_numpy()
        return pl.Series(np.isin(runs, np.fromiter(self.runs, np.int64)))

    def _decoded(self, name: str) -> pl.Series:
        whole = self._small
        return (frames.decoded(self.data, name) if whole is None else whole).get_column(name)


def merged(pieces: Sequence[Piece]) -> pl.DataFrame:
    """All rows that count, in order of run. At least one piece."""
    # A table without rows may not know the types of its columns.
    filled = [piece for piece in pieces if piece.height]
    if not filled:
        return _empty(pieces)
    order = _Order(filled)
    return pl.DataFrame([_column(name, filled, order) for name in _names(filled)])


class _Order:
    """Where the rows of pieces go."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        # Runs are put in order, not rows: there are a few hundred times fewer.
        found = [frames.blocks(piece.column(frames.RUN)) for piece in pieces]
        lengths = [
            np.diff(starts, append=piece.height) for piece, (_, starts) in zip(pieces, found, strict=True)
        ]
        runs = np.concatenate([keys for keys, _ in found])
        length = np.concatenate(lengths)
        by_run = np.argsort(runs, kind="stable")
        first = np.empty_like(length)
        first[by_run] = np.cumsum(length[by_run]) - length[by_run]
        self.height = int(length.sum())
        self._blocks: list[tuple[int, slice]] | None = None
        if self.height > _LONG * len(runs):
            of = np.repeat(np.arange(len(pieces)), [len(keys) for keys, _ in found])
            start = np.concatenate([starts for _, starts in found])
            self._blocks = [
                (piece, slice(begin, end))
                for piece, begin, end in zip(
                    of[by_run].tolist(),
                    start[by_run].tolist(),
                    (start + length)[by_run].tolist(),
                    strict=True,
                )
            ]
        self.runs: NDArray[np.int64] = np.repeat(runs[by_run], length[by_run])
        self.places: list[NDArray[np.uint32]] = []
        """For every piece, the row to which each of its rows goes."""
        begin = 0
        for (keys, starts), many in zip(found, lengths, strict=True):
            shift = first[begin : begin + len(keys)] - starts
            begin += len(keys)
            # Shifts may be negative: the sum is right again, modulo 2³².
            places = np.repeat(shift.astype(np.uint32), many)
            places += np.arange(len(places), dtype=np.uint32)
            self.places.append(places)

    def put(self, found: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """The values of all pieces, of one type, each in its place."""
        if self._blocks is not None:
            return np.concatenate([found[piece][rows] for piece, rows in self._blocks])
        values = np.empty(self.height, found[0].dtype)
        for places, part in zip(self.places, found, strict=True):
            values[places] = part
        return values


def _column(name: str, pieces: Sequence[Piece], order: _Order) -> pl.Series:
    if name == frames.RUN:
        return pl.Series(name, order.runs)
    kinds = {piece.schema.get(name, pl.Null()) for piece in pieces}
    column = None
    if all(isinstance(kind, pl.Enum) for kind in kinds):
        column = _texts(name, pieces, order)
    elif len(kinds) == 1 and next(iter(kinds)).is_numeric():
        column = _numbers(name, pieces, order)
    return _anything(name, pieces, order) if column is None else column


def _numbers(name: str, pieces: Sequence[Piece], order: _Order) -> pl.Series | None:
    """None if there are nulls."""
    columns = [piece.column(name) for piece in pieces]
    if any(column.null_count() for column in columns):
        return None
    return pl.Series(name, order.put([column.to_numpy() for column in columns]))


def _texts(name: str, pieces: Sequence[Piece], order: _Order) -> pl.Series | None:
    """None if there are nulls."""
    declared = [_categories(piece, name) for piece in pieces]
    texts = sorted({text for known in declared for text in known})
    if len(texts) == 1:
        if any(piece.column(name).null_count() for piece in pieces):
            return None
        return pl.Series(name, texts, dtype=pl.Enum(texts)).new_from_index(0, order.height)
    number = {text: code for code, text in enumerate(texts)}
    kind = np.min_scalar_type(len(texts))
    columns: list[NDArray[Any]] = []
    for piece, known in zip(pieces, declared, strict=True):
        column = piece.column(name)
        if column.null_count():
            return None
        found = column.to_physical().to_numpy()
        renamed = known != texts
        columns.append(
            np.array([number[text] for text in known], kind)[found] if renamed else found.astype(kind)
        )
    codes = order.put(columns)
    occurs = np.zeros(len(texts), np.bool_)
    occurs[codes] = True
    if not occurs.all():
        codes = (np.cumsum(occurs) - 1).astype(codes.dtype)[codes]
        texts = [text for text, yes in zip(texts, occurs, strict=True) if yes]
    return pl.Series(name, texts, dtype=pl.Enum(texts)).gather(pl.Series(codes))


def _anything(name: str, pieces: Sequence[Piece], order: _Order) -> pl.Series:
    """Nulls, columns that some chunks do not have, and types that differ: rare, and slower."""
    columns = [piece.column(name) for piece in pieces]
    is_text = any(isinstance(column.dtype, pl.Enum) for column in columns)
    plain = [column.cast(pl.String) if isinstance(column.dtype, pl.Enum) else column for column in columns]
    whole = pl.concat([column.to_frame() for column in plain], how="vertical_relaxed").get_column(name)
    rows = np.empty(order.height, np.uint32)
    rows[np.concatenate(order.places)] = np.arange(order.height, dtype=np.uint32)
    column = whole.gather(pl.Series(rows))
    return frames.as_enum(column) if is_text else column


def _names(pieces: Sequence[Piece]) -> list[str]:
    """Every column: those of the widest table first, and the others as in the next ones."""
    tables = {tuple(piece.schema.names()) for piece in pieces}
    return list(dict.fromkeys(name for names in sorted(tables, key=lambda t: (-len(t), t)) for name in names))


def _empty(pieces: Sequence[Piece]) -> pl.DataFrame:
    kinds = {name: kind for piece in reversed(pieces) for name, kind in piece.schema.items()}
    return pl.DataFrame(
        schema={
            name: pl.Enum([]) if isinstance(kinds[name], pl.Enum) else kinds[name] for name in _names(pieces)
        }
    )


def _categories(piece: Piece, name: str) -> list[str]:
    kind = piece.schema[name]
    assert isinstance(kind, pl.Enum)
    categories: list[str] = kind.categories.to_list()
    return categories
