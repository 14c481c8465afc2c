"""The snippets of the hand-written pages work."""

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import weir
from conftest import SMALL, Command
from weir.disciplines._catalogue import CATALOGUE
from weir.run._tables import TABLES
from weir.sweep._axes import parsed_axis

DOCS = Path(__file__).parents[1] / "docs"
EXAMPLES = DOCS.parent / "examples"
GUIDES = (
    "index.md",
    "tutorial/first-hour.md",
    *(
        f"{folder}/{path.name}"
        for folder in ("how-to", "explanation", "reference")
        for path in sorted((DOCS / folder).glob("*.md"))
    ),
)


def text_of(guide: str) -> str:
    return (DOCS / guide).read_text(encoding="utf-8")


def commands(guide: str) -> list[str]:
    """Arguments of the `weir` commands on a page."""
    return re.findall(r"^\$ weir (.*)", text_of(guide), re.MULTILINE)


def test_the_commands_and_their_options_exist(weir_command: Command) -> None:
    helps: dict[str, str] = {}
    for guide in GUIDES:
        for line in commands(guide):
            text, *_ = line.partition(" -- ")  # behind it stands another program's
            verb, *words = shlex.split(re.sub(r"^(theory|traffic) ", r"\1-", text), comments=True)
            if verb not in helps:
                said = weir_command(*verb.split("-", 1), "--help")
                assert said.returncode == 0, line
                helps[verb] = said.stdout
            for word in words:
                assert not re.match(r"--?[a-z]", word) or re.search(rf"{word}\b", helps[verb]), line


@pytest.mark.parametrize("guide", GUIDES)
def test_links_lead_somewhere(guide: str) -> None:
    page = DOCS / guide
    for target, anchor in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", text_of(guide)):
        if target.startswith("http"):
            continue
        to = (page.parent / target).resolve() if target else page
        assert to.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", to.read_text(encoding="utf-8"), re.MULTILINE)
            known = [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings]
            assert re.sub(r"-1$", "", anchor) in known, f"{target}#{anchor}"


def test_every_page_is_in_the_index_of_its_folder() -> None:
    for guide in map(Path, GUIDES[1:]):
        index = guide.parent / "index.md"
        if guide == index or not (DOCS / index).exists():
            assert f"]({guide})" in text_of("index.md"), guide
        else:
            assert f"]({guide.name})" in text_of(str(index)), guide


def test_the_public_names_are_those_of_the_package() -> None:
    (names,) = re.findall(
        r"^## Public names\n\n`weir`: (.*?)\. Also", text_of("architecture.md"), re.MULTILINE | re.DOTALL
    )
    assert sorted(re.findall(r"`(\w+)`", names)) == sorted(weir.__all__)


def test_the_keys_are_those_of_the_schema() -> None:
    command = [sys.executable, "tools/keys.py", "schema/scenario.schema.json"]
    made = subprocess.run(command, cwd=DOCS.parent, capture_output=True, check=True)
    assert made.stdout.decode() == text_of("reference/keys.md"), "make schema"


def test_every_way_to_write_an_axis() -> None:
    written = re.findall(r"^\| `((?:PATH|A)=[^`]*)` \|", text_of("how-to/sweeps.md"), re.MULTILINE)
    assert len(written) == 6
    for text in written:
        parsed_axis(text)


def test_the_sweep_in_the_guide_can_be_defined() -> None:
    from weir.sweep._plan import SweepSpec, define_sweep

    (table,) = re.findall(r"^```toml\n(.*?)^```", text_of("how-to/sweeps.md"), re.MULTILINE | re.DOTALL)
    access = (Path(weir.__file__).parent / "templates" / "access.toml").read_text(encoding="utf-8")
    plan = define_sweep(weir.Scenario.loads(access + table), SweepSpec())
    assert len(plan.design.rows) == 5 * 3 * 2
    assert plan.replications == 20


def test_the_aqms_of_the_guide_are_the_examples_and_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.chdir(EXAMPLES)
    leaky = (EXAMPLES / "lab" / "leaky.py").read_text(encoding="utf-8")
    assert blocks("how-to/python-aqms.md", "python")[0] == leaky
    assert len(leaky.splitlines()) <= 20
    own = weir.Scenario.load("python-aqms.toml", {"duration": "30 s"}).compare(replications=2)
    summary = own.summary()
    assert summary["variant"].to_list() == ["leaky", "patience", "red"]
    # Both hold the queue below the buffer, and keep the link busy.
    assert all(5 < queue < 70 for queue in summary["mean_queue"])
    assert {"level", "late"} <= set(own.series["variable"])


def blocks(guide: str, language: str) -> list[str]:
    """The blocks of a language, in their order."""
    return re.findall(rf"^```{language}\n(.*?)^```", text_of(guide), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("fragment", range(9))
def test_the_connections_in_the_guide_run(fragment: int) -> None:
    told = tomllib.loads(blocks("reference/tcp.md", "toml")[fragment])["flows"]["ftp"]
    changes = {f"flows.ftp.{key}": value for key, value in told.items()}
    result = weir.Scenario.loads(SMALL, changes).run(1)
    assert result.summary()["utilisation"][0] > 0.5


def test_every_part_of_a_connection_is_named() -> None:
    """The guide names some and leads to the page of keys, which the schema writes."""
    guide, keys = text_of("reference/tcp.md"), text_of("reference/keys.md")
    assert "(keys.md#flowsgrouptcp)" in guide
    for kind in ("congestion", "recovery"):
        names = [part["name"] for part in CATALOGUE[kind]()]
        (row,) = re.findall(rf"^\| `{kind}` \| (.*) \|$", guide, re.MULTILINE)
        assert f"weir list {kind}" in row or re.findall(r"`([a-z-]+)`", row) == names
        assert all(f"`{name}`" in keys for name in names)


def test_the_networks_in_the_guide_run(tmp_path: Path) -> None:
    head, *examples = blocks("reference/networks.md", "toml")
    assert len(examples) == 12
    (tmp_path / "cell.down").write_text("1\n2\n2\n5\n", encoding="utf-8")
    (tmp_path / "cell.up").write_text("3\n", encoding="utf-8")
    for example in examples:
        (tmp_path / "guide.toml").write_text(head + example, encoding="utf-8")
        scenario = weir.Scenario.load(str(tmp_path / "guide.toml"), {"duration": "2 s"})
        assert scenario.run().tables["links"]["departures"].sum() > 100, example


def test_every_column_of_every_table_is_defined() -> None:
    parts = re.split(r"^## (.+)\n", text_of("reference/results.md"), flags=re.MULTILINE)
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
    assert of_rows <= {column for frame in tables.values() for column in frame.columns}


def test_the_tables_in_the_guide_are_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text(SMALL, encoding="utf-8")
    (text,) = blocks("reference/results.md", "python")
    exec(text, {})  # noqa: S102


def test_a_median_of_equal_slowdowns_is_the_end_of_their_bin() -> None:
    alone = {
        "flows.ftp.count": 1,
        "flows.ftp.traffic": {"closed-loop": {"size": "500 B", "think_time": "1 s"}},
    }
    text = SMALL.replace('population = [{ step = 2, every = "2 s", until = 6 }]\n', "")
    row = weir.Scenario.loads(text, alone).run(1).completions.row(0, named=True)
    # 1 and the transmission of the SYN, which lies in the bin of 1.
    assert 1 <= row["slowdown_mean"] < row["slowdown_p50"] == row["slowdown_p99"]
    assert f"the median is {row['slowdown_p50']:.4f}" in text_of("reference/results.md")


def test_the_glossary_has_the_terms_of_readme_pages_and_options() -> None:
    rows = re.findall(r"^\| ([^|]+) \| [^|]+", text_of("reference/glossary.md"), re.MULTILINE)
    terms = {term for row in rows for term in re.split(r", |: ", row.strip())}
    wanted = (
        "ACK, AIMD, AQM, BDP, bufferbloat, CE, Classic, Scalable, cwnd, delayed ACK, DropTail, "
        "duplicate ACK, ECN, ECT(0), ECT(1), flight, L4S, mark, MTU, pacing, pipe, RTO, SACK, slow start, "
        "srtt, ssthresh, target delay"
    )
    assert set(wanted.split(", ")) <= terms
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    assert "(docs/reference/glossary.md)" in readme


def test_every_deviation_of_connections_says_what_weir_does() -> None:
    section = re.split(
        r"^## ", text_of("reference/tcp.md").partition("\n## Deviations\n")[2], flags=re.MULTILINE
    )[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")]
    head, _, *topics = rows
    assert head == ["RFC", "Linux", "Weir"]
    assert len(topics) >= 10
    assert all(len(row) == 4 and all(row) for row in topics)


def test_the_landing_page_says_what_its_live_figure_shows() -> None:
    start = DOCS.parent / "studio" / "src" / "core" / "start.toml"
    delays = weir.Scenario.load(str(start)).compare(replications=1).summary()["delay_mean"]
    told = re.findall(r"with DropTail a packet waits (\d+) ms, with CoDel (\d+) ms", text_of("index.md"))
    assert [round(delay, -1 if delay > 100 else 0) for delay in delays] == [*map(float, told[0])]
