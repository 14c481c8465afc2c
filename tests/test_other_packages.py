"""Verbs and scenarios of other packages."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest
import typer
from typer.testing import CliRunner

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
    assert {command.name for command in app.registered_commands} == {"greet", "reproduce"}


def test_a_verb_without_its_package_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch)
    app = typer.Typer()
    app.command("run")(lambda: None)
    verbs.add_others(app)
    done = CliRunner().invoke(app, ["reproduce", "all", "--quick"])
    assert done.exit_code == 2
    assert "pip install weir-papers" in done.output
    assert "reproduce" not in CliRunner().invoke(app, ["--help"]).output
