"""`weir check`, and the same notes beside runs, in documents and on pages."""

import json
from pathlib import Path

import pytest

import weir
from conftest import SMALL, Command
from weir.cli._check import wrapped

WARNING = (
    "warning: links.bottleneck.queue.rem.ecn: no flow here is ECN-capable, so rem drops where it would mark"
)
TARGET = "goodput > 10%"


@pytest.fixture
def marking(tmp_path: Path) -> Path:
    """The small scenario, whose variant REM is to mark, and has nothing to mark; without its warm-up."""
    path = tmp_path / "marking.toml"
    text = SMALL.replace('"6 packets" }', '"6 packets", ecn = true }').replace('"500 ms"', '"0 s"')
    path.write_text(text, encoding="utf-8")
    return path


def test_variants_that_are_the_same_are_said(weir_process: Command, tmp_path: Path) -> None:
    path = tmp_path / "same.toml"
    path.write_text(f"{SMALL}\n[variants.one]\n[variants.two]\n", encoding="utf-8")
    said = " ".join(weir_process("check", path).stdout.split())
    assert "variants: DropTail, one and two are the same in every value (in DropTail, one, two)" in said


def test_the_network_and_the_notes_are_shown(weir_process: Command, marking: Path) -> None:
    done = weir_process("check", marking)
    assert (done.returncode, done.stderr) == (0, "")
    said = " ".join(done.stdout.split())
    assert "6 s, measured from 0 s on; bottleneck bottleneck, 2 Mbit/s" in said
    assert "bottleneck 2 Mbit/s 10 ms 20 packets 80 ms 15 packets drop-tail 2 to 6" in said
    assert "ftp bulk 60 ms 15 packets 2 to 6 bottleneck bottleneck" in said
    assert "Flows and rates from each instant on 0 s 2 s 4 s ftp 2 4 6" in said
    assert f"{WARNING} (in REM) [ecn-without-senders]" in said
    assert "write: flows.ftp.tcp.ecn = true" in said
    assert "write: measure.warm_up = " in said
    assert not (marking.parent / "results").exists()


@pytest.mark.parametrize("width", [50, 70, 80, 120])
def test_what_is_to_be_written_stands_in_one_line(
    width: int,
) -> None:
    text = 'flows.short.send_jitter = "1.2 ms" and flows.long.send_jitter = "1.2 ms"'
    lines = wrapped(f"write: {text}", width, "    ", "    ").splitlines()
    for group in ("short", "long"):
        assert any(f'flows.{group}.send_jitter = "1.2 ms"' in line for line in lines)
    assert " ".join(" ".join(lines).split()) == f"write: {text}"


def test_what_comes_after_the_end_does_not_count(weir_process: Command, tmp_path: Path) -> None:
    """A population that grows for days after the run is that of the run."""
    path = tmp_path / "late.toml"
    path.write_text(SMALL.replace("until = 6 }", "until = 200_000 }"), encoding="utf-8")
    said = " ".join(weir_process("check", path).stdout.split())
    assert "ftp bulk 60 ms 15 packets 2 to 6 bottleneck bottleneck" in said
    assert "Flows and rates from each instant on 0 s 2 s 4 s ftp 2 4 6 " in said


def test_one_variant_with_other_values(weir_process: Command, marking: Path) -> None:
    done = weir_process(
        "check",
        marking,
        "--variant",
        "rem",
        "--set",
        "flows.ftp.tcp.ecn=true",
        "--set",
        "measure.warm_up=1 s",
    )
    assert done.returncode == 0
    assert done.stdout.endswith("\nNo notes\n")


def test_changing_rates_and_acks_are_shown(weir_command: Command, small: Path) -> None:
    schedule = 'links.bottleneck.rate_schedule=[{ at = "3 s", rate = "1 Mbit/s" }]'
    done = weir_command(
        "check", small, "--set", schedule, "--set", 'links.bottleneck.reverse.buffer="9 packets"'
    )
    said = " ".join(done.stdout.split())
    assert "*: the rate changes" in said
    assert "bottleneck 2 Mbit/s*" in said
    assert "0 s 2 s 3 s 4 s ftp 2 4 4 6 bottleneck 2 Mbit/s 2 Mbit/s 1 Mbit/s 1 Mbit/s" in said
    assert "bottleneck.reverse 2 Mbit/s 10 ms 9 packets 1.44 ms –" in said
    assert "drop-tail ACKs" in said or "bottleneck.reverse ACKs" in said


def test_the_document_has_the_same(weir_process: Command, marking: Path) -> None:
    document = json.loads(weir_process("check", marking, "--json").stdout)
    (port,) = document["ports"]
    assert (port["rate_bps"], port["limit_packets"], port["bdp_packets"]) == (2_000_000, 20, 15.0)
    (path,) = document["paths"]
    assert (path["group"], path["bottleneck"], path["base_rtt_s"]) == ("ftp", "bottleneck", 0.06)
    assert [change["after"] for change in path["load"]] == [2, 4, 6]
    assert document["bottleneck"]["name"] == "bottleneck"
    ecn, start = document["notes"]
    assert (ecn["code"], ecn["severity"], ecn["labels"], ecn["settings"], ecn["of"]) == (
        "ecn-without-senders", "warning", ["REM"], 1, 4,
    )  # fmt: skip
    assert (start["code"], start["settings"]) == ("no-warm-up", 4)


def test_a_group_without_flows_is_shown(weir_command: Command, small: Path) -> None:
    (small.parent / "none.toml").write_text(
        small.read_text(encoding="utf-8") + '\n[flows.none]\ncount = 0\nrtt = "60 ms"\n', encoding="utf-8"
    )
    done = weir_command("check", "none.toml")
    assert done.returncode == 0, done.stderr
    assert "none bulk 60 ms 10 packets 0 bottleneck" in " ".join(done.stdout.split())


def test_what_is_wrong_is_refused_as_elsewhere(weir_process: Command, marking: Path) -> None:
    for arguments in (["check", "none.toml"], ["check", marking, "--variant", "x"]):
        done = weir_process(*arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert "hint:" in done.stderr or "none.toml" in done.stderr


def test_runs_say_the_notes_before_they_begin(weir_process: Command, marking: Path) -> None:
    done = weir_process("compare", marking)
    first, second, *_ = done.stderr.splitlines()
    assert first == f"{WARNING} (in REM) [ecn-without-senders]"
    assert second.startswith("note: measure.warm_up: ")
    assert "ecn-without-senders" not in weir_process("run", marking).stderr
    assert weir_process("compare", marking, "--quiet").stderr == ""


def test_a_sweep_says_each_note_once(weir_command: Command, marking: Path) -> None:
    axis = ("--axis", "flows.ftp.tcp.ecn=true, false")
    for more in ((), ("--dry-run",)):
        done = weir_command("sweep", marking, *axis, *more)
        assert done.stderr.splitlines()[0] == f"{WARNING} (in 1 of 6 settings) [ecn-without-senders]"
        assert done.stderr.count("no-warm-up") == 1
    document = json.loads(weir_command("sweep", marking, *axis, "--dry-run", "--json", "-q").stdout)
    codes = [note["code"] for note in document["notes"]]
    assert codes == ["ecn-without-senders", "ecn-without-marks", "no-warm-up"]
    # What is in the store says the same.
    done = weir_command("sweep", marking, *axis, "--json", "-q")
    assert done.stderr == ""
    assert json.loads(done.stdout)["notes"] == document["notes"]
    assert json.loads(weir_command("results", "1", "--json").stdout)["notes"] == document["notes"]


def test_the_page_has_a_section(weir_command: Command, marking: Path, tmp_path: Path) -> None:
    weir_command("compare", marking, "-q")
    assert weir_command("report", "-q").returncode == 0
    page = next(tmp_path.glob("results/*/report.html")).read_text(encoding="utf-8")
    assert ">Notes on the scenario</h2>" in page
    assert "<code>links.bottleneck.queue.rem.ecn</code>" in page
    assert "No flow here is ECN-capable, so rem drops where it would mark (in REM). Write: " in page


def test_tuning_says_them_but_not_of_what_it_varies(weir_command: Command, marking: Path) -> None:
    options = ("--set", "links.bottleneck.queue.red.ecn=true", "--set", "links.bottleneck.rate=20 Mbit/s")
    vary = ("--target", TARGET, "--vary", "red.max_th=8..19")
    options = (*options, "--set", "links.bottleneck.queue.red.min_th=5 packets")
    assert "threshold-below-bdp" in weir_command("check", marking, *options).stdout
    done = weir_command("tune", marking, *options, *vary, "--json", "--report")
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[0].startswith("warning: links.bottleneck.queue.red.ecn: ")
    codes = [note["code"] for note in json.loads(done.stdout)["notes"]]
    assert codes == ["ecn-without-senders", "no-warm-up"]
    page = next(marking.parent.glob("results/*/report.html")).read_text(encoding="utf-8")
    assert "<code>links.bottleneck.queue.red.ecn</code>" in page


def test_a_result_whose_files_are_gone_still_opens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    trace = tmp_path / "slots.txt"
    trace.write_text("1\n2\n5\n", encoding="utf-8")
    file = tmp_path / "traced.toml"
    file.write_text(SMALL.replace('rate = "2 Mbit/s"', 'trace = "slots.txt"'), encoding="utf-8")
    compared = weir.load(file).compare(variants=["drop-tail", "red"], store="store")
    swept = weir.load(file, {"measure.warm_up": "0 s"}).sweep(
        {"flows.ftp.count": [2, 3]}, variants="red", store="store"
    )
    trace.unlink()
    for result in (compared, swept):
        with weir.Sweep.open(result.number, "store") as opened:
            assert isinstance(opened.document()["notes"], list)
