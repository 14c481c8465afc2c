"""What the guides show, works."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import weir
from conftest import SMALL, Command
from weir.catalogue import CATALOGUE
from weir.sweeps.axes import parse
from weir.tables import TABLES

DOCS = Path(__file__).parents[1] / "docs"
EXAMPLES = DOCS.parent / "examples"
GUIDES = (
    "sweeps.md",
    "cluster.md",
    "own-laws.md",
    "captures.md",
    "export.md",
    "networks.md",
    "tcp.md",
    "traffic.md",
    "tuning.md",
    "results.md",
    "reproduction.md",
)


def text_of(guide: str) -> str:
    return (DOCS / guide).read_text(encoding="utf-8")


@pytest.mark.parametrize("guide", GUIDES)
def test_the_commands_and_their_options_exist(guide: str, weir_command: Command) -> None:
    for line in re.findall(r"^\$ weir (.*)", text_of(guide), re.MULTILINE):
        verb, *words = line.partition("#")[0].split()
        said = weir_command(verb, "--help")
        assert said.returncode == 0, line
        for word in words:
            assert not re.match(r"--?[a-z]", word) or re.search(rf"{word}\b", said.stdout), line


@pytest.mark.parametrize("guide", GUIDES)
def test_links_lead_somewhere(guide: str) -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", text_of(guide))
    assert [t for t in targets if not t.startswith("http") and not (DOCS / t).exists()] == []


def test_every_way_to_write_an_axis() -> None:
    written = re.findall(r"^\| `((?:PATH|A)=[^`]*)` \|", text_of("sweeps.md"), re.MULTILINE)
    assert len(written) == 6
    for text in written:
        parse(text)


def test_the_sweep_in_the_guide_can_be_defined() -> None:
    from weir.sweeps.define import Wishes, define

    (table,) = re.findall(r"^```toml\n(.*?)^```", text_of("sweeps.md"), re.MULTILINE | re.DOTALL)
    plan = define(weir.Scenario.loads(SMALL + table), Wishes())
    assert len(plan.design.rows) == 5 * 3 * 2
    assert plan.replications == 20


def test_the_python_in_the_guide_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text(SMALL, encoding="utf-8")
    (text,) = re.findall(r"^```python\n(.*?)^```", text_of("sweeps.md"), re.MULTILINE | re.DOTALL)
    quick = text.replace("replications=10", "replications=2").replace("10..50 by 10", "1..2 by 1")
    exec(quick, {"weir": weir})  # noqa: S102
    assert Path("goodput.svg").read_text(encoding="utf-8").startswith("<svg")
    assert Path("goodput-report/report.html").exists()


def test_the_laws_in_the_guide_are_the_examples_and_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.chdir(EXAMPLES)
    files = [(EXAMPLES / "lab" / name).read_text(encoding="utf-8") for name in ("leaky.py", "patience.py")]
    assert blocks("own-laws.md", "python")[:2] == files
    assert len(files[0].splitlines()) <= 20
    own = weir.Scenario.load("own-laws.toml", {"duration": "30 s"}).compare(replications=2)
    summary = own.summary()
    assert summary["variant"].to_list() == ["leaky", "patience", "red"]
    # Both hold the queue below the buffer, and keep the link busy.
    assert all(5 < queue < 70 for queue in summary["mean_queue"])
    assert {"level", "late"} <= set(own.series["variable"])


def test_two_files_in_an_empty_folder_are_enough(tmp_path: Path, weir_command: Command) -> None:
    leaky, _, by_hand = blocks("own-laws.md", "python")
    (scenario,) = blocks("own-laws.md", "toml")
    (tmp_path / "leaky.py").write_text(leaky, encoding="utf-8")
    (tmp_path / "mine.toml").write_text(scenario, encoding="utf-8")
    assert "\n$ weir compare mine.toml\n" in text_of("own-laws.md")
    done = weir_command("compare", "mine.toml")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^leaky +\d", done.stdout, re.MULTILINE), done.stdout
    subprocess.run([sys.executable, "-c", by_hand], cwd=tmp_path, check=True)


def blocks(guide: str, language: str) -> list[str]:
    """The blocks of a language, in their order."""
    return re.findall(rf"^```{language}\n(.*?)^```", text_of(guide), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("fragment", range(4))
def test_the_connections_in_the_guide_run(fragment: int) -> None:
    told = tomllib.loads(blocks("tcp.md", "toml")[fragment])["flows"]["ftp"]
    changes = {f"flows.ftp.{key}": value for key, value in told.items()}
    result = weir.Scenario.loads(SMALL, changes).run(1)
    assert result.summary()["utilisation"][0] > 0.5


def test_the_guide_names_every_part_of_a_connection() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \|", text_of("tcp.md"), re.MULTILINE)
    kinds = ("congestion", "recovery")
    assert rows == [name for kind in kinds for name in (kind, *(part["name"] for part in CATALOGUE[kind]()))]


def test_the_networks_in_the_guide_run(tmp_path: Path) -> None:
    head, *examples = blocks("networks.md", "toml")
    assert len(examples) >= 11
    (tmp_path / "cell.down").write_text("1\n2\n2\n5\n", encoding="utf-8")
    (tmp_path / "cell.up").write_text("3\n", encoding="utf-8")
    for example in examples:
        (tmp_path / "guide.toml").write_text(head + example, encoding="utf-8")
        scenario = weir.Scenario.load(str(tmp_path / "guide.toml"), {"duration": "2 s"})
        assert scenario.run().tables["links"]["departures"].sum() > 100, example


def test_every_column_of_every_table_is_defined() -> None:
    parts = re.split(r"^## (.+)\n", text_of("results.md"), flags=re.MULTILINE)
    defined = {
        title: set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`[^|]*) \|", part, re.MULTILINE))))
        for title, part in zip(parts[1::2], parts[2::2], strict=True)
    }
    of_rows = defined["What a row is about"]
    tables = weir.Scenario.loads(SMALL).run(1).tables
    assert tuple(tables) == TABLES
    for name, frame in tables.items():
        columns = set(frame.columns)
        assert columns - of_rows <= defined[name] <= columns, name
    # In a store, the key of the run takes the place of its four columns.
    assert of_rows - {column for frame in tables.values() for column in frame.columns} == {"run"}


def test_the_tables_in_the_guide_are_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text(SMALL, encoding="utf-8")
    (text,) = blocks("results.md", "python")
    exec(text, {})  # noqa: S102
    assert {f"{name}.parquet" for name in TABLES} <= {path.name for path in Path("mine-result").iterdir()}


def test_a_median_of_equal_slowdowns_is_the_end_of_their_bin() -> None:
    alone = {"flows.ftp.count": 1, "flows.ftp.traffic": {"loop": {"size": "500 B", "think": "1 s"}}}
    text = SMALL.replace('population = "2 more every 2 s until 6"\n', "")
    row = weir.Scenario.loads(text, alone).run(1).completions.row(0, named=True)
    # 1 and the transmission of the SYN, which lies in the bin of 1.
    assert 1 <= row["slowdown_mean"] < row["slowdown_p50"] == row["slowdown_p99"]
    assert f"the median is {row['slowdown_p50']:.4f}" in text_of("results.md")
