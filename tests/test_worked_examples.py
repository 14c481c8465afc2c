"""The worked examples of the documentation: their numbers and pictures are those of the program."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree as ET

import polars as pl
import pytest
from scipy import stats as untyped_stats  # pyright: ignore[reportMissingTypeStubs]

import weir
from conftest import Command
from weir.cli._templates import templates
from weir.plot import Figure, draw

stats: Any = untyped_stats

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
IMAGES = DOCS / "images"


def tool(name: str) -> ModuleType:
    """A program of `tools`, as a module."""
    spec = importlib.util.spec_from_file_location(f"tools_{name}", ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def example_of(page: str) -> str:
    """The section of a page that is called an example."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.split(r"^## ", text.partition("\n## An example\n")[2], flags=re.MULTILINE)[0]


def test_red_does_what_its_example_says() -> None:
    section = example_of("disciplines/red.md")
    p_b = 0.1 * (10 - 5) / (15 - 5)
    for said in (f"= {p_b:.2f}", f"= {p_b / (1 - 4 * p_b):.4f}", f"{p_b / (1 - p_b):.4f} for the first"):
        assert said in section
    (code,) = re.findall(r"^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    found: dict[str, Any] = {}
    exec(code, found)  # noqa: S102 - the code of the page
    queue, gaps = found["queue"], found["gaps"][1:-1]
    assert (queue["average"], queue["probability"]) == (10.0, pytest.approx(p_b))
    assert (min(gaps), max(gaps)) == (1, 19)
    # 10,000 gaps, each equally likely: four standard deviations of a share of 1/19.
    assert all(
        abs(gaps.count(gap) / len(gaps) - 1 / 19) < 4 * (1 / 19 / len(gaps)) ** 0.5 for gap in range(1, 20)
    )
    assert sum(gaps) / len(gaps) == pytest.approx(10.0, abs=0.25)


def test_the_fourth_packet_meets_the_probabilities_of_the_example() -> None:
    red = {"min_th": "5 packets", "max_th": "15 packets", "max_p": 0.1, "w_q": 1.0}
    queue = weir.Queue({"red": red}, rate="10 Mbit/s", buffer="100 packets", seed=3)
    while len(queue) < 10:
        queue.offer(0.0, 1000)
    while queue.offer(0.0, 1000).verdict != "dropped":
        queue.take(0.0)
    for count in range(1, 5):
        if queue.offer(0.0, 1000).verdict == "dropped":
            pytest.fail("another seed: a signal came before the fourth packet")
        queue.take(0.0)
        assert (queue["average"], queue["probability"], queue["count"]) == (10.0, pytest.approx(0.05), count)


def test_paired_differences_are_those_of_the_example() -> None:
    section, paired = example_of("explanation/statistics.md"), tool("paired")
    sweep: weir.Sweep = paired.compared()
    measure = paired.MEASURE
    means = {row["variant"]: row for row in sweep.estimates([measure]).iter_rows(named=True)}
    (gap,) = sweep.differences(measures=[measure]).iter_rows(named=True)
    one, two = (means[name] for name in paired.PAIR)
    welch = stats.ttest_ind(*reversed(paired.by_seed(sweep)), equal_var=False)
    independent = welch.confidence_interval(0.95)
    rows = {
        one["label"]: (one["mean"], one["low"], one["high"]),
        two["label"]: (two["mean"], two["low"], two["high"]),
        "PIE less Adaptive RED, paired": (gap["difference"], gap["low"], gap["high"]),
        "the same, if the runs were independent": (gap["difference"], independent.low, independent.high),
    }
    for label, (mean, low, high) in rows.items():
        assert f"| {label} | {mean:.2f} ms | {low:.2f} to {high:.2f} |" in section
    assert one["high"] > two["low"]
    assert all(b > a for a, b in zip(*paired.by_seed(sweep), strict=True))
    shorter = (independent.high - independent.low) / (gap["high"] - gap["low"])
    assert f"{gap['correlation']:.2f}. The" in section
    assert f"{shorter:.1f} times shorter" in section
    assert f"about {shorter**2:.0f} times as many" in section
    figure: Figure = draw(paired.plot(sweep))
    assert min(figure.rows.filter(pl.col("facet") == 1)["y"].to_list()) > 0.0


@pytest.mark.parametrize("name", templates())
def test_the_picture_of_a_template_is_drawn_from_it(name: str) -> None:
    scenario = weir.Scenario.loads(templates()[name])
    svg = weir.plot.topology(scenario)
    assert (IMAGES / f"topology-{name}.svg").read_text(encoding="utf-8") == svg, "make pages"
    root = ET.fromstring(svg)  # noqa: S314 - written a line above
    texts = ["".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")]
    for port in scenario.network.ports:
        assert any(re.match(rf"{re.escape(port.name)}(, bottleneck)?$", text) for text in texts)
    for path in scenario.network.paths:
        assert any(text.startswith(f"{path.group}: ") for text in texts)
    assert sum(text.endswith(", bottleneck") for text in texts) == 1
    # No text leaves the picture: letters of 13 px are 7.5 px wide at most on average.
    for text in root.iter("{http://www.w3.org/2000/svg}text"):
        half = 3.75 * len("".join(text.itertext()))
        assert half <= float(text.attrib["x"]) <= float(root.attrib["width"]) - half
    page = (DOCS / "reference" / "networks.md").read_text(encoding="utf-8")
    assert f"(../images/topology-{name}.svg)" in page


def test_a_picture_follows_its_template() -> None:
    text = templates()["access"]
    changed = weir.plot.topology(
        weir.Scenario.loads(text, {"links.line.rate": "70 Mbit/s", "flows.call.count": 1})
    )
    assert "70 Mbit/s" in changed
    assert changed != weir.plot.topology(weir.Scenario.loads(text))


def test_what_is_no_row_of_links_is_not_drawn() -> None:
    crossing = weir.Scenario.loads(
        templates()["parking-lot"], {"flows.long.path": ["hop1", "hop3"], "flows.long.rtt": "60 ms"}
    )
    with pytest.raises(weir.WeirError, match="not in a row"):
        weir.plot.topology(crossing)


def test_the_note_of_the_example_is_printed(weir_command: Command) -> None:
    page = (DOCS / "reference" / "notes.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^\$ weir (check rem-wireline .*)$", page, re.MULTILINE)
    said = " ".join(weir_command(*line.split()).stdout.split())
    (text,) = re.findall(r"^```text\n(warning.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert " ".join(text.split()) in said
