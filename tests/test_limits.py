"""Limits of time and memory, and code that a file would run: said or refused beforehand."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

import weir
from conftest import SMALL, Command
from python_aqms import CONSTANT
from waiting import until
from weir import _core
from weir.check import Cost
from weir.run._batch import run_batch
from weir.scenario._toml import Value
from weir.store import Store
from weir.sweep import _limits as limits
from weir.sweep import chosen_workers
from weir.sweep._fits import within_limits

PLAIN = SMALL.partition("[variants")[0]
IN_PYTHON = PLAIN.replace('rate = "2 Mbit/s"', 'rate = "2 Mbit/s"\nqueue.python.class = "mine:Constant"')


def write(folder: Path, text: str, height: float = 0.3) -> Path:
    """A scenario, and the module `mine` beside it, which leaves a trace when it is imported."""
    folder.mkdir(exist_ok=True)
    trace = f"open({str(folder / 'imported')!r}, 'w').close()\n"
    module = "\n".join(line.removeprefix("    ") for line in CONSTANT.splitlines())
    (folder / "mine.py").write_text(trace + module.replace("0.3", str(height)), encoding="utf-8")
    file = folder / "scenario.toml"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    "verb",
    [
        ["check"], ["run"], ["compare", "--disciplines", "red"], ["sweep", "-a", "seed=1,2"], ["export"],
        ["tune", "--target", "loss < 1%"], ["theory", "ofc"], ["studio", "--no-open"],
    ],
    ids=lambda verb: verb[0],
)  # fmt: skip
def test_no_python_refuses_a_scenario_with_a_class(
    weir_command: Command, tmp_path: Path, verb: list[str]
) -> None:
    file = write(tmp_path / "sent", IN_PYTHON)
    refused = weir_command(*verb, file, "--no-python")
    assert refused.returncode == 2
    assert "links.bottleneck.queue.python.class: mine:Constant would be run" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert not (file.parent / "imported").exists()


def test_python_false_refuses_it_in_variants_and_replacements_too(tmp_path: Path) -> None:
    file = write(tmp_path / "sent", IN_PYTHON)
    with pytest.raises(weir.ScenarioError, match="not allowed"):
        weir.load(file, python=False)
    plain = weir.Scenario.loads(PLAIN, python=False)
    with pytest.raises(weir.ScenarioError, match="not allowed"):
        plain.replace({"links.bottleneck.queue.python.class": "mine:Constant"})
    variant = f'{PLAIN}\n[variants.x]\n"links.bottleneck.queue.python.class" = "mine:Constant"\n'
    with pytest.raises(weir.ScenarioError, match="not allowed"):
        weir.Scenario.loads(variant, python=False).variant("x")


def test_completing_a_variant_runs_nothing(tmp_path: Path) -> None:
    from types import SimpleNamespace

    from weir.cli import _complete

    file = write(tmp_path / "sent", f"{IN_PYTHON}\n[variants.x]\n")
    context = SimpleNamespace(params={"scenario": str(file)}, args=[])
    assert _complete.variant(context, "") == [("x", "")]
    assert not (file.parent / "imported").exists()


def test_a_module_in_the_current_folder_is_not_the_scenarios(tmp_path: Path, weir_process: Command) -> None:
    write(tmp_path, IN_PYTHON)
    there = tmp_path / "there"
    there.mkdir()
    (there / "scenario.toml").write_text(IN_PYTHON, encoding="utf-8")
    refused = weir_process("run", there / "scenario.toml")
    assert refused.returncode == 2
    assert "there is no module 'mine'" in refused.stderr
    assert not (tmp_path / "imported").exists()


def test_each_scenario_has_the_module_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", sys.path[:])
    one = weir.load(write(tmp_path / "one", IN_PYTHON, 0.1))
    two = weir.load(write(tmp_path / "two", IN_PYTHON, 0.2))
    assert one.hash != two.hash
    assert weir.load(tmp_path / "one" / "scenario.toml").hash == one.hash


def test_a_queue_refuses_updates_without_end() -> None:
    queue = weir.Queue({"pie": {"interval": "10 us"}}, rate="8 Mbit/s", buffer="50 packets")
    started = time.process_time()
    with pytest.raises(ValueError, match=r"until 1000000 s its AQM would do 9\d{10} updates, one each 10 us"):
        queue.advance(1e6)
    assert time.process_time() - started < 5.0
    queue.advance(1.0)
    assert queue["probability"] == 0.0


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals of POSIX")
def test_ctrl_c_ends_a_long_advance() -> None:
    queue = weir.Queue({"pie": {"interval": "10 us"}}, rate="8 Mbit/s", buffer="50 packets")
    queue.offer(0.0, 1000)
    main = threading.get_ident()
    clock = time.pthread_getcpuclockid(main)
    started = time.thread_time()

    def interrupt() -> None:
        # Nothing but the advance takes so much CPU time: it is under way.
        until(lambda: time.clock_gettime(clock) - started > 0.2, "the queue does not advance")
        signal.pthread_kill(main, signal.SIGINT)

    other = threading.Thread(target=interrupt)
    other.start()
    with pytest.raises(KeyboardInterrupt):
        # 900 million updates: many seconds.
        queue.advance(9e3)
    assert time.thread_time() - started < 5.0
    other.join()


def test_flows_that_stop_together_take_a_time_that_grows_with_their_number_alone() -> None:
    text = """
schema = 1
name = "leaving"
duration = "2 s"
[links.bottleneck]
rate = "1 Gbit/s"
delay = "5 ms"
buffer = "1000 packets"
[flows.users]
count = 100000
rtt = "50 ms"
start_jitter = "500 ms"
population = [{ at = "1 s", count = 0 }]
"""
    (run,) = run_batch([(_core.Scenario.loads(text), 1)])
    assert run.packets > 10_000
    # Ten seconds when each of them looked at all packets under way.
    assert run.cpu_s < 3.0


def test_changes_of_a_rate_without_end_take_no_memory() -> None:
    changes = {
        "duration": "1000000 s",
        "links.bottleneck.rate_schedule": [{"at": "500 ns", "rate": "1 Mbit/s"}],
        "links.bottleneck.rate_period": "2 us",
    }
    scenario = weir.Scenario.loads(PLAIN.replace('series = { interval = "20 ms" }\n', ""), {
        **changes, "measure.period": "100000 s",
    })  # fmt: skip
    (port,) = (one for one in scenario.network.ports if one.rate_changes)
    assert len(port.rate_changes) == 100_000
    weir.check.notes(scenario)


def flows_of(file: Path | str) -> str:
    return f"""{PLAIN}
[flows.sized]
rtt = "50 ms"
traffic.poisson = {{ rate = "10 /s", size = {{ cdf = "{file}" }} }}
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nan 0.5\n2000 1\n", "line 1: NaN bytes"),
        ("-1 0.5\n2000 1\n", "line 1: -1 bytes"),
        ("100 0.5\n50 1\n", "line 2: 50 bytes come after 100"),
        ("0 0.5\n0 1\n", "line 2: all transfers have 0 bytes"),
        ("inf 0.5\ninf 1\n", "line 1: inf bytes"),
        ("1 nan\n2 1\n", "line 1: 1 bytes and a share of NaN"),
        ("0" * 1_000_000, 'line 1: "0000000000000000000000000000000000000000…" is not two numbers'),
    ],
)
def test_a_distribution_that_cannot_be_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "sizes.cdf"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(weir.ScenarioError) as refused:
        weir.Scenario.loads(flows_of(file))
    assert message in str(refused.value)
    assert len(str(refused.value)) < 1000


def test_sizes_below_a_byte_are_a_byte(tmp_path: Path) -> None:
    file = tmp_path / "sizes.cdf"
    file.write_text("0 0\n0.001 1\n", encoding="utf-8")
    done = weir.Scenario.loads(flows_of(file)).run(store=tmp_path / "store")
    assert done.cost.packets > 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="files of POSIX")
@pytest.mark.parametrize("kind", ["fifo", "device", "directory", "missing", "huge"])
def test_odd_files_are_refused_at_once(tmp_path: Path, kind: str) -> None:
    file = Path("/dev/zero") if kind == "device" else tmp_path / "odd"
    if kind == "fifo":
        os.mkfifo(file)
    elif kind == "directory":
        file.mkdir()
    elif kind == "huge":
        with file.open("wb") as made:
            made.truncate(1 << 40)
    message = {"missing": "cannot be read", "huge": "more than can be read"}.get(kind, "not a plain file")
    trace = PLAIN.replace('rate = "2 Mbit/s"', f'trace = "{file}"')
    for text in (flows_of(file), trace):
        with pytest.raises(weir.ScenarioError, match=message):
            weir.Scenario.loads(text)


def long_path(hops: int) -> str:
    links = "".join(
        f'[links.h{n}]\nrate = "10 Mbit/s"\ndelay = "10 us"\nbuffer = "50 packets"\n'
        f'from = "n{n}"\nto = "n{n + 1}"\n'
        for n in range(hops)
    )
    cross = "".join(f'[flows.c{n}]\npath = ["h{n}"]\nrtt = "50 ms"\n' for n in range(hops))
    whole = f'[flows.whole]\nfrom = "n0"\nto = "n{hops}"\nrtt = "1 s"\n'
    return f'schema = 1\nname = "long"\nduration = "2 s"\n{links}{whole}{cross}'


def test_a_path_of_thousands_of_hops_is_read_in_a_moment() -> None:
    started = time.process_time()
    scenario = _core.Scenario.loads(long_path(4000))
    network = scenario.network
    assert len(network.path("whole").data) == 4000
    # It took minutes when each link looked through all paths.
    assert time.process_time() - started < 8.0


_MEASURED = """
import json, sys, polars, weir, weir._api, weir.sweep._view
def memory(name):
    # Of resource.getrusage the maximum is that of the process before it, too.
    line, = (line for line in open("/proc/self/status") if line.startswith(name))
    return int(line.split()[1]) * 1024
weir.load("web").network
before = memory("VmRSS")
done = weir.load(sys.argv[1], json.loads(sys.argv[2])).run(threads=1)
peak = memory("VmHWM") - before
links = done.tables["links"]
whole = (links["period"] == -1) & (links["class"] == "all") & (links["group"] == "all")
print(json.dumps([int(links.filter(whole)["arrivals"].sum()), done.cost.cpu_s, peak]))
"""


@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="the memory of a process, as Linux says it"
)
@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("bench/gigabit-10000", {}),
        ("bench/ten-gigabit-many-flows", {"duration": "2 s", "links.bottleneck.rate": "2 Gbit/s"}),
        ("parking-lot", {"measure.period": "100 ms"}),
        ("step-load", {"measure.series.interval": "100 us"}),
    ],
)
def test_a_run_takes_what_was_estimated(tmp_path: Path, name: str, values: Mapping[str, Value]) -> None:
    values = {**values, "measure.warm_up": "0 s"}
    command = [sys.executable, "-c", _MEASURED, name, json.dumps(values)]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    packets, cpu_s, memory = json.loads(said)
    cost = weir.check.cost(weir.load(name, values))
    assert 0.5 < cost.packets / packets < 2.0
    assert 0.5 < cost.memory_bytes / memory < 2.0
    # Other processors, and other work on this one.
    assert 0.2 < cost.cpu_s / cpu_s < 5.0


def cost_of(values: Mapping[str, Value]) -> Cost:
    return weir.check.cost(weir.load("step-load", values))


def test_what_takes_most_is_named() -> None:
    assert cost_of({"flows.steady.count": 5_000_000}).mostly == "flows"
    assert cost_of({"measure.series.interval": "6 us"}).mostly == "series"
    assert cost_of({"measure.period": "2 ms", "measure.settle": "0 s"}).mostly == "counts"
    assert cost_of({"flows.steady.count": 5_000_000}).memory_bytes > 3e9
    assert cost_of({"measure.series.interval": "6 us"}).memory_bytes > 1e9
    assert weir.check.cost(weir.load("web", {"duration": "1000000 s"})).cpu_s > 200.0

    def users(kind: str) -> float:
        values: dict[str, Value] = {f"flows.steady.traffic.{kind}": {}, "measure.period": "10 ms"}
        return cost_of({**values, "measure.settle": "0 s"}).memory_bytes

    assert users("web-3gpp") == pytest.approx(users("web"), rel=0.1)
    timed = {"duration": "1000000 s", "links.bottleneck.queue.pie.interval": "10 us"}
    assert weir.check.cost(weir.load("web", timed)).cpu_s > 1000.0


def test_check_says_what_a_run_takes(weir_command: Command) -> None:
    shown = weir_command("check", "web")
    assert "about 1.7 million packets, " in shown.stdout
    assert " MB a run" in shown.stdout
    short = weir_command("check", "web", "--set", "duration=20 s").stdout
    assert re.search(r"about [\d,]*\d,000 packets, ", short), "no thousands in words"
    cost = json.loads(weir_command("check", "web", "--json").stdout)["cost"]
    assert cost["packets"] == pytest.approx(1.7e6, rel=0.05)
    assert set(cost) == {"packets", "cpu_s", "memory_bytes"}


@pytest.mark.parametrize(
    "verb",
    [
        ["run"], ["compare", "--disciplines", "red"], ["sweep", "-a", "links.bottleneck.delay=5,6 ms"],
        [
            "tune", "--target", "loss < 1%", "--vary", "red.max_th=50..90",
            "--set", "links.bottleneck.queue.red={}",
        ],
    ],
    ids=lambda verb: verb[0],
)  # fmt: skip
def test_more_than_there_is_is_refused_before_the_run(
    weir_command: Command, monkeypatch: pytest.MonkeyPatch, verb: list[str]
) -> None:
    monkeypatch.setattr(limits, "available_bytes", lambda: 2e9)
    refused = weir_command(*verb, "bench/gigabit-100", "--set", "flows.ftp.count=5000000", "--threads", "1")
    assert refused.returncode == 2
    assert "a run takes about 4.4 GB of memory, and 2 GB are available" in refused.stderr
    assert "fewer flows; WEIR_NO_LIMITS=1" in refused.stderr
    assert weir_command("results").stdout == "0 finished runs\n"


def test_check_says_that_a_run_is_refused(weir_command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "available_bytes", lambda: 2e9)
    said = weir_command("check", "bench/gigabit-100", "--set", "flows.ftp.count=5000000")
    assert said.returncode == 0
    assert "weir run refuses it: a run takes about 4.4 GB of memory, and 2 GB are available" in said.stdout
    assert "refuses" not in weir_command("check", "bench/gigabit-100").stdout


def test_limits_can_be_left_out_and_results_that_there_are_are_shown(
    small: Path, weir_command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "available_bytes", lambda: 1e6)
    assert weir_command("run", small).returncode == 2
    monkeypatch.setenv("WEIR_NO_LIMITS", "1")
    assert weir_command("run", small).returncode == 0
    monkeypatch.delenv("WEIR_NO_LIMITS")
    assert weir_command("run", small).returncode == 0
    assert weir_command("run", small, "--seed", "99").returncode == 2


def test_so_many_runs_at_a_time_as_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = weir.load("bench/ten-gigabit-many-flows").plan_run(8)
    with Store.open(tmp_path / "store", create=True) as store, chosen_workers(threads=8) as workers:
        own, first = plan.cost.own_bytes, plan.cost.memory_bytes
        for fits, available in ((1, first), (3, first + 2.5 * own), (8, first + 20.0 * own)):
            monkeypatch.setattr(limits, "available_bytes", lambda available=available: available / 0.8)
            found = within_limits(plan, store, workers)
            assert found.slots() == fits
            assert found.what.startswith(f"{fits} of 8 threads, " if fits < 8 else "8 threads")


def test_available_memory_is_what_the_system_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal: 32 kB\nMemAvailable:       16 kB\n", encoding="ascii")
    monkeypatch.setattr(limits, "_MEMINFO", meminfo)
    monkeypatch.setattr(limits, "_CGROUP", tmp_path)
    assert limits.available_bytes() == 16384.0
    (tmp_path / "memory.max").write_text("9000\n", encoding="ascii")
    (tmp_path / "memory.current").write_text("1000\n", encoding="ascii")
    assert limits.available_bytes() == 8000.0
    (tmp_path / "memory.max").write_text("max\n", encoding="ascii")
    assert limits.available_bytes() == 16384.0


def test_a_long_run_is_said_beforehand(weir_command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    from weir.cli import _runs

    monkeypatch.setattr(_runs, "_LONG_S", 0.0)
    said = weir_command("run", "step-load").stderr
    assert "note: about 150,000 packets, " in said
    assert "all runs may take " in said
