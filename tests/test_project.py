"""The files that people expect of a project say what the project does."""

from __future__ import annotations

import configparser
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
GITHUB = ROOT / ".github"
FORMS = sorted(path.name for path in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")


def toml(file: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / file).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("schema", "file"),
    [
        ("github-workflows", ".github/workflows/checks.yml"),
        ("github-issue-config", ".github/ISSUE_TEMPLATE/config.yml"),
        *(("github-issue-forms", f".github/ISSUE_TEMPLATE/{form}") for form in FORMS),
        ("citation-file-format", "CITATION.cff"),
    ],
)
def test_a_file_of_a_known_form_is_valid(schema: str, file: str) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    done = subprocess.run([*command, str(ROOT / file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    # The schema refuses what is none.
    done = subprocess.run([*command, str(ROOT / "clippy.toml")], capture_output=True, check=False)
    assert done.returncode != 0


def test_the_workflow_runs_what_the_tree_has() -> None:
    jobs = yaml.safe_load((GITHUB / "workflows/checks.yml").read_text(encoding="utf-8"))["jobs"]
    runs = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    assert ".ci/run" in runs
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert {run.removeprefix("make ") for run in runs if run.startswith("make ")} <= targets
    oldest = toml("Cargo.toml")["workspace"]["package"]["rust-version"]
    assert f"cargo +{oldest} check --workspace --exclude weir-python --locked" in runs
    assert f"rustup toolchain install {oldest} --profile minimal" in runs
    python = {step["with"]["python-version"] for job in jobs.values() for step in job["steps"]
              if "setup-python" in step.get("uses", "")}  # fmt: skip
    assert python == {toml("pyproject.toml")["project"]["requires-python"].removeprefix(">=")}


def test_editors_break_lines_where_formatters_do() -> None:
    read = configparser.ConfigParser()
    read.read_string("[all]\n" + (ROOT / ".editorconfig").read_text(encoding="utf-8"))
    assert read["*.rs"]["max_line_length"] == str(toml("rustfmt.toml")["max_width"])
    ruff = toml("pyproject.toml")["tool"]["ruff"]["line-length"]
    assert read["*.{py,pyi}"]["max_line_length"] == str(ruff)


def test_the_hooks_before_a_commit_are_those_of_make_format() -> None:
    (local,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    entries = {hook["entry"].removesuffix(" --force-exclude") for hook in local["hooks"]}
    rule = re.search(
        r"^format:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert rule
    assert entries == {line.strip().replace("$(BIN)", ".venv/bin") for line in rule[1].splitlines()}


@pytest.mark.parametrize("crate", sorted(path.name for path in (ROOT / "crates").iterdir()))
def test_a_crate_can_be_packaged(crate: str) -> None:
    """Its version is the one that others ask for, and its page has an example. Bindings are no packages."""
    own = toml(f"crates/{crate}/Cargo.toml")["package"]
    if own.get("publish") is False:
        return
    workspace = toml("Cargo.toml")["workspace"]
    assert workspace["dependencies"][crate]["version"] == workspace["package"]["version"]
    keys = ("version", "license", "repository", "keywords", "categories", "rust-version")
    assert {key for key in keys if own[key] == {"workspace": True}} == set(keys)
    page = (ROOT / "crates" / crate / "README.md").read_text(encoding="utf-8")
    assert "```rust" in page
    assert (
        (ROOT / "crates" / crate / "src/lib.rs")
        .read_text(encoding="utf-8")
        .startswith('#![doc = include_str!("../README.md")]')
    )
