"""Scenarios; the command; and what cannot be exported."""

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
        ({"red": {}}, "iptables", "no form 'iptables'", "tc, sqm, wred, junos, scenario"),
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


def test_every_form_says_that_the_grants_of_a_modem_are_not_exported() -> None:
    for form in ("tc", "sqm", "wred", "junos"):
        discipline = "red" if form in {"wred", "junos"} else "fq-codel"
        found = exported({discipline: {}}, form, docsis={})
        assert any("waits for grants" in warning for warning in found.warnings), form
        assert not any("waits for grants" in warning for warning in exported({discipline: {}}, form).warnings)


def test_a_value_of_another_port_is_said_to_change_nothing(weir_command: Command) -> None:
    def warned(*arguments: str) -> str:
        return weir_command("export", "slow-upload", "--no-measure", "--link", *arguments).stderr

    said = "links.line.buffer changes nothing of line.reverse, which is exported; ports: line, line.reverse"
    other = ("--set", 'links.line.buffer="99 packets"')
    assert said in warned("line.reverse", *other)
    assert "changes nothing" not in warned("line", *other)
    assert "changes nothing" not in warned("line.reverse", "--set", 'links.line.reverse.buffer="99 packets"')
    assert "changes nothing" not in warned("line.reverse", "--as", "scenario", *other)
