"""A paper of one's own, reproduced: runs, verdicts, pages in a real browser, the command as a process."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from own_paper import done, paper_of

from browsing import Visit, chromium
from conftest import SMALL, Command, names_in
from waiting import HANG_S, cpu_s, killed, until
from weir.sweep._chunk import Chunk
from weir_papers.again import Again
from weir_papers.groups import CONTRADICTED, UNDECIDED, Group
from weir_papers.pages import write_index, write_markdown, write_reproduction
from weir_papers.reading import digest
from weir_papers.registry import KEYS, paper
from weir_papers.reproduce import Planned, Reproduction

if TYPE_CHECKING:
    from playwright.sync_api import Browser

browser = chromium


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Reproduction:
    directory = tmp_path_factory.mktemp("own")
    (directory / "small.toml").write_text(SMALL, encoding="utf-8")
    return done(directory / "small.toml", directory / "store")


@pytest.fixture(scope="module")
def report(outcome: Reproduction, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_reproduction(outcome, tmp_path_factory.mktemp("reports") / "own")


def test_claims_are_judged_by_the_runs(outcome: Reproduction) -> None:
    verdicts = {one.claim.id: one.verdict for one in outcome.judgements}
    assert verdicts == {"X-1": "holds", "X-2": "does not hold", "X-3": "holds"}
    # One check per stage.
    assert [len(one.checks) for one in outcome.judgements] == [3, 3, 1]


def test_claims_are_grouped_by_all_readings(outcome: Reproduction) -> None:
    (fits,) = outcome.readings
    assert fits.filter(claim="X-1").height == 3 * 2
    assert fits.filter(claim="X-2", likely="holds").is_empty(), "something is lost at every rate"
    assert outcome.groups == {"X-1": "reproduced", "X-2": "contradicted", "X-3": "reproduced"}
    assert outcome.counts == {
        "reproduced": 2, "depends on what the paper does not say": 0, "contradicted": 1, "ours": 0
    }  # fmt: skip
    assert outcome.columns["the same again"]["X-2"].verdict == "does not hold"


def test_seeds_follow_from_the_claims(outcome: Reproduction, tmp_path: Path) -> None:
    assert outcome.seeds == range(7, 13)
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    other = Planned.of(paper_of(tmp_path / "small.toml"), quick=True, seed=5)
    assert {plan.seeds[0] for plan in other.plans} == {5}
    one = paper("ofc-1999")
    changed = [replace(claim, exceptions=claim.exceptions + 1) for claim in one.claims[:1]]
    noted = [replace(claim, note="Written after the runs.") for claim in one.claims]
    assert digest("weir_papers.ofc_1999", [*changed, *one.claims[1:]]) != one.digest
    assert digest("weir_papers.ofc_1999", noted) == one.digest


def test_seeds_follow_from_experiments_readings_and_choices_too() -> None:
    package, one = "weir_papers.ofc_1999", paper("ofc-1999")
    about: dict[str, Any] = tomllib.loads(files(package).joinpath("paper.toml").read_text(encoding="utf-8"))

    def of(**changed: object) -> str:
        return digest(package, one.claims, {**about, **changed})

    as_it_is = of()
    assert of(summary=[], findings=[], question="Another?") == as_it_is, "written after the runs"
    assert of(choices=[[*choice[:2], "another reason"] for choice in about["choices"]]) == as_it_is
    assert of(choices=about["choices"][1:]) != as_it_is
    assert of(readings=[]) != as_it_is
    assert of(columns={}) != as_it_is
    assert of(experiment={**about["experiment"], "replications": 2}) != as_it_is
    # The scenario itself, not only its name.
    assert of(experiment={**about["experiment"], "scenario": "rem-wireline"}) != as_it_is


def test_quick_takes_fewer_seeds_and_settings_but_the_same_lengths(
    outcome: Reproduction, tmp_path: Path
) -> None:
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    planned = Planned.of(paper_of(tmp_path / "small.toml"), quick=True)
    assert [plan.replications for plan in planned.plans] == [3, 3]
    assert [len(plan.design.rows) for plan in planned.plans] == [1, 4]
    assert {plan.scenario.duration for plan in planned.plans} == {6.0}
    assert [one.points for one in outcome.spent] == [1, 6]


def test_the_same_again_takes_everything_from_the_store(
    outcome: Reproduction, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    first = done(tmp_path / "small.toml", tmp_path / "store", quick=True)

    def run(*_: object) -> None:
        pytest.fail("a run that the store has was done again")

    monkeypatch.setattr(Chunk, "__init__", run)
    second = done(tmp_path / "small.toml", tmp_path / "store", quick=True)
    assert first.to_json() == second.to_json()
    assert first.cpu_s == second.cpu_s, "what runs took is remembered with them"
    # Quick runs are the first of the full ones: the same seeds.
    (full,) = [c for one in outcome.judgements if one.claim.id == "X-3" for c in one.checks]
    (few,) = [c for one in second.judgements if one.claim.id == "X-3" for c in one.checks]
    assert full.values[:3].tolist() == few.values.tolist()


@pytest.mark.browser
@pytest.mark.parametrize("width", [1000, 400])
def test_the_page_draws_every_figure_and_asks_for_nothing(report: Path, browser: Browser, width: int) -> None:
    visit = Visit(browser, report, width)
    assert visit.complaints == []
    assert visit.requests == [visit.url]
    figures = ("claims", "figure-1", "figure-2", "figure-3", "readings-steps", "map-rate")
    assert visit.charts() == {f"panel-{name}" for name in figures}
    # Two claims at six settings, each with its ground and its sign; one of them framed.
    cells = "document.querySelectorAll('#panel-map-rate .mark-rect path').length"
    assert visit.page.evaluate(cells) == 2 * (6 + 1)
    signs = (
        "[...document.querySelectorAll('#panel-map-rate .mark-text text')].map((sign) => sign.textContent)"
    )
    assert visit.page.evaluate(signs).count("✗") >= 6
    text = visit.page.inner_text("body")
    for words in ("A paper <of> one's own", "does not hold", "weir reproduce own-2026", "Nothing else."):
        assert words in text
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_directory_has_what_machines_read(report: Path, outcome: Reproduction) -> None:
    assert names_in(report.parent) == ["claims.json", "figures", "manifest.json", "report.html"]
    claims = json.loads((report.parent / "claims.json").read_text(encoding="utf-8"))
    assert claims == json.loads(json.dumps(outcome.to_json()))
    drawn = {path.stem for path in (report.parent / "figures").glob("*.svg")}
    assert drawn == {"claims", "figure-1", "figure-2", "figure-3", "readings-steps", "map-rate"}


def test_the_markdown_shows_the_same(report: Path, outcome: Reproduction, tmp_path: Path) -> None:
    (tmp_path / "own-2026").mkdir()
    (tmp_path / "own-2026" / "figure-of-before.svg").write_text("old", encoding="utf-8")
    page = write_markdown(outcome, report, tmp_path)
    text, checks = page.read_text(encoding="utf-8"), (tmp_path / "own-2026-checks.md").read_text("utf-8")
    assert len(images(text)) == 5
    assert len(images(checks)) == 1
    assert all((tmp_path / image).stat().st_size > 1000 for image in images(text + checks))
    assert names_in(tmp_path / "own-2026") == sorted(Path(image).name for image in images(text + checks))
    for one in outcome.judgements:
        assert f"[{one.claim.id}](own-2026-checks.md#{one.claim.id.lower()}) {one.claim.text}" in text
        assert f"### {one.claim.id}" in checks
    # Every row of a table has as many cells as its head.
    for block in re.findall(r"(?:^\|.*\n)+", checks, re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}) == 1, block


def test_the_index_says_what_other_seeds_change(outcome: Reproduction, tmp_path: Path) -> None:
    def index(changed: Mapping[str, Group]) -> str:
        again = Again(
            {("own-2026", claim): changed.get(claim, group) for claim, group in outcome.groups.items()}
        )
        return words_of(write_index([outcome], tmp_path, again))

    assert "With other seeds 0 have another group, and none the opposite one." in index({})
    text = index({"X-1": CONTRADICTED, "X-2": UNDECIDED})
    # They fit in all readings, or in none.
    assert "0 of 3 claims have another group, with two thirds 0." in text
    assert "With other seeds 2 have another group, and 1 the opposite one." in text
    assert "| [X-1](own-2026-checks.md#x-1) of own-2026 | reproduced | contradicted |" in text
    assert "With other seeds" not in words_of(write_index([outcome], tmp_path))


def words_of(page: Path) -> str:
    return " ".join(page.read_text(encoding="utf-8").split())


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read: No such file"),
        ("{", "it is not what `weir reproduce all --json` prints"),
        ('{"a": 1}', "it is not what `weir reproduce all --json` prints"),
        ('[{"paper": "rem-2001", "id": "P-1"}]', "it is not what `weir reproduce all --json` prints"),
        ("[]", "it has not every claim of rem-2001"),
    ],
)
def test_another_set_has_groups_of_every_claim(content: str | None, said: str, tmp_path: Path) -> None:
    file = tmp_path / "again.json"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    command = [sys.executable, "-m", "weir", "reproduce", "all", "--pages", ".", "--against", str(file)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=HANG_S)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())


def test_another_set_is_full_and_of_the_claims_as_they_are(outcome: Reproduction, tmp_path: Path) -> None:
    entries = outcome.to_json()
    file = tmp_path / "again.json"

    def read(**changed: object) -> Again:
        file.write_text(json.dumps([{**one, **changed} for one in entries]), encoding="utf-8")
        return Again.read(file, [outcome.paper])

    assert read().changes([outcome]) == ()
    with pytest.raises(ValueError, match="own-2026 is registered otherwise by now, as 0000007f"):
        read(registered="0" * 16)
    with pytest.raises(ValueError, match="its claims have no groups"):
        read(group="holds so far")


def test_what_can_be_reproduced(weir_command: Command) -> None:
    listed = json.loads(weir_command("reproduce", "--list", "--json").stdout)
    keys = [one["paper"] for one in listed]
    assert keys == ["rem-2001", "ofc-1999", "operating-point-2002", "hred-2003", "nlred-comparison-2013"]
    for one in listed:
        assert one["claims"]
        assert one["experiments"]
    text = weir_command("reproduce", "--list").stdout
    assert all(key in text for key in keys)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "name a paper, or all; there are: rem-2001, ofc-1999"),
        (("rem-2002",), "there is no paper 'rem-2002'; did you mean 'rem-2001'?"),
        (("ofc-1999", "--pages", "nowhere"), "there is no directory nowhere"),
        (("ofc-1999", "--pages", ".", "--no-report"), "leave --no-report out"),
        (("ofc-1999", "--pages", ".", "--quick"), "leave --quick and --replications out"),
        (("ofc-1999", "--pages", ".", "--against", "x.json"), "add --pages, and name all"),
        (("all", "--against", "x.json"), "add --pages, and name all"),
        (("ofc-1999", "--threads", "1", "--processes", "1"), "choose one of"),
        (("ofc-1999", "-n", "0"), "0 is not in the range x>=1"),
    ],
)
def test_what_cannot_be_done_is_said_at_once(
    arguments: tuple[str, ...], said: str, weir_command: Command, tmp_path: Path
) -> None:
    done = weir_command("reproduce", *arguments)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.replace("│", " ").split())
    assert names_in(tmp_path) == []


def test_ctrl_c_keeps_what_is_finished(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "weir", "reproduce", "rem-2001", "--quick", "--no-report"]
    pipe = subprocess.PIPE
    with killed(subprocess.Popen(command, cwd=tmp_path, stderr=pipe, stdout=pipe, text=True)) as process:
        assert process.stderr is not None
        # The first experiment is under way.
        assert "rem-2001, experiment 1 of" in process.stderr.readline()
        began = cpu_s(process.pid)
        until(lambda: cpu_s(process.pid) - began > 1.0, "nothing is simulated", process)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=HANG_S)
    assert process.returncode == 130
    assert "the same command does the rest" in said
    assert names_in(tmp_path) == ["results"]


PAGES = Path(__file__).parents[2] / "docs" / "papers"


@pytest.mark.parametrize("key", KEYS)
def test_the_page_of_every_paper_has_its_claims_and_figures(key: str) -> None:
    """Pages of the full set are about the claims as they are now."""
    text, checks = ((PAGES / f"{name}.md").read_text(encoding="utf-8") for name in (key, f"{key}-checks"))
    of = paper(key)
    assert len(text.split()) <= 1500, "a page that people finish"
    assert f"`{of.digest}`" in text, "the claims were changed after the runs that judge them"
    assert re.findall(r"^### ([AP]-\S+)$", checks, re.MULTILINE) == [claim.id for claim in of.claims]
    for claim in of.claims:
        assert claim.text in text
    assert len(of.summary) == 5
    shown = images(text) + images(checks)
    assert len(shown) == 1 + len(of.readings) + len(of.plots) + len(of.maps) + bool(of.network)
    assert sorted(names_in(PAGES / key)) == sorted(Path(image).name for image in shown)


@pytest.mark.parametrize("key", KEYS)
def test_the_axes_of_every_figure_say_what_they_show(key: str) -> None:
    """An axis is titled by its quantity: a unit alone is not enough, and a name of a variable neither."""
    bare = {"kB", "%", "s", "x", "Packets", "Mbit/s", "Per cent"}
    for path in sorted((PAGES / key).glob("*.svg")):
        text = path.read_text(encoding="utf-8")
        titles = re.findall(r"role-axis-title.*?<text[^>]*>(.*?)</text>", text)
        assert not bare & set(titles), path.name
        if path.stem.startswith("figure-") and "role-axis" in text:
            assert len(titles) >= 2, path.name


def images(text: str) -> list[str]:
    """Paths of the images of a page."""
    return re.findall(r"!\[[^]]*\]\(([^)]*)\)", text)
