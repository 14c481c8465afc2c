from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import weir
from conftest import ENDLESS_OPTIONS, SMALL, Command, names_in
from waiting import children_cpu_s
from weir.stats._measures import defined_measures

ESCAPE = "\x1b"


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """The message of a command that was given bad input."""
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.stderr


def changed(old: str, new: str) -> str:
    assert old in SMALL
    return SMALL.replace(old, new)


def with_red(parameters: str) -> str:
    return changed('buffer = "20 packets"\n', f'buffer = "20 packets"\nqueue.red = {{ {parameters} }}\n')


BAD_SCENARIOS = {
    "unknown key": (changed("rate =", "rat ="), "rat"),
    "unknown discipline": (
        changed('buffer = "20 packets"\n', 'buffer = "20 packets"\nqueue.purple = {}\n'),
        "links.bottleneck.queue",
    ),
    "wrong unit": (changed("2 Mbit/s", "2 kg"), "links.bottleneck.rate"),
    "ambiguous unit": (changed("2 Mbit/s", "2 Mbps"), "links.bottleneck.rate"),
    "no unit": (changed('"2 Mbit/s"', "2000000"), "links.bottleneck.rate"),
    "negative rate": (changed("2 Mbit/s", "-2 Mbit/s"), "links.bottleneck.rate"),
    "rate of zero": (changed("2 Mbit/s", "0 Mbit/s"), "links.bottleneck.rate"),
    "start after the end": (changed("jitter =", 'start = "7 s"\njitter ='), "flows.ftp.start"),
    "no flows": (
        changed('count = 2\npopulation = [{ step = 2, every = "2 s", until = 6 }]', "count = 0"),
        "flows",
    ),
    "thresholds the wrong way round": (
        with_red('min_th = "9 packets", max_th = "3 packets"'),
        "links.bottleneck.queue.red",
    ),
    "buffer smaller than a packet": (
        changed('buffer = "20 packets"', 'buffer = "500 B"'),
        "links.bottleneck.buffer",
    ),
    "round trip shorter than the links": (changed('rtt = "60 ms"', 'rtt = "15 ms"'), "flows.ftp.rtt"),
    "not TOML": (changed("[links.bottleneck]", "[links.bottleneck"), ""),
}


@pytest.mark.parametrize("name", BAD_SCENARIOS)
def test_a_bad_scenario_is_refused(name: str, weir_command: Command, tmp_path: Path) -> None:
    text, path = BAD_SCENARIOS[name]
    (tmp_path / "bad.toml").write_text(text, encoding="utf-8")
    message = refused(weir_command("run", "bad.toml"))
    first, *rest = message.splitlines()
    # file:line: path: message, then what to do.
    file, line, told = first.split(":", 2)
    assert file == "bad.toml"
    assert line.isdigit()
    assert path in told
    # What to do about it; where there is a choice, the message itself names it.
    assert any(line.startswith("hint: ") for line in rest) or "expected" in told
    assert not (tmp_path / "results").exists()


def test_a_missing_file_is_refused(weir_command: Command) -> None:
    assert refused(weir_command("run", "nowhere.toml")).startswith("nowhere.toml: ")


def test_a_nearly_right_name_is_suggested(weir_command: Command) -> None:
    assert "hint: did you mean 'rem-wireline'?" in refused(weir_command("run", "rem-wirelne"))


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("smal", "did you mean 'small.toml'?"),
        ("smal.toml", "did you mean 'small.toml'?"),
        ("web.toml", "did you mean 'web'?"),
        ("rem-wirline.toml", "did you mean 'rem-wireline'?"),
        ("nosuch.toml", "weir init"),
        ("nowhere/mine.toml", "weir init"),
        (".", "name a file in it: latin.toml, small.toml"),
        ("small.json", "not JSON"),
        ("latin.toml", "encoding UTF-8"),
    ],
)
def test_what_is_no_scenario_is_answered_with_one(
    written: str, told: str, weir_command: Command, small: Path, tmp_path: Path
) -> None:
    assert small.exists()
    (tmp_path / "small.json").write_text('{"schema": 1}', encoding="utf-8")
    (tmp_path / "latin.toml").write_bytes(SMALL.replace("users", "usérs").encode("latin-1"))
    said = refused(weir_command("check", written))
    assert "hint: " in said
    assert told in said


@pytest.mark.parametrize("encoded", ["crlf", "bom", "tabs"])
def test_a_file_of_another_editor_is_read(encoded: str, weir_command: Command, tmp_path: Path) -> None:
    forms = {"crlf": ("\n", "\r\n"), "bom": ("schema", "\ufeffschema"), "tabs": ("rate =", "\trate\t=")}
    (tmp_path / "x.toml").write_bytes(SMALL.replace(*forms[encoded], 1 if encoded == "bom" else -1).encode())
    assert weir_command("check", "x.toml").returncode == 0


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("p99 dely", "did you mean 'delay_p99'?"),
        ("latency", "'delay_mean'"),
        ("throughput", "did you mean 'goodput'?"),
        ("p99", "did you mean 'delay_p99', 'fct_p99' or 'slowdown_p99'?"),
        ("godput", "did you mean 'goodput'?"),
        ("utilization", "did you mean 'utilisation'?"),
        ("happiness", "there are: mean_queue"),
    ],
)
def test_a_misspelt_measure_is_recognised(words: str, meant: str, weir_command: Command, small: Path) -> None:
    assert meant in refused(weir_command("run", small, "--measure", words))
    target = ("--vary", "red.max_th=5..20", "--set", "links.bottleneck.queue.red={}", "--target")
    assert meant in refused(weir_command("tune", small, *target, f"{words} < 20 ms"))
    until = ("--axis", "flows.ftp.count=1, 2", "--until")
    assert meant in refused(weir_command("sweep", small, *until, f"{words} ±1%"))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--set", "links.bottleneck.rate=2 Mbps"], "links.bottleneck.rate"),
        (["--set", "links.bottleneck.rat=2 Mbit/s"], "links.bottleneck.rat"),
        (["--set", "links.bottleneck.rate"], "is not PATH=VALUE"),
        (["--set", "links.bottleneck.rate==2 Mbit/s"], "has two =; write links.bottleneck.rate=2 Mbit/s"),
        (["--set", "links.botleneck.rate=2 Mbit/s"], "did you mean `links.bottleneck.rate`?"),
        (["--replications", "0"], "--replications"),
        (["--replications", "many"], "--replications"),
        (["--threads", "-1"], "--threads"),
        (["--measure", "happiness"], "happiness"),
        (["--colour"], "--colour"),
    ],
)
def test_bad_options_are_refused(arguments: list[str], told: str, weir_command: Command, small: Path) -> None:
    assert told in refused(weir_command("run", small, *arguments))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--disciplines", "drop-tail,purple"], "there is no queue discipline 'purple'"),
        (["--variants", "red,pie"], "there is no variant 'pie'"),
        (["--baseline", "pie"], "the baseline 'pie'"),
        (["--margin", "goodput=much"], "'much' is not a number"),
        (
            ["--margin", "p99 delay=2 ms"],
            "write a number in ms, the unit of the measure: --margin delay_p99=1",
        ),
        (["--margin", "happiness=1"], 'there is no measure "happiness"'),
        (["--measure", "loss, jain"], "name each by itself: 'loss', then 'jain'"),
        (["--variants", "red", "--disciplines", "red"], "not both"),
    ],
)
def test_unknown_things_to_compare_are_refused(
    arguments: list[str], told: str, weir_command: Command, small: Path
) -> None:
    assert told in refused(weir_command("compare", small, *arguments))


@pytest.mark.parametrize("place", ["file", "file/below", "/proc/weir", "/dev/null"])
def test_a_store_that_cannot_be_written_is_refused_before_anything_runs(
    place: str, weir_command: Command, small: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    # If it ran first, it would run for minutes.
    message = refused(weir_command("run", small, "--store", place, *ENDLESS_OPTIONS))
    assert message.startswith("error: ")
    assert place in message
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"


def test_a_directory_of_other_things_is_refused(weir_command: Command, small: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.tex").write_text("Chapter 1", encoding="utf-8")
    assert "is not a store" in refused(weir_command("run", small, "--store", "thesis"))
    assert names_in(tmp_path / "thesis") == ["chapter.tex"]


def test_a_run_prints_a_table_and_keeps_its_results(
    weir_command: Command, small: Path, tmp_path: Path
) -> None:
    done = weir_command("run", small)
    assert done.returncode == 0, done.stderr
    assert ESCAPE not in done.stdout + done.stderr
    assert "Mean queue (packets)" in done.stdout
    assert "one replication, so no intervals" in done.stdout
    assert "±" not in done.stdout
    assert "result 1: weir report 1 writes its page, weir results 1 shows it again" in done.stderr
    assert "weir compare" in done.stderr
    assert weir.Sweep.open(1, tmp_path / "results" / "store").command == f"weir run {small}"
    assert names_in(tmp_path / "results") == ["store"]
    again = weir_command("results", "1")
    assert again.stdout == done.stdout


def test_every_result_can_be_opened_and_none_disappears(
    weir_command: Command, small: Path, tmp_path: Path
) -> None:
    short = ("--set", "duration=2 s", "--quiet")
    assert weir_command("compare", small, *short, "--report").returncode == 0
    before = {
        path: path.read_bytes() for path in (tmp_path / "results" / "1-small").rglob("*") if path.is_file()
    }
    assert {path.name for path in before} >= {"report.html", "manifest.json"}
    assert weir_command("run", small, *short, "--capture", "bottleneck").returncode == 0
    assert weir_command("run", small, *short, "-n", "2").returncode == 0
    capture = tmp_path / "results" / "2-small" / "captures" / "bottleneck.pcapng"
    packets = capture.read_bytes()
    assert weir_command("report", "2", "--quiet").stdout == "results/2-small/report.html\n"
    assert capture.read_bytes() == packets
    assert {path: path.read_bytes() for path in before} == before
    listed = json.loads(weir_command("results", "--json").stdout)
    assert [(one["number"], one["kind"]) for one in listed] == [(3, "run"), (2, "run"), (1, "compare")]
    assert listed[1]["bytes"] > len(packets)


def test_space_is_given_back(weir_command: Command, small: Path, tmp_path: Path) -> None:
    short = ("--set", "duration=2 s", "--quiet")
    for seed in ("1", "2"):
        weir_command("run", small, *short, "--seed", seed, "-n", "4", "--capture", "bottleneck")
    assert "removed result 1, small" in weir_command("results", "1", "--remove").stdout
    assert names_in(tmp_path / "results") == ["2-small", "store"]
    # Seeds 2 to 4 belong to the other result, too.
    pruned = weir_command("results", "--prune").stdout
    assert re.fullmatch(r"removed 1 run without a result: [1-9].* kB\n", pruned), pruned
    assert "4 finished runs" in weir_command("results").stdout
    said = refused(weir_command("results", "1"))
    assert "no result '1'" in said
    assert "there are: 2 small" in said
    assert "all files are as the journal says" in weir_command("results", "--verify").stderr
    done = weir_command("run", small, *short[:2], "--seed", "1", "-n", "4")
    assert "3 runs found in the store" in done.stderr
    assert "result 3:" in done.stderr


def test_a_comparison_prints_tables_and_what_the_pairs_say(weir_command: Command, small: Path) -> None:
    done = weir_command("compare", small, "--replications", "3")
    assert done.returncode == 0, done.stderr
    assert ESCAPE not in done.stdout + done.stderr
    for text in ("DropTail", "RED", "REM", "Mean queue (packets)", "Goodput (%)", "±"):
        assert text in done.stdout
    assert "Against DropTail: paired differences over the whole run" in done.stdout
    assert "users" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_equality_needs_a_margin(weir_command: Command, small: Path) -> None:
    arguments = ["compare", small, "-n", "2", "--json"]
    for margin, called in (([], False), (["--margin", "goodput=1000"], True)):
        rows = json.loads(weir_command(*arguments, *margin).stdout)["differences"]
        verdicts = {row["verdict"] for row in rows if row["measure"] == "goodput"}
        assert ("equal" in verdicts) is called


def test_json_is_all_that_is_printed(weir_process: Command, small: Path) -> None:
    done = weir_process("compare", small, "-n", "2", "--json", "--store", "there/store")
    document = json.loads(done.stdout)
    assert ESCAPE not in done.stdout
    assert document["directory"] == "there/1-small"
    assert document["scenario"] == "small"
    assert [variant["name"] for variant in document["variants"]] == ["drop-tail", "red", "rem"]
    assert {row["measure"] for row in document["estimates"]} == set(defined_measures(transfers=False))
    assert {row["n"] for row in document["differences"] if row["measure"] == "goodput"} == {2}
    assert document["cost"]["packets"] > 0


def test_quiet_says_nothing(weir_command: Command, small: Path) -> None:
    assert weir_command("run", small, "--quiet").stderr == ""


def test_chosen_measures_are_shown(weir_command: Command, small: Path) -> None:
    done = weir_command("compare", small, "--measure", "delay-p99", "--measure", "jain")
    assert "Delay p99 (ms)" in done.stdout
    assert "Jain index by number of users" in done.stdout
    assert "Goodput (%)" not in done.stdout


def test_the_same_seed_gives_the_same_bytes(weir_command: Command, small: Path, tmp_path: Path) -> None:
    for out, threads in (("one", "1"), ("two", "2")):
        done = weir_command("compare", small, "-n", "2", "--threads", threads, "--store", f"{out}/store")
        assert done.returncode == 0, done.stderr

    def bytes_of(out: str) -> dict[str, bytes]:
        tables = tmp_path / out / "store" / "tables"
        # The cost of runs, in `runs`, is not the same.
        return {
            path.name: path.read_bytes() for path in tables.iterdir() if not path.name.startswith("runs-")
        }

    assert bytes_of("one") == bytes_of("two")
    assert len(bytes_of("one")) == 5


def test_the_list_names_everything(weir_command: Command) -> None:
    done = weir_command("list")
    for text in ("drop-tail", "red", "rem", "rem-wireline", "mean_queue"):
        assert text in done.stdout
    controls = json.loads(weir_command("list", "congestion", "--json").stdout)["congestion"]
    assert {"reno", "tahoe", "cubic", "vegas", "dctcp", "rem-host", "wireless"} <= {
        c["name"] for c in controls
    }
    disciplines = json.loads(weir_command("list", "disciplines", "--json").stdout)["disciplines"]
    assert {"drop-tail", "red", "rem"} <= {one["name"] for one in disciplines}
    assert (
        "there are: disciplines, congestion, recovery, traffic, sizes, losses, scenarios, measures"
        in refused(weir_command("list", "flowers"))
    )


def test_the_schema_is_json(weir_command: Command) -> None:
    assert json.loads(weir_command("schema").stdout)["type"] == "object"


def test_the_version(weir_command: Command) -> None:
    assert weir_command("--version").stdout == f"weir {weir.__version__}\n"


def test_help_says_whole_sentences(weir_command: Command) -> None:
    listed = weir_command("--help").stdout
    assert "..." not in listed.partition("Commands:")[2]
    for name in re.findall(r"^  ([a-z]+) ", listed.partition("Commands:")[2], re.MULTILINE):
        assert "range>" not in weir_command(name, "--help").stdout, name


def start_cpu_s(*arguments: str) -> float:
    """CPU time of a Python process, whose modules are compiled."""
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = children_cpu_s()
    subprocess.run([sys.executable, *arguments], env=environment, check=True, capture_output=True)
    return children_cpu_s() - before


def test_help_is_quick() -> None:
    # CPU time is longer, too, where others fill the caches: it is compared with that of modules of Python.
    library = "import asyncio, http.server, unittest, xml.dom.minidom"
    pairs = [(start_cpu_s("-m", "weir", "--help"), start_cpu_s("-c", library)) for _ in range(5)]
    helped, plain = map(min, zip(*pairs, strict=True))
    # 0.2 s and 0.14 s on an idle machine.
    assert helped < 2.0 * plain


def test_with_several_links_it_is_said_which_one_is_meant(weir_command: Command, tmp_path: Path) -> None:
    arguments = ("--quiet", "--set", 'duration="22 s"', "--store", str(tmp_path / "store"))
    done = weir_command("run", "parking-lot", *arguments)
    assert "those of the bottleneck: hop1" in done.stdout
