"""Directories of pages: they appear whole, and replace nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import weir
from conftest import SMALL, names_in
from weir.report._directory import check_writable, replacing, write_into, write_manifest
from weir.store import _replace as replace


def write(directory: Path, text: str) -> None:
    with replacing(directory) as place:
        (place / "figures").mkdir()
        (place / "figures" / f"{text}.svg").write_text(text, encoding="utf-8")
        (place / "report.html").write_text(text, encoding="utf-8")
        write_manifest(place, {"weir": weir.__version__})


def contents(directory: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def not_here(*_: Path) -> bool:
    """An exchange of names on a system that has none."""
    return False


@pytest.mark.parametrize("exchanged", [True, False])
def test_a_new_page_takes_the_place_of_the_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, exchanged: bool
) -> None:
    if not exchanged:
        monkeypatch.setattr(replace, "exchange", not_here)
    write(tmp_path / "pages", "one")
    write(tmp_path / "pages", "two")
    assert sorted(contents(tmp_path / "pages")) == ["figures/two.svg", "manifest.json", "report.html"]
    assert names_in(tmp_path) == ["pages"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError, OSError])
def test_an_interruption_leaves_the_earlier_page_and_nothing_else(
    tmp_path: Path, error: type[BaseException]
) -> None:
    write(tmp_path / "pages", "one")
    before = contents(tmp_path / "pages")

    def interrupted() -> None:
        with replacing(tmp_path / "pages") as place:
            (place / "report.html").write_text("half", encoding="utf-8")
            raise error

    with pytest.raises(error):
        interrupted()
    assert contents(tmp_path / "pages") == before
    assert names_in(tmp_path) == ["pages"]


def test_an_interruption_between_the_two_renames_brings_the_earlier_page_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "pages", "one")
    before = contents(tmp_path / "pages")
    rename = Path.rename

    def interrupted(path: Path, target: Path) -> Path:
        if path.suffix == ".tmp":
            raise KeyboardInterrupt
        return rename(path, target)

    monkeypatch.setattr(replace, "exchange", not_here)
    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "pages", "two")
    assert contents(tmp_path / "pages") == before
    assert names_in(tmp_path) == ["pages"]


@pytest.mark.skipif(sys.platform != "linux", reason="exchanging two names is a system call of Linux")
def test_names_are_exchanged_in_one_step(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name, encoding="utf-8")
    assert replace.exchange(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "a" / "file").read_text(encoding="utf-8") == "b"
    assert (tmp_path / "b" / "file").read_text(encoding="utf-8") == "a"


@pytest.mark.parametrize("error", [None, KeyboardInterrupt, OSError])
def test_the_page_of_a_result_leaves_its_captures_alone(
    tmp_path: Path, error: type[BaseException] | None
) -> None:
    for name in ("captures", "figures"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "old").write_text("old", encoding="utf-8")

    def drawn(place: Path) -> None:
        (place / "figures").mkdir()
        (place / "figures" / "new").write_text("new", encoding="utf-8")
        if error is not None:
            raise error
        (place / "report.html").write_text("new", encoding="utf-8")

    if error is not None:
        with pytest.raises(error):
            write_into(tmp_path, drawn)
        assert sorted(contents(tmp_path)) == ["captures/old", "figures/old"]
    else:
        write_into(tmp_path, drawn)
        assert sorted(contents(tmp_path)) == ["captures/old", "figures/new", "report.html"]


def test_variants_have_names_that_files_can_have() -> None:
    text = SMALL.replace("[variants.red]", '[variants."a/../b c"]')
    with pytest.raises(weir.ScenarioError, match="not a plain name"):
        weir.Scenario.loads(text)


def test_other_peoples_directories_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.tex").write_text("Chapter 1", encoding="utf-8")
    with pytest.raises(FileExistsError, match="holds other things than a weir result"):
        write(tmp_path / "thesis", "page")
    assert names_in(tmp_path / "thesis") == ["chapter.tex"]


def test_an_earlier_page_is_kept_if_asked_for(tmp_path: Path) -> None:
    write(tmp_path / "pages", "one")
    with (
        pytest.raises(FileExistsError, match="holds an earlier result"),
        replacing(tmp_path / "pages", replace=False),
    ):
        pass


def test_an_empty_directory_is_as_good_as_none(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    write(tmp_path / "pages", "one")
    assert (tmp_path / "pages" / "report.html").exists()


def test_the_working_directory_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "inside").mkdir()
    monkeypatch.chdir(tmp_path / "inside")
    for directory in (".", ".."):
        with pytest.raises(FileExistsError, match="is where you are working"):
            check_writable(directory)


def test_checking_leaves_nothing_behind(tmp_path: Path) -> None:
    check_writable(tmp_path / "a" / "b")
    assert names_in(tmp_path) == []


def test_a_page_is_as_readable_as_any_directory(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    write(tmp_path / "pages", "one")
    assert (tmp_path / "pages").stat().st_mode == (tmp_path / "plain").stat().st_mode
