"""Output of `weir tune`, `weir results` and `weir report` on an answer of tuning."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from shutil import get_terminal_size
from textwrap import wrap

from rich.spinner import Spinner

from weir._errors import WeirError
from weir.cli import _command as command
from weir.cli._options import Wanted
from weir.export import ExportError, Form
from weir.export import export as exported
from weir.store import Store
from weir.tune import Choice, Front, Step, Tuned, choice_text, front_text, miss_words, setting_words, words

MEASURED = 5
"""Replications of a discipline that no kernel has, and of the closest one, to measure how much they
differ."""


def show(found: Tuned | Front | Choice, *, as_json: bool) -> None:
    """Prints the answer."""
    if as_json:
        command.print_json(found.to_json())
    else:
        width = get_terminal_size().columns
        command.print_text(
            front_text(found)
            if isinstance(found, Front)
            else choice_text(found, width)
            if isinstance(found, Choice)
            else words.text_of(found)
        )


def finish(found: Tuned | Front | Choice, opened: Store, store: Path | None, wanted: Wanted) -> None:
    """Prints the answer, or what was wanted in its place; writes files; says how to open the result."""

    def note(text: str) -> None:
        if not wanted.quiet:
            command.note(text)

    assert found.record is not None
    number = found.record.number
    if isinstance(found, Tuned) and wanted.export is not None:
        _show_export(found, wanted.export, wanted.device)
    else:
        show(found, as_json=wanted.json)
    if isinstance(found, Tuned) and wanted.save is not None:
        command.write_file(wanted.save, found.scenario.to_toml())
        note(f"scenario: {wanted.save} ({found.answer.verdict})")
    note(command.where_it_is(number, store, page=not isinstance(found, Front)))
    if wanted.has_page:
        page = report(opened, found, wanted.device, quiet=wanted.quiet)
        command.say_page(page, opens=wanted.opens, quiet=wanted.quiet)


def _show_export(tuned: Tuned, form: str, device: str | None) -> None:
    """The tuned queue as a script, with the verdict above everything else: a script is copied, and what was
    on the screen is not."""
    command.note(words.sentence(tuned.answer))
    line = command.command_line()
    found = exported(tuned.scenario, None, form, device, replications=MEASURED, command=line)  # type: ignore[arg-type]
    mark = "" if tuned.answer.verdict in {"achieved", "defaults already meet it"} else "TARGETS NOT MET: "
    said = [f"# {line}" for line in wrap(f"{mark}{words.sentence(tuned.answer)}", 96)]
    first, *rest = found.text.splitlines()
    head = [first, *said] if first.startswith("#!") else [*said, first]
    command.print_text("\n".join([*head, *rest]))
    for warning in found.warnings:
        command.note(f"warning: {warning}")


def report(
    store: Store,
    found: Tuned | Front | Choice,
    device: str | None = None,
    images: Sequence[str] = (),
    out: Path | None = None,
    *,
    quiet: bool,
) -> Path:
    """Writes the page of evidence into `out`, or the directory of the result, its figures in these forms
    beside it; returns the page."""
    if isinstance(found, Front):
        raise WeirError("a front has no page", "weir results shows its settings")
    from weir.report import ChoicePage, Evidence

    page = (
        ChoicePage(found, {name: _exports(one, device) for name, one in found.tuned.items()})
        if isinstance(found, Choice)
        else Evidence(found, _exports(found, device))
    )
    assert found.record is not None
    return command.write_page(store, found.record, lambda place: page.write(place, images), out, quiet=quiet)


def _exports(tuned: Tuned, device: str | None) -> dict[str, str]:
    """Scripts of the setting for other systems, where they have the discipline."""
    exports: dict[str, str] = {}
    titles: dict[Form, str] = {"tc": "tc script", "sqm": "OpenWrt SQM", "wred": "WRED", "junos": "Junos"}
    for form, name in titles.items():
        try:
            # A router has other names than `device`.
            of = device if form in {"tc", "sqm"} else None
            exports[name] = exported(tuned.scenario, None, form, of).text
        except ExportError:
            continue
    return exports


def step_line(step: Step) -> str:
    """Progress so far: `refining, 62 runs; best max_th 33 packets: a margin of 8.2% ±1.2%`."""
    text = f"{step.doing}, {step.runs} runs"
    if not step.setting:
        return text
    interval = "" if step.half_width in {0.0, float("inf")} else f" ±{words.percent(step.half_width)}"
    return f"{text}; best {setting_words(step.setting)}: {miss_words(step.shortfall)}{interval}"


def step_picture(step: Step) -> Spinner:
    """Progress so far, for a terminal."""
    return Spinner("line", text=step_line(step))
