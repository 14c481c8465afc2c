"""Captures: which packets of a run are written down as pcapng files, and where.

`LINK` is what leaves the queues of a link, in both directions where both have one. `LINK:forward` and
`LINK:reverse` are one direction. `:in` behind either is what arrives, before the queue decides. `=FILE` says
where. Only the first of several replications is captured.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from weir import _core
from weir._errors import WeirError
from weir._temporary import temporary_directory
from weir.run._batch import OnProgress, run_each

_HOW = "write LINK, LINK:reverse, LINK:in or LINK=FILE"


@dataclass(frozen=True)
class Capture:
    """Capture of the packets of a link."""

    link: str
    direction: str | None
    """Direction to capture; None: every direction that has a queue."""
    arriving: bool
    file: Path | None
    """File of the capture; None: in the directory of the result."""

    @property
    def name(self) -> str:
        """Name of the capture and of its file: `bottleneck-reverse-in`."""
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


def parsed_captures(texts: Sequence[str], scenario: _core.Scenario) -> list[Capture]:
    """Captures of `--capture` and `capture=`. Raises WeirError."""
    captures = [Capture.parse(text, scenario.queues) for text in texts]
    files = [capture.file or Path(capture.name) for capture in captures]
    for file in files:
        if files.count(file) > 1:
            raise WeirError(f"two captures would be written to {file}", _HOW)
    return captures


def capture_run(
    scenario: _core.Scenario,
    seed: int,
    captures: Sequence[Capture],
    folder: Path,
    progress: OnProgress | None = None,
    memory: _core.Memory | None = None,
) -> tuple[_core.Run | _core.Exceeded, dict[str, Path]]:
    """Runs the scenario once, its packets captured; returns the run, and name to file.

    A run that takes more than `memory` leaves no captures. Captures without a file of their own are written
    to `folder`, and appear there when they are whole.
    Raises WeirError if one cannot be written.
    """
    made = {one.name: one.file or folder / f"{one.name}.pcapng" for one in captures}
    files: dict[str, Path] = {}
    try:
        if any(one.file is None for one in captures):
            folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            places: dict[Path, Path] = {}
            for name, file in made.items():
                _check_place(file)
                if file.parent not in places:
                    places[file.parent] = stack.enter_context(temporary_directory(".captures-", file.parent))
                files[name] = places[file.parent] / file.name
            wanted = [(one.link, one.direction, one.arriving, files[one.name]) for one in captures]
            (run,) = run_each([(scenario, seed)], memory, progress, wanted)
            if isinstance(run, _core.Exceeded):
                return run, {}
            for name, file in files.items():
                file.replace(made[name])
    except OSError as error:
        staged = {str(file): made[name] for name, file in files.items()}
        raise WeirError(
            f"the capture {staged.get(str(error.filename), error.filename)} cannot be written: "
            f"{error.strerror}",
            "name another place: --capture LINK=FILE" if error.errno else None,
        ) from None
    return run, made


def _check_place(file: Path) -> None:
    """Raises OSError where a file cannot get this name: said before the run, not after it."""
    code = errno.EISDIR if file.is_dir() else None if file.parent.is_dir() else errno.ENOENT
    if code is not None:
        raise OSError(code, os.strerror(code), str(file))
