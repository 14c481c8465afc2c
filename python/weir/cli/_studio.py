"""`weir studio`: the simulator in the browser."""

from __future__ import annotations

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
            help="A TOML file, or a bundled scenario. Default: the page's own.",
            autocompletion=completed.scenarios,
        ),
    ] = None,
    *,
    port: Annotated[
        int, option("PORT", "Of this machine. Default: a free one.", "--port", min=0, max=65535)
    ] = 0,
    no_open: Annotated[bool, flag("--no-open", "Open no browser; print the address.")] = False,
    no_python: NoPython = False,
) -> None:
    """Open the studio: a scenario in the browser.

    The page simulates by itself, and shows what your changes do. It is served to this machine alone, until
    Ctrl-C.
    """
    from weir import studio as pages

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
    from weir.scenario import Scenario, file_of

    scenario = Scenario.load(source, python=python)
    return pages.fragment(file_of(source).read_text(encoding="utf-8"), scenario.variants)
