"""`weir schema`."""

from __future__ import annotations


def schema() -> None:
    """Print the JSON schema of scenario files, for completion and checks in an editor."""
    from weir import _core
    from weir.cli import console

    console.print_text(_core.schema())
