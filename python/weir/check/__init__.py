"""Notes on a scenario that is valid and can mislead.

    for note in weir.check.notes(weir.load("mine.toml")):
        print(note.path, note.message, note.hint)

A rule is a function that yields notes; its name is the code of its notes, its first line what they mean.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from weir import _core
from weir._errors import require
from weir.check import _cake as cake
from weir.check import _chance as chance
from weir.check import _changes as changes
from weir.check import _drops as drops
from weir.check import _ecn as ecn
from weir.check import _levels as levels
from weir.check import _lines as lines
from weir.check import _measured as measured
from weir.check import _overflow as overflow
from weir.check import _python as python
from weir.check import _recordings as recordings
from weir.check import _senders as senders
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

RULES: tuple[Callable[[Resolved], Iterator[Remark]], ...] = (
    ecn.ecn_without_senders,
    ecn.ecn_without_marks,
    ecn.dctcp_without_ecn,
    ecn.empty_class,
    ecn.classic_in_low_latency,
    ecn.accecn_fallback,
    ecn.prague_in_classic_queue,
    drops.drops_where_it_marks,
    drops.bottleneck_without_marks,
    senders.marks_ignored,
    senders.receiver_ecn_unused,
    senders.ecn_on_unused,
    senders.target_out_of_reach,
    cake.dscp_unused,
    cake.host_unused,
    cake.ack_filter_unused,
    cake.ack_filter_accecn,
    cake.shaper_above_rate,
    cake.shaper_elsewhere,
    overflow.threshold_above_buffer,
    levels.threshold_below_bdp,
    levels.target_below_packet,
    levels.target_below_loop,
    levels.buffer_below_bdp,
    levels.queue_never_fills,
    levels.buffer_never_fills,
    levels.design_exceeded,
    lines.grants_below_rate,
    lines.burst_below_interval,
    lines.interval_too_short,
    lines.grant_after_run,
    lines.buffer_below_loop,
    changes.load_above_rate,
    changes.ambiguous_bottleneck,
    changes.moving_bottleneck,
    changes.fixed_while_rate_varies,
    changes.mean_rate_of_trace,
    changes.change_after_end,
    changes.list_after_end,
    changes.list_left_out,
    measured.no_traffic_measured,
    recordings.recording_two_way,
    recordings.recording_out_of_order,
    recordings.recording_copies,
    recordings.recording_after_end,
    recordings.recording_not_measured,
    chance.no_warm_up,
    chance.drawn_rtts,
    chance.flows_in_step,
    chance.phase_effects,
    python.python_not_repeatable,
)

CODES = {
    code_of(rule): str(rule.__doc__).partition("\n")[0]
    for rule in (
        *RULES,
        same_variants,
        same_queue_later,
        not_stationary,
        nothing_measured,
        nothing_random,
        few_values,
        unfinished_transfers,
    )
}
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
    found = (Note(code_of(rule), *finding) for rule in RULES for finding in rule(scene))
    # The links of a row have the same notes.
    return tuple({(note.code, note.path): note for note in found}.values())
