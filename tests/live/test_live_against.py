"""`weir live --against simulation`: the kernel's senders in place of the simulated ones, side by side."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sessions import SCENARIO, Finish, finish, needs_linux, needs_namespaces, place, weir

import weir as api
from conftest import Command, command_in
from weir._errors import WeirError
from weir.live import _against as against

__all__ = ["finish", "place"]

MIXED = """
[flows.more]
count = 1
population = [{ at = "0.5 s", count = 3 }]
rtt = "10 ms"
tcp.congestion.cubic = {}
"""


@needs_namespaces
def test_both_are_variants_of_one_result(finish: Finish, place: Path) -> None:
    (place / "access.toml").write_text(SCENARIO.replace('"10 s"', '"1 s"') + MIXED)
    ended = finish(weir("live", "access.toml", "--against", "simulation", "--repeats", "2", "--json"))
    document = json.loads(ended.stdout)
    assert ended.returncode == 0, ended.stderr
    assert [variant["name"] for variant in document["variants"]] == ["live", "simulation"]
    assert (document["kind"], document["replications"], document["runs"]) == ("compare", 2, 4)
    with api.Sweep.open(1, place / "results/store") as sweep:
        assert sweep.live["facts"]["Same decisions as the simulator's port"] == "yes"
        # The controls of the flows, not that of the machine.
        assert sweep.live["facts"]["Congestion control"] == "cubic, reno"
        sent = sweep.observations().filter(period=-1)
        # Both fill a link of 100 Mbit/s within a second, one of the senders' machine and one computed.
        assert (sent["utilisation"] > 0.3).all()
    # The simulated runs are those of `weir run`, which finds them.
    weir_here = command_in(place)
    assert "2 runs found in the store" in weir_here("run", "access.toml", "-n", "2").stderr
    assert weir_here("report", "1").returncode == 0


@needs_linux
@pytest.mark.parametrize(
    ("more", "arguments", "said"),
    [
        ('rtt = "20 ms"', [], "the group more has another round trip than 10 ms"),
        (
            'rtt = "10 ms"\ntcp.congestion.ledbat = {}',
            [],
            "this kernel has no ledbat, which the group more uses",
        ),
        ('rtt = "10 ms"\ntcp.ecn = true', [], "the groups data and more differ in ECN, SACK or timestamps"),
        ('rtt = "10 ms"\ntraffic.cbr = { rate = "1 Mbit/s" }', [], "the group more sends cbr"),
        ('rtt = "10 ms"', ["--", "true"], "say one thing that runs at the near end"),
        ('rtt = "10 ms"', ["--clients", "2"], "with --against the scenario says who sends"),
        (
            'rtt = "10 ms"',
            ["--capture", "x.pcapng"],
            "the file of --capture would be that of the last run alone",
        ),
    ],
)
def test_what_the_kernel_cannot_send_is_said_in_a_line(
    weir_command: Command, tmp_path: Path, more: str, arguments: list[str], said: str
) -> None:
    (tmp_path / "access.toml").write_text(f"{SCENARIO}\n[flows.more]\ncount = 1\n{more}\n")
    ended = weir_command("live", "access.toml", "--against", "simulation", *arguments)
    assert ended.returncode == 2
    first, *rest = ended.stderr.splitlines()
    assert said in first
    assert len(rest) == 1
    assert not (tmp_path / "results/store/1-access-live").exists()


def test_a_control_is_found_by_its_name_in_the_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = tmp_path / "tcp_available_congestion_control"
    there.write_text("reno cubic westwood bbr\n")
    monkeypatch.setattr(against, "_AVAILABLE", there)
    names = {"reno": "reno", "cubic": "cubic", "westwood-plus": "westwood", "bbr1": "bbr"}
    assert {one: against.kernel_name("more", one) for one in names} == names
    for missing in ["vegas", "tahoe"]:
        with pytest.raises(WeirError, match=f"this kernel has no {missing}") as refused:
            against.kernel_name("more", missing)
        assert refused.value.hint is not None
        assert refused.value.hint.startswith("it has bbr1, cubic, reno, westwood-plus: --set flows.more.")
