from __future__ import annotations

import sys
from pathlib import Path

import pytest

import weir
from conftest import SMALL, names_in
from weir import replace, saved
from weir.report import comparison as report


def contents(directory: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def not_here(*_: Path) -> bool:
    """An exchange of names on a system that has none."""
    return False


def test_what_a_result_consists_of(compared: weir.Result, tmp_path: Path) -> None:
    compared.save(tmp_path / "result", report=False)
    assert sorted(contents(tmp_path / "result")) == [
        "completions.parquet",
        "delays.parquet",
        "flows.parquet",
        "groups.parquet",
        "links.parquet",
        "manifest.json",
        "resolved/drop-tail.toml",
        "resolved/red.toml",
        "resolved/rem.toml",
        "runs.parquet",
        "series.parquet",
    ]
    assert names_in(tmp_path) == ["result"]


def test_a_single_scenario_is_resolved_beside_the_tables(single: weir.Result, tmp_path: Path) -> None:
    single.save(tmp_path / "result", report=False)
    resolved = (tmp_path / "result" / "resolved.toml").read_text(encoding="utf-8")
    again = weir.Scenario.loads(resolved)
    assert again.hash == single.record.variants[0].hash
    assert again.to_toml() == resolved


def test_a_new_result_takes_the_place_of_the_old(
    compared: weir.Result, single: weir.Result, tmp_path: Path
) -> None:
    compared.save(tmp_path / "result", report=False)
    single.save(tmp_path / "result", report=False)
    assert weir.Result.load(tmp_path / "result").record == single.record
    assert not (tmp_path / "result" / "resolved").exists()
    assert names_in(tmp_path) == ["result"]


def test_also_where_names_cannot_be_exchanged(
    compared: weir.Result, single: weir.Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replace, "exchange", not_here)
    compared.save(tmp_path / "result", report=False)
    single.save(tmp_path / "result", report=False)
    assert weir.Result.load(tmp_path / "result").record == single.record
    assert names_in(tmp_path) == ["result"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError, OSError])
def test_an_interruption_leaves_the_earlier_result_and_nothing_else(
    compared: weir.Result,
    single: weir.Result,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: type[BaseException],
) -> None:
    compared.save(tmp_path / "result", report=False)
    before = contents(tmp_path / "result")

    def interrupted(*_: object) -> None:
        raise error

    monkeypatch.setattr(report, "write_report", interrupted)
    with pytest.raises(error):
        single.save(tmp_path / "result")
    assert contents(tmp_path / "result") == before
    assert names_in(tmp_path) == ["result"]


def test_an_interruption_between_the_two_renames_brings_the_earlier_result_back(
    compared: weir.Result, single: weir.Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared.save(tmp_path / "result", report=False)
    before = contents(tmp_path / "result")
    rename = Path.rename

    def interrupted(path: Path, target: Path) -> Path:
        if path.suffix == ".tmp":
            raise KeyboardInterrupt
        return rename(path, target)

    monkeypatch.setattr(replace, "exchange", not_here)
    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        single.save(tmp_path / "result", report=False)
    assert contents(tmp_path / "result") == before
    assert names_in(tmp_path) == ["result"]


@pytest.mark.skipif(sys.platform != "linux", reason="exchanging two names is a system call of Linux")
def test_names_are_exchanged_in_one_step(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name, encoding="utf-8")
    assert replace.exchange(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "a" / "file").read_text(encoding="utf-8") == "b"
    assert (tmp_path / "b" / "file").read_text(encoding="utf-8") == "a"


def test_variants_have_names_that_files_can_have() -> None:
    text = SMALL.replace("[variants.red]", '[variants."a/../b c"]')
    with pytest.raises(weir.ScenarioError, match="not a plain name"):
        weir.Scenario.loads(text)


def test_other_peoples_directories_are_left_alone(single: weir.Result, tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.tex").write_text("Chapter 1", encoding="utf-8")
    with pytest.raises(FileExistsError, match="holds other things than a weir result"):
        single.save(tmp_path / "thesis")
    assert names_in(tmp_path / "thesis") == ["chapter.tex"]


def test_an_earlier_result_is_kept_if_asked_for(single: weir.Result, tmp_path: Path) -> None:
    single.save(tmp_path / "result", report=False)
    with pytest.raises(FileExistsError, match="holds an earlier result"):
        single.save(tmp_path / "result", report=False, replace=False)


def test_an_empty_directory_is_as_good_as_none(single: weir.Result, tmp_path: Path) -> None:
    (tmp_path / "result").mkdir()
    single.save(tmp_path / "result", report=False)
    assert weir.Result.load(tmp_path / "result").record == single.record


def test_the_working_directory_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "inside").mkdir()
    monkeypatch.chdir(tmp_path / "inside")
    for directory in (".", ".."):
        with pytest.raises(FileExistsError, match="is where you are working"):
            saved.check_writable(directory)


def test_checking_leaves_nothing_behind(tmp_path: Path) -> None:
    saved.check_writable(tmp_path / "a" / "b")
    assert names_in(tmp_path) == []


def test_a_result_is_as_readable_as_any_directory(single: weir.Result, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    single.save(tmp_path / "result", report=False)
    assert (tmp_path / "result").stat().st_mode == (tmp_path / "plain").stat().st_mode
