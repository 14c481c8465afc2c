"""Completions for the shell: scenarios, results, and names that options take.

Nothing is imported before it is asked for. What goes wrong completes to nothing: the command itself says it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path

import typer

Found = list[tuple[str, str]]
"""Values, each with a line of help, which may be empty."""


def _completer(
    find: Callable[[typer.Context], Iterable[str | tuple[str, str]]], *, many: bool = False
) -> Callable[..., Found]:
    """A function for typer; with `many` it completes the last name of a list with commas."""

    def complete(ctx: typer.Context, incomplete: str) -> Found:
        before, comma, last = incomplete.rpartition(",") if many else ("", "", incomplete)
        try:
            found = [(one, "") if isinstance(one, str) else one for one in find(ctx)]
        except Exception:  # noqa: BLE001 - a shell shows no traceback
            return []
        taken = before.split(",") if before else []
        return [
            (f"{before}{comma}{name}", said)
            for name, said in found
            if name.startswith(last) and name not in taken
        ]

    return complete


def _scenarios(_: typer.Context) -> Iterable[str]:
    from weir.scenario import bundled

    return [*(str(file) for file in sorted(Path().glob("*.toml"))), *bundled()]


def _variants(ctx: typer.Context) -> Iterable[str]:
    from weir.scenario import file_of

    # Behind an option without its value, typer has not read the arguments.
    file = file_of(ctx.params["scenario"] or ctx.args[0])
    # To load the scenario would run the classes of Python that it names.
    return tomllib.loads(file.read_text(encoding="utf-8")).get("variants", {})


def _results(ctx: typer.Context) -> Found:
    from weir.store import DEFAULT, Store

    with Store.open(ctx.params.get("store") or DEFAULT, read_only=True) as store:
        return [(str(sweep.number), sweep.name) for sweep in reversed(store.sweeps())]


def _disciplines(_: typer.Context) -> Iterable[str]:
    from weir import _core

    return _core.disciplines()


def _measures(_: typer.Context) -> Found:
    from weir.stats import MEASURES

    return [(name, measure.title) for name, measure in MEASURES.items()]


def _kinds(_: typer.Context) -> Iterable[str]:
    from weir.disciplines import CATALOGUE

    return CATALOGUE


def _listed(_: typer.Context) -> Found:
    from weir.disciplines import CATALOGUE

    kinds = [entries for name, entries in CATALOGUE.items() if name != "scenarios"]
    return [(str(entry["name"]), str(entry["summary"])) for entries in kinds for entry in entries()]


def _templates(_: typer.Context) -> Iterable[str]:
    from weir.cli._templates import templates

    return templates()


scenarios = _completer(_scenarios)
variant = _completer(_variants)
variants = _completer(_variants, many=True)
results = _completer(_results)
disciplines = _completer(_disciplines, many=True)
measures = _completer(_measures)
kinds = _completer(_kinds)
listed = _completer(_listed)
templates = _completer(_templates)
