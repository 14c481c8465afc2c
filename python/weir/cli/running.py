"""What `weir run`, `compare` and `sweep` have in common: do a plan, print the result, say where it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from weir.cli import command, console
from weir.cli.live import following
from weir.stats.measures import HEADLINE
from weir.store import DEFAULT
from weir.sweep.describe import counted, speed
from weir.sweep.execute import chosen_workers, execute

if TYPE_CHECKING:
    from weir.cli.options import WorkerChoice
    from weir.run.captures import Capture
    from weir.store import Store
    from weir.sweep.plan import Plan
    from weir.sweep.runner import Tally
    from weir.sweep.view import Sweep


@dataclass(frozen=True)
class Shown:
    """What is printed and written."""

    measures: tuple[str, ...]
    """Empty: those that are shown by default."""
    report: bool
    json: bool
    quiet: bool


def run(
    plan: Plan,
    store: Path | None,
    workers: WorkerChoice,
    shown: Shown,
    captures: Sequence[Capture] = (),
) -> None:
    """Does what is missing, and shows the result."""
    with command.opened(store or DEFAULT, create=True, quiet=shown.quiet) as opened:
        sweep, tally = _done(plan, opened, workers, captures, quiet=shown.quiet)
        measures = shown.measures or _default_measures(plan)
        if shown.json:
            document = sweep.document(shown.measures or (measures if sweep.axes else None))
            console.print_json({**document, **_done_now(sweep, tally)})
        else:
            console.print_sweep(sweep, measures, rows=40)
        if not shown.quiet:
            _say_end(plan, sweep, tally, store)
        if shown.report:
            page = command.report(sweep, quiet=shown.quiet)
            if not shown.quiet:
                console.note(f"report: {page}")


def announce(plan: Plan, store: Path | None, *, as_json: bool) -> None:
    """What there would be to do."""
    place = store or DEFAULT
    found = 0
    runs = {int(key) for key in plan.keys.ravel()}
    if (place / "journal.sqlite").exists():
        with command.opened(place, create=False, quiet=True) as opened:
            found = len(opened.finished(runs))
    if as_json:
        console.print_json(
            {
                "name": plan.name,
                "id": plan.id,
                "points": len(plan.design.rows),
                "variants": [variant.name for variant in plan.variants],
                "replications": plan.replications,
                "runs": len(runs),
                "finished": found,
            }
        )
        return
    console.print_text(f"{plan.name}: {_counts(plan)}; {len(runs):,} runs, {found:,} of them finished")


def _done(
    plan: Plan, store: Store, workers: WorkerChoice, captures: Sequence[Capture], *, quiet: bool
) -> tuple[Sweep, Tally]:
    """AQMs in Python share the interpreter of their process: by default they get processes of their own."""
    processes = workers.processes
    several = plan.keys.size > 1
    if (workers.threads, processes, workers.dask) == (None, None, None) and several and plan.has_python_aqms:
        processes = 0
    try:
        with (
            chosen_workers(threads=workers.threads, processes=processes, dask=workers.dask) as chosen,
            following(plan, chosen.what, quiet=quiet) as follow,
        ):
            line = command.command_line()
            return execute(
                plan, store, chosen, follow.show, watch=follow.watch, command=line, captures=captures
            )
    except KeyboardInterrupt:
        runs = set(plan.keys.ravel().tolist())
        console.note(
            f"interrupted; {len(store.finished(runs)):,} of {counted(len(runs), 'run')} are finished "
            "and safe: the same command does the rest"
        )
        raise typer.Exit(command.INTERRUPTED) from None


def _default_measures(plan: Plan) -> tuple[str, ...]:
    """Those of a sweep's table: the headline, and those that decided. Otherwise the console chooses."""
    if plan.kind != "sweep":
        return ()
    return tuple(dict.fromkeys([*HEADLINE, *(rule.measure for rule in plan.until)]))


def _counts(plan: Plan) -> str:
    """`12 points, 3 variants, 10 replications`."""
    most = "at most " if plan.until else ""
    parts = [counted(len(plan.design.rows), "point")]
    if len(plan.variants) > 1:
        parts.append(counted(len(plan.variants), "variant"))
    return ", ".join([*parts, most + counted(plan.replications, "replication")])


def _done_now(sweep: Sweep, tally: Tally) -> dict[str, object]:
    """What `--json` says beside the result."""
    return {
        "directory": str(sweep.directory),
        "captures": {name: str(file) for name, file in sweep.captures.items()},
        "found": tally.found,
        "done": tally.done,
        "elsewhere": tally.elsewhere,
        "wall_s": tally.wall_s,
    }


def _say_end(plan: Plan, sweep: Sweep, tally: Tally, store: Path | None) -> None:
    """What was done, what it cost, and how to open the result."""
    pace = speed(sweep.cost) if tally.done else ""
    parts = [f"{counted(tally.done, 'run')} in {tally.wall_s:.1f} s ({tally.cpu_s:.1f} s of CPU{pace})"]
    if tally.found:
        parts.append(f"{counted(tally.found, 'run')} found in the store")
    if tally.elsewhere:
        parts.append(f"{counted(tally.elsewhere, 'run')} done by another command")
    console.note("; ".join(parts))
    if plan.unaffected:
        console.note(f"an axis does not apply to {', '.join(plan.unaffected)}: the same at all its values")
    for name, file in sweep.captures.items():
        console.note(f"capture {name}: {file}")
    option = "" if store is None else f" --store {store}"
    console.note(
        f"result {sweep.number}: weir report {sweep.number}{option} writes its page, "
        f"weir results {sweep.number}{option} shows it again"
    )
