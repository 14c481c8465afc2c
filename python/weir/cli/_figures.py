"""`weir report` and `plot`: the pages and figures of what a store has. Nothing is run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weir._errors import WeirError
from weir.cli import _command as command
from weir.cli import _complete as completed
from weir.cli._answers import answered, say
from weir.cli._options import Open, Quiet, StorePath, Which, assignment, flag, option, pair
from weir.cli._results import opened_as
from weir.scenario import Assignment

if TYPE_CHECKING:
    from weir.store import Record
    from weir.sweep import Sweep
    from weir.tune import Choice, Front, Tuned

Dimension = Annotated[str | None, option("AXIS", "An axis, by path or last part; variant; users.")]


def report(
    which: Which = None,
    *,
    figures: Annotated[
        bool, flag("--figures", "Write the figures as SVG, PDF and PNG too, into figures/.")
    ] = False,
    theory: Annotated[bool, flag("--theory", "With what the fluid model says, beside the packets.")] = False,
    opens: Open = False,
    store: StorePath = None,
    out: Annotated[Path | None, option("DIR", "Where. Default: results/NUMBER-NAME.", "--out", "-o")] = None,
    quiet: Quiet = False,
) -> None:
    """Write the page of a result, with its figures. Nothing is run: the store has all that it shows."""
    from weir.plot import IMAGES
    from weir.sweep import Sweep

    images = IMAGES if figures else ()
    with command.opened(store, quiet=quiet) as opened:

        def ask(record: Record) -> Sweep | Tuned | Front | Choice:
            one = opened_as(opened, record)
            if theory and not isinstance(one, Sweep):
                raise WeirError("theory is drawn beside packets, and this result is of tuning", "weir theory")
            return one

        answer = answered(opened, which, ask)
        say(opened, which, answer, quiet=quiet)
        found = answer.value
        if isinstance(found, Sweep):
            page = command.report(found, out, images, theory=theory, quiet=quiet)
        else:
            from weir.cli import _tuning as tuning

            page = tuning.report(opened, found, images=images, out=out, quiet=quiet)
        command.print_text(str(page))
    if opens:
        command.open_in_browser(page)


Drawn = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[RESULT]",
        help="Number, name or id of a result: see weir results. Of a name, and by default: the newest that "
        "can answer. Or data files of flent, NAME.flent.gz …, which are drawn over each other.",
        autocompletion=completed.results,
    ),
]


def plot(
    which: Drawn = None,
    *,
    kind: Annotated[
        str | None,
        option(
            "KIND",
            "lines, heat, tradeoff, ellipses, cdf, tail, slowdown, over-time, trend or sensitivity. "
            "Default: every figure that suits the sweep, and a report.",
        ),
    ] = None,
    measure: Annotated[
        str | None,
        option(
            "MEASURE",
            'As in weir list measures, or "goodput of GROUP", "p99 delay of CLASS"; over time what was '
            'recorded, with commas: "queue,cwnd of GROUP,srtt".',
        ),
    ] = None,
    x: Dimension = None,
    y: Annotated[str | None, option("NAME", "Of a heat map an axis; of a trade-off a measure.")] = None,
    family: Dimension = None,
    facet: Dimension = None,
    load: Annotated[str | None, option("AXIS", "Of a trade-off: what grows along a curve.")] = None,
    only: Annotated[
        list[Assignment] | None,
        option("AXIS=VALUE", "Only this level of an axis. May be repeated.", parser=assignment),
    ] = None,
    title: Annotated[str | None, option("TEXT", "Above the figure, instead of its own.")] = None,
    no_title: Annotated[bool, flag("--no-title", "Neither title nor caption: a paper has its own.")] = False,
    size: Annotated[
        str | None,
        option(
            "WxH", "Of the image: 800x500 (pixels), 84x60mm, 3.3x2.5in, 240x170pt. Letters keep their size."
        ),
    ] = None,
    x_title: Annotated[str | None, option("TEXT", "Of the horizontal axis, with the unit.")] = None,
    y_title: Annotated[str | None, option("TEXT", "Of the vertical axis, with the unit.")] = None,
    x_range: Annotated[str | None, option("LOW..HIGH", "Of the horizontal axis, in its unit.")] = None,
    y_range: Annotated[
        str | None,
        option("LOW..HIGH", "Of the vertical axis, in its unit: 0..100; 0.. or ..50 fixes one end."),
    ] = None,
    facet_title: Annotated[
        list[Assignment] | None,
        option(
            "LEVEL=TEXT",
            "Above the panel of this level, instead of its own title. May be repeated.",
            parser=pair("LEVEL=TEXT", '--facet-title "40 ms=Far"'),
        ),
    ] = None,
    log: Annotated[str | None, option("AXES", "Logarithmic axes: x, y or xy.")] = None,
    legend: Annotated[str | None, option("PLACE", "top, bottom, left, right or none.")] = None,
    store: StorePath = None,
    out: Annotated[
        Path | None,
        option(
            "FILE",
            "Of one figure: .svg, .pdf, .png, .html or .json; of all, a directory. "
            "Default: KIND.svg, results/NUMBER-NAME.",
            "--out",
            "-o",
        ),
    ] = None,
    opens: Annotated[bool, flag("--open", "Open it in the browser (BROWSER).")] = False,
    quiet: Quiet = False,
) -> None:
    """Draw figures of a result. Nothing is run: the store has all that they show."""
    options = {"measure": measure, "x": x, "y": y, "family": family, "facet": facet, "load": load}
    given = {name: value for name, value in options.items() if value is not None}
    texts = {
        "title": title, "size": size, "x_title": x_title, "y_title": y_title, "log": log, "legend": legend,
        "x_range": x_range, "y_range": y_range,
    }  # fmt: skip
    style: dict[str, Any] = {name: value for name, value in texts.items() if value is not None}
    if facet_title:
        style["facet_titles"] = dict(facet_title)
    if title is not None and no_title:
        raise typer.BadParameter("--title or --no-title, not both")
    about = [*(["kind"] if kind else []), *given, *(["only"] if only else [])]
    if files := _flent_files(which or []):
        place = _drawn_flent(files, about, style, out, caption=not no_title)
        _say_place(place, str(place), opens=opens, quiet=quiet)
        return
    _check_kind(kind, (*given, *style, *(["no-title"] if no_title else [])), out)

    from weir.plot import IMAGES, Figure, Layout, figure
    from weir.sweep import Sweep, query

    # What is no size or range is none for any result.
    Layout.of(size, x_title, y_title, log, legend, x_range, y_range, {})
    with command.opened(store, quiet=quiet) as opened:

        def ask(record: Record) -> tuple[Sweep, Figure | None]:
            sweep = Sweep(opened, record)
            if kind is None:
                return sweep, None
            return sweep, figure(sweep, kind, where=dict(only or ()), **given).styled(**style)

        # Over time there is what was recorded, not what is estimated.
        asked = {"over-time": (), "tradeoff": (measure, y)}.get(kind or "", (measure,))
        measures = [one for one in asked if one is not None]
        answer = answered(
            opened,
            which[0] if which else None,
            ask,
            lacks=lambda drawn: query.without_values(drawn[0], measures),
        )
        chosen, drawn = answer.value
        if drawn is None or kind is None:
            place = command.report(chosen, out, IMAGES, quiet=quiet)
        else:
            place = out or Path(f"{kind.replace('_', '-')}.svg")
            command.write_file(place, drawn, caption=not no_title)
    _say_place(place, f"{place}: {answer.took}", opens=opens, quiet=quiet)


def _check_kind(kind: str | None, names: Sequence[str], out: Path | None) -> None:
    """Refuses what only one figure can have, where no kind of figure is named."""
    named = [name.replace("_", "-").replace("facet-titles", "facet-title") for name in names]
    if kind is None and named:
        raise typer.BadParameter(f"--{named[0]} belongs to a kind of figure: add --kind lines")
    if kind is None and out is not None and out.suffix:
        raise typer.BadParameter(f"{out} is one file, and there are many figures: add --kind lines")


def _say_place(place: Path, said: str, *, opens: bool, quiet: bool) -> None:
    if not quiet:
        command.note(said)
    if opens:
        command.open_in_browser(place)


def _flent_files(which: Sequence[str]) -> list[Path]:
    """The data files of flent among what is to be drawn: all of it, or nothing."""
    from weir.flent import SUFFIXES

    files = [Path(one) for one in which if one.endswith(SUFFIXES)]
    if len(which) > max(1, len(files)):
        raise typer.BadParameter("one result at a time, or data files of flent alone")
    return files


def _drawn_flent(
    files: Sequence[Path], about: Sequence[str], style: dict[str, Any], out: Path | None, *, caption: bool
) -> Path:
    """Draws data files of flent; `about` are options that a result alone can have. Returns where."""
    from weir.flent import FlentFile
    from weir.plot import flent

    if about:
        raise typer.BadParameter(f"--{about[0]} is about a result, and data files of flent are none")
    read = {file: FlentFile.load(file) for file in files}
    titles = [one.title for one in read.values()]
    # A title tells more than the name of a file, where each has its own.
    distinct = all(titles) and len({*titles}) == len(titles)
    figure = flent({one.title if distinct else str(file): one for file, one in read.items()})
    place = out or Path("flent.svg")
    command.write_file(place, figure.styled(**style), caption=caption)
    return place
