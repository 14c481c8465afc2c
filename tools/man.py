"""Prints weir.1, the manual page of the command line: `python tools/man.py`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any

import typer

from weir.cli import GROUPS, VERBS, program

PLACES = (
    ("results/store", "Finished runs and the list of results, in the current folder. See --store."),
    ("results/NUMBER-NAME", "Page, figures and captures of a result."),
    ("BROWSER", "The browser that --open starts."),
    ("COLUMNS", "The width of tables. Default: that of the terminal."),
    ("NO_COLOR", "If set, progress is shown without colour."),
)
CODES = (
    ("0", "Done."),
    (
        "1",
        "An AQM in Python failed, a theory did not converge, a gate does not hold, nothing can be written.",
    ),
    ("2", "The input cannot be used; the message says what to write."),
    ("3", "weir evaluate: the gate is undecided."),
    ("130", "Interrupted; finished runs are kept."),
)


def page() -> str:
    """The page, in the macros of man(7)."""
    root: Any = typer.main.get_command(program())
    lines = [
        '.TH WEIR 1 "" Weir "User Commands"',
        ".SH NAME",
        "weir \\- simulate active queue management",
        ".SH SYNOPSIS",
        ".B weir",
        "[\\fIOPTIONS\\fR] \\fICOMMAND\\fR [\\fIARGUMENTS\\fR]",
        ".SH DESCRIPTION",
        _text(str(root.help)),
        "A scenario is a TOML file, or the name of a bundled one. Results go to stdout, all else to stderr.",
        ".SH OPTIONS",
        *_options(root),
        ".SH COMMANDS",
    ]
    for name in (*VERBS, *GROUPS):
        command = root.commands[name]
        below: dict[str, Any] = getattr(command, "commands", None) or {"": command}
        for verb, one in below.items():
            lines += _command(f"weir {name} {verb}".strip(), one)
    lines += [".SH FILES AND ENVIRONMENT", *_entries(PLACES), ".SH EXIT STATUS", *_entries(CODES)]
    return "\n".join(lines) + "\n"


def _command(name: str, command: Any) -> Iterator[str]:  # noqa: ANN401 - typer does not name its types
    arguments = [str(one.make_metavar(None)) for one in command.params if one.param_type_name == "argument"]
    yield f".SS {_text(' '.join([name, *(text.strip('{}') for text in arguments), '[OPTIONS]']))}"
    for paragraph in str(command.help).split("\n\n"):
        yield _text(" ".join(paragraph.split()))
        yield ".PP"
    yield from _options(command)


def _options(command: Any) -> Iterator[str]:  # noqa: ANN401
    for one in command.params:
        if one.param_type_name == "argument":
            if one.help:
                yield from _entries([(str(one.metavar).strip("[]"), one.help)])
            continue
        names = ", ".join([*one.opts, *one.secondary_opts])
        takes = "" if one.is_flag else f" {one.metavar or 'N'}"
        yield from _entries([(f"{names}{takes}", str(one.help or ""))])


def _entries(pairs: Any) -> Iterator[str]:  # noqa: ANN401
    for name, meaning in pairs:
        yield from (".TP", f"\\fB{_text(name)}\\fR", _text(meaning))


def _text(text: str) -> str:
    """Text that roff takes as it is: no hyphen is broken, no line is a command."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "")
    escaped = re.sub(r"[^\x00-\x7f]", lambda found: f"\\[u{ord(found[0]):04X}]", escaped)
    return re.sub(r"^([.'])", r"\\&\1", escaped, flags=re.MULTILINE)


if __name__ == "__main__":
    sys.stdout.write(page())
