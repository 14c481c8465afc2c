"""`weir studio`: the simulator in the browser."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from weir.cli import _command as command
from weir.cli import _complete as completed
from weir.cli._options import NoPython, flag, option


def studio(
    scenario: Annotated[
        str | None,
        typer.Argument(
            metavar="[SCENARIO]",
            help="A TOML file, a lesson (a Markdown file), a bundled scenario, or a link in quotes. "
            "Default: the page's own.",
            autocompletion=completed.scenarios,
        ),
    ] = None,
    *,
    port: Annotated[
        int, option("PORT", "Of this machine. Default: a free one.", "--port", min=0, max=65535)
    ] = 0,
    no_open: Annotated[bool, flag("--no-open", "Open no browser; print the address.")] = False,
    no_python: NoPython = False,
    export: Annotated[
        Path | None, option("DIR", "Write the page, ready for a web server, and end.", "--export")
    ] = None,
    force: Annotated[bool, flag("--force", "Replace another index.html in DIR.")] = False,
) -> None:
    """Open the studio: a scenario in the browser.

    The page simulates by itself, and shows what your changes do. It is served to this machine alone, until
    Ctrl-C. A link that the page shared, or its part from # on, opens what was shared.
    """
    from weir import studio as pages

    if export is not None:
        if scenario is not None:
            command.refuse(
                "--export writes the page without a scenario", "open SCENARIO, then Share gives its link"
            )
        _export(export, force=force)
        return
    if force:
        raise typer.BadParameter("--force goes with --export DIR")
    fragment = "" if scenario is None else _fragment(scenario, python=not no_python)
    if not pages.PAGE.exists():
        command.refuse(pages.NOT_BUILT)
    try:
        server = pages.server(port)
    except OSError as error:
        command.refuse(f"port {port} cannot be used: {error.strerror}", "leave --port out for a free one")
    with server:
        address = f"http://127.0.0.1:{server.server_port}/"
        command.note(f"studio: {address}; Ctrl-C ends it")
        try:
            if no_open:
                command.print_text(address + fragment)
            else:
                command.open_in_browser(address + fragment)
            server.serve_forever()
        except KeyboardInterrupt:
            # The way to end it.
            return


def _fragment(source: str, *, python: bool) -> str:
    from weir import studio as pages
    from weir.lesson import Lesson, read_lesson
    from weir.scenario import Scenario, file_of

    if pages.is_link(source):
        return pages.fragment_of(source)
    if source.endswith(".md"):
        text = read_lesson(source)
        Lesson.parse(text, source)
        return pages.lesson_fragment(text)
    scenario = Scenario.load(source, python=python)
    return pages.fragment(file_of(source).read_text(encoding="utf-8"), scenario.variants)


def _export(folder: Path, *, force: bool) -> None:
    """Writes the page, which is one file, into a folder."""
    from weir import studio as pages

    if not pages.PAGE.exists():
        command.refuse(pages.NOT_BUILT)
    text = pages.PAGE.read_text(encoding="utf-8")
    file = folder / "index.html"
    if file.is_dir() or (folder.exists() and not folder.is_dir()):
        command.refuse(f"{file} cannot be written", "name a folder: --export DIR")
    if file.exists() and not force and file.read_bytes() != text.encode():
        command.refuse(f"{file} exists", "choose another folder: --export DIR; --force replaces it")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        command.refuse(f"{folder} cannot be made: {error.strerror}", "name another folder: --export DIR")
    command.write_file(file, text)
    command.note(f"wrote {file}, which is all that a web server needs: copy it there, or serve it yourself:")
    command.note(f"  python3 -m http.server --directory {shlex.quote(str(folder))}")
