"""The full set as one file, and the steps that make it on a plain Debian."""

from __future__ import annotations

import io
import json
import subprocess
import zipfile
from contextlib import nullcontext
from pathlib import Path

import polars as pl
import pytest
from own_paper import VARIANTS, paper_of

from conftest import SMALL, Command
from waiting import HANG_S
from weir.store import RESULTS_VERSION, Store
from weir.sweep import chosen_workers
from weir_papers.archive import Archive
from weir_papers.reproduce import Planned, reproduce

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive of the small paper, made twice."""
    directory = tmp_path_factory.mktemp("archive")
    (directory / "small.toml").write_text(SMALL, encoding="utf-8")
    planned = Planned.of(paper_of(directory / "small.toml"), quick=False)
    with Store.open(directory / "store", create=True) as store, chosen_workers(threads=2) as workers:
        outcome = reproduce(planned, store, workers, lambda _, __: nullcontext())
        for name in ("first.zip", "second.zip"):
            made = Archive.at(directory / name)
            made.add(outcome, 1.0)
            assert not (directory / name).exists(), "it has its name when it is whole"
            assert made.finish() == directory / name
    assert not list(directory.glob("*.part"))
    return directory / "first.zip"


def test_an_archive_has_claims_rows_scenarios_and_what_they_took(archive: Path) -> None:
    with zipfile.ZipFile(archive) as file:
        assert file.testzip() is None
        names = set(file.namelist())
        about = json.loads(file.read("about.json"))
        claims = json.loads(file.read("own-2026/claims.json"))
        tables = [io.BytesIO(file.read(f"own-2026/steps/{name}.parquet")) for name in ("runs", "links")]
    runs, links = map(pl.read_parquet, tables)
    scenarios = {f"own-2026/steps/{one}.toml" for one in VARIANTS}
    assert {"README.md", "own-2026/rates/series.parquet", *scenarios} <= names
    assert about["results_version"] == RESULTS_VERSION
    assert about["machine"]["cores"] >= 1
    assert about["papers"]["own-2026"]["registered"] == "0000007" + 9 * "f"
    assert about["papers"]["own-2026"]["groups"]["reproduced"] == 2
    assert {one["id"]: one["group"] for one in claims}["X-2"] == "contradicted"
    # Three queues, six replications; every run has its rows.
    assert runs.height == 18
    assert set(runs["run"]) == set(links["run"])


def test_the_same_set_makes_the_same_archive(archive: Path) -> None:
    assert archive.read_bytes() == archive.with_name("second.zip").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--quick", "--archive", "a.zip"], "an archive is of the full set"),
        (["-n", "2", "--archive", "a.zip"], "an archive is of the full set"),
        (["--archive", "missing/a.zip"], "missing/a.zip cannot be written: No such file"),
    ],
)
def test_an_archive_that_cannot_be(
    weir_command: Command, tmp_path: Path, arguments: list[str], said: str
) -> None:
    done = weir_command("reproduce", "rem-2001", *arguments)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.replace("│", " ").split())
    assert not list(tmp_path.iterdir())


def test_the_steps_of_the_container_make_the_papers() -> None:
    """An image cannot be built where tests run: its file runs the script, and the script runs make."""
    steps = (ROOT / "tools" / "Containerfile").read_text(encoding="utf-8")
    assert "COPY . /weir" in steps
    assert "RUN tools/papers.sh --dry-run" in steps
    assert 'CMD ["tools/papers.sh"]' in steps
    command = ["sh", "tools/papers.sh", "--dry-run"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=HANG_S)
    assert done.returncode == 0, done.stderr
    assert "weir reproduce all --pages docs/papers" in done.stdout
