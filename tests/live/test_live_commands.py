"""`weir live`: a command runs behind the links as it would without them."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from sessions import (
    SCENARIO,
    SEND,
    SERVE,
    Finish,
    answering,
    answering_datagrams,
    finish,
    live,
    machine,
    marked,
    needs_namespaces,
    needs_tun,
    place,
    processes,
    python,
    weir,
)

import weir as api
from conftest import command_in
from waiting import HANG_S, until
from weir.live._honesty import notes
from weir.live._session import run_session
from weir.live._spec import LiveSpec

__all__ = ["finish", "place"]

pytestmark = needs_namespaces
FAR = shlex.join(python(SERVE, "9000", "far"))


@pytest.mark.parametrize("code", [0, pytest.param(1, marks=pytest.mark.soak), 77])
def test_the_exit_code_is_that_of_the_command(finish: Finish, code: int) -> None:
    ended = finish(live("--", "sh", "-c", f"echo data; echo remark >&2; exit {code}"))
    assert (ended.returncode, ended.stdout) == (code, "data\n")
    assert ended.stderr.startswith("remark\n")


def test_a_command_that_a_signal_ended_has_the_code_of_a_shell(finish: Finish) -> None:
    assert finish(live("--", "sh", "-c", "kill -KILL $$")).returncode == 128 + signal.SIGKILL


TUN_AND_VETH = pytest.mark.parametrize(
    "path",
    [pytest.param([], marks=[needs_tun, pytest.mark.soak], id="tun"), pytest.param(["--veth"], id="veth")],
)


@TUN_AND_VETH
def test_a_command_reaches_the_command_at_the_far_end(finish: Finish, path: list[str]) -> None:
    size = "3000000"
    for address in ("198.18.0.1", "fd57:4549:5200::1"):
        ended = finish(live(*path, "--far", FAR, "--", *python(SEND, address, "9000", size)))
        assert (ended.returncode, ended.stdout) == (0, f"far {size}\n"), ended.stderr


def test_a_command_may_serve_a_port_that_elsewhere_is_reserved(finish: Finish) -> None:
    far = shlex.join(python(SERVE, "80", "far"))
    ended = finish(live("--far", far, "--", *python(SEND, "198.18.0.1", "80", "1000")))
    assert (ended.returncode, ended.stdout) == (0, "far 1000\n"), ended.stderr


def test_the_far_command_listens_first_though_other_ports_are_forwarded(finish: Finish) -> None:
    late = shlex.join(["sh", "-c", f"sleep 0.5; exec {FAR}"])
    with answering("host") as port:
        forwards = ["--forward", f"80:{port}", "--forward", f"53:{port}/udp"]
        ended = finish(live(*forwards, "--far", late, "--", *python(SEND, "198.18.0.1", "9000", "1000")))
    assert (ended.returncode, ended.stdout) == (0, "far 1000\n"), ended.stderr


@TUN_AND_VETH
def test_a_command_may_take_its_device_down_and_up_again(
    finish: Finish, place: Path, path: list[str]
) -> None:
    if shutil.which("ip") is None:
        pytest.skip("needs iproute2")
    # What comes while it is down is lost: a datagram goes, and its answers find no device.
    text = f"""
import socket, subprocess, sys, time
from pathlib import Path
device = lambda state: subprocess.run(["ip", "link", "set", "weir0", state], check=True)
def until(file):
    while not Path(file).exists():
        time.sleep(0.01)
asking = socket.socket(type=socket.SOCK_DGRAM)
asking.sendto(b"?", ("198.18.0.1", 53))
until("asked")
device("down")
Path("down").touch()
until("answered")
device("up")
subprocess.run(["ip", "route", "replace", "default", "dev", "weir0"], check=True)
sys.argv = ["-c", "198.18.0.1", "9000", "1000"]
{SEND}
"""

    def answers() -> Iterator[bytes]:
        (place / "asked").touch()
        until((place / "down").exists, "the device is not taken down")
        # The links are passed in the time on the clock: there are some answers, and some time between them.
        for _ in range(50):
            yield b"!"
            time.sleep(0.01)
        (place / "answered").touch()

    with answering_datagrams(lambda _: answers()) as port:
        ended = finish(live(*path, "--forward", f"53:{port}/udp", "--far", FAR, "--", *python(text)))
    assert (ended.returncode, ended.stdout) == (0, "far 1000\n"), ended.stderr
    assert "lost outside the queues" in ended.stderr


def test_a_run_ends_when_no_more_packets_can_be_kept(tmp_path: Path) -> None:
    (tmp_path / "access.toml").write_text(SCENARIO)
    text = """
import socket, time
sending = socket.socket(type=socket.SOCK_DGRAM)
for _ in range(2000):
    sending.sendto(bytes(100), ("198.18.0.1", 9))
    time.sleep(0.01)
"""
    scenario = api.Scenario.load(tmp_path / "access.toml").core
    outcome = run_session(LiveSpec(scenario, python(text), most_packets=20), seed=1)
    assert outcome.exit_code == 0
    assert outcome.is_full
    assert 20 <= outcome.run.honesty["packets"] < 4000
    assert "live-full" in [note.code for note in notes([outcome])]


def test_each_client_has_its_number_and_the_first_failure_is_the_exit_code(finish: Finish) -> None:
    told = "os.write(1, b'client ' + os.environb[b'WEIR_CLIENT'] + b'\\n')"
    text = f"import os\n{SEND}\n{told}\nsys.exit(2 * int(os.environ['WEIR_CLIENT']))"
    ended = finish(live("--clients", "3", "--far", FAR, "--", *python(text, "198.18.0.1", "9000", "10000")))
    assert sorted(ended.stdout.splitlines()) == ["client 0", "client 1", "client 2", *["far 10000"] * 3]
    assert ended.returncode == 2


def test_a_forwarded_port_reaches_a_service_of_this_machine(finish: Finish) -> None:
    with answering("host") as port:
        ended = finish(live("--forward", f"80:{port}", "--", *python(SEND, "198.18.0.1", "80", "2000000")))
    assert (ended.returncode, ended.stdout) == (0, "host 2000000\n"), ended.stderr
    assert "nothing listens" not in ended.stderr


def test_so_does_a_port_of_udp_and_answers_find_their_clients(finish: Finish) -> None:
    text = """
import os, socket
asked = socket.socket(type=socket.SOCK_DGRAM)
asked.connect((os.environ["WEIR_FAR"], 53))
for number in range(20):
    asked.send(f"{os.environ['WEIR_CLIENT']}.{number}".encode())
    os.write(1, asked.recv(100) + b"\\n")  # at once, since there are two
"""
    with answering_datagrams() as port:
        ended = finish(live("--clients", "2", "--forward", f"53:{port}/udp", "--", *python(text)))
    assert ended.returncode == 0, ended.stderr
    said = [f"answer to {client}.{number}" for client in range(2) for number in range(20)]
    assert sorted(ended.stdout.splitlines()) == sorted(said)


def test_a_port_without_a_service_is_said_and_refuses_as_a_host_would(finish: Finish) -> None:
    with socket.socket() as silent:
        # Nobody else can have this port, and it does not listen.
        silent.bind(("127.0.0.1", 0))
        port = silent.getsockname()[1]
        ended = finish(live("--forward", f"80:{port}", "--", *python(SEND, "198.18.0.1", "80", "1")))
    assert f"note: nothing listens to port {port} of this machine yet\n" in ended.stderr
    assert ended.returncode == 1
    assert "Error" in ended.stderr


def test_nothing_else_can_be_reached(finish: Finish) -> None:
    with answering("host") as port:
        for address in ("127.0.0.1", "198.18.0.1"):
            ended = finish(live("--", *python(SEND, address, str(port), "1")))
            assert ended.returncode == 1
            assert "ConnectionRefusedError" in ended.stderr


def test_two_runs_at_a_time_do_not_meet(place: Path) -> None:
    runs: list[subprocess.Popen[str]] = []
    for word in ("one", "two"):
        far = shlex.join(python(SERVE, "9000", word))
        command = live("--store", word, "--far", far, "--", *python(SEND, "198.18.0.1", "9000", "4000000"))
        runs.append(subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, text=True))
    said = [run.communicate(timeout=HANG_S)[0] for run in runs]
    assert said == ["one 4000000\n", "two 4000000\n"]
    assert [run.returncode for run in runs] == [0, 0]


def test_the_command_is_the_user_and_has_power_over_its_network_alone(finish: Finish) -> None:
    text = "id -u; grep CapEff /proc/self/status; tr '\\0' ' ' < /proc/1/cmdline"
    ended = finish(live("--", "sh", "-c", text))
    user, capabilities, first = ended.stdout.splitlines()
    assert user == str(os.getuid())
    assert int(capabilities.split()[1], 16) == 1 << 12 | 1 << 13  # CAP_NET_ADMIN, CAP_NET_RAW
    assert "weir.live._inside" in first


@pytest.mark.parametrize("path", [[], ["--veth"]])
def test_nothing_outside_changes_while_it_runs(place: Path, path: list[str]) -> None:
    before = machine()
    mark, environment = marked()
    command = live(*path, "--congestion", "reno", "--", "sh", "-c", "echo here; read line")
    with subprocess.Popen(
        command, cwd=place, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as run:
        assert run.stdin is not None
        assert run.stdout is not None
        assert run.stdout.readline() == "here\n"
        assert machine() == before
        run.stdin.close()
    assert machine() == before
    assert processes(mark) == {}


def test_what_a_command_leaves_behind_ends_with_it(finish: Finish) -> None:
    mark, environment = marked()
    command = live("--", "sh", "-c", "setsid sleep 1000 & exit 0")
    assert finish(["env", f"WEIR_TEST_MARK={mark}", *command]).returncode == 0
    assert environment["WEIR_TEST_MARK"] == mark
    assert processes(mark) == {}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_command_and_what_was_measured_is_kept(place: Path, number: int) -> None:
    command = live("--", "sh", "-c", "trap 'echo over; exit 0' TERM; echo here; while :; do sleep 0.05; done")
    with subprocess.Popen(
        command, cwd=place, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "here\n"
        run.send_signal(number)
        out, err = run.communicate(timeout=HANG_S)
    assert (out, run.returncode) == ("over\n", 128 + number)
    assert "result 1" in err


def test_the_time_of_a_command_can_be_limited(finish: Finish) -> None:
    # One that ends when it is asked to, and one that does not.
    for text in ("sleep 1000", "trap '' TERM; while :; do sleep 0.1; done"):
        ended = finish(live("--duration", "300 ms", "--", "sh", "-c", text))
        assert (ended.returncode, "result" in ended.stderr) == (0, True)


def test_a_live_run_is_a_result_like_any_other(finish: Finish, place: Path) -> None:
    ended = finish(live("--repeats", "2", "--json", "--", "true"))
    document = json.loads(ended.stdout)
    assert (document["kind"], document["replications"], document["exit_code"]) == ("live", 2, 0)
    weir_here = command_in(place)
    assert weir_here("report", "1").returncode == 0
    assert "Same decisions as the simulator" in (place / "results/1-access-live/report.html").read_text()
    assert "access-live" in weir_here("results").stdout
    with api.Sweep.open(1, place / "results/store") as sweep:
        assert sweep.live["facts"]["Command"] == "true"
        assert sweep.links.height >= 2
    # The same scenario simulated, and the same command again, are other results.
    assert weir_here("run", "access.toml").returncode == 0
    assert finish(live("--", "true")).returncode == 0
    with api.Store.open(place / "results/store", read_only=True) as store:
        assert [sweep.number for sweep in store.sweeps()] == [1, 2, 3]
        assert store.cost().runs == 4


def test_json_is_all_of_stdout(finish: Finish) -> None:
    ended = finish(live("--json", "--", "echo", "words"))
    assert json.loads(ended.stdout)["exit_code"] == 0
    assert "words\n" in ended.stderr


def test_another_user_without_rights_can_do_it() -> None:
    interpreter = f"/usr/bin/python3.{sys.version_info.minor}"
    if os.getuid() != 0 or not Path(interpreter).exists():
        pytest.skip("needs root to become another user, and an interpreter that everybody may execute")
    sources = Path(api.__file__).parents[2]
    packages = list(map(str, (sources / "python", Path(typer.__file__).parents[1])))
    user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o777)
        (Path(name) / "access.toml").write_text(SCENARIO)
        far = shlex.join([interpreter, "-c", SERVE, "9000", "far"])
        send = [interpreter, "-c", SEND, "198.18.0.1", "9000", "1000000"]
        ended = subprocess.run(
            [*user, *weir("live", "access.toml", "--far", far, "--", *send, interpreter=interpreter)],
            cwd=name,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(packages), "HOME": name},
            capture_output=True,
            text=True,
            check=False,
            timeout=HANG_S,
        )
    assert (ended.returncode, ended.stdout) == (0, "far 1000000\n"), ended.stderr
