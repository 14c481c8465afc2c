"""Every rule: a scenario that has its note, and the same scenario with a change that takes it away."""

import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from cables import CABLES
from cakes import CAKES
from marks import MARKS
from plain import ACCECN, BOTH, CASES, ECN, PLAIN, PRAGUE, QUEUE, TWO_LINKS, codes

import weir
from conftest import Lab
from weir import _core
from weir.check import CODES, merged, notes, notes_of_toml
from weir.scenario import bundled
from weir.scenario._toml import to_toml


def test_the_plain_scenario_has_no_notes() -> None:
    assert notes(weir.Scenario.loads(PLAIN)) == ()


@pytest.mark.parametrize(("code", "severity", "path", "causes", "cures"), CASES + MARKS + CAKES + CABLES)
def test_a_note_comes_with_its_cause_and_goes_with_it(
    code: str, severity: str, path: str, causes: Mapping[str, Any], cures: Mapping[str, Any]
) -> None:
    bad = weir.Scenario.loads(PLAIN, causes)
    (note,) = [note for note in notes(bad) if note.code == code]
    assert (note.severity, note.path) == (severity, path)
    assert note.hint
    assert not note.message.endswith(".")
    assert len(note.message.split()) <= 30
    assert code not in codes(bad.replace(cures))


def test_the_hint_of_marks_that_cannot_come_leads_to_marks() -> None:
    """Followed, it leaves neither an error nor the note."""
    prague = weir.Scenario.loads(PLAIN, {**ACCECN, **PRAGUE, "links.a.ecn_capable": False})
    (note,) = [note for note in notes(prague) if note.code == "ecn-without-marks"]
    assert note.hint == "leave links.a.ecn_capable out, and for example links.a.queue.dualpi2 = {}"
    cured = weir.Scenario.loads(PLAIN, {**ACCECN, **PRAGUE, "links.a.queue.dualpi2": {}})
    assert "ecn-without-marks" not in codes(cured)


def test_the_bottleneck_moves_with_the_load() -> None:
    scenario = weir.Scenario.loads(TWO_LINKS, BOTH)
    (note,) = notes(scenario)
    assert (note.code, note.path) == ("moving-bottleneck", "links.b")
    assert note.message.startswith("from 20 s on, b gives a flow 750 kbit/s")
    # Paths still have different bottlenecks.
    assert codes(scenario.replace({"flows.cross.count": 1})) == ["ambiguous-bottleneck"]
    assert codes(scenario.replace({"measure.bottleneck": "a"})) == []


def test_a_bottleneck_that_drops_what_another_queue_marks() -> None:
    """Checks a bottleneck among several queues; `ecn-without-marks` covers a single queue that does not
    mark."""
    marks: dict[str, Any] = {
        **BOTH, ECN: True, "flows.cross.count": 1, "links.a.queue": {"red": {}},
        "links.b.queue": {"red": {"ecn": True}},
    }  # fmt: skip
    scenario = weir.Scenario.loads(TWO_LINKS, marks)
    (note,) = [note for note in notes(scenario) if note.code == "bottleneck-without-marks"]
    assert (note.path, note.hint) == ("links.a.queue.red.ecn", "links.a.queue.red.ecn = true")
    assert note.message == "red drops packets of ftp that it could mark"
    assert "bottleneck-without-marks" not in codes(scenario.replace({"links.a.queue.red.ecn": True}))
    assert codes(scenario.replace({"links.b.queue.red.ecn": False})).count("ecn-without-marks") == 1


def test_variants_that_are_the_same() -> None:
    """Another one is that as the scenario itself: it is no variant."""
    text = PLAIN + (
        '[variants.plain]\nlabel = "A"\n[variants.red]\nlinks.a.queue.red = {}\n'
        "[variants.same]\nlinks.a.queue.drop-tail = {}\n"
    )
    compared = weir.Scenario.loads(text).plan_comparison(1)
    (repeated,) = [one for one in compared.notes if one.note.code == "same-variants"]
    assert repeated.labels == ("A", "same")
    assert repeated.note.message == "A and same are the same in every value"
    other = text.replace("drop-tail = {}", 'red.max_th = "40 packets"')
    assert all(
        one.note.code != "same-variants" for one in weir.Scenario.loads(other).plan_comparison(1).notes
    )


def later(queue: Mapping[str, Any]) -> dict[str, Any]:
    return {"changes": [{"at": "20 s", "links.a.queue": queue}]}


def test_variants_that_become_the_same() -> None:
    """A change that replaces the queue makes one of different variants, whatever they began with."""
    text = PLAIN + (
        '[variants.plain]\nlabel = "A"\n[variants.red]\nlinks.a.queue.red = {}\n'
        "[variants.other]\nlinks.a.queue.codel = {}\nchanges = []\n"
    )

    def same(changes: Mapping[str, Any]) -> list[tuple[tuple[str, ...], str]]:
        compared = weir.Scenario.loads(text.replace("[links.a]", to_toml_lines(changes) + "[links.a]"))
        found = compared.plan_comparison(1).notes
        return [(one.labels, one.note.message) for one in found if one.note.code == "same-queue-later"]

    message = "A and red have different queues at a until 20 s, and the same then"
    assert same(later({"pie": {}})) == [(("A", "red"), message)]
    assert same({"changes": [{"at": "20 s", "links.a.buffer": "50 packets"}]}) == []
    assert same({"changes": [{"at": "60 s", "links.a.queue": {"pie": {}}}]}) == []


def to_toml_lines(values: Mapping[str, Any]) -> str:
    """Keys of a file, before its first table."""
    return "".join(f"{key} = {to_toml(value)}\n" for key, value in values.items())


def test_a_stored_comparison_knows_that_variants_become_the_same() -> None:
    text = (PLAIN + "[variants.a]\n[variants.b]\nlinks.a.queue.codel = {}\n").replace("60 s", "2 s")
    changes = to_toml_lines({"changes": [{"at": "1 s", "links.a.queue": {"pie": {}}}]})
    scenario = weir.Scenario.loads(text.replace("[links.a]", changes + "[links.a]"), {"measure": {}})
    assert "same-queue-later" in [one.note.code for one in scenario.compare().scenario_notes]


def test_a_threshold_is_fixed_while_another_changes() -> None:
    """Keeps a value as it was if a change sets the same value again, even within the whole queue."""
    rate, given = {"at": "20 s", "links.a.rate": "5 Mbit/s"}, {"links.a.queue.red.max_th": "50 packets"}
    red = {QUEUE: {"red": {"min_th": "20 packets", "max_th": "80 packets"}}, "links.a.buffer": "200 packets"}

    def message(*changes: Mapping[str, Any]) -> str:
        found = notes(weir.Scenario.loads(PLAIN, {**red, "changes": changes}))
        return next((one.message for one in found if one.code == "fixed-while-rate-varies"), "")

    fixed = "fixed while the rate of a changes: "
    assert message(rate).startswith(fixed + "min_th, max_th, w_q; 80 packets wait 64 ms at 10")
    assert message({**rate, **given}).startswith(fixed + "min_th, w_q; 20 packets wait 16 ms at 10")
    assert message(rate, {"at": "30 s", **given}).startswith(fixed + "min_th, max_th, w_q; 80 packets")


def test_the_bottleneck_moves_with_a_rate() -> None:
    scenario = weir.Scenario.loads(
        TWO_LINKS,
        {**BOTH, "flows.cross.count": 1, "links.b.rate_schedule": [{"at": "30 s", "rate": "5 Mbit/s"}]},
    )
    assert codes(scenario) == ["moving-bottleneck", "fixed-while-rate-varies"]


def test_equal_rates_are_ambiguous() -> None:
    scenario = weir.Scenario.loads(TWO_LINKS, {**BOTH, "flows.cross.count": 1, "links.b.rate": "10 Mbit/s"})
    # Of equal rates, b gives a flow less as soon as there are more.
    assert codes(scenario) == ["moving-bottleneck"]
    equal = scenario.replace({"flows.cross.path": ["a", "b"]})
    assert codes(equal) == ["ambiguous-bottleneck"]
    assert codes(equal.replace({"measure.bottleneck": "b"})) == []


def test_an_aqm_with_the_mean_rate_of_a_trace(tmp_path: Path) -> None:
    (tmp_path / "slots.txt").write_text("1\n2\n5\n", encoding="utf-8")
    file = tmp_path / "plain.toml"
    file.write_text(PLAIN.replace('rate = "10 Mbit/s"', 'trace = "slots.txt"'), encoding="utf-8")
    scenario = weir.load(file, {"links.a.buffer": "100 packets", QUEUE: {"avq": {}}})
    assert codes(scenario) == ["mean-rate-of-trace"]
    assert codes(scenario.replace({QUEUE: {"codel": {}}})) == []
    assert codes(scenario.replace({QUEUE: {"rem": {"price": "queue"}}})) == ["fixed-while-rate-varies"]
    # What a store holds needs no file.
    text = scenario.to_toml()
    (tmp_path / "slots.txt").unlink()
    assert [note.code for note in notes_of_toml(text)] == ["mean-rate-of-trace"]


def test_marks_of_an_earlier_queue_enter_the_low_latency_queue() -> None:
    scenario = weir.Scenario.loads(
        TWO_LINKS, {**BOTH, ECN: True, "flows.cross.start": "0 s", "links.b.queue": {"dualpi2": {}}}
    )
    assert "empty-class" in codes(scenario)
    assert "empty-class" not in codes(scenario.replace({QUEUE: {"rem": {"ecn": True}}}))


def test_an_aqm_in_python_may_mark(lab: Lab) -> None:
    module = lab("""
        from weir.aqm import Aqm

        class Mine(Aqm):
            def on_enqueue(self, packet, queue, now):
                return "mark"
        """)
    scenario = weir.Scenario.loads(PLAIN, {ECN: True, QUEUE: {"python": {"class": f"{module}:Mine"}}})
    assert codes(scenario) == []


@pytest.mark.parametrize("discipline", _core.disciplines())
def test_every_discipline_can_be_checked(discipline: str) -> None:
    scenario = weir.Scenario.loads(TWO_LINKS, {**BOTH, QUEUE: {discipline: {}}, ECN: True})
    schedule = [{"at": "20 s", "rate": "1 Mbit/s"}]
    changed: Mapping[str, Any] = {
        "links.a.rate_schedule": schedule,
        "links.a.reverse": {"buffer": "90 kB", "queue": {discipline: {}}},
        "links.a.buffer": "20 kB",
        "flows.up": {"path": ["a"], "upload": True, "rtt": "40 ms"},
        "flows.ftp.rtt": {"exponential": {"at_least": "40 ms", "mean": "200 ms"}},
    }
    for one in (scenario, scenario.replace(changed)):
        assert set(codes(one)) <= CODES.keys()


TRAFFIC: list[Mapping[str, Any]] = [
    {"poisson": {"load": 0.5, "size": {"cdf": "web-search"}}},
    {"closed-loop": {"size": {"cdf": "web-search"}, "think_time": "1 s"}},
    {"web": {}},
    {"web-3gpp": {}},
    {"cbr": {"rate": "1 Mbit/s", "ecn": True}},
    {"on-off": {"rate": "1 Mbit/s"}},
]


@pytest.mark.parametrize("traffic", TRAFFIC, ids=lambda traffic: next(iter(traffic)))
def test_every_kind_of_traffic_can_be_checked(traffic: Mapping[str, Any]) -> None:
    group = {"path": ["a", "b"], "rtt": "60 ms", "traffic": traffic}
    scenario = weir.Scenario.loads(
        TWO_LINKS, {**BOTH, "flows.more": group, QUEUE: {"dualpi2": {"low_latency": "any-ect"}}}
    )
    assert set(codes(scenario)) <= CODES.keys()


def test_a_rate_that_changes_all_the_time_is_checked_in_no_time() -> None:
    often = {
        "links.hop.hops": 9,
        "links.hop.rate_schedule": [{"at": "5 ms", "rate": "5 Mbit/s"}],
        "links.hop.rate_period": "10 ms",
        "flows.long.rtt": "300 ms",
    }
    began = time.process_time()
    assert "fixed-while-rate-varies" not in codes(weir.load("parking-lot", often))
    assert time.process_time() - began < 5.0


def test_links_of_a_row_have_one_note() -> None:
    scenario = weir.load("parking-lot").variant("rem-mark").replace({"links.hop.buffer": "20 packets"})
    paths = [note.path for note in notes(scenario) if note.code == "threshold-above-buffer"]
    assert paths == ["links.hop.queue.rem.target"]


def test_levels_are_looked_at_after_each_change() -> None:
    red = {QUEUE: {"red": {"min_th": "20 packets", "max_th": "60 packets"}}, "links.a.buffer": "200 packets"}
    changes = [
        {"at": "10 s", "links.a.buffer": "15 packets"},
        {"at": "20 s", "links.a.buffer": "10 packets", QUEUE: {"pie": {"target": "15 ms"}}},
        {"at": "500 s", "links.a.buffer": "2 packets"},
    ]
    scenario = weir.Scenario.loads(PLAIN, {**red, "changes": changes})
    found = [note for note in notes(scenario) if note.code == "threshold-above-buffer"]
    assert [(note.path, note.message[:12]) for note in found] == [
        ("links.a.queue.red.min_th", "from 10 s on"),
        ("changes[1].links.a.queue.pie.target", "from 20 s on"),
    ]


@pytest.mark.parametrize("target", ["20 ms", "90 ms"])
def test_the_larger_buffer_for_a_delay_reaches_it(target: str) -> None:
    small = {"links.a.buffer": "1 packets", QUEUE: {"pie": {"target": target}}}
    scenario = weir.Scenario.loads(PLAIN, small)
    (note,) = [note for note in notes(scenario) if note.code == "threshold-above-buffer"]
    path, _, buffer = str(note.hint).partition(" = ")
    assert path == "links.a.buffer"
    assert "threshold-above-buffer" not in codes(scenario.replace({path: buffer.strip('"')}))


def test_notes_of_several_settings_are_told_once() -> None:
    scenario = weir.Scenario.loads(PLAIN)
    bad = scenario.replace({"measure.warm_up": "0 s", QUEUE: {"rem": {"ecn": True}}})
    ecn, start = merged([("RED", notes(bad)), ("REM", notes(bad)), ("PI", notes(scenario))])
    assert (ecn.note.severity, start.note.severity) == ("warning", "note")
    assert (start.settings, start.of, start.labels) == (2, 3, ("RED", "REM"))
    assert str(start).endswith("slow start and its losses (in RED, REM) [no-warm-up]")
    (of_points, _) = merged([("RED", notes(bad))] * 3 + [("RED", ())])
    assert " (in 3 of 4 settings) [" in str(of_points)
    (in_all, _) = merged([("RED", notes(bad))])
    assert in_all.share == ""
    many = merged([(name, notes(bad)) for name in "ABCD"] + [("E", ())])
    assert many[0].share == " (in 4 of 5 variants)"


def test_a_stored_scenario_has_the_same_notes() -> None:
    for name in bundled():
        text = weir.load(name).to_toml()
        assert notes_of_toml(text) == notes(weir.Scenario.loads(text))


def test_every_code_is_tried_and_documented() -> None:
    files = ("test_check_rules.py", "plain.py", "marks.py", "cables.py", "cakes.py", "test_check_cake.py")
    source = "".join(Path(__file__).with_name(name).read_text(encoding="utf-8") for name in files)
    page = Path(__file__).parents[2] / "docs" / "reference" / "notes.md"
    rows = re.findall(r"^\| `([a-z-]+)` \| (.*) \|$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert dict(rows) == CODES
    measured = "".join(
        (Path(__file__).parents[1] / name).read_text(encoding="utf-8")
        for name in (
            "test_defaults.py",
            "test_from_pcap_directions.py",
            "test_listed.py",
            "test_nothing_measured.py",
            "test_python_aqm_outside.py",
            "test_recordings.py",
            "test_repeats.py",
        )
    )
    for code in CODES:
        assert f'"{code}"' in source + measured


STEP_LOAD = BENCH = ["no-warm-up"]
BENCH_ECN = ["ecn-without-marks", "no-warm-up"]
BENCH_ACCESS = ["buffer-below-bdp", "ecn-without-marks", "no-warm-up"]
BUNDLED = {
    # The codes of the scenario and all its variants.
    "bench/gigabit-100": BENCH_ECN,
    "bench/gigabit-1000": BENCH_ECN,
    "bench/gigabit-10000": BENCH_ECN,
    "bench/gigabit-linux": BENCH,
    "bench/gigabit-bbr": BENCH,
    "bench/gigabit-bbr-losses": BENCH,
    "bench/gigabit-paced": BENCH, "bench/gigabit-prague": BENCH,
    "bench/hops": ["ambiguous-bottleneck", "buffer-below-bdp", "no-warm-up", "phase-effects"],
    "bench/sweep": BENCH,
    "bench/ten-gigabit-many-flows": BENCH,
    "bench/ten-gigabit-many-flows-paced": BENCH,
    "bench/ten-gigabit-many-flows-rtts": ["drawn-rtts", "no-warm-up"],
    "bench/wireline-access": BENCH_ACCESS,
    "bench/wireline-delay": BENCH_ACCESS,
    "bench/wireline-delay-rem": BENCH,
    "bbr-buffers": ["phase-effects"],
    "bbr-coexistence": ["phase-effects"],
    "evaluation/flent/rrul": ["buffer-below-bdp"],
    "evaluation/flent/rrul-be": [],
    "evaluation/flent/tcp-nup": [],
    "evaluation/l4s/numbers": ["ecn-without-marks"],
    "evaluation/l4s/pairs": ["ecn-without-marks", "phase-effects"],
    "evaluation/l4s/rtts": ["ecn-without-marks", "phase-effects"],
    "evaluation/l4s/steps": ["ecn-without-marks", "fixed-while-rate-varies", "phase-effects"],
    "evaluation/rfc7928/aggressive": [],
    "evaluation/rfc7928/bidirectional": ["phase-effects"],
    "evaluation/rfc7928/burst": [],
    "evaluation/rfc7928/burst-bulk": [],
    "evaluation/rfc7928/burst-size": [],
    "evaluation/rfc7928/ecn": ["ecn-without-marks"],
    "evaluation/rfc7928/ecn-flood": ["ecn-without-marks"],
    "evaluation/rfc7928/heavy": [],
    "evaluation/rfc7928/lbe": ["phase-effects"],
    "evaluation/rfc7928/medium": [],
    "evaluation/rfc7928/mild": [],
    "evaluation/rfc7928/multi-aqm": [],
    "evaluation/rfc7928/packet-size": ["phase-effects"],
    "evaluation/rfc7928/rtt-fair": ["ecn-without-marks", "phase-effects"],
    "evaluation/rfc7928/scheduling": [],
    "evaluation/rfc7928/tcp": [],
    "evaluation/rfc7928/tcp-iw": [],
    "evaluation/rfc7928/udp-flood": [],
    "evaluation/rfc7928/udp-tcp": [],
    "evaluation/rfc7928/vary-load": [],
    "evaluation/rfc7928/vary-rate-fast": ["fixed-while-rate-varies"],
    "evaluation/rfc7928/vary-rate-slow": ["fixed-while-rate-varies", "phase-effects"],
    "home-router": ["dscp-unused", "host-unused"],
    "l4s-mix": ["prague-in-classic-queue"],
    "l4s-pair": ["prague-in-classic-queue"],
    "papers/hred-2003-dynamic": ["drawn-rtts", "empty-class"],
    "papers/hred-2003-response": ["drawn-rtts"],
    "papers/hred-2003-steady": ["drawn-rtts"],
    "papers/nlred-comparison-2013": ["buffer-below-bdp", "empty-class", "threshold-below-bdp"],
    "papers/ofc-1999-base": ["ecn-without-marks", "no-warm-up", "phase-effects"],
    "papers/ofc-1999-network": [],
    "papers/ofc-1999-today": [
        "ecn-without-marks", "empty-class", "no-warm-up", "phase-effects", "threshold-above-buffer",
    ],
    "papers/operating-point-2002": ["empty-class"],
    "papers/rem-2001-controllers": [
        *("buffer-below-bdp", "ecn-without-marks"),
        *("empty-class", "threshold-below-bdp"),
    ],
    "papers/rem-2001-mixed-path": ["ecn-without-marks"],
    "papers/rem-2001-paths": ["ecn-without-marks"],
    "papers/rem-2001-wireless": [
        "buffer-below-bdp", "ecn-without-marks", "no-warm-up", "threshold-below-bdp",
    ],
    "parking-lot": ["ambiguous-bottleneck", "ecn-without-marks", "phase-effects"],
    "prague-rtt": ["ecn-without-marks", "phase-effects"],
    "rem-wireline": ["buffer-below-bdp", "ecn-without-marks", "threshold-below-bdp"],
    "slow-upload": [],
    "step-load": STEP_LOAD,
    "web": [],
}  # fmt: skip


def test_bundled_scenarios_have_the_notes_that_they_should() -> None:
    found: dict[str, list[str]] = {}
    for name in bundled():
        scenario = weir.load(name)
        settings = (scenario, *map(scenario.variant, scenario.variants))
        found[name] = sorted({code for one in settings for code in codes(one)})
    assert found == BUNDLED
