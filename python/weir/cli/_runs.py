"""`weir run`, `compare` and `sweep`: do a plan, print the result, say where it is."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weir.cli import _command as command
from weir.cli import _complete as completed
from weir.cli._options import (
    Disciplines,
    Loading,
    Place,
    Replications,
    Seed,
    Shown,
    Source,
    Variants,
    Watch,
    WorkerChoice,
    compared,
    flag,
    option,
    pair,
    with_groups,
)
from weir.cli._progress import following
from weir.cli._watch import watching
from weir.scenario import Assignment, AssignmentError

if TYPE_CHECKING:
    from weir.run import Capture
    from weir.store import Store
    from weir.sweep import Plan, Sweep, Tally, Workers

_LONG_S = 3600.0
"""Estimated seconds of all runs above which they are announced."""


@with_groups
def run(
    scenario: Source,
    *,
    loading: Loading,
    replications: Replications = 1,
    seed: Seed = None,
    capture: Annotated[
        list[str] | None,
        option(
            "LINK[:reverse][:in][=FILE]",
            "Write the packets of a link as pcapng, of the first replication. May be repeated.",
        ),
    ] = None,
    watch: Watch = False,
    place: Place,
    workers: WorkerChoice,
    shown: Shown,
) -> None:
    """Run a scenario and show what was measured. The result gets a number, and is kept."""

    from weir._api import Scenario
    from weir.run import parsed_captures

    def once(first: bool) -> None:  # noqa: FBT001
        loaded = Scenario(loading.load(scenario).core)
        plan = loaded.plan_run(replications, seed)
        _run(plan, place, workers, shown.at(first=first), parsed_captures(capture or (), loaded.core))
        if loaded.variants and not shown.quiet:
            command.note(f"{loaded.name} has {len(loaded.variants)} variants: weir compare {scenario}")

    watching(scenario, once, watch=watch, quiet=shown.quiet)


@with_groups
def compare(
    scenario: Source,
    *,
    disciplines: Disciplines = None,
    variants: Variants = None,
    baseline: Annotated[
        str | None,
        option("NAME", "What to compare with. Default: the first.", autocompletion=completed.variant),
    ] = None,
    margin: Annotated[
        list[Assignment] | None,
        option(
            "MEASURE=VALUE",
            "Call it equal if the whole interval lies within. May be repeated.",
            parser=pair("MEASURE=VALUE", "--margin goodput=1"),
        ),
    ] = None,
    loading: Loading,
    replications: Replications = 1,
    seed: Seed = None,
    watch: Watch = False,
    place: Place,
    workers: WorkerChoice,
    shown: Shown,
) -> None:
    """Run the variants of a scenario; show paired differences. All have the same seeds."""
    chosen = compared(variants, disciplines)

    from weir._api import Scenario

    margins = _margins(margin or ())

    def once(first: bool) -> None:  # noqa: FBT001
        loaded = Scenario(loading.load(scenario).core)
        plan = loaded.plan_comparison(replications, seed, *chosen, baseline, margins)
        _run(plan, place, workers, shown.at(first=first))

    watching(scenario, once, watch=watch, quiet=shown.quiet)


@with_groups
def sweep(
    scenario: Source,
    *,
    axis: Annotated[
        list[str] | None,
        option(
            "PATH=VALUES",
            'What varies: "links.bottleneck.rate=5, 10, 20 Mbit/s", "flows.ftp.count=10..50 by 10", '
            '"A=1..100 ms in 7 log"; "A=1, 2; B=10, 20" moves two together. May be repeated. '
            "Default: [sweep.axes] of the scenario.",
            "--axis",
            "-a",
        ),
    ] = None,
    samples: Annotated[
        int | None, option("N", "Sample the axes instead of taking every combination.", min=1)
    ] = None,
    method: Annotated[
        str | None, option("NAME", "How: lhs, sobol, morris or saltelli. Default: lhs.")
    ] = None,
    variants: Variants = None,
    disciplines: Disciplines = None,
    loading: Loading,
    replications: Annotated[
        int | None,
        option("N", "Of every point; with --until, at most. Default: 1, 100.", "--replications", "-n", min=1),
    ] = None,
    until: Annotated[
        list[str] | None,
        option(
            "RULE",
            'Replicate each point until the interval is narrow enough: "goodput ±0.5%", '
            '"delay_p99 ±1 ms". May be repeated: all must hold.',
        ),
    ] = None,
    seed: Seed = None,
    name: Annotated[str | None, option("NAME", "Of the result. Default: the scenario's name.")] = None,
    place: Place,
    workers: WorkerChoice,
    dry_run: Annotated[
        bool, flag("--dry-run", "Check every point, say what there would be to do, and stop.")
    ] = False,
    shown: Shown,
) -> None:
    """Run a scenario over axes. What is finished is kept: the same command does only what is missing."""
    chosen, instead = compared(variants, disciplines)

    from weir.sweep import SweepSpec, define_sweep

    fixed = [path for path, _ in loading.set_ or ()]
    spec = SweepSpec(axis, samples, method, chosen, instead, replications, until, seed, name, fixed)
    plan = define_sweep(loading.load(scenario), spec)
    if dry_run:
        _announce(plan, place, shown)
    else:
        _run(plan, place, workers, shown)


def _margins(stated: Sequence[Assignment]) -> dict[str, float]:
    """Measure to number of every `--margin`."""
    from weir.stats import measure_named

    margins: dict[str, float] = {}
    for words, text in stated:
        measure = measure_named(words)
        try:
            margins[measure.name] = float(text)
        except ValueError:
            in_unit = f" in {measure.unit}, the unit of the measure" if measure.unit else ""
            raise AssignmentError(
                f'--margin "{words}={text}": {text!r} is not a number',
                f"write a number{in_unit}: --margin {measure.name}=1",
            ) from None
    return margins


def _run(
    plan: Plan, place: Place, workers: WorkerChoice, shown: Shown, captures: Sequence[Capture] = ()
) -> None:
    """Does the runs that are missing, and shows the result."""
    from weir.cli import _tables as tables
    from weir.stats import HEADLINE
    from weir.sweep import check_measures

    check_measures(shown.measure or (), [variant.scenario for variant in plan.variants])
    kept = not (place.no_store or plan.unstored)
    with command.opened(place.store, create=True, quiet=shown.quiet, kept=kept) as opened:
        sweep, tally = _done(plan, opened, workers, captures, quiet=shown.quiet)
        # Of a sweep the headline, and what decided; otherwise the console chooses.
        usual = (*HEADLINE, *(rule.measure for rule in plan.until)) if plan.kind == "sweep" else ()
        measures = shown.measure or tuple(dict.fromkeys(usual))
        if shown.json or shown.has_page:
            sweep.scenario_notes = plan.notes  # else every configuration would be read again
        if shown.json:
            document = sweep.document(shown.measure or (measures if sweep.axes else None))
            now = {"found": tally.found, "done": tally.done, "elsewhere": tally.elsewhere}
            files = {name: str(file) for name, file in sweep.captures.items()}
            places = {"directory": str(sweep.directory), "captures": files}
            command.print_json({**document, **places, **now, "wall_s": tally.wall_s})
        else:
            tables.print_sweep(sweep, measures, 40, shown.by)
            if not shown.quiet:
                command.print_notes(tables.notes_beside(sweep, measures, shown.by))
        if not shown.quiet:
            _say_end(plan, sweep, tally, place.store)
        if shown.has_page:
            page = command.report(sweep, quiet=shown.quiet)
            command.say_page(page, opens=shown.opens, quiet=shown.quiet)


def _announce(plan: Plan, place: Place, shown: Shown) -> None:
    """Describes the runs that a command would do."""
    from weir.store import DEFAULT
    from weir.sweep import describe

    found = 0
    runs = {int(key) for key in plan.keys.ravel()}
    kept = not (place.no_store or plan.unstored)
    if kept and ((place.store or DEFAULT) / "journal.sqlite").exists():
        with command.opened(place.store, create=False, quiet=True) as opened:
            found = len(opened.finished(runs))
    points, variants = len(plan.design.rows), [variant.name for variant in plan.variants]
    if not shown.quiet:
        command.print_notes(plan.notes)
    if shown.json:
        of_plan = {"name": plan.name, "id": plan.id, "points": points, "variants": variants}
        counts = {"replications": plan.replications, "runs": len(runs), "finished": found}
        command.print_json({**of_plan, **counts, "notes": [note.to_json() for note in plan.notes]})
        return
    parts = [describe.counted(points, "point")]
    if len(variants) > 1:
        parts.append(describe.counted(len(variants), "variant"))
    parts.append(("at most " if plan.until else "") + describe.counted(plan.replications, "replication"))
    command.print_text(f"{plan.name}: {', '.join(parts)}; {len(runs):,} runs, {found:,} of them finished")


def _done(
    plan: Plan, store: Store, choice: WorkerChoice, captures: Sequence[Capture], *, quiet: bool
) -> tuple[Sweep, Tally]:
    from weir.sweep import chosen_workers, describe, execute_plan, within_limits

    options = choice.options
    # AQMs in Python share the interpreter of their process: by default they get processes of their own.
    if choice.is_open and plan.keys.size > 1 and plan.has_python_aqms:
        options["processes"] = 0
    try:
        with chosen_workers(**options) as chosen:
            workers = within_limits(plan, store, chosen)
            if not quiet:
                command.print_notes(plan.notes)
                _say_cost(plan, workers)
            with following(plan, workers.what, quiet=quiet) as follow:
                line, watch = command.command_line(), follow is not None and sys.stderr.isatty()
                return execute_plan(
                    plan, store, workers, follow, watch=watch, command=line, captures=captures
                )
    except KeyboardInterrupt:
        runs = set(plan.keys.ravel().tolist())
        if not store.is_kept:
            command.note("interrupted; no run is kept")
            raise typer.Exit(command.INTERRUPTED) from None
        command.note(
            f"interrupted; {len(store.finished(runs)):,} of {describe.counted(len(runs), 'run')} are "
            "finished and safe: the same command does the rest"
        )
        raise typer.Exit(command.INTERRUPTED) from None


def _say_cost(plan: Plan, workers: Workers) -> None:
    """Prints the estimated time of the runs if it is long."""
    from weir.check import span_words

    expected_s = plan.cost.cpu_s * plan.keys.size / workers.slots()
    if expected_s > _LONG_S:
        command.note(
            f"note: {plan.cost}; all runs may take {span_words(expected_s)}. Ctrl-C keeps finished runs"
        )


def _say_end(plan: Plan, sweep: Sweep, tally: Tally, store: Path | None) -> None:
    """Prints the runs that were done, their cost, and how to open the result."""
    from weir.sweep import describe

    pace = describe.speed(sweep.cost) if tally.done else ""
    parts = [
        f"{describe.counted(tally.done, 'run')} in {tally.wall_s:.1f} s ({tally.cpu_s:.1f} s of CPU{pace})"
    ]
    if tally.found:
        parts.append(f"{describe.counted(tally.found, 'run')} found in the store")
    if tally.elsewhere:
        parts.append(f"{describe.counted(tally.elsewhere, 'run')} done by another command")
    command.note("; ".join(parts))
    if plan.unaffected:
        command.note(f"an axis does not apply to {', '.join(plan.unaffected)}: the same at all its values")
    for name, file in sweep.captures.items():
        command.note(f"capture {name}: {file}")
    if sweep.store.is_kept:
        command.note(command.where_it_is(sweep.number, store))
    else:
        why = f" ({', '.join(plan.unstored)}: stored = False)" if plan.unstored else ""
        command.note(
            f"no run was looked for in the store, and none is kept{why}; --report writes a page that stays"
        )
