"""What `weir tune` prints and writes when the answer is there."""

from __future__ import annotations

import resource
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap

from weir.cli import command, console
from weir.export import FORMS, ExportError
from weir.export import export as exported
from weir.report.tuning import Evidence, write_evidence
from weir.tune.text import sentence, text_of
from weir.tune.tune import Task, Tuned

MEASURED = 5
"""Replications of a discipline that no kernel has, and of the closest one, to say how far apart they are."""


@dataclass(frozen=True)
class Wanted:
    """The options."""

    source: str
    """The scenario, as it was named."""
    options: tuple[str, ...]
    """With which it was loaded, as arguments."""
    export: str | None
    device: str
    save: Path | None
    directory: Path | None
    """Of the evidence; None: nowhere."""
    json: bool
    quiet: bool


def check_export(task: Task, form: str, device: str) -> None:
    """Raises ExportError before any run for what cannot be exported."""
    if form not in FORMS:
        raise ExportError(f"there is no form {form!r}", f"there are: {', '.join(FORMS)}")
    exported(task.scenario, None, form, device)  # type: ignore[arg-type] # checked above


def show(tuned: Tuned, wanted: Wanted) -> None:
    """Prints the answer, or what was asked for in its place; writes the evidence."""
    if wanted.export is not None:
        console.note(sentence(tuned.answer))
        found = exported(
            tuned.scenario,
            None,
            wanted.export,  # type: ignore[arg-type] # checked there
            wanted.device,
            replications=MEASURED,
            command=command.command_line(),
        )
        console.print_text(_headed(found.text, tuned))
        for warning in found.warnings:
            console.note(f"warning: {warning}")
    elif wanted.json:
        console.print_json(tuned.to_json())
    else:
        console.print_text(text_of(tuned))
    if wanted.save is not None:
        command.write_text(wanted.save, tuned.scenario.to_toml())
        if not wanted.quiet:
            console.note(f"scenario: {wanted.save} ({tuned.answer.verdict})")
    if wanted.directory is not None:
        if not wanted.quiet:
            console.note("drawing the figures ...")
        evidence = Evidence.of(
            tuned,
            wanted.source,
            command.command_line(),
            _exports(tuned, wanted.device),
            options=wanted.options,
            cpu_s=sum(resource.getrusage(resource.RUSAGE_SELF)[:2]),
        )
        page = command.written(lambda place: write_evidence(evidence, place), wanted.directory)
        if not wanted.quiet:
            console.note(f"evidence: {page}")


def _headed(text: str, tuned: Tuned) -> str:
    """The verdict above everything else: a script is copied, and what was on the screen is not."""
    mark = "" if tuned.answer.verdict in {"achieved", "defaults already meet it"} else "TARGETS NOT MET: "
    said = [f"# {line}" for line in wrap(f"{mark}{sentence(tuned.answer)}", 96)]
    first, *rest = text.splitlines()
    if first.startswith("#!"):
        return "\n".join([first, *said, *rest])
    return "\n".join([*said, first, *rest])


def _exports(tuned: Tuned, device: str) -> dict[str, str]:
    """What the page offers: every form that the tuned queue has."""
    found: dict[str, str] = {}
    for form, name in (("tc", "tc script"), ("sqm", "OpenWrt SQM"), ("wred", "WRED")):
        try:
            found[name] = exported(tuned.scenario, None, form, device).text  # type: ignore[arg-type]
        except ExportError:
            continue
    return found
