"""OpenWrt, random-detect, scenarios; the command; and what cannot be exported."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

import weir
from conftest import SMALL, Command
from exports import LINK, exported, options, scenario
from weir.export import FORMS, ExportError, Form, export


def section(text: str) -> dict[str, str]:
    """The options of the one section of a file in OpenWrt's format."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    assert re.fullmatch(r"config queue '\w+'", lines[0])
    found = [re.fullmatch(r"\toption (\w+) '([^']*)'", line) for line in lines[1:]]
    assert all(found)
    pairs = [(match[1], match[2]) for match in found if match]
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


def test_sqm_of_fq_codel() -> None:
    found = section(exported({"fq-codel": {"target": "7500 us", "interval": "120 ms"}}, "sqm").text)
    wanted = {
        "enabled": "1",
        "interface": "eth0",
        "download": "0",
        "upload": "10000",
        "qdisc": "fq_codel",
        "script": "simplest_tbf.qos",
        "egress_ecn": "ECN",
        "elimit": "120",
        # The scripts read whole numbers only: 7.5ms would be 7ms.
        "etarget": "7500us",
        "itarget": "7500us",
    }
    assert {name: found[name] for name in wanted} == wanted
    assert "interval 120ms" in found["eqdisc_opts"]
    # What has an option of its own is not said twice.
    assert not {"limit", "target", "ecn"} & set(found["eqdisc_opts"].split())


def test_sqm_of_cake_takes_the_rate_from_its_own_option() -> None:
    found = section(exported({"cobalt": {"interval": "80 ms"}}, "sqm").text)
    assert (found["qdisc"], found["script"]) == ("cake", "piece_of_cake.qos")
    assert found["eqdisc_opts"] == "flowblind rtt 80ms"
    assert "etarget" not in found


def test_sqm_of_pie_and_the_other_direction() -> None:
    back = {"links.bottleneck.reverse": {"rate": "1500 kbit/s", "buffer": "50 packets"}}
    found = section(export(scenario({"pie": {}}).replace(back), form="sqm").text)
    assert (found["upload"], found["download"]) == ("10000", "1500")
    assert found["egress_ecn"] == "NOECN"
    assert "tupdate 15ms" in found["eqdisc_opts"]


def test_random_detect() -> None:
    aqm = {"red": {"min_th": "10 packets", "max_th": "40 packets", "max_p": 0.05, "ecn": True}}
    lines = [line.strip() for line in exported(aqm, "wred").text.splitlines() if not line.startswith("!")]
    # 1/0.05; and 2^-9 is nearest to 0.002.
    assert [f"random-detect precedence {n} 10 40 20" for n in range(8)] == [
        line for line in lines if " precedence " in line
    ]
    assert "random-detect exponential-weighting-constant 9" in lines
    assert "random-detect ecn" in lines
    assert "shape average 10000000" in lines
    assert "queue-limit 120 packets" in lines
    quarter = exported({"red": {"max_p": 0.3}}, "wred")
    assert any("0.3 becomes 1/3" in warning for warning in quarter.warnings)


def test_a_probability_that_stands_still_is_said() -> None:
    found = exported({"adaptive-red": {}}, "wred")
    assert any("nothing adapts it" in warning for warning in found.warnings)


def test_a_scenario_comes_back_as_it_was() -> None:
    base = scenario({"red": {"max_p": 0.05}})
    again = weir.Scenario.loads(export(base, form="scenario").text)
    assert again.hash == base.hash
    assert again.run().summary().equals(base.run().summary())


@pytest.mark.parametrize(
    ("aqm", "form", "message", "hint"),
    [
        ({"red": {}}, "sqm", "sqm-scripts has no red", "--as tc"),
        ({"fq-pie": {}}, "sqm", "sqm-scripts has no fq_pie", "fq_codel"),
        ({"rem": {}}, "sqm", "no kernel has rem", "--as tc"),
        ({"codel": {}}, "wred", "codel is not", "adaptive-red"),
        ({"red": {}}, "iptables", "no form 'iptables'", "tc, sqm, wred, scenario"),
        ({"choke": {"max_th": "130 packets"}}, "tc", "beyond the buffer", "larger"),
    ],
)
def test_what_has_no_such_form(aqm: dict[str, Any], form: Form, message: str, hint: str) -> None:
    with pytest.raises(ExportError, match=re.escape(message)) as caught:
        exported(aqm, form)
    assert caught.value.hint is not None
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    "device", ["", "a b", "eth0;reboot", "$(reboot)", "-x", "..", "a" * 16, "a\nb", "a/b"]
)
@pytest.mark.parametrize("form", FORMS)
def test_a_device_that_none_can_be(device: str, form: Form) -> None:
    with pytest.raises(ExportError, match="no name of an interface"):
        export(scenario({"red": {}}), form=form, device=device)


def test_links_and_numbers_that_cannot_be() -> None:
    with pytest.raises(weir.ScenarioError, match="no link"):
        export(scenario({"red": {}}), link="bottelneck")
    with pytest.raises(ExportError, match="more than the kernel counts"):
        exported({"red": {}}, buffer="5000 MB")


def test_the_command_writes_a_script_that_may_be_run(weir_command: Command, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    done = weir_command("export", "small.toml", "--variant", "red", "--device", "wan0", "-o", "red.sh")
    assert done.returncode == 0, done.stderr
    script = tmp_path / "red.sh"
    assert os.access(script, os.X_OK)
    text = script.read_text(encoding="utf-8")
    assert "weir export small.toml --variant red --device wan0 -o red.sh" in text
    assert "DEV=${1:-wan0}" in text
    assert options(text)["max"] == "12000"
    assert done.stdout == ""


def test_the_command_measures_what_stands_in(weir_command: Command, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    done = weir_command("export", "small.toml", "--variant", "rem", "-n", "2")
    assert "2 replications with common seeds" in done.stdout
    assert "no kernel has this discipline; what comes closest is pie" in done.stderr
    quick = weir_command("export", "small.toml", "--variant", "rem", "--no-measure", "--quiet")
    assert "has not been measured" in quick.stdout
    assert quick.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--variant", "reed"), "did you mean 'red'?"),
        (("--link", "bottle"), "did you mean 'bottleneck'?"),
        (("--as", "tcc"), "did you mean 'tc'?"),
        (("--set", "links.bottleneck.queue.red.max_p=7"), "max_p"),
        (("--as", "sqm", "--variant", "red"), "--as tc writes a script for red"),
        (("-o", "nowhere/red.sh"), "name a file in a folder that is there"),
    ],
)
def test_bad_input_is_one_message(
    arguments: tuple[str, ...], said: str, weir_command: Command, tmp_path: Path
) -> None:
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    done = weir_command("export", "small.toml", *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) <= 2


def test_a_scenario_without_that_discipline_says_so() -> None:
    with pytest.raises(weir.ScenarioError):
        weir.Scenario.loads(LINK, {"links.bottleneck.queue.red.max_p": 2.0})
