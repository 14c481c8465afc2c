"""`weir report`."""

from __future__ import annotations

from weir.cli.options import Quiet, StorePath, Which


def report(which: Which = None, *, store: StorePath = None, quiet: Quiet = False) -> None:
    """Write the page of a result, with its figures, from the store alone: nothing is run."""
    from weir.cli import command, console
    from weir.store import DEFAULT

    with command.guarded(), command.opened(store or DEFAULT, create=False, quiet=quiet) as opened:
        console.print_text(str(command.report(command.found(opened, which), quiet=quiet)))
