"""Predictions of theory in the page of a result."""

from __future__ import annotations

from pathlib import Path

from conftest import Command

VALUES = ["--set", "duration=22 s", "--set", "flows.steady.tcp.ecn=true", "--replications", "2", "-q"]


def test_the_fluid_beside_the_packets_of_a_result(weir_command: Command, tmp_path: Path) -> None:
    done = weir_command("compare", "step-load", "--disciplines", "pi2,codel", *VALUES)
    assert done.returncode == 0, done.stderr
    done = weir_command("report", "1", "--theory", "--figures", "-o", "page", "-q")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "page" / "report.html").read_text(encoding="utf-8")
    assert '<h2 id="theory">Theory</h2>' in text
    # The target of 15 ms at 30 Mbit/s, and why the other has no row.
    assert "37.5" in text
    assert "codel: no model: CoDel has no resting point" in text
    svg = next((tmp_path / "page" / "figures").glob("*fluid*.svg")).read_text(encoding="utf-8")
    assert "W of steady (packets)" in svg
    done = weir_command("report", "1", "-o", "without", "-q")
    assert 'id="theory"' not in (tmp_path / "without" / "report.html").read_text(encoding="utf-8")


def test_a_sweep_has_no_one_setting(weir_command: Command, tmp_path: Path) -> None:
    axis = ["--axis", "flows.steady.count=2,4"]
    done = weir_command("sweep", "step-load", "--set", "links.bottleneck.queue.pi2={}", *axis, *VALUES)
    assert done.returncode == 0, done.stderr
    done = weir_command("report", "1", "--theory", "-o", "page")
    assert done.returncode == 2
    assert "weir theory fluid step-load --set" in done.stderr
    assert not (tmp_path / "page" / "report.html").exists()
