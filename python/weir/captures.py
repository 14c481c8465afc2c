"""Captures: which packets of a run are written down as pcapng files, and where.

`LINK` is what leaves the queues of a link, in both directions where both have one;
`LINK:forward` and `LINK:reverse` are one direction; `:in` behind either is what arrives, before the
queue decides; `=FILE` says where. Of several replications the first is captured.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from weir import _core
from weir.errors import WeirError

FOLDER = "captures"
"""Of a results directory: the captures that have not been given a file."""

_HOW = "write LINK, LINK:reverse, LINK:in or LINK=FILE"


@dataclass(frozen=True)
class Capture:
    """One capture, as the core wants it described."""

    link: str
    direction: str | None
    """None: every direction that has a queue."""
    arriving: bool
    file: Path | None
    """None: among the results."""

    @property
    def name(self) -> str:
        """What it is called, and its file: `bottleneck-reverse-in`."""
        return "-".join([self.link, *([self.direction] if self.direction else []), *["in"] * self.arriving])

    @classmethod
    def parse(cls, text: str, queues: Sequence[tuple[str, str]]) -> Capture:
        """Reads `LINK[:forward|:reverse][:in][=FILE]`. Raises WeirError."""
        what, equals, file = text.partition("=")
        link, *words = what.strip().split(":")
        directions = [word for word in words if word in {"forward", "reverse"}]
        if len(directions) > 1 or [*directions, *["in"] * ("in" in words)] != words or (equals and not file):
            raise WeirError(f"{text!r} is not a capture", _HOW)
        there = [direction for name, direction in queues if name == link]
        if not there:
            known = ", ".join(dict.fromkeys(name for name, _ in queues))
            raise WeirError(f"there is no link {link!r} to capture", f"there are: {known}")
        direction = directions[0] if directions else None
        if direction and direction not in there:
            raise WeirError(
                f"the link {link!r} has no queue in {direction}: ACKs are only delayed there",
                f'give it one: --set links.{link}.reverse.buffer="1000 packets"',
            )
        return cls(link, direction, "in" in words, Path(file) if file else None)


def parsed(wishes: Sequence[str], scenario: _core.Scenario) -> list[Capture]:
    """What `--capture` and `capture=` ask for. Raises WeirError."""
    captures = [Capture.parse(text, scenario.queues) for text in wishes]
    files = [capture.file or Path(capture.name) for capture in captures]
    for file in files:
        if files.count(file) > 1:
            raise WeirError(f"two captures would be written to {file}", _HOW)
    return captures


class Captured(dict[str, Path]):
    """Captures that were made: name to file.

    Those that were not given a file stand in a directory that is gone with this object; saving the
    result keeps them.
    """

    def __init__(self, captures: Sequence[Capture], beside: Path | None) -> None:
        super().__init__()
        self._described: list[tuple[str, str | None, bool, Path]] = []
        self._place: tempfile.TemporaryDirectory[str] | None = None
        for capture in captures:
            file = capture.file or self._folder(beside) / f"{capture.name}.pcapng"
            self[capture.name] = file
            self._described.append((capture.link, capture.direction, capture.arriving, file))

    @property
    def described(self) -> list[tuple[str, str | None, bool, Path]]:
        """As the core wants them."""
        return self._described

    def keep(self, directory: Path) -> None:
        """Puts those that were not given a file into a folder of `directory`. Raises OSError."""
        if self._place is None:
            return
        (directory / FOLDER).mkdir()
        for file in self.values():
            if file.parent == Path(self._place.name):
                _link(file, directory / FOLDER / file.name)

    def _folder(self, beside: Path | None) -> Path:
        if self._place is None:
            if beside is None:
                self._place = tempfile.TemporaryDirectory(prefix="weir-")
            else:
                # On the disk that is to have them: no copies, and no small disk for temporary things.
                parent = beside.resolve().parent
                while not parent.exists():
                    parent = parent.parent
                self._place = tempfile.TemporaryDirectory(
                    prefix=f".{beside.name}.", suffix=".tmp", dir=parent
                )
        return Path(self._place.name)


def unwritable(error: _core.CaptureError) -> WeirError:
    """The same for people."""
    return WeirError(
        f"the capture {error.filename} cannot be written: {error.strerror}",
        "name another place: --capture LINK=FILE" if error.errno else None,
    )


def _link(file: Path, target: Path) -> None:
    """The same file under a second name, or a copy where that cannot be."""
    try:
        os.link(file, target)
    except OSError:
        shutil.copyfile(file, target)
