"""Linux's runs in words of a scenario, and the values on the page that differ from Linux's."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace

import pytest

from validation import kernel, kernel_causes, kernel_tags, l4s, misses, tried
from validation.places import HERE, REPOSITORY


@pytest.mark.parametrize("tag", [tag for tag in kernel_tags.TAGS if tag])
def test_one_thing_otherwise_is_another_scenario(tag: str) -> None:
    text = (HERE / kernel.SCENARIO).read_text(encoding="utf-8")
    tagged = [one for one in kernel.reference() if one.tag == tag]
    assert tagged
    same = [one for one in tagged if _hash(one, text) == _hash(replace(one, tag=""), text)]
    # A clock of 10 ms changes PIE's interval alone. To a FIFO HTB is as tbf: a packet counts until it leaves.
    unchanged = {"hz100": {"codel", "pfifo_1bdp", "red_fix"}, "htb": {"pfifo_1bdp"}}
    assert {one.qdisc for one in same} == unchanged.get(tag, set())


def _hash(one: kernel.Combination, text: str) -> str:
    return kernel.scenario(one, text).hash


def test_a_queue_stands_before_a_bucket_if_it_hands_its_packets_over() -> None:
    """As tbf's source has it: `pfifo`, `red`, `choke` and `sfb` show the next packet, `cake` is a shaper."""
    text = (HERE / kernel.SCENARIO).read_text(encoding="utf-8")
    shown = ("pfifo", "red", "choke", "sfb", "cake")
    for one in kernel.reference():
        if not one.tag:
            bucket = kernel.scenario(one, text).value("links.bottleneck.token_bucket")
            assert (bucket is None) == one.qdisc.startswith(shown), one.name


def test_a_probe_runs_where_linux_had_one() -> None:
    text = (HERE / kernel.SCENARIO).read_text(encoding="utf-8")
    probed = {
        one.qdisc for one in kernel.reference() if kernel.scenario(one, text).value("flows.probe.count") == 1
    }
    assert probed == {"fq_codel", "fq_pie", "cake"}


PAGE = (REPOSITORY / "docs/validation.md").read_text(encoding="utf-8")
HEADINGS = {"kernel": "## 7. A real kernel", "l4s": "## 8. Senders of L4S", "bbr": "## 9. BBR"}


@pytest.mark.parametrize("section", misses.SECTIONS)
def test_every_miss_on_the_page_has_an_entry_and_no_entry_is_left_over(section: misses.Section) -> None:
    _, _, text = PAGE.partition(f"\n{HEADINGS[section]}\n")
    table = re.findall(
        r"^\| ([^|]+) \| ([^|(]+) \([^|]+\) \| [^|]*<br>", text.partition("\n## ")[0], re.MULTILINE
    )
    titles = {measure.title.lower(): measure.name for measure in l4s.MIXED}
    shown = [(combination, titles[title]) for combination, title in table]
    assert sorted(shown) == sorted(misses.known(section))


def test_every_cause_is_used_and_every_switch_is_a_cause() -> None:
    used = {known.name: known.kind for section in misses.SECTIONS for known in misses.known(section).values()}
    written = tomllib.loads((HERE / misses.FILE).read_text(encoding="utf-8"))
    assert used.keys() - {"chance"} == written["explained"].keys() | written["observed"].keys()
    assert kernel_causes.SWITCHES.keys() == written["explained"].keys()


def test_the_page_says_what_was_tried_on_every_miss_that_is_not_explained() -> None:
    for section in misses.SECTIONS:
        _, _, text = PAGE.partition(f"\n{HEADINGS[section]}\n")
        _, _, trials = text.partition("\n## ")[0].partition("What was tried")
        for (combination, _), known in misses.known(section).items():
            assert (f"| {combination} |" in trials) == (known.kind != "explained"), combination
        assert all(trial.name in trials for trial in tried.TRIALS)
