"""Options that several verbs share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

import typer

from weir.cli import _command as command
from weir.cli import _complete as completed
from weir.scenario import Assignment, AssignmentError, Scenario, assignments, settings


def option(takes: str, help: str, *names: str, **settings: Any) -> Any:  # noqa: ANN401 - as typer's
    """An option with a value: what it takes, in capitals, and what it is for."""
    return typer.Option(*names, metavar=takes, help=help, **settings)


def flag(name: str, help: str) -> Any:  # noqa: ANN401 - as typer's
    """An option without a value: its name, and what it is for."""
    return typer.Option(name, help=help)


def assignment(text: str) -> Assignment:
    """Reads one `PATH=VALUE` of an option. Raises WeirError."""
    found = assignments(text)
    if len(found) > 1:
        raise AssignmentError(f'"{text}" has several values', "repeat the option for each")
    return found[0]


def pair(takes: str, example: str) -> Callable[[str], Assignment]:
    """Function that reads a name, which need not be a path, and its value. It raises WeirError."""

    def read(text: str) -> Assignment:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals):
            raise AssignmentError(f'"{text}" is not {takes}', f"write for example {example}")
        if value.startswith("="):
            raise AssignmentError(f'"{text}" has two =; write {name}={value.lstrip("= ")}')
        return Assignment(name, value)

    return read


def _flat(each: list[list[Assignment]] | None) -> list[Assignment] | None:
    """Joins the assignments of all `--set`."""
    return None if each is None else [one for several in each for one in several]


def settings_option(takes: str, help: str) -> Any:  # noqa: ANN401 - as typer's
    """`--set`: what it takes, and what it is for."""
    return option(takes, help, "--set", parser=settings, callback=_flat)


def _measure(words: str) -> str:
    """The name of a measure, as a user may write it. Raises WeirError."""
    from weir._errors import WeirError
    from weir.stats import measure_named

    # Of a ValueError typer would show no more than the words.
    return measure_named(words, WeirError).name


Source = Annotated[
    str,
    typer.Argument(
        metavar="SCENARIO",
        help="A TOML file, or a bundled scenario: see weir list.",
        autocompletion=completed.scenarios,
    ),
]
Which = Annotated[
    str | None,
    typer.Argument(
        metavar="[RESULT]",
        help="Number, name or id of a result: see weir results. Of a name, and by default: the newest that "
        "can answer.",
        autocompletion=completed.results,
    ),
]
Set = Annotated[
    list[Assignment] | None,
    settings_option(
        "PATH=VALUE",
        'Replace a value, or a whole table: --set links.bottleneck.rate="10 Mbit/s", '
        "--set 'flows.ftp.tcp={ecn=true}', --set flows.ftp.tcp.congestion=cubic, several with "
        "semicolons. May be repeated.",
    ),
]
NoPython = Annotated[
    bool, flag("--no-python", "Refuse a scenario that names a class of Python: to load it runs its file.")
]
Variants = Annotated[
    str | None, option("NAME,NAME", "Only these variants. Default: all.", autocompletion=completed.variants)
]
Disciplines = Annotated[
    str | None,
    option(
        "NAME,NAME",
        "Queue disciplines with their defaults instead of the variants.",
        autocompletion=completed.disciplines,
    ),
]
Replications = Annotated[
    int, option("N", "Independent runs, each with its seed.", "--replications", "-n", min=1)
]
Seed = Annotated[
    int | None, option("N", "Of the first replication. Default: the scenario's.", min=0, max=2**62)
]
StorePath = Annotated[
    Path | None, option("DIR", "Where finished runs are kept. Default: results/store.", "--store")
]
NoStore = Annotated[
    bool, flag("--no-store", "Find and keep no runs: for an AQM in Python that acts on what is outside.")
]
Threads = Annotated[int | None, option("N", "Threads of this process. Default: one per core.", min=1)]
Processes = Annotated[int | None, option("N", "Processes of this machine instead.", min=1)]
Dask = Annotated[str | None, option("ADDRESS", "A Dask cluster instead: tcp://host:8786, or local:4.")]
Memory = Annotated[
    str | None, option("SIZE", "What all runs may take at a time: 8 GB. Default: 80% of what is available.")
]
Report = Annotated[
    bool, flag("--report", "Write a page with the figures as well; weir report does it later.")
]
Open = Annotated[
    bool, flag("--open", "Write the page and open it in the browser (the variable BROWSER names one).")
]
Watch = Annotated[bool, flag("--watch", "Run again each time the scenario is saved.")]
NoReport = Annotated[bool, flag("--no-report", "Write no page.")]


def _remember(context: typer.Context, *, value: bool) -> bool:
    """Remembers `--json`: errors are printed as JSON, too (see `guarded`), and nothing else goes to
    stdout."""
    if value:
        # To the end of the program: errors are documents, too.
        context.find_root().with_resource(command.only_documents())
    return value


Json = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Print a JSON document instead of tables, of an error too.",
        callback=_remember,
        is_eager=True,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no notes.")]
Export = Annotated[
    Path | None,
    option("FILE", "Write the rows to FILE: .csv, .parquet, .json, or .tex for LaTeX with booktabs."),
]
Measures = Annotated[
    list[str] | None,
    option(
        "MEASURE",
        'Show this measure: "p99 delay", "goodput of cubic" (a flow group), "p99 delay of L" (a class of the '
        'queue), "p99 delay at line.reverse" (a link). See weir list measures. May be repeated.',
        "--measure",
        parser=_measure,
        autocompletion=completed.measures,
    ),
]
By = Annotated[
    Literal["group", "class", "link"] | None,
    option(
        "group|class|link", "Show each flow group, each class of the queue, or each link of data, by itself."
    ),
]


@dataclass(frozen=True)
class Loading:
    """Options on how a scenario is loaded."""

    set_: Set = None
    no_python: NoPython = False

    def load(self, source: str) -> Scenario:
        """The scenario of a file or of this name, with the values. Raises ScenarioError."""
        return Scenario.load(source, self.set_, python=not self.no_python)


@dataclass(frozen=True)
class Place:
    """Options on where runs are kept."""

    store: StorePath = None
    no_store: NoStore = False


@dataclass(frozen=True)
class WorkerChoice:
    """Options on the workers of the runs, at most one kind of them, and on their memory."""

    threads: Threads = None
    processes: Processes = None
    dask: Dask = None
    memory: Memory = None

    def __post_init__(self) -> None:
        if sum(choice is not None for choice in (self.threads, self.processes, self.dask)) > 1:
            raise typer.BadParameter("choose one of --threads, --processes and --dask")

    @property
    def is_open(self) -> bool:
        """True if the user does not choose the workers."""
        return self.threads is self.processes is self.dask is None

    @property
    def options(self) -> dict[str, Any]:
        """Arguments of `chosen_workers`."""
        return asdict(self)


class _Paged:
    """Options of a verb that can write a page."""

    report: bool
    opens: bool

    @property
    def has_page(self) -> bool:
        """True if the page is written."""
        return self.report or self.opens


@dataclass(frozen=True)
class Shown(_Paged):
    """Options on what is printed and written of a result."""

    measure: Measures = None
    by: By = None
    report: Report = False
    opens: Open = False
    json: Json = False
    quiet: Quiet = False

    def at(self, *, first: bool) -> Shown:
        """These options for one of several results: the browser is opened only for the first."""
        return self if first else replace(self, report=self.has_page, opens=False)


@dataclass(frozen=True)
class Wanted(_Paged):
    """Options on what is printed and written of an answer."""

    export: Annotated[
        str | None,
        option("FORM", "Print the tuned queue as tc, sqm, wred or junos instead: see weir export."),
    ] = None
    device: Annotated[str | None, option("NAME", "Of --export: the network interface.")] = None
    save: Annotated[Path | None, option("FILE", "Write the tuned scenario to FILE.")] = None
    report: Report = False
    opens: Open = False
    json: Json = False
    quiet: Quiet = False


def with_groups(verb: Callable[..., None]) -> Callable[..., None]:
    """A verb for typer: the fields of its parameters that are dataclasses are options of their own."""
    hints = get_type_hints(verb, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    parameters: list[Parameter] = []
    for name, parameter in signature(verb).parameters.items():
        if name not in groups:
            parameters.append(parameter.replace(annotation=hints[name]))
            continue
        of_group = get_type_hints(groups[name], include_extras=True)
        parameters += [
            Parameter(
                field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=of_group[field.name]
            )
            for field in fields(groups[name])
        ]

    @wraps(verb)
    def command(**values: object) -> None:
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        verb(**values)

    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def compared(variants: str | None, disciplines: str | None) -> tuple[list[str] | None, list[str] | None]:
    """The names of variants or of disciplines, each of which is `NAME,NAME`."""
    if variants and disciplines:
        raise typer.BadParameter("choose --variants or --disciplines, not both")
    parts = [
        [name.strip() for name in (text or "").split(",") if name.strip()] for text in (variants, disciplines)
    ]
    return parts[0] or None, parts[1] or None
