"""Rules on recordings that are replayed: their direction, their order, and when they end."""

from __future__ import annotations

from collections.abc import Iterator

from weir import _core
from weir.check._note import Remark, note, warning
from weir.check._resolved import Resolved, duration_of
from weir.check._units import scaled, time

_STEP_S = 1.0
"""Captures of several queues are out of order by microseconds, those after a clock was set by seconds."""


def recording_two_way(scene: Resolved) -> Iterator[Remark]:
    """A capture has both directions of a link: the larger is replayed, or both as one if `to` has both sides.

    A queue holds one direction of a link: the ACKs of what passes it come the other way.
    """
    for path in _replays(scene):
        key = f"flows.{path.group}.traffic.replay.to"
        found = path.recording
        if found is not None and found.mixed:
            yield note(
                key,
                f"it has hosts of both sides of the link: both directions are replayed as one, "
                f"{_share(found.replayed)}",
                f'{key} = "{found.replayed.to}" or "NETWORK" for one direction, "both" if both are meant',
            )
        if scene.group(path)["traffic"]["replay"].get("to") != "larger":
            continue
        said = "the larger of both directions of the capture is replayed, the other is left out"
        hint = f'{key} = "NETWORK" for what went there, or "both" for all'
        if found is not None and found.groups is not None:
            replayed, left_out = found.replayed, found.left_out
            of_each = (
                f" (of each of {found.groups:,} groups of hosts that do not talk to each other)"
                if found.groups > 1
                else ""
            )
            said = (
                f"the larger of both directions is replayed{of_each}: {_share(replayed)}; the other is left "
                f"out: {_share(left_out)}"
            )
            hint = f'{key} = "{left_out.to}" for the other, "both" for all'
            if left_out.hosts > 1:
                hint = f'{key} = "NETWORK" for the other, such as that of {left_out.to}, or "both" for all'
        yield note(key, said, hint)


def recording_out_of_order(scene: Resolved) -> Iterator[Remark]:
    """Packets of a recording are not in the order of their times: they are replayed sorted.

    More than a second, a warning, is a clock that was set, or several recordings in one file.
    """
    for path in _replays(scene):
        found = path.recording
        if found is not None and found.late:
            yield Remark(
                "warning" if found.latest_s >= _STEP_S else "note",
                f"flows.{path.group}.traffic.replay.file",
                f"{out_of_order(found.late, found.latest_s)}: all are replayed sorted by time",
                "nothing, if clocks of several queues or interfaces differ; else record again",
            )


def out_of_order(late: int, latest_s: float) -> str:
    """Sentence on the packets of a recording that are not in the order of their times."""
    return f"{_packets(late)} of the recording came after a later one, by up to {time(latest_s)}"


def recording_copies(scene: Resolved) -> Iterator[Remark]:
    """Packets were captured twice, where they came in and where they left: each is replayed once."""
    for path in _replays(scene):
        found = path.recording
        if found is not None and found.copies:
            yield note(
                f"flows.{path.group}.traffic.replay.file",
                f"{twice(found.copies)}: each is replayed once, at the time of the first",
                "nothing, if a router was to be recorded; else record one interface",
            )


def twice(copies: int) -> str:
    """Sentence on the packets of a recording that had been captured elsewhere."""
    return f"{_packets(copies)} of the recording had been captured at another interface before"


def recording_after_end(scene: Resolved) -> Iterator[Remark]:
    """Packets of a recording come when the run, or their group, is over: they are left out."""
    for path in _replays(scene):
        if path.recording is not None and path.replayed is not None:
            whole, sent = path.recording.replayed.packets, path.replayed[0]
            if sent < whole:
                yield Remark(
                    "note" if sent else "warning",
                    f"flows.{path.group}.traffic.replay.file",
                    f"{whole - sent:,} of {_packets(whole)} of the recording come when {path.group} is over: "
                    "they are left out",
                    "a longer duration, or a later stop",
                )


def recording_not_measured(scene: Resolved) -> Iterator[Remark]:
    """A recording ends before measuring begins: nothing of it is measured."""
    warm_up = duration_of(scene.document["measure"], "warm_up")
    for path in _replays(scene):
        group = scene.group(path)
        start, jitter = duration_of(group, "start"), duration_of(group, "start_jitter")
        found = path.recording
        last = start + jitter + found.last_s if found is not None else scene.network.duration_s
        end = min(last, duration_of(group, "stop")) if "stop" in group else last
        if warm_up > 0.0 and end <= warm_up:
            yield warning(
                f"flows.{path.group}.traffic.replay.file",
                f"the recording ends at {time(end)}, before measuring begins at {time(warm_up)}: nothing of "
                "it is measured",
                'measure.warm_up = "0 s", or a longer recording',
            )


def _replays(scene: Resolved) -> list[_core.Path]:
    return [path for path in scene.paths if path.traffic == "replay"]


def _share(share: _core.RecordingShare) -> str:
    """`1,002 packets (1.5 MB) to 10.0.0.2 and 3 more`."""
    to = f" to {share.to}" if share.to is not None else ""
    more = f" and {share.hosts - 1:,} more" if share.hosts > 1 else ""
    return f"{_packets(share.packets)} ({scaled(share.bytes, ('B', 'kB', 'MB', 'GB'))}){to}{more}"


def _packets(number: int) -> str:
    return f"{number:,} packet{'' if number == 1 else 's'}"
