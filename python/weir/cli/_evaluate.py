"""`weir evaluate`: the whole examination of a queue discipline on one page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weir.cli import _command as command
from weir.cli import _complete as completed
from weir.cli._options import Json, Quiet, StorePath, WorkerChoice, flag, option, settings_option, with_groups
from weir.cli._progress import live
from weir.scenario import Assignment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weir.evaluate import Cell, Request

REFERENCES = "drop-tail,codel,pie,fq-codel,dualpi2"

DIRECTORY = Path("results")


@with_groups
def evaluate(
    disciplines: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="DISCIPLINE…",
            help="Queue disciplines by name; FILE.toml: the queue of that scenario; MODULE:CLASS: an AQM in "
            "Python.",
            autocompletion=completed.disciplines,
        ),
    ] = None,
    *,
    suite: Annotated[
        str,
        option("NAME", "rfc7928, l4s, flent, rpm, cable or all. Default: all with --quick, else rfc7928."),
    ] = "",
    quick: Annotated[
        bool, flag("--quick", "A part of the cells, at a third of the time, with 5 seeds.")
    ] = False,
    list_: Annotated[
        bool, flag("--list", "List the cells: section, requirement, levels, what is missing.")
    ] = False,
    cell: Annotated[list[str] | None, option("NAME", "Only this cell. May be repeated.")] = None,
    seeds: Annotated[
        int | None,
        option("N", "At most so many seeds while a verdict is open. Default: 40; with --quick 5.", min=2),
    ] = None,
    reference: Annotated[
        str,
        option(
            "NAME,NAME",
            "Disciplines beside it; DropTail always is.",
            autocompletion=completed.disciplines,
        ),
    ] = REFERENCES,
    set_: Annotated[
        list[Assignment] | None,
        settings_option(
            "DISCIPLINE.PARAMETER=VALUE", 'A parameter: --set codel.target="10 ms". May be repeated.'
        ),
    ] = None,
    thresholds: Annotated[
        Path | None, option("FILE", "Thresholds instead of Weir's own: see the how-to guide.")
    ] = None,
    out: Annotated[Path | None, option("DIR", "Default: results/evaluate-NAME.", "--out", "-o")] = None,
    figures: Annotated[
        bool, flag("--figures", "Write the figures as SVG, PDF and PNG too, into figures/.")
    ] = False,
    opens: Annotated[bool, flag("--open", "Open the page in the browser.")] = False,
    store: StorePath = None,
    workers: WorkerChoice,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Examine queue disciplines: sixteen verdicts on one page.

    Runs the scenarios of RFC 7928 and of today's practice, and writes a scorecard. Exit code: 0 if the gate
    holds (never worse than DropTail), 1 if it does not, 3 if it is undecided, 2 for bad input.
    """
    from weir.evaluate import chosen

    cells = chosen(suite or ("all" if quick or list_ or cell else "rfc7928"), cell or ())
    if list_:
        _list(cells, as_json=json)
        return
    if not disciplines:
        raise typer.BadParameter("name a discipline: weir evaluate codel; --list shows the cells")
    request = _request(disciplines, reference, cells, set_ or (), thresholds, seeds, quick=quick)
    place = command.target(out or DIRECTORY / f"evaluate-{'-'.join(one.name for one in request.subjects)}")
    raise typer.Exit(
        _done(request, place, store, workers, figures=figures, opens=opens, json=json, quiet=quiet)
    )


def _request(
    names: Sequence[str],
    reference: str,
    cells: Sequence[Cell],
    settings: Sequence[Assignment],
    thresholds: Path | None,
    seeds: int | None,
    *,
    quick: bool,
) -> Request:
    from weir._errors import WeirError
    from weir.evaluate import (
        FIRST_SEEDS,
        MOST_SEEDS,
        QUICK_SEEDS,
        Request,
        published,
        subjects,
        with_drop_tail,
        with_thresholds,
    )

    subjects_ = subjects(names, settings)
    references = subjects([name.strip() for name in reference.split(",") if name.strip()])
    criteria = published() if thresholds is None else with_thresholds(thresholds)
    most = seeds or (QUICK_SEEDS if quick else MOST_SEEDS)
    request = Request(
        tuple(subjects_),
        with_drop_tail(subjects_, references),
        tuple(cells),
        criteria,
        quick,
        min(QUICK_SEEDS if quick else FIRST_SEEDS, most),
        most,
    )
    if not request.runnable:
        needs = "; ".join(f"{cell.name} needs {cell.needs}" for cell in cells if cell.needs)
        raise WeirError(
            f"no cell of these can be run: {needs or 'none is part of --quick'}",
            "weir evaluate --list shows all",
        )
    return request


def _done(
    request: Request,
    place: Path,
    store: Path | None,
    workers: WorkerChoice,
    *,
    figures: bool,
    opens: bool,
    json: bool,
    quiet: bool,
) -> int:
    """Runs, judges, prints and writes; the exit code."""
    from rich.spinner import Spinner

    from weir import __version__
    from weir.evaluate import evaluate as evaluated
    from weir.evaluate import words
    from weir.plot import IMAGES
    from weir.report import EvaluationPages, replacing, write_manifest
    from weir.sweep import chosen_workers

    with command.opened(store, create=True, quiet=quiet) as opened:
        options = workers.options
        if workers.is_open and any(one.discipline == "python" for one in request.everyone):
            # AQMs in Python share the interpreter of their process.
            options["processes"] = 0
        with (
            chosen_workers(**options) as chosen_by,
            live(
                words.step_line, lambda step: Spinner("line", text=words.step_line(step)), quiet=quiet
            ) as follow,
        ):
            found = evaluated(request, opened, chosen_by, follow, command.command_line())
        pages = EvaluationPages(found)
        if json:
            command.print_json(pages.to_json())
        else:
            command.print_text(words.text_of(found))
        with command.writing_pages(), replacing(place) as written:
            page = pages.write(written, IMAGES if figures else ())
            write_manifest(written, {"weir": __version__, "sweep": found.record.name})
        command.say_page(place / page.relative_to(written), opens=opens, quiet=quiet)
    return found.exit_code


def _list(cells: Sequence[Cell], *, as_json: bool) -> None:
    from weir.evaluate import words

    if not as_json:
        command.print_text(words.listing(cells))
        return
    command.print_json(
        [
            {
                "suite": cell.suite,
                "cell": cell.name,
                "section": cell.section,
                "requirement": cell.requirement,
                "quick": bool(cell.quick),
                "scenario": None if cell.needs else cell.source,
                "levels": [] if cell.needs else [level.name for level in cell.places(quick=False)],
                "needs": cell.needs or None,
                "lacks": cell.lacks or None,
            }
            for cell in cells
        ]
    )
