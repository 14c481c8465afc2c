"""A call of an AQM in Python that does not end: its time limit ends it, and so does the first signal."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

import weir
from conftest import Command, Lab
from python_aqms import queue, scenario, written
from waiting import HANG_S, killed, until
from weir.store import Store

ENDLESS = """
    import itertools
    import time
    from pathlib import Path

    from weir.aqm import Aqm, Controller

    class Base(Controller):
        time_limit = {limit}
        def update(self, seen):
            Path("begun").touch()
            self.work()
            return 0.0

    class Loop(Base):
        def work(self):
            while True:
                pass

    class Catching(Base):
        def work(self):
            while True:
                try:
                    time.sleep(0.001)
                except BaseException:
                    pass

    class Waiting(Base):
        def work(self):
            time.sleep(1e6)

    class Keeping(Base):
        def work(self):
            max(itertools.count())

    class Unmade(Base):
        def __init__(self, link):
            self.update(None)
        def work(self):
            while True:
                pass

    class Recorded(Base):
        variables = ("level",)
        @property
        def level(self):
            while True:
                pass
        def work(self):
            pass

    class Packets(Aqm):
        time_limit = {limit}
        def on_enqueue(self, packet, queue, now):
            if now > 0.5:
                while True:
                    pass

    class Quick(Controller):
        time_limit = {limit}
        def update(self, seen):
            return 0.0
"""


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("Loop", "in update at 0.01 s of the run"),
        ("Unmade", "when it was made"),
        ("Recorded", "when level was recorded"),
        ("Packets", "in on_enqueue at "),
    ],
)
def test_a_call_ends_at_its_time_limit(lab: Lab, name: str, place: str) -> None:
    path = f"{lab(ENDLESS.format(limit=0.3))}:{name}"
    with pytest.raises(TimeoutError, match=r"the call took longer than 0\.3 s.*time_limit") as caught:
        scenario(path).run()
    assert any(note.startswith(f"{path}, {place}") for note in caught.value.__notes__)
    # Whoever reads the traceback sees the loop.
    assert caught.traceback[-1].frame.code.path == Path(f"{path.partition(':')[0]}.py").resolve()
    assert scenario(f"{path.partition(':')[0]}:Quick").run().cost.packets > 0


def test_a_queue_by_hand_has_the_limit_too(lab: Lab) -> None:
    module = lab(ENDLESS.format(limit=0.3))
    with pytest.raises(TimeoutError, match="time_limit"):
        queue(f"{module}:Loop").advance(1.0)
    # Nothing of the interruption is left for what the thread does next.
    for _ in range(100_000):
        pass
    queue(f"{module}:Quick").advance(1.0)


@pytest.mark.parametrize("name", ["Catching", pytest.param("Waiting", marks=pytest.mark.soak), "Keeping"])
def test_what_cannot_be_interrupted_ends_with_the_process(lab: Lab, weir_process: Command, name: str) -> None:
    module = lab(ENDLESS.format(limit=0.3))
    done = weir_process("run", str(written(f"{module}:{name}")))
    assert done.returncode == 1, done.stderr
    if name == "Keeping":
        assert "a call of an AQM in Python took longer than its time_limit" in done.stderr
    else:
        assert f'{module}.py", line' in done.stderr
        assert "TimeoutError: the call takes too long and cannot be interrupted" in done.stderr
    with Store.open("results/store") as store:
        assert len(store.sweeps()) == 1


@pytest.mark.parametrize(
    ("name", "replications"),
    [
        ("Loop", 2),
        ("Catching", 1),
        ("Waiting", 2),
        *(
            pytest.param(*case, marks=pytest.mark.soak)
            for case in (("Loop", 1), ("Catching", 2), ("Waiting", 1))
        ),
    ],
)
def test_the_first_signal_ends_the_command(lab: Lab, name: str, replications: int) -> None:
    """Without a limit: nothing else would."""
    file = written(f"{lab(ENDLESS.format(limit=None))}:{name}")
    command = [sys.executable, "-m", "weir", "run", str(file), "-n", str(replications)]
    with killed(subprocess.Popen(command, stderr=subprocess.PIPE, text=True)) as process:
        until(Path("begun").exists, "the AQM is called", by=process)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=HANG_S)
    assert process.returncode == 130
    assert f"interrupted; 0 of {replications} run" in said


def test_a_time_limit_is_checked(lab: Lab) -> None:
    for limit, message in (
        ('"1 s"', "time_limit is '1 s', no number of seconds"),
        (0, "a time_limit of 0.0 s"),
    ):
        with pytest.raises(weir.ScenarioError, match=message):
            scenario(f"{lab(ENDLESS.format(limit=limit))}:Loop")
