"""Captures: where they are written, and what becomes of them when something goes wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

import weir
from capturing import LOSSLESS, LOSSY, packets
from conftest import Command, names_in
from full_disk import NO_BYTECODE
from waiting import killed, until
from weir import WeirError


def test_a_result_has_its_captures(tmp_path: Path, weir_command: Command) -> None:
    scenario = tmp_path / "lossy.toml"
    scenario.write_text(LOSSY)
    out = tmp_path / "results" / "1-lossy"
    wishes = ["--capture", "bottleneck", "--capture", "bottleneck:reverse:in"]
    run = weir_command("run", scenario, "-n", "2", *wishes)
    assert run.returncode == 0, run.stderr
    names = sorted(file.name for file in (out / "captures").iterdir())
    assert names == ["bottleneck-reverse-in.pcapng", "bottleneck.pcapng"]
    assert packets(out / "captures" / "bottleneck.pcapng")
    assert names_in(out / "captures") == names, "nothing else is left"
    assert names_in(tmp_path) == ["lossy.toml", "results"]
    # Asked for again, when its runs are in the store.
    (out / "captures" / "bottleneck.pcapng").unlink()
    assert weir_command("run", scenario, "-n", "2", *wishes).returncode == 0
    assert names_in(out / "captures") == names


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ("bottelneck", "there is no link 'bottelneck' to capture"),
        ("bottleneck:up", "'bottleneck:up' is not a capture"),
        ("bottleneck:in:reverse", "'bottleneck:in:reverse' is not a capture"),
        ("bottleneck=", "'bottleneck=' is not a capture"),
        ("bottleneck=/nowhere/at/all.pcapng", "/nowhere/at/all.pcapng cannot be written: No such file"),
    ],
)
def test_what_cannot_be_captured_is_said(wish: str, said: str) -> None:
    with pytest.raises(WeirError, match=said):
        weir.Scenario.loads(LOSSLESS).run(capture=[wish])


def test_a_direction_without_a_queue_has_nothing_to_capture() -> None:
    text = LOSSLESS.replace('reverse.buffer = "1000 packets"\n', "")
    with pytest.raises(WeirError, match="no queue in reverse") as error:
        weir.Scenario.loads(text).run(capture=["bottleneck:reverse"])
    assert error.value.hint is not None
    assert "links.bottleneck.reverse.buffer" in error.value.hint
    with pytest.raises(WeirError, match="two captures"):
        weir.Scenario.loads(text).run(capture=["bottleneck=a", "bottleneck:in=a"])


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit to the size of files")
def test_a_full_disk_ends_the_run(tmp_path: Path) -> None:
    code = f"""
import resource, signal, weir
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000))
weir.load("lossy.toml").run(capture=["bottleneck={tmp_path / "x.pcapng"}"])
"""
    (tmp_path / "lossy.toml").write_text(LOSSY)
    command = [sys.executable, "-c", code]
    env = {**os.environ, **NO_BYTECODE}
    run = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert run.returncode != 0
    assert "WeirError: the capture" in run.stderr
    assert "cannot be written: File too large" in run.stderr
    assert names_in(tmp_path) == ["lossy.toml", "results"], "no half of a capture is left"


def test_a_killed_run_leaves_no_capture(tmp_path: Path) -> None:
    scenario = tmp_path / "long.toml"
    scenario.write_text(LOSSY.replace('"10 s"', '"100000 s"'))
    file = tmp_path / "long.pcapng"
    code = f"import weir; weir.load({str(scenario)!r}).run(capture=['bottleneck={file}'])"
    with killed(subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path)) as run:
        files = partial(tmp_path.rglob, ".long.pcapng.*.tmp")
        until(lambda: any(file.stat().st_size > 1_000_000 for file in files()), "nothing is written", run)
        assert not file.exists()
        run.kill()
    assert not file.exists()
