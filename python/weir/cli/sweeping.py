"""What `weir sweep` does between reading its options and printing: run, and say what it took."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from weir import command, console
from weir.live import following
from weir.measures import HEADLINE
from weir.store.sweeps import table_path
from weir.sweeps.execute import chosen_workers, execute
from weir.sweeps.runner import Tally

if TYPE_CHECKING:
    from weir.store import Store
    from weir.sweeps.plan import Plan
    from weir.sweeps.view import Sweep


def run(
    plan: Plan,
    store: Store,
    *,
    threads: int | None,
    processes: int | None,
    dask: str | None,
    quiet: bool,
) -> tuple[Sweep, Tally]:
    """Does what is missing, and shows how far it is.

    Laws in Python share the interpreter of their process, so they get processes if nothing is said.
    """
    if (threads, processes, dask) == (None, None, None) and plan.has_python_laws:
        processes = 0
    try:
        with (
            chosen_workers(threads=threads, processes=processes, dask=dask) as chosen,
            following(plan, chosen.what, quiet=quiet) as follow,
        ):
            line = command.command_line()
            return execute(plan, store, chosen, follow.show, watch=follow.watch, command=line)
    except KeyboardInterrupt:
        runs = set(plan.keys.ravel().tolist())
        console.note(
            f"interrupted; {len(store.finished(runs)):,} of {len(runs):,} runs are finished and safe: "
            "the same command does the rest"
        )
        raise typer.Exit(command.INTERRUPTED) from None


def shown(plan: Plan) -> tuple[str, ...]:
    """The measures of a table where none are asked for: the headline, and those that decided."""
    return tuple(dict.fromkeys([*HEADLINE, *(rule.measure for rule in plan.until)]))


def announce(plan: Plan, place: Path, *, as_json: bool) -> None:
    """What there would be to do."""
    found = 0
    if (place / "journal.sqlite").exists():
        with command.opened(place, create=False, quiet=True) as store:
            found = len(store.finished(plan.keys.ravel().tolist()))
    runs = len({int(key) for key in plan.keys.ravel()})
    if as_json:
        console.print_json(
            {
                "sweep": plan.name,
                "id": plan.id,
                "points": len(plan.design.rows),
                "variants": [arm.name for arm in plan.arms],
                "replications": plan.replications,
                "runs": runs,
                "finished": found,
            }
        )
        return
    console.print_text(f"{plan.name} ({plan.id}): {counts(plan)}; {runs:,} runs, {found:,} of them finished")


def counts(plan: Plan) -> str:
    """`12 points, 3 variants, 10 replications`."""
    most = "at most " if plan.until else ""
    parts = [_count(len(plan.design.rows), "point")]
    if len(plan.arms) > 1:
        parts.append(_count(len(plan.arms), "variant"))
    return ", ".join([*parts, most + _count(plan.replications, "replication")])


def write_report(sweep: Sweep, target: Path, *, quiet: bool) -> None:
    """Takes some seconds, so it is said."""
    if not quiet:
        sys.stdout.flush()
        console.note("drawing the figures ...")
    command.written(sweep.report, target)


def cost(sweep: Sweep, tally: Tally) -> dict[str, Any]:
    """What `--json` says beside the estimates."""
    total = sweep.cost
    return {
        "found": tally.found,
        "done": tally.done,
        "elsewhere": tally.elsewhere,
        "wall_s": tally.wall_s,
        "cpu_s": tally.cpu_s,
        "cost": {"runs": total.runs, "cpu_s": total.cpu_s, "packets": total.packets, "events": total.events},
    }


def say_end(plan: Plan, sweep: Sweep, tally: Tally, place: Path, target: Path | None) -> None:
    """To stderr: what was done, what it cost, where it is."""
    parts = [f"{tally.done:,} runs in {tally.wall_s:.1f} s ({tally.cpu_s:.1f} s of CPU)"]
    if tally.found:
        parts.append(f"{tally.found:,} were in the store")
    if tally.elsewhere:
        parts.append(f"{tally.elsewhere:,} were done by another sweep")
    console.note("; ".join(parts))
    same = [arm.label for index, arm in enumerate(plan.arms) if plan.leaves_alone(index)]
    if same:
        console.note(f"an axis does not apply to {', '.join(same)}: the same at all its values")
    console.note(f"store: {place}; look again: weir results {sweep.name}, weir plot {sweep.name}")
    console.note(f"one row per run: {table_path(place, sweep.record)}")
    if target is not None:
        console.note(f"report: {target / 'report.html'}")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
