"""`weir studio`: the page comes from this machine alone, with the scenario in its address."""

from __future__ import annotations

import json
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import urllib.error
import urllib.request
import zlib
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import Command
from waiting import HANG_S, killed, until
from weir import ScenarioError, _core, studio
from weir._errors import InputError
from weir.lesson import read_lesson
from weir.live._feed import Feed
from weir.stats import MEASURES

ROOT = Path(__file__).parents[1]
RUNS = """
[links.line]
rate = "10 Mbit/s"
delay = "5 ms"
buffer = "100 packets"
[flows.cubic]
rtt = "40 ms"
"""


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """File that stands for the built page."""
    page = tmp_path / "index.html"
    page.write_text("<title>studio</title>", encoding="utf-8")
    monkeypatch.setattr(studio, "PAGE", page)
    return page


def state_in(address: str) -> dict[str, object]:
    """State in an address, as the page reads it."""
    packed = address.partition("#s=")[2]
    return json.loads(zlib.decompress(urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), -15))


def test_the_page_is_served_to_this_machine_alone(page: Path) -> None:
    with studio.server(0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        host, port = server.server_address[:2]
        assert host == "127.0.0.1"
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/") as answer:
            assert answer.read() == page.read_bytes()
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        with pytest.raises(urllib.error.HTTPError, match="404") as missing:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/../weir.toml")
        assert "frame-ancestors 'none'" in missing.value.headers["Content-Security-Policy"]
        missing.value.close()
        server.shutdown()


def test_a_browser_that_leaves_early_is_no_traceback(page: Path, capfd: pytest.CaptureFixture[str]) -> None:
    page.write_bytes(bytes(30_000_000))
    with studio.server(0) as server:
        # Its threads end before the block does.
        server.daemon_threads = False
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with socket.create_connection(("127.0.0.1", server.server_port), HANG_S) as browser:
            browser.sendall(b"GET / HTTP/1.1\r\n\r\n")
            assert browser.recv(1)
            # To close it now resets the connection.
            browser.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        server.shutdown()
    assert capfd.readouterr().err == ""


def test_a_scenario_travels_in_the_address() -> None:
    text = 'title = "ßÜ ± ✓"\n' + "x = 1\n" * 1000
    address = studio.fragment(text, ["a", "b", "c", "d"])
    assert len(address) < 200
    assert state_in(address) == {"text": text, "shown": ["a", "b", "c"], "speed": None}
    assert state_in(studio.fragment(text, []))["shown"] == [None]


def test_a_link_opens_what_it_holds() -> None:
    shared = studio.fragment('schema = 1\nname = "x"\nduration = "1 s"\n' + RUNS, [])
    for link in (shared, f"https://example.org/studio/{shared}", f"file:///a b/index.html?compact{shared}"):
        assert studio.is_link(link)
        assert studio.fragment_of(link) == shared
    for name in ("start", "lesson/rem", "queue/pie", "template/isp", "scenario/l4s-pair"):
        assert studio.fragment_of(f"http://127.0.0.1:8000/#{name}") == f"#{name}"
    assert studio.fragment_of("#lesson%2Frem") == "#lesson/rem"
    assert not any(map(studio.is_link, ("mine.toml", "l4s-pair", "a#b.toml")))


def test_a_lesson_of_ones_own_travels_in_the_address() -> None:
    text = read_lesson("bufferbloat").replace("# Bufferbloat", "# Mine")
    address = studio.lesson_fragment(text)
    assert studio.fragment_of(f"http://127.0.0.1/{address}") == address
    with pytest.raises(ScenarioError, match="the lesson has no scenario"):
        studio.fragment_of(studio.lesson_fragment("# Mine"))
    with pytest.raises(InputError, match="cut off or changed"):
        studio.fragment_of("#l=x")


def test_a_lesson_with_a_mistake_opens_no_page(weir_command: Command, page: Path, tmp_path: Path) -> None:
    assert page.exists()
    (tmp_path / "wrong.md").write_text("# Mine\n", encoding="utf-8")
    done = weir_command("studio", "wrong.md")
    assert done.returncode == 2
    assert "wrong.md:1: the lesson has no scenario" in done.stderr


def test_measures_of_the_page_are_those_of_weir() -> None:
    text = (ROOT / "studio/src/core/measures.ts").read_text(encoding="utf-8")
    row = r'^  (\w+): \{ title: "(.*)", unit: "(.*)", table: "(\w+)", column: "(\w+)", factor: (\d+) \},$'
    found = re.findall(row, text, re.MULTILINE)
    assert len(found) == text.count('title: "')
    for name, title, unit, table, column, factor in found:
        one = MEASURES[name]
        assert (one.title, one.unit, one.table) == (title, unit, table)
        assert (one.column, one.scale) == (column, float(factor))


BOMB = studio.fragment("#" * 5_000_000, [])


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("https://example.org/studio/", "holds no scenario"),
        ("#", "holds no scenario"),
        ("#lesson/rme", "or 'lesson/rem'?"),
        ("#nothing", "nothing named 'nothing'"),
        ("#live=1.a", "weir live --studio"),
        ("#s=abc", "cut off or changed"),
        ("#s=", "cut off or changed"),
        ("#s=a+b", "cut off or changed"),
        (studio.fragment("x = 1", [])[:-5], "cut off or changed"),
        (studio.fragment("x = 1", []) + "AAAA", "cut off or changed"),
        (BOMB, "more than 4 MB"),
        (studio.fragment('schema = 1\nname = "x"\nduration = "5 hours"\n', []), "duration"),
        ("#s=q1YqSa0oUbJSMNRRUCrOyC_PA7KNagE", "holds no scenario"),
    ],
    ids=lambda value: value[:20],
)
def test_a_wrong_link_opens_nothing(weir_command: Command, page: Path, link: str, said: str) -> None:
    assert page.exists()
    done = weir_command("studio", link)
    assert done.returncode == 2
    assert said in done.stderr
    assert "studio: http" not in done.stderr


def test_the_page_is_written_for_a_server(weir_command: Command, page: Path, tmp_path: Path) -> None:
    there = tmp_path / "class" / "queues and delay"
    done = weir_command("studio", "--export", str(there))
    assert done.returncode == 0
    assert (there / "index.html").read_bytes() == page.read_bytes()
    assert f"python3 -m http.server --directory '{there}'" in done.stderr
    assert len(done.stderr.splitlines()) == 2
    # The same page again changes nothing; another one stays, unless it may go.
    assert weir_command("studio", "--export", str(there)).returncode == 0
    (there / "notes.txt").write_text("mine", encoding="utf-8")
    (there / "index.html").write_text("mine", encoding="utf-8")
    done = weir_command("studio", "--export", str(there))
    assert done.returncode == 2
    assert "--force" in done.stderr
    assert (there / "index.html").read_text(encoding="utf-8") == "mine"
    assert weir_command("studio", "--export", str(there), "--force").returncode == 0
    assert (there / "index.html").read_bytes() == page.read_bytes()
    assert (there / "notes.txt").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    "arguments", [("--force",), ("l4s-pair", "--export", "x"), ("--export", "index.html")]
)
def test_an_export_that_cannot_be_is_refused(
    weir_command: Command, page: Path, arguments: tuple[str, ...]
) -> None:
    assert page.exists()
    assert weir_command("studio", *arguments).returncode == 2


def test_without_the_page_it_is_said_how_to_get_it(
    weir_command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(studio, "PAGE", tmp_path / "none.html")
    done = weir_command("studio")
    assert done.returncode == 2
    assert "Node" in done.stderr


def test_a_scenario_with_a_mistake_opens_no_page(weir_command: Command, page: Path, tmp_path: Path) -> None:
    assert page.exists()
    (tmp_path / "wrong.toml").write_text("schema = 1\nname = 'x'\n", encoding="utf-8")
    done = weir_command("studio", "wrong.toml")
    assert done.returncode == 2
    assert "duration" in done.stderr


def test_a_port_in_use_is_said(weir_command: Command, page: Path) -> None:
    assert page.exists()
    with studio.server(0) as other:
        done = weir_command("studio", "--port", str(other.server_port))
    assert done.returncode == 2
    assert str(other.server_port) in done.stderr


def test_it_ends_with_ctrl_c(page: Path, small: Path) -> None:
    program = (
        "from pathlib import Path; from weir import studio; from weir.__main__ import main\n"
        f"studio.PAGE = Path({str(page)!r}); main()"
    )
    command = [sys.executable, "-c", program, "studio", str(small), "--no-open"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with killed(process) as running:
        assert running.stdout is not None
        address = running.stdout.readline().strip()
        assert state_in(address)["text"] == small.read_text(encoding="utf-8")
        with urllib.request.urlopen(address.partition("#")[0]) as answer:  # noqa: S310 - our own
            assert answer.status == 200
        running.send_signal(signal.SIGINT)
        said = running.communicate(timeout=HANG_S)[1]
    assert running.returncode == 0
    assert "Traceback" not in said


def connected(feed: Feed) -> socket.socket:
    """A page that has opened the feed and from then on does nothing by itself."""
    page = socket.create_connection(("127.0.0.1", feed.port), timeout=HANG_S)
    token = feed.fragment.partition(".")[2]
    page.sendall(
        f"GET /{token} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    return page


@pytest.fixture
def threads() -> set[threading.Thread]:
    """Threads that exist before the feed."""
    return set(threading.enumerate())


@pytest.fixture
def hasty_feed(threads: set[threading.Thread]) -> Iterator[Feed]:
    pytest.importorskip("websockets")
    del threads  # Looked at before the feed has its own.
    scenario = _core.Scenario.loads(
        'schema = 1\nname = "live"\nduration = "1 s"\nflows.down = { rtt = "40 ms" }\n'
        'links.line = { rate = "12 Mbit/s", delay = "5 ms", buffer = "9 packets" }\n'
    )
    feed = Feed(scenario, "down", [("line", "forward")], 30.0, idle_s=0.05)
    yield feed
    feed.close()


def serving(before: set[threading.Thread]) -> list[threading.Thread]:
    """The threads that connections hold."""
    return [one for one in threading.enumerate() if one not in before and one.name != "weir-feed"]


def test_a_page_that_answers_no_ping_is_closed(hasty_feed: Feed, threads: set[threading.Thread]) -> None:
    with connected(hasty_feed) as page:
        said = b""
        while some := page.recv(65536):
            said += some
    assert b"101 Switching Protocols" in said
    assert (1011).to_bytes(2, "big") + b"keepalive ping timeout" in said
    until(lambda: not serving(threads), "a thread of the connection lives on")


def test_a_page_that_takes_nothing_is_closed(hasty_feed: Feed, threads: set[threading.Thread]) -> None:
    link = dict.fromkeys(("waiting", "departures", "bytes", "drops", "marks", "waited_ns"), 0)
    state: Any = {"links": [link], "flows": [], "lateness": {}}
    for _ in range(1000):
        hasty_feed.add(0.0, [state] * 500)
    with connected(hasty_feed) as page:
        assert b"101 Switching Protocols" in page.recv(200)
        until(lambda: not serving(threads), "a thread of the connection lives on")


def test_a_connection_that_opens_nothing_is_closed(hasty_feed: Feed) -> None:
    with socket.create_connection(("127.0.0.1", hasty_feed.port), timeout=HANG_S) as page:
        while page.recv(65536):
            pass
