"""`weir reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from weir.cli import Json, NoReport, Quiet, StorePath, WorkerChoice, with_groups


@with_groups
def reproduce(
    papers: Annotated[
        list[str] | None,
        typer.Argument(metavar="PAPER", help="Keys of papers, or all: see --list."),
    ] = None,
    *,
    list_: Annotated[bool, typer.Option("--list", help="List the papers, and stop.")] = False,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="Fewer seeds and settings, so verdicts are only so far; phases as long as ever."
        ),
    ] = False,
    replications: Annotated[
        int | None,
        typer.Option(
            "--replications", "-n", metavar="N", min=1, help="Of every run. Default: each experiment's own."
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            max=2**62,
            help="Of the first replication. Default: drawn from the digest of what is registered.",
        ),
    ] = None,
    store: StorePath = None,
    workers: WorkerChoice,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Reports go to DIR/PAPER. Default: results/papers.")
    ] = None,
    pages: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write PAPER.md with its figures there, too.")
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="With --pages: what --json printed for other seeds. The index says which groups change.",
        ),
    ] = None,
    archive: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.zip",
            help="Write claims, rows, scenarios, cost and machine of the full set there.",
        ),
    ] = None,
    no_report: NoReport = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run the experiments of a paper and judge its claims."""
    from weir_papers.registry import KEYS

    if list_:
        from weir_papers import reproducing

        reproducing.show_papers(as_json=json)
        return
    keys = list(dict.fromkeys(papers or ()))
    if not keys:
        raise typer.BadParameter(f"name a paper, or all; there are: {', '.join(KEYS)}", param_hint="PAPER")
    unknown = [key for key in keys if key not in {*KEYS, "all"}]
    if unknown:
        from weir.scenario import suggestion

        raise typer.BadParameter(
            f"there is no paper {unknown[0]!r}; {suggestion(unknown[0], [*KEYS, 'all'])}", param_hint="PAPER"
        )
    if pages is not None and no_report:
        raise typer.BadParameter("--pages shows the figures of a report; leave --no-report out")
    if (pages is not None or archive is not None) and (quick or replications is not None):
        what = "pages are" if pages is not None else "an archive is"
        raise typer.BadParameter(f"{what} of the full set; leave --quick and --replications out")
    chosen = list(KEYS) if "all" in keys else keys
    if against is not None and (pages is None or set(chosen) != set(KEYS)):
        raise typer.BadParameter("--against is for the index of all papers: add --pages, and name all")

    from weir.store import DEFAULT
    from weir_papers import reproducing

    reproducing.reproduce_all(
        chosen,
        reproducing.Options(
            quick=quick,
            replications=replications,
            seed=seed,
            store=store or DEFAULT,
            workers=workers.options,
            out=None if no_report else out or Path("results") / "papers",
            pages=pages,
            against=against,
            archive=archive,
            json=json,
            quiet=quiet,
        ),
    )
