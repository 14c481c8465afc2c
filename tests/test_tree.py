"""The tree is what CONTRIBUTING and the page on the architecture say."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import weir
from weir import _core
from weir.disciplines import controls
from weir.export._closest import _CLOSEST  # pyright: ignore[reportPrivateUsage]

ROOT = Path(__file__).parents[1]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")

SOURCES = {".rs", ".py", ".pyi", ".ts", ".svelte", ".js", ".mjs", ".css", ".sh", ".jinja"}
LONGEST = 400
DECLARED = {"python/weir/_core.pyi"}
"""Types of what another language defines: as long as that is."""

BUILT = {"docs/_build/html/index.html", "docs/scorecards", "results/papers.zip"}
"""Paths that a page names and a command writes: the tree does not have them."""


@cache
def files() -> tuple[str, ...]:
    """The files of the tree that git does not ignore."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return tuple(name for name in dict.fromkeys(listed.stdout.split("\n")) if (ROOT / name).is_file())


def table(text: str, head: str) -> list[list[str]]:
    """The rows of the table with this first heading."""
    (rows,) = re.findall(rf"^\| {head} \|.*\n\|[ |-]*\n((?:\|.*\n)+)", text, re.MULTILINE)
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows.splitlines()]


def toml(file: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / file).read_text(encoding="utf-8"))


def test_no_file_is_longer_than_is_allowed() -> None:
    assert f"at most {LONGEST} lines" in CONTRIBUTING
    lengths = {
        name: len((ROOT / name).read_text(encoding="utf-8").splitlines())
        for name in files()
        if Path(name).suffix in SOURCES and name not in DECLARED
    }
    assert len(lengths) > 900
    assert {name: length for name, length in lengths.items() if length > LONGEST} == {}


def test_saved_cases_of_proptest_have_a_source() -> None:
    """A file of them is beside the folder of `lib.rs` or `main.rs`, and named as the file of its test."""
    saved = [Path(name) for name in files() if "proptest-regressions" in name]
    assert saved
    for path in saved:
        crate, _, test = str(path).partition("proptest-regressions/")
        sources = [f"{crate}{folder}/{test.removesuffix('.txt')}.rs" for folder in ("src", "it")]
        found = [source for source in sources if (ROOT / source).exists()]
        assert found, f"{path} is read by no test: its source has another name"
        assert "proptest!" in (ROOT / found[0]).read_text(encoding="utf-8"), found[0]


PATH = re.compile(r"[\w.*{}/-]+(?:/|\.(?:rs|py|md|toml|json|jinja|html))|[\w.-]+/[\w./*-]+")


def paths(text: str) -> list[str]:
    """The paths between backticks, with a star for what a reader fills in."""
    spans = re.findall(r"`([^`\n]+)`", text)
    return [re.sub(r"NAME|SUITE|PAPER", "*", span) for span in spans if PATH.fullmatch(span)]


def exists(path: str, near: list[Path]) -> bool:
    """Returns true if a path is in the tree, or in one of these folders or above it."""
    folders = [ROOT, *(one for folder in near for one in (folder, *folder.parents) if ROOT in one.parents)]
    return any(next(folder.glob(path.rstrip("/")), None) for folder in folders)


def test_paths_in_contributing_exist() -> None:
    """Paths are given in full, or as seen from a path named before in the same row or paragraph."""
    named = 0
    for block in re.split(r"\n(?=[|-])|\n\n", CONTRIBUTING):
        near: list[Path] = []
        for path in paths(block):
            if "/" not in path and not block.startswith("|"):
                continue
            assert path in BUILT or exists(path, near), f"{path} in: {block}"
            for found in list(ROOT.glob(path.rstrip("/")))[:1]:
                near += [found.parent, *([found] if found.is_dir() else [])]
            named += 1
    assert named > 60


def test_paths_in_the_page_on_the_architecture_exist() -> None:
    """Paths are given in full, or in the sources of the crate that is named before, or below `python` or
    `docs`."""
    named = 0
    others = (ROOT / "python/weir", ROOT / "docs")
    for block in re.split(r"\n(?=\|)|\n\n", ARCHITECTURE):
        crates = [ROOT / "crates" / name / "src" for name in re.findall(r"`(weir-\w+)`", block)]
        for path in paths(block):
            assert path in BUILT or exists(path, [*crates, *others]), f"{path} in: {block}"
            named += 1
    assert named > 30


def crates() -> dict[str, set[str]]:
    """The members of the workspace, and which of them each uses outside of its tests."""
    found: dict[str, set[str]] = {}
    for path in sorted((ROOT / "crates").iterdir()):
        manifest = toml(f"crates/{path.name}/Cargo.toml")
        parts = (manifest, *manifest.get("target", {}).values())
        used = {name for part in parts for name in part.get("dependencies", {})}
        found[path.name] = {name for name in used if name.startswith("weir-")}
    return found


def test_every_crate_has_a_row_with_what_it_uses() -> None:
    told: dict[str, set[str]] = {}
    for name, _, uses in table(ARCHITECTURE, "crate"):
        given, _, left_out = uses.partition(" but ")
        names = {f"weir-{one}" for one in re.findall(r"[a-z]+", left_out if "all above" in given else given)}
        told[name.strip("`")] = set(told) - names if "all above" in given else names
    assert told == crates()


def test_every_python_room_has_a_row_in_the_order_of_the_arrows() -> None:
    rows = [re.findall(r"`weir\.(\w+)`", names) for names, _ in table(ARCHITECTURE, "Python package")]
    (layers,) = (
        contract["layers"]
        for contract in toml("pyproject.toml")["tool"]["importlinter"]["contracts"]
        if contract["type"] == "layers"
    )
    rooms = [set(re.split(r" [:|] ", layer)) for layer in layers]
    # The lowest two are files that all rooms use.
    assert [set(row) for row in rows if row] == rooms[:-2][::-1]
    folders = {path.parent.name for path in (ROOT / "python/weir").glob("*/__init__.py")}
    assert folders <= {name for row in rows for name in row}


WITHOUT_CLOCK = ("types", "aqm", "tcp", "line", "theory")
CLOCKS = re.compile(
    r"\b(?:SystemTime|ThreadTime|Instant::now|cpu_time|rayon|std::(?:fs|io|net|thread|env)\b)"
)


def sources(crate: str) -> dict[Path, str]:
    """The sources of a crate, without comments and tests."""
    noise = re.compile(r"//[^\n]*|#\[cfg\(test\)\]\s*mod \w+ \{.*", re.DOTALL)
    found = (ROOT / "crates" / crate / "src").rglob("*.rs")
    return {path: noise.sub("", path.read_text(encoding="utf-8")) for path in found}


@pytest.mark.parametrize("crate", WITHOUT_CLOCK)
def test_queues_and_endpoints_have_no_clock_and_no_files(crate: str) -> None:
    for path, text in sources(f"weir-{crate}").items():
        flat = re.sub(r"std::\{([^}]*)\}", lambda match: re.sub(r"\b(\w+)", r"std::\1", match[1]), text)
        assert not CLOCKS.search(flat), path


def test_the_mathematics_of_the_simulator_is_libms() -> None:
    """Functions of the platform's library may differ in the last bit; `sqrt` and `powi` may not."""
    for crate in ("types", "aqm", "tcp", "line", "sim"):
        for path, text in sources(f"weir-{crate}").items():
            assert not re.search(r"\.(?:exp|ln|log2|log10|powf|exp_m1|ln_1p)\(", text), path


def test_rows_are_grouped_in_their_order() -> None:
    """Otherwise a later mean adds its groups up in the order in which threads are done: other last digits."""
    calls = [
        (name, call.lineno)
        for name in files()
        if name.startswith("python/") and name.endswith(".py")
        for call in ast.walk(ast.parse((ROOT / name).read_text(encoding="utf-8")))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "group_by"
        if not any(keyword.arg == "maintain_order" for keyword in call.keywords)
    ]
    assert calls == []


def test_unsafe_is_where_the_page_says() -> None:
    found = [path.name for crate in crates() for path, text in sources(crate).items() if "unsafe {" in text]
    assert sorted(found) == ["calls.rs", "live.rs", "memory.rs", "prefetch.rs"]


@pytest.mark.parametrize(
    ("told", "file", "constant"),
    [
        ("more than 2,000 flows", "hosts/mod.rs", "PREFETCH_MIN_FLOWS: usize = 2000;"),
        ("256 for flows that come and go", "traffic/build/finite.rs", "ROUND_TRIPS: usize = 256;"),
        ("1,024 for a static group", "traffic/build/mod.rs", "ROUND_TRIPS: usize = 1024;"),
        ("bucket of 17 ms", "hosts/timers.rs", "2^24 ns = 17 ms"),
    ],
)
def test_numbers_of_the_page_are_those_of_the_code(told: str, file: str, constant: str) -> None:
    assert told in " ".join(ARCHITECTURE.split())
    assert constant in (ROOT / "crates/weir-sim/src" / file).read_text(encoding="utf-8")


AQMS = sorted(
    set(_core.disciplines())
    - {"python", "choke", "fq", "fq-codel", "fq-pie", "dualpi2", "cake", "ack-filter"}
)


@pytest.mark.parametrize("name", AQMS)
def test_an_aqm_has_the_files_that_contributing_names(name: str) -> None:
    file = name.replace("-", "_")
    source = ROOT / "crates/weir-aqm/src/aqm"
    assert (source / f"{file}.rs").exists() or (source / file / "mod.rs").exists()
    registry = (source / "mod.rs").read_text(encoding="utf-8")
    for line in (f"mod {file};", f"pub use {file}::", f'"{name}" '):
        assert line in registry
    assert (ROOT / f"python/weir/disciplines/{name}.toml").exists()
    assert (ROOT / f"crates/weir-aqm/tests/it/vectors/{file}.rs").exists()
    kernels = (ROOT / "python/weir/export/_kernel.py").read_text(encoding="utf-8")
    assert name in _CLOSEST or f'"{name}"' in kernels


@pytest.mark.parametrize("control", [control.name for control in controls()])
def test_a_congestion_control_has_the_files_that_contributing_names(control: str) -> None:
    file = control.replace("-", "_")
    source = ROOT / "crates/weir-tcp/src/congestion"
    assert (source / f"{file}.rs").exists() or (source / file / "parameters.rs").exists()
    registry = (source / "mod.rs").read_text(encoding="utf-8")
    for line in (f"mod {file};", f"pub use {file}::", f'"{control}" '):
        assert line in registry
    assert (ROOT / f"python/weir/disciplines/congestion/{control}.toml").exists()


PLAIN = """schema = 1
name = "plain"
duration = "3 s"
[links.line]
rate = "10 Mbit/s"
delay = "10 ms"
buffer = "50 packets"
[flows.ftp]
rtt = "40 ms"
"""


def test_every_pair_of_control_and_recovery_works_but_those_that_are_named() -> None:
    refused: set[tuple[str, str]] = set()
    for control in controls():
        for recovery in ("newreno", "reno", "sack"):
            needs = {path: value for path, value in control.needs.items() if "recovery" not in path}
            chosen: dict[str, Any] = {**needs, f"congestion.{control.name}": {}, f"recovery.{recovery}": {}}
            try:
                weir.Scenario.loads(PLAIN, {f"flows.ftp.tcp.{path}": value for path, value in chosen.items()})
            except weir.ScenarioError:
                refused.add((control.name, recovery))
    without_sack = ("newreno", "reno")
    assert refused == {(name, other) for name in ("prague", "bbr1", "bbr3") for other in without_sack}
    page = " ".join((ROOT / "docs/reference/tcp.md").read_text(encoding="utf-8").split())
    told = "Pacing and `prague` need the recovery `sack`; `bbr1` and `bbr3` need `sack` with RACK."
    assert f"{told} Every other pair works." in page


def test_special_values_are_those_that_are_named() -> None:
    """Keys in which 0 switches something off, by their texts."""
    rule = CONTRIBUTING.partition("0 switches a mechanism off in ")[2].partition(".\n")[0]
    keys = (ROOT / "docs/reference/keys.md").read_text(encoding="utf-8")
    off = r"^\| `(\w+)` \|[^|]*\|.*?(?:\b0|\"0 \w+\")(?::| for) (?:never|no |every|it holds)"
    assert set(re.findall(off, keys, re.MULTILINE)) == set(re.findall(r"`(\w+)`", rule))
