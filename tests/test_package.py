"""The package: one version, what a wheel holds, and an extension that belongs to it."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

import weir
from weir import _core, _extension
from weir.disciplines import controls, registered

ROOT = Path(__file__).parents[1]
VERSION = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]


def toml(file: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / file).read_text(encoding="utf-8"))


def test_the_profile_of_a_wheel_has_scenarios_of_every_choice() -> None:
    """Loads all of them, whatever a congestion control needs beside it. `make wheel` runs them."""
    scenarios = runpy.run_path(str(ROOT / "tools" / "train.py"))["scenarios"]
    documents = [json.loads(scenario.to_json()) for scenario in scenarios()]
    links = [link for document in documents for link in document["links"].values()]
    tcps = [flows.get("tcp", {}) for document in documents for flows in document["flows"].values()]
    chosen = {name for link in links for name in link["queue"]}
    chosen |= {name for tcp in tcps for name in tcp.get("congestion", {})}
    assert {one.name for one in (*registered(), *controls())} <= chosen


def test_there_is_one_version() -> None:
    """Compares all versions with that of the workspace in Cargo.toml."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert toml("pyproject.toml")["project"]["dynamic"] == ["version"]
    assert cited["version"] == _extension.__version__ == _core.__version__ == weir.__version__ == VERSION
    told = subprocess.run(
        [sys.executable, "-m", "weir", "--version"], capture_output=True, text=True, check=True
    )
    assert told.stdout == f"weir {VERSION}\n"


def test_the_newest_heading_of_the_changelog_is_the_version_or_unreleased() -> None:
    """A tag `vVERSION` needs a heading `[VERSION] - DATE`."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## \[([^\]]+)\](?: - \d{4}-\d\d-\d\d)?$", text, re.MULTILINE)
    assert len(headings) == text.count("\n## ")
    assert headings[0] in {"Unreleased", VERSION}
    released = [heading for heading in headings if heading != "Unreleased"]
    assert released[:1] in ([], [VERSION])
    tags = subprocess.run(
        ["git", "tag", "--points-at", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert all(tag == f"v{headings[0]}" for tag in tags.stdout.split() if tag.startswith("v"))


def test_the_citation_is_complete() -> None:
    """The fields that version 1.2.0 of the schema requires, and the authors."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["cff-version"] == "1.2.0"
    assert {"message", "title", "type", "license"} <= set(cited)
    assert cited["authors"] == toml("pyproject.toml")["project"]["authors"]
    assert set(cited["license"]) == set(toml("pyproject.toml")["project"]["license"].split(" OR "))
    assert cited["repository-code"] == toml("Cargo.toml")["workspace"]["package"]["repository"]


def test_the_name_of_the_package_is_the_same_everywhere() -> None:
    """`weir` is another package on the index."""
    assert toml("pyproject.toml")["project"]["name"] == "weir-aqm"
    extras = toml("pyproject.toml")["project"]["optional-dependencies"]
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    for name in listed.stdout.split():
        if Path(name).suffix not in {".md", ".py", ".toml", ".ipynb"} or not (ROOT / name).is_file():
            continue
        for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
            for asked, extra in re.findall(r"pip install '?(weir[\w-]*)(?:\[(\w+)\])?", line):
                assert asked == "weir-aqm", f"{name}: {line}"
                assert not extra or extra in extras, f"{name}: {line}"


@pytest.fixture
def fresh_check() -> Any:  # noqa: ANN401
    _extension.mismatch.cache_clear()
    yield _extension.mismatch
    _extension.mismatch.cache_clear()


def test_an_extension_of_another_version_is_refused(
    fresh_check: Any,  # noqa: ANN401
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert fresh_check() is None
    fresh_check.cache_clear()
    monkeypatch.setattr(_core, "__version__", "0.0.9")
    assert "has version 0.0.9, the package" in fresh_check()
    with pytest.raises(ImportError, match=r"0\.0\.9"):
        _ = weir.nothing  # type: ignore[attr-defined]


@pytest.mark.parametrize("change", ["weir._core.interface = 1", "del weir._core.interface"])
def test_an_extension_of_other_sources_is_one_line(change: str) -> None:
    changed = f"import weir._core; {change}; import weir.__main__ as m; m.main()"
    done = subprocess.run([sys.executable, "-c", changed], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("error: the extension weir._core was built from other sources: run")


def test_data_frames_become_those_of_pandas(compared: weir.Sweep) -> None:
    """Needs the extra `pandas`."""
    pytest.importorskip("pyarrow")
    frame = compared.summary()
    converted: Any = frame.to_pandas()
    assert list(converted.columns) == frame.columns
    assert list(converted["variant"]) == frame["variant"].to_list()


def data_files() -> set[str]:
    """Files of the package besides modules, from the sources."""
    listed = subprocess.run(
        ["git", "ls-files", "python/weir", "python/weir_papers"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return {name.removeprefix("python/") for name in listed.stdout.split()}


# `make soak` builds a wheel, which takes minutes, and names its folder.
WHEELS = os.environ.get("WEIR_WHEEL")
needs_wheel = pytest.mark.skipif(WHEELS is None, reason="WEIR_WHEEL does not name the folder of a wheel")


@pytest.fixture
def wheel() -> Path:
    assert WHEELS is not None
    (found,) = Path(WHEELS).glob("*.whl")
    return found


@needs_wheel
def test_the_wheel_has_everything(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert data_files() <= names
    assert {Path(name).suffix for name in data_files()} >= {
        ".toml",
        ".jinja",
        ".css",
        ".js",
        ".pyi",
        ".typed",
    }
    assert any(name.endswith("data/share/man/man1/weir.1") for name in names)
    assert wheel.name.startswith(f"weir_aqm-{VERSION}-")
    assert not any(name.startswith(("tests/", "papers/")) or "__pycache__" in name for name in names)


@needs_wheel
def test_the_wheel_works_in_a_bare_environment(wheel: Path, tmp_path: Path) -> None:
    """Uses its dependencies alone, in an empty folder."""
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    python = tmp_path / "venv/bin/python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", wheel], check=True)
    here = tmp_path / "here"
    here.mkdir()

    def run(*words: str) -> str:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        command = [tmp_path / "venv/bin/weir", *words]
        done = subprocess.run(command, cwd=here, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (words, done.stderr)
        return done.stdout

    assert "Usage" in run("--help")
    assert run("--version") == f"weir {VERSION}\n"
    assert json.loads(run("run", "rem-wireline", "--set", "duration=60 s", "--json", "--quiet"))
    run("init", "access")
    run("check", "access.toml")
    shorter = ("duration=5 s", "measure.warm_up=1 s", 'measure.series={ interval = "100 ms" }')
    run("run", "access.toml", *(word for text in shorter for word in ("--set", text)), "--report", "--quiet")
    run("report", "--quiet")
    run("plot", "--kind", "over-time", "--out", "figure.svg")
    run("plot", "--kind", "over-time", "--out", "figure.png")
    run("show", "red")
    run("list", "--json")
    assert len(json.loads(run("reproduce", "--list", "--json"))) == 5
    run("check", "papers/rem-2001-wireless")
    assert (here / "figure.svg").stat().st_size > 1000
    told = subprocess.run(
        [python, "-c", "import weir; print(weir.__file__)"],
        cwd=here,
        capture_output=True,
        text=True,
        check=True,
    )
    assert str(tmp_path / "venv") in told.stdout
