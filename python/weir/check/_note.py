"""A note, and the notes of several settings together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

Severity = Literal["note", "warning"]
"""`warning`: the results probably do not mean what they seem to; `note`: what to know when reading them."""


@dataclass(frozen=True)
class Note:
    """Something in a scenario that is allowed, and that can mislead."""

    code: str
    """Stable name, such as `no-warm-up`."""
    severity: Severity
    path: str
    """Path in the scenario, such as `links.bottleneck.queue.red.min_th`."""
    message: str
    """One sentence without its full stop."""
    hint: str
    """Proposed change of the scenario."""


class Remark(NamedTuple):
    """A note without its code, which is the name of the rule that found it."""

    severity: Severity
    path: str
    message: str
    hint: str


def note(path: str, message: str, hint: str) -> Remark:
    """Remark to be known when results are read."""
    return Remark("note", path, message, hint)


def warning(path: str, message: str, hint: str) -> Remark:
    """Remark that probably makes results mean something else than they seem to."""
    return Remark("warning", path, message, hint)


def code_of(rule: Callable[..., object]) -> str:
    """The code of the notes of a rule: its name, with hyphens."""
    return rule.__name__.replace("_", "-")


@dataclass(frozen=True)
class Repeated:
    """A note of some of the settings that a result consists of.

    Example:
        >>> for note in result.notes:
        ...     print(note.note.code, note.share, note.to_json()["settings"])
        ecn-without-marks  (in DropTail) 1
        phase-effects  (in DropTail) 1
    """

    note: Note
    """Note of the first setting that has it; the numbers of others may differ."""
    labels: tuple[str, ...]
    """The variants that have it."""
    settings: int
    """Points and variants that have it."""
    of: int
    """Points and variants in all."""
    variants: int
    """Variants in all."""

    def __str__(self) -> str:
        """One line: `warning: links.a.queue: message (in 2 of 7 variants) [code]`."""
        note = self.note
        return f"{note.severity}: {note.path}: {note.message}{self.share} [{note.code}]"

    @property
    def share(self) -> str:
        """Settings that have the note, such as ` (in RED, REM)`, unless all have it."""
        if self.settings == self.of:
            return ""
        if self.of > self.variants:
            return f" (in {self.settings:,} of {self.of:,} settings)"
        if len(self.labels) <= 3:
            return f" (in {', '.join(self.labels)})"
        return f" (in {self.settings} of {self.of} variants)"

    def to_json(self) -> dict[str, Any]:
        """The note as plain values."""
        return {**asdict(self.note), "labels": list(self.labels), "settings": self.settings, "of": self.of}


def merged(found: Iterable[tuple[str, Iterable[Note]]]) -> tuple[Repeated, ...]:
    """Each note once, by its code, severity and path, warnings first: from the notes of every setting, each
    with the label of its variant.

    Example:
        >>> from weir.check import merged, notes
        >>> compared = [scenario.variant(name) for name in ("drop-tail", "rem-mark")]
        >>> for note in merged((one.label, notes(one)) for one in compared):
        ...     print(note.note.code, note.labels)
        ecn-without-marks ('DropTail',)
        phase-effects ('DropTail',)
    """
    first: dict[tuple[str, str, str], Note] = {}
    labels: dict[tuple[str, str, str], list[str]] = {}
    total, variants = 0, set[str]()
    for label, notes in found:
        total += 1
        variants.add(label)
        for note in notes:
            key = (note.code, note.severity, note.path)
            first.setdefault(key, note)
            labels.setdefault(key, []).append(label)
    repeated = [
        Repeated(note, tuple(dict.fromkeys(labels[key])), len(labels[key]), total, len(variants))
        for key, note in first.items()
    ]
    return tuple(sorted(repeated, key=lambda one: one.note.severity != "warning"))
