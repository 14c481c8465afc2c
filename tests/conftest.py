"""Fixtures of the tests: a scenario that runs in no time, its results, and the command line."""

from __future__ import annotations

import io
import itertools
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import cached_property
from pathlib import Path
from types import FrameType
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, settings

import weir
import weir.store._store
from waiting import HANG_S
from weir.cli import main
from weir.plot import Figure

# Whether an example is slow is a matter of what else the machine does.
settings.register_profile("weir", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# Chance finds new cases on a developer's machine; a check of others' work is the same each time.
settings.register_profile("repeatable", settings.get_profile("weir"), derandomize=True)
settings.load_profile("repeatable" if "CI" in os.environ else "weir")

SMALL = """\
schema = 1
name = "small"
title = "Two to six users on 2 Mbit/s"
seed = 7
duration = "6 s"

[measure]
period = "2 s"
settle = "500 ms"
warm_up = "500 ms"
series = { interval = "20 ms" }

[links.bottleneck]
rate = "2 Mbit/s"
delay = "10 ms"
buffer = "20 packets"

[flows.ftp]
count = 2
population = [{ step = 2, every = "2 s", until = 6 }]
rtt = "60 ms"
start_jitter = "100 ms"
packet_size = "1000 B"

[variants.drop-tail]
label = "DropTail"

[variants.red]
label = "RED"
"links.bottleneck.queue.red" = { min_th = "4 packets", max_th = "12 packets" }

[variants.rem]
label = "REM"
"links.bottleneck.queue.rem" = { target = "6 packets" }
"""


ENDLESS = {"duration": "3000000 s", "measure.period": "1000000 s", "measure.series.interval": "1000 s"}
"""Takes a minute or more, so that there is time to interrupt it, and ends by itself."""

ENDLESS_OPTIONS = [part for path, value in ENDLESS.items() for part in ("--set", f"{path}={value}")]
"""Settings of `ENDLESS` as options of a command."""


LONGEST = (
    *("test_validation.py", "test_soak.py", "test_show.py", "test_shell.py", "test_sweep_report.py"),
    *("test_sweep_charts.py", "test_operating_point.py", "test_faults.py", "test_captures.py"),
    *("test_live_commands.py", "test_sweep_cli.py", "test_check_command.py", "test_blocks.py"),
)
"""Files that take longest come first, in this order: at the end one would keep one process alone."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A file stays together, as its tests stood."""
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.name, len(places)))


def go_on(_number: int, _frame: FrameType | None) -> None:
    """Takes a signal and does nothing."""


@pytest.fixture(autouse=True, scope="session")
def interruptible() -> None:
    """A shell starts background processes deaf to Ctrl-C, nohup makes them deaf to the end of a terminal, and
    their children inherit it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
        # The suite goes on. What it starts does not inherit a function.
        signal.signal(signal.SIGHUP, go_on)


@pytest.fixture(autouse=True, scope="session")
def stored(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Results that name no store go to a temporary one."""
    weir.store._store.DEFAULT = tmp_path_factory.mktemp("results") / "store"


def shape_of(chart: object) -> str:
    """Shape of a chart, whatever is written in it: marks, channels, types."""
    if isinstance(chart, dict):
        parts = cast("dict[str, object]", chart).items()
        is_named = {key: key in {"mark", "type"} and isinstance(part, str) for key, part in parts}
        named = {f"{key}:{part if is_named[key] else shape_of(part)}" for key, part in parts}
        return f"{{{','.join(sorted(named))}}}"
    if isinstance(chart, list):
        return f"[{','.join(sorted({shape_of(part) for part in cast('list[object]', chart)}))}]"
    return type(chart).__name__


@pytest.fixture(autouse=True, scope="session")
def charts_are_valid() -> None:
    """Weir does not check its charts against the schema of Vega-Lite, which takes longer than to draw them.
    The tests do: the first chart of each shape, wherever it is drawn."""
    seen: set[str] = set()
    bare = Figure.__dict__["bare"].func

    def checked(figure: Figure) -> dict[str, Any]:
        found: dict[str, Any] = bare(figure)
        shape = shape_of(found)
        if shape not in seen:
            seen.add(shape)
            figure.chart.to_dict()
        return found

    prop = cached_property(checked)
    prop.__set_name__(Figure, "bare")
    Figure.bare = prop  # type: ignore[method-assign]


def names_in(directory: Path) -> list[str]:
    """Names of everything in a directory, hidden files included."""
    return sorted(path.name for path in directory.iterdir())


Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A scenario file with periods, series and three variants."""
    path = tmp_path / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    return path


def command_in(directory: Path) -> Command:
    """`weir ARGUMENTS` in a directory, called in this process: a new one would load every module anew."""

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        command = [str(argument) for argument in arguments]
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            patch.chdir(directory)
            patch.setattr(sys, "argv", ["weir", *command])
            patch.setattr(weir.store._store, "DEFAULT", weir.store.DEFAULT)
            patch.setenv("COLUMNS", "80")
            try:
                main()
                code = 0
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else int(end.code is not None)
        said = [stream.buffer.getvalue().decode() for stream in (out, err)]  # type: ignore[attr-defined]
        return subprocess.CompletedProcess(command, code, *said)

    return run


@pytest.fixture
def weir_command(tmp_path: Path) -> Command:
    """`weir ARGUMENTS` in an empty directory."""
    return command_in(tmp_path)


@pytest.fixture
def weir_process(tmp_path: Path) -> Command:
    """`weir ARGUMENTS` as a process, in an empty directory: where the process is the point."""

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "weir", *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            timeout=HANG_S,
        )

    return run


@pytest.fixture(scope="session")
def compared() -> weir.Sweep:
    """Three variants, four replications."""
    return weir.Scenario.loads(SMALL).compare(replications=4)


@pytest.fixture(scope="session")
def single() -> weir.Sweep:
    """The scenario alone, without periods, once."""
    one_population = SMALL.replace('population = [{ step = 2, every = "2 s", until = 6 }]\n', "")
    text = one_population.replace('period = "2 s"\nsettle = "500 ms"\n', "")
    return weir.Scenario.loads(text.replace('series = { interval = "20 ms" }\n', "")).run()


Lab = Callable[[str], str]
"""Writes a module of Python with this text into the current folder; its name."""

_modules = itertools.count()


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    """A folder for Python modules with AQMs."""
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.chdir(tmp_path)

    def write(text: str) -> str:
        name = f"lab_{next(_modules)}"
        Path(f"{name}.py").write_text(textwrap.dedent(text), encoding="utf-8")
        return name

    return write
