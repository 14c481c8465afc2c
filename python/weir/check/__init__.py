"""Notes on a scenario that is valid and can mislead.

    for note in weir.check.notes(weir.load("mine.toml")):
        print(note.path, note.message, note.hint)

Most rules are in the crate `weir-check`. A rule here is a function that yields notes; its name is the code of
its notes, its first line what they mean.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from weir import _core
from weir._errors import require
from weir.check import _python as python
from weir.check import _recordings as recordings
from weir.check import _units as units
from weir.check._cost import ANY_RUN_B, LESS_MEMORY, Cost, MemoryPart, size_words, span_words
from weir.check._estimate import estimated
from weir.check._load import Load
from weir.check._measured import nothing_measured
from weir.check._note import Note, Remark, Repeated, Severity, code_of, merged
from weir.check._packets import Packets
from weir.check._resolved import Resolved, buffer_limit, duration_of
from weir.check._stationary import not_stationary
from weir.check._values import few_values, nothing_random, unfinished_transfers
from weir.check._variants import same_queue_later, same_variants
from weir.check._whole import whole_document
from weir.scenario import core_of

if TYPE_CHECKING:
    from weir.scenario import Scenario

__all__ = [
    "CODES",
    "Cost",
    "Note",
    "Repeated",
    "Severity",
    "cost",
    "few_values",
    "merged",
    "notes",
    "notes_of_toml",
    "notes_together",
    "nothing_measured",
    "nothing_random",
    "trend_notes",
    "unfinished_transfers",
]

_CORE = tuple(_core.note_codes())
"""Codes of the notes of the core, each with its meaning, in their order."""

_AFTER: Mapping[str, tuple[Callable[[Resolved], Iterator[Remark]], ...]] = {
    "no-traffic-measured": (
        recordings.recording_two_way,
        recordings.recording_out_of_order,
        recordings.recording_copies,
        recordings.recording_after_end,
        recordings.recording_not_measured,
    ),
    "phase-effects": (python.python_not_repeatable,),
}
"""Rules that read recordings and Python: code to the rules that come after its notes."""


def _meaning(rule: Callable[..., object]) -> tuple[str, str]:
    return code_of(rule), str(rule.__doc__).partition("\n")[0]


CODES = dict(
    (
        *(one for code, said in _CORE for one in ((code, said), *map(_meaning, _AFTER.get(code, ())))),
        *map(
            _meaning,
            (
                same_variants,
                same_queue_later,
                not_stationary,
                nothing_measured,
                nothing_random,
                few_values,
                unfinished_transfers,
            ),
        ),
    )
)
"""Code of a note to its meaning."""


def notes(scenario: Scenario | _core.Scenario) -> tuple[Note, ...]:
    """Notes on what may mislead in the scenario itself, without its variants.

    Raises InputError for what is no scenario.

    Example:
        >>> for note in weir.check.notes(scenario):
        ...     print(note.severity, note.code, note.path)
        note ecn-without-marks flows.ftp.tcp.ecn
        note phase-effects flows.ftp.send_jitter
    """
    return _found(_resolved(scenario))


def cost(scenario: Scenario | _core.Scenario) -> Cost:
    """Estimated cost of a run of the scenario itself: packets, time and memory.

    Raises InputError for what is no scenario.

    Example:
        >>> found = weir.check.cost(scenario)
        >>> round(found.packets, -2), found.mostly
        (4000.0, 'counts')
    """
    return estimated(_resolved(scenario))


def _resolved(scenario: Scenario | _core.Scenario) -> Resolved:
    return Resolved.of(core_of(scenario))


def notes_of_toml(resolved: str) -> tuple[Note, ...]:
    """Notes on a scenario as `to_toml` writes it: files and classes that it names need not exist.

    Raises ScenarioError for a text that is no TOML, or no whole scenario.

    Example:
        >>> from weir.check import notes_of_toml
        >>> [note.code for note in notes_of_toml(scenario.to_toml())]
        ['ecn-without-marks', 'phase-effects']
    """
    return _found(Resolved.from_toml(resolved))


def trend_notes(resolved: str, trends: Sequence[float], drifts: Sequence[float]) -> tuple[Note, ...]:
    """Notes on a queue that had not settled. `resolved` is the scenario as `to_toml` writes it; `trends` and
    `drifts` are the `queue_trend` and `queue_drift` of its bottleneck in each replication.

    Raises ScenarioError for a text that is no TOML, or no whole scenario. Raises InputError unless there is a
    drift for each trend.

    Example:
        >>> from weir.check import trend_notes
        >>> steady = scenario.replace({"measure": {}, "flows.ftp.population": []}).to_toml()
        >>> [note.code for note in trend_notes(steady, trends=[30.0, 31.0], drifts=[0.4, 0.5])]
        ['not-stationary']
    """
    require(
        len(trends) == len(drifts),
        f"{len(drifts)} drifts do not belong to {len(trends)} trends",
        "give both of each replication",
    )
    found = not_stationary(Resolved.from_toml(resolved), trends, drifts)
    return () if found is None else (found,)


def notes_together(
    settings: Iterable[tuple[str, tuple[Note, ...]]], variants: Iterable[tuple[str, _core.Scenario | str]]
) -> tuple[Repeated, ...]:
    """Notes of several settings, with equal notes merged, and notes on comparing `variants`. `settings` are
    pairs of a label and its notes; `variants` are pairs of a label and its scenario, or the text of
    `to_toml`.

    Raises ScenarioError for a text with changes in mid-run that is no TOML, or no whole scenario.

    Example:
        >>> from weir.check import notes_together
        >>> rem = scenario.variant("rem-mark").core
        >>> found = notes_together([("REM", ()), ("again", ())], [("REM", rem), ("again", rem)])
        >>> [(note.note.code, note.labels) for note in found]
        [('same-variants', ('REM', 'again'))]
    """
    compared = list(variants)
    together: dict[str, list[Note]] = {}
    for label, note in (
        *same_variants((label, one if isinstance(one, str) else one.hash) for label, one in compared),
        *same_queue_later((label, _document(one)) for label, one in compared if _has_changes(one)),
    ):
        together.setdefault(label, []).append(note)
    return merged((label, (*found, *together.get(label, ()))) for label, found in settings)


def _has_changes(scenario: _core.Scenario | str) -> bool:
    return scenario.has_changes if isinstance(scenario, _core.Scenario) else "[[changes]]" in scenario


def _document(scenario: _core.Scenario | str) -> Mapping[str, Any]:
    return whole_document(scenario) if isinstance(scenario, str) else json.loads(scenario.to_json())


def _found(scene: Resolved) -> tuple[Note, ...]:
    of_core: dict[str, list[Note]] = {}
    for one in scene.core_notes(lambda port: Packets(scene).mean_bytes(scene.ports_by_name[port])):
        of_core.setdefault(one[0], []).append(Note(*one))
    found: list[Note] = []
    for code, _ in _CORE:
        found += of_core.get(code, ())
        found += (Note(code_of(rule), *finding) for rule in _AFTER.get(code, ()) for finding in rule(scene))
    # The links of a row have the same notes.
    return tuple({(note.code, note.path): note for note in found}.values())
