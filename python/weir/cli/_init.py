"""`weir init`: a scenario to begin with."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path
from typing import Annotated

import typer

from weir.cli import _command as command
from weir.cli import _complete as completed
from weir.cli._options import flag, option
from weir.cli._templates import templates


def init(
    template: Annotated[
        str | None,
        typer.Argument(
            metavar="[TEMPLATE]", help="Default: list the templates.", autocompletion=completed.templates
        ),
    ] = None,
    *,
    out: Annotated[Path | None, option("FILE", "Default: TEMPLATE.toml.", "--out", "-o")] = None,
    force: Annotated[bool, flag("--force", "Replace FILE if it exists.")] = False,
) -> None:
    """Write a commented scenario with variants, to begin with."""
    known = templates()
    if template is None:
        if out is not None or force:
            raise typer.BadParameter(f"name a template: {', '.join(known)}")
        width = max(map(len, known))
        titles = {name: str(tomllib.loads(text)["title"]) for name, text in known.items()}
        command.print_text("\n".join(f"  {name:{width}}  {title}" for name, title in titles.items()))
        command.note(f"weir init {next(iter(known))} writes {next(iter(known))}.toml")
        return
    if template not in known:
        from weir.scenario import suggestion

        command.refuse(f"there is no template {template!r}", suggestion(template, list(known)))
    file = out or Path(f"{template}.toml")
    command.check_file(file, "--out")
    if file.suffix != ".toml":
        command.refuse(f"{file} is not named as a scenario", f"a scenario ends in .toml: --out {file}.toml")
    if file.exists() and not force:
        command.refuse(f"{file} exists", "choose another file with --out FILE, or replace it with --force")
    text = known[template]
    if re.fullmatch(r"[A-Za-z0-9_-]+", file.stem):
        # Results have the name of the scenario.
        text = text.replace(f'name = "{template}"', f'name = "{file.stem}"', 1)
    command.write_file(file, text)
    source = shlex.quote(str(file))
    steps = {
        f"weir check {source}": "the network as resolved, and what may mislead",
        f"weir compare {source} -n 5 --open": "the variants, and a page with figures in the browser",
    }
    width = max(map(len, steps))
    command.note(
        "\n".join([f"wrote {file}; next:", *(f"  {do:{width}}  {why}" for do, why in steps.items())])
    )
