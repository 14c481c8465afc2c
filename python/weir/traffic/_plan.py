"""Plan for the transfers of a capture: one by one, drawn, or as data without end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weir.traffic._captured import PAUSE, Captured, Values

Indices = NDArray[np.int64]

SPREAD = 0.1
"""The largest standard deviation of what is drawn, as a share of what was captured.

A Poisson process that stands for n transfers brings n of them with a standard deviation of sqrt(n). It
brings their bytes with one of sqrt(sum of size²). With few transfers, or few large ones, a run would have
another load than the capture. It follows that fewer than 100 transfers are never drawn, and that of more at
most 100 are written one by one: the large ones, each with 1% of the bytes or more."""

LASTS = 0.5
"""Fraction of the capture. A transfer that sent for longer, and still did at the end, shows no sign of its
size."""

LEAST_WINDOW = 2.0
"""Least window in packets per round trip. A sender with enough data has that many under way (RFC 5681,
equation 4). One that sends less waits for its program."""


@dataclass(frozen=True)
class Plan:
    """Plan of the form in which transfers are written: their places among those of the capture."""

    endless: Indices
    """Transfers written as data without end, from their start on."""
    single: Indices
    """Transfers written one by one, with start and size."""
    drawn: Indices
    """Transfers written as Poisson arrivals with the distribution of their sizes."""


def plan(found: Captured) -> Plan:
    """Plans the form of each transfer."""
    endless = _endless(found)
    rest = np.flatnonzero(~endless)
    sizes = found.transfers["bytes"][rest]
    order = np.argsort(-sizes, kind="stable")
    largest = sizes[order]
    # Standard deviation of the bytes if all but so many of the largest are drawn: 0, 1, 2 ...
    spreads = np.sqrt(np.append(np.cumsum(largest[::-1] ** 2)[::-1], 0.0))
    taken = int(np.argmax(spreads <= SPREAD * found.transfers["bytes"].sum()))
    if len(rest) - taken < SPREAD**-2:
        taken = len(rest)
    return Plan(np.flatnonzero(endless), np.sort(rest[order[:taken]]), np.sort(rest[order[taken:]]))


def _endless(found: Captured) -> NDArray[np.bool_]:
    """Transfers that sent without a pause for most of the capture, and were not over at its end.

    Connections that are silent for a while, or send little, wait for their program: their size is what was
    seen.
    """
    columns = found.transfers
    trip = np.where(np.isfinite(columns["rtt"]), columns["rtt"], columns["part"])
    windows = columns["bytes"] / columns["packet"] * trip / np.maximum(columns["duration"], 1e-9)
    return (
        (columns["ended"] == 0)
        & (columns["duration"] >= LASTS * found.duration)
        & (columns["pause"] <= min(PAUSE, found.duration / 10))
        & ~(windows < LEAST_WINDOW)  # an unknown round trip says nothing
    )


def round_trips(found: Captured) -> Values:
    """Round-trip time of each transfer in seconds. One that was not measured is the median of the others; if
    none was measured, the part that is known. NaN if nothing is known."""
    rtts, parts = found.transfers["rtt"], found.transfers["part"]
    if len(found.rtts):
        return np.where(np.isfinite(rtts), rtts, np.median(found.rtts))
    known = parts[np.isfinite(parts)]
    return np.where(np.isfinite(parts), parts, np.median(known)) if len(known) else parts
