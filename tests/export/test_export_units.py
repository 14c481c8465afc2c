"""Numbers of a script are those of the scenario in the kernel's units, worked out by hand here."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import weir
from conftest import Lab
from exports import LINK, exported, options, shaper
from weir.export import _reds as reds
from weir.export import export
from weir.export._port import Port


def test_thresholds_of_red_are_bytes() -> None:
    told = options(exported({"red": {"min_th": "10 packets", "max_th": "30 packets", "max_p": 0.05}}).text)
    assert told["kind"] == "red"
    # Packets of 1000 B, in a buffer of 120.
    assert (told["limit"], told["min"], told["max"], told["avpkt"]) == ("120000", "10000", "30000", "1000")
    assert (told["bandwidth"], told["probability"]) == ("10mbit", "0.05")
    assert "ecn" not in told


def test_the_burst_is_one_for_which_tc_takes_the_nearest_weight() -> None:
    told = options(exported({"red": {"min_th": "10 packets", "max_th": "30 packets", "w_q": 0.002}}).text)
    burst = int(told["burst"])

    def passes(weight: float) -> bool:
        return burst + 1 - 10 <= (1 - (1 - weight) ** burst) / weight

    # 1/512 is 0.00195; tc takes the largest power of two that passes.
    assert passes(1 / 512)
    assert not passes(1 / 256)


@given(
    st.floats(1e-4, 0.7),
    st.integers(2, 200_000),
    st.integers(0, 400_000),
    st.sampled_from((40, 576, 1000, 9000)),
)
def test_every_burst_gives_the_weight_that_is_said(wanted: float, least: int, band: int, packet: int) -> None:
    found = reds.kernel_weight(wanted, least, least + band, packet, 1e-6)
    assert reds.log_of(found.burst, least, found.avpkt) == found.log
    # The kernel keeps max 2^k in 32 bits (`red_check_params`).
    assert (least + band).bit_length() + found.log <= 31
    nearest = max(round(-math.log2(wanted)), 1)
    assert found.log == min(nearest, 31 - (least + band).bit_length())


@pytest.mark.parametrize(("w_q", "warned"), [(0.002, False), (1 / 512, False), (0.003, True), (0.9, True)])
def test_a_weight_that_is_rounded_by_more_than_a_twentieth_is_warned_of(w_q: float, *, warned: bool) -> None:
    told = exported({"red": {"w_q": w_q}})
    assert any(warning.startswith("w_q") for warning in told.warnings) is warned


def test_a_weight_for_which_the_kernel_has_no_room_is_as_small_as_can_be() -> None:
    told = exported({"red": {"min_th": "100 packets", "max_th": "1000 packets", "w_q": 1e-6}}, buffer="2 MB")
    # 1,000,000 B have 20 bits, so 11 are left: 1/2048 is 488 times as much.
    assert any("1e-06 becomes 0.000488" in warning and "32 bits" in warning for warning in told.warnings)


def test_a_threshold_near_to_a_packet_keeps_the_time_that_a_packet_takes() -> None:
    told = options(exported({"red": {"min_th": "1 packets", "max_th": "30 packets"}}).text)
    packet, rate = int(told["avpkt"]), told["bandwidth"]
    assert packet < 1000
    assert packet / (1e6 * float(rate.removesuffix("mbit"))) == pytest.approx(1000 / 10e6, rel=1e-3)


def test_certainty_is_a_little_less_for_tc() -> None:
    # 2^32 has no room in 32 bits: tc would send 0, and the kernel fall back on a power of two.
    told = options(exported({"red": {"max_p": 1.0}}).text)
    assert 0.99999 <= float(told["probability"]) < 1.0


def test_a_probability_over_a_wide_band_is_rounded_by_the_kernel() -> None:
    wide = {"red": {"min_th": "1000 packets", "max_th": "2000 packets", "max_p": 0.001}}
    told = exported(wide, buffer="3000 packets")
    # 0.001 2^32 / 1,000,000 is 4.29, of which the kernel keeps 4: 7% less.
    assert any(warning.startswith("probability: 0.001 becomes 0.000931") for warning in told.warnings)


@pytest.mark.parametrize(
    ("ecn", "harddrop", "flags"),
    [(False, True, set[str]()), (True, True, {"ecn", "harddrop"}), (True, False, {"ecn"})],
)
def test_flags_of_red(flags: set[str], *, harddrop: bool, ecn: bool) -> None:
    told = options(exported({"red": {"ecn": ecn, "harddrop": harddrop}}).text)
    assert {name for name, value in told.items() if not value} == flags


def test_adaptive_red_has_the_thresholds_that_it_computes_from_the_link() -> None:
    told = options(exported({"adaptive-red": {"target_delay": "40 ms"}}).text)
    # Floyd, Gummadi and Shenker: half of what 40 ms carry, 25 packets, and three times that.
    assert (told["min"], told["max"]) == ("25000", "75000")
    assert "adaptive" in told


@pytest.mark.parametrize(
    ("aqm", "wanted"),
    [
        ({"drop-tail": {}}, {"kind": "pfifo", "limit": "120"}),
        (
            {"codel": {"target": "7500 us", "interval": "120 ms", "ecn": True}},
            {"kind": "codel", "limit": "120", "target": "7500us", "interval": "120ms", "ecn": ""},
        ),
        (
            {"pie": {"target": "20 ms", "alpha": 0.25, "beta": 1.5}},
            # Sixteenths of a hertz.
            {"kind": "pie", "target": "20ms", "tupdate": "15ms", "alpha": "4", "beta": "24", "noecn": ""},
        ),
        (
            {"fq-pie": {"ecn": True, "mark_ecnth": 0.25, "flows": 64}},
            {"kind": "fq_pie", "flows": "64", "ecn_prob": "25", "ecn": "", "memory_limit": "33554432"},
        ),
        (
            {"fq-codel": {"quantum": "300 B"}},
            {"kind": "fq_codel", "quantum": "300", "target": "5ms", "ecn": ""},
        ),
        (
            {"choke": {"min_th": "10 packets", "max_th": "40 packets"}},
            {"kind": "choke", "min": "10", "max": "40", "avpkt": "1000", "bandwidth": "10mbit"},
        ),
        (
            {"sfb": {"penalty_gap": "50 ms", "rehash": "300 s", "warm_up": "30 s"}},
            {"kind": "sfb", "penalty_rate": "20", "rehash": "300000", "db": "30000", "increment": "0.001"},
        ),
        (
            {"dualpi2": {"min_th": "1 ms", "range": "0 s", "classic_protection": 0.25}},
            {"kind": "dualpi2", "step_thresh": "1ms", "min_qlen_step": "1", "classic_protection": "25%"},
        ),
        (
            {"cobalt": {"interval": "80 ms"}},
            {"kind": "cake", "bandwidth": "10mbit", "rtt": "80ms", "besteffort": "", "flowblind": ""},
        ),
        (
            {"cake": {"rtt": "50 ms"}},
            {
                "kind": "cake",
                "bandwidth": "10mbit",
                "rtt": "50ms",
                "diffserv3": "",
                "triple-isolate": "",
                "overhead": "0",
            },
        ),
    ],
)
def test_options(aqm: dict[str, Any], wanted: dict[str, str]) -> None:
    told = options(exported(aqm).text)
    assert {name: told.get(name) for name in wanted} == wanted


def test_gains_that_tc_cannot_write_are_warned_of() -> None:
    told = exported({"pie": {"alpha": 0.1}})
    # 1.6 sixteenths.
    assert options(told.text)["alpha"] == "2"
    assert any(warning.startswith("alpha: 1.6 becomes 2") for warning in told.warnings)


def test_a_buffer_in_bytes_is_one_of_packets_where_the_kernel_counts_packets() -> None:
    assert options(exported({"drop-tail": {}}, buffer="64 kB").text) == {"kind": "bfifo", "limit": "64000"}
    told = exported({"codel": {}}, buffer="64 kB")
    assert options(told.text)["limit"] == "64"
    assert "64000 B are 64 of 1000 B" in " ".join(told.text.replace("#", "").split())


def test_the_shaper_has_the_rate_and_a_bucket_of_a_millisecond_or_a_frame() -> None:
    assert shaper(exported({"red": {}}).text) == {"rate": "10mbit", "burst": "1514", "limit": "120000"}
    # 125,000 B are 1 ms of 1 Gbit/s.
    assert shaper(exported({"red": {}}, rate="1 Gbit/s").text)["burst"] == "125000"
    assert shaper(exported({"red": {}}, rate="1234567 bit/s").text)["rate"] == "1234567bit"


ROUND_TRIPS = (
    '"60 ms"',
    '{ uniform = { from = "20 ms", to = "90 ms" } }',
    '{ exponential = { at_least = "20 ms", mean = "45 ms" } }',
    '{ log-normal = { median = "40 ms", sigma = 0.5, at_least = "20 ms" } }',
)


@pytest.mark.parametrize("rtt", ROUND_TRIPS)
@pytest.mark.parametrize("buffer", ["1.37 BDP", "33 ms", "70 packets"])
@pytest.mark.parametrize("counts", ["waiting", "waiting-and-sending"])
def test_the_limit_is_that_of_the_simulation(rtt: str, buffer: str, counts: str, lab: Lab) -> None:
    module = lab(
        """
        from pathlib import Path
        from weir.aqm import Controller

        class Asks(Controller):
            def __init__(self, link):
                Path("limit.txt").write_text(str(link.limit_packets))

            def update(self, seen):
                return 0.0
        """
    )
    text = LINK.replace('"60 ms"', rtt).replace('"120 packets"', f'"{buffer}"\nbuffer_counts = "{counts}"')
    weir.Scenario.loads(text, {"links.bottleneck.queue": {"python": {"class": f"{module}:Asks"}}}).run()
    assert str(Port.of(weir.Scenario.loads(text)).core.limit_packets) == Path("limit.txt").read_text(
        encoding="utf-8"
    )


def test_a_rate_that_changes_is_said_and_the_first_is_taken() -> None:
    told = exported(
        {"codel": {}}, rate_schedule=[{"at": "1 s", "rate": "5 Mbit/s"}, {"at": "2 s", "rate": "10 Mbit/s"}]
    )
    assert shaper(told.text)["rate"] == "10mbit"
    assert any("5 Mbit/s at 1 s" in warning and "10 Mbit/s" in warning for warning in told.warnings)


def test_a_trace_is_said_and_its_rate_is_taken(tmp_path: Path) -> None:
    (tmp_path / "cell.down").write_text("1\n2\n2\n5\n", encoding="utf-8")
    path = tmp_path / "traced.toml"
    path.write_text(LINK.replace('rate = "10 Mbit/s"', 'trace = "cell.down"'), encoding="utf-8")
    told = export(weir.Scenario.load(path))
    # Four packets of 1504 B in 5 ms.
    assert shaper(told.text)["rate"] == "9625600bit"
    assert any("cell.down" in warning for warning in told.warnings)


def test_the_narrowest_link_is_exported_unless_one_is_named() -> None:
    whole = weir.Scenario.load("parking-lot").to_toml()
    lot = weir.Scenario.loads(whole, {"links.hop2.rate": "8 Mbit/s"})
    assert Port.of(lot).name == "hop2"
    assert Port.of(lot, "hop3").rate == 10_000_000


def test_one_link_of_a_row_that_is_written_in_short() -> None:
    lot = weir.Scenario.load("parking-lot", {"duration": "2 s", "measure.warm_up": "0 s"})
    told = export(lot.variant("rem-drop"), link="hop2", replications=2)
    assert told.measured is not None
    # REM's target there is 20 packets; 1000 B at 10 Mbit/s take 0.8 ms.
    assert options(told.text)["target"] == "16ms"
    assert "those of the narrowest link, hop1" in told.text


@pytest.mark.parametrize("name", ["fq-codel", "fq-pie", "fq"])
@pytest.mark.parametrize(
    ("packet", "limit", "buffer", "told"),
    [
        # A full frame takes 2304 B of the kernel's memory, so 1 MiB of frames take half as much again.
        ("1500 B", "1 MiB", "10240 packets", 1_610_613),
        ("100 B", "100 kB", "10240 packets", 2_304_000),
        ("9000 B", "1 MB", "10240 packets", 1_085_333),
        # 120 packets never fill it, neither here nor there: it stays the kernel's own.
        ("1500 B", "32 MiB", "120 packets", 33_554_432),
    ],
)
def test_memory_holds_as_many_packets_in_the_kernel(
    name: str, packet: str, limit: str, buffer: str, told: int
) -> None:
    found = exported({name: {"memory_limit": limit}}, mean_packet_size=packet, buffer=buffer)
    assert options(found.text)["memory_limit"] == str(told)
    assert ("the memory that a packet takes" in found.text) is (buffer != "120 packets")
