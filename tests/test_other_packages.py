"""Verbs and scenarios of other packages."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest
import typer

from weir.cli import _app as verbs
from weir.scenario._scenario import bundled


def installed(monkeypatch: pytest.MonkeyPatch, *entries: EntryPoint) -> None:
    def found(*, group: str) -> tuple[EntryPoint, ...]:
        assert group == verbs.GROUP
        return entries

    monkeypatch.setattr(verbs, "entry_points", found)


def test_the_papers_bring_their_scenarios() -> None:
    assert "papers/rem-2001-wireless" in bundled()


def test_a_verb_of_another_package_is_added(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, EntryPoint("greet", "typer:echo", verbs.GROUP))
    app = typer.Typer()
    verbs.add_others(app)
    assert {command.name for command in app.registered_commands} == {"greet"}
