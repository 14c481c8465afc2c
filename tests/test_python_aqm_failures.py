"""Errors in an AQM in Python are reported before the run, or with the user's own traceback."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import weir
from conftest import SMALL, Command, Lab
from python_aqms import CONSTANT, queue, scenario, written
from weir.run._batch import run_batch

FAILING = """
    from weir.aqm import Aqm, Controller

    class Failing(Controller):
        def update(self, seen):
            return 1 / (seen.now < 0.5)

    class Unmade(Controller):
        def __init__(self, link):
            raise LookupError("nothing there")
        def update(self, seen):
            return 0.0

    class Odd(Exception):
        def __init__(self, one, other):
            super().__init__(f"{one} and {other}")

    class Odder(Aqm):
        def on_enqueue(self, packet, queue, now):
            raise Odd("this", "that")

    class Beyond(Controller):
        def update(self, seen):
            return 1.5

    class Wordy(Controller):
        def update(self, seen):
            return "often"

    class Undecided(Aqm):
        def on_enqueue(self, packet, queue, now):
            return True

    class Yes(Controller):
        def update(self, seen):
            return True

    class Array(Controller):
        def update(self, seen):
            import numpy
            return numpy.float64(1) > 0

    class Ending(Controller):
        def update(self, seen):
            raise SystemExit(3)

    class Never(Aqm):
        def on_enqueue(self, packet, queue, now):
            return None
        def update(self, queue, now):
            pass

    class Hasty(Controller):
        def __init__(self, link):
            self.period = 1e-9
        def update(self, seen):
            return 0.0

    class Vague(Controller):
        variables = ("thing",)
        thing = "a text"
        def update(self, seen):
            return 0.0
"""


@pytest.mark.parametrize(
    ("name", "kind", "message", "place"),
    [
        ("Failing", ZeroDivisionError, "division by zero", "in update at 0.5 s of the run"),
        ("Unmade", LookupError, "nothing there", "when it was made"),
        ("Odder", Exception, "this and that", "in on_enqueue at "),
        ("Beyond", ValueError, "update returned 1.5; a probability lies between 0 and 1", "in update"),
        ("Wordy", TypeError, "update returned 'often', not a probability", "in update"),
        ("Undecided", TypeError, "True is no verdict; return None, \"mark\" or \"drop\"", "in on_enqueue"),
        ("Yes", TypeError, "update returned True, not a probability", "in update"),
        ("Array", TypeError, "not a probability", "in update"),
        ("Ending", RuntimeError, "an AQM raised SystemExit: 3", "in update"),
        ("Never", TypeError, "update is never called: set period", "when it was made"),
        ("Hasty", ValueError, "a period of 1e-09 s", "when it was made"),
        ("Vague", TypeError, "", "when thing was recorded"),
    ],
)  # fmt: skip
def test_an_exception_comes_back_as_it_was(
    lab: Lab, name: str, kind: type[Exception], message: str, place: str
) -> None:
    module = lab(FAILING)
    with pytest.raises(kind) as caught:
        scenario(f"{module}:{name}").run()
    assert message in str(caught.value)
    (note,) = caught.value.__notes__
    assert note.startswith(f"{module}:{name}, {place}")
    if name in {"Failing", "Unmade", "Odder"}:
        last = caught.traceback[-1]
        assert (Path(last.path).name, last.name) in {
            (f"{module}.py", hook) for hook in ("update", "__init__", "on_enqueue")
        }


def test_an_exception_ends_the_other_runs_too(lab: Lab) -> None:
    long = {"duration": "1000000 s", "measure.period": "1000000 s", "measure.series.interval": "1000 s"}
    failing = scenario(f"{lab(FAILING)}:Failing", long)
    began = time.process_time()
    with pytest.raises(ZeroDivisionError):
        run_batch([(weir.Scenario.loads(SMALL, long).core, 1), (failing.core, 1)], 2)
    # The other would take minutes.
    assert time.process_time() - began < 20


def test_the_command_shows_the_traceback_of_the_aqm_alone(lab: Lab, weir_command: Command) -> None:
    module = lab(FAILING)
    done = weir_command("run", str(written(f"{module}:Failing")))
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("Traceback (most recent call last):")
    assert "return 1 / (seen.now < 0.5)" in done.stderr
    assert done.stderr.rstrip().endswith(f"{module}:Failing, in update at 0.5 s of the run")
    assert done.stderr.count("  File ") == 1
    assert not Path("out").exists()


def test_an_aqm_cannot_end_the_program(lab: Lab, weir_command: Command) -> None:
    module = lab(FAILING)
    done = weir_command("run", str(written(f"{module}:Ending")))
    assert done.returncode == 1
    assert "raise SystemExit(3)" in done.stderr
    assert "SystemExit: 3" in done.stderr
    assert f"{module}:Ending, in update at " in done.stderr
    with pytest.raises(weir.ScenarioError, match=r"importing lab_\d+ failed: SystemExit: 3"):
        scenario(lab("raise SystemExit(3)\n") + ":Aqm")


@pytest.mark.parametrize("workers", ["--threads=2", "--processes=1", ""])
@pytest.mark.parametrize("name", ["Failing", "Odder"])
def test_a_sweep_shows_it_too(lab: Lab, weir_command: Command, workers: str, name: str) -> None:
    module = lab(FAILING)
    done = weir_command(
        "sweep",
        str(written(f"{module}:{name}")),
        "--axis",
        "flows.ftp.count=1,2",
        "--quiet",
        *workers.split(),
    )
    assert done.returncode == 1
    assert f"{module}:{name}, in " in done.stderr
    assert "Traceback (most recent call last):" in done.stderr
    assert "rust" not in done.stderr.lower()


BAD = {
    "nowhere:Aqm": ("class", "there is no module 'nowhere'", "PYTHONPATH"),
    "{}:Constant_": ("class", "there is no class 'Constant_'", "did you mean 'Constant'?"),
    "{}": ("class", "is not the import path of a class", "module:Class"),
    "json:JSONDecoder": ("class", "neither a weir.aqm.Controller nor a weir.aqm.Aqm", "derive"),
}


@pytest.mark.parametrize("path", BAD)
def test_a_class_that_cannot_be_found(lab: Lab, path: str) -> None:
    key, message, hint = BAD[path]
    file = written(path.format(lab(CONSTANT)))
    with pytest.raises(weir.ScenarioError) as caught:
        weir.Scenario.load(file)
    error = caught.value
    assert error.path == f"links.bottleneck.queue.python.{key}"
    assert error.line == 14
    assert message in error.message
    assert hint in (error.hint or "")
    with pytest.raises(ValueError, match=r"hint: "):
        queue(path.format("x"))


def test_parameters_are_checked_before_the_run(lab: Lab) -> None:
    path = f"{lab(CONSTANT)}:Constant"
    with pytest.raises(weir.ScenarioError) as caught:
        scenario(path, {"links.bottleneck.queue.python.parameters.hight": 0.2})
    assert caught.value.path == "links.bottleneck.queue.python.parameters.hight"
    assert "did you mean 'height'?" in str(caught.value)
    needing = lab("""
        from weir.aqm import Controller

        class Needing(Controller):
            def __init__(self, link, *, gain):
                self.gain = gain
            def update(self, seen):
                return 0.0

        class Idle(Controller):
            pass
    """)
    with pytest.raises(weir.ScenarioError, match="Needing needs gain"):
        scenario(f"{needing}:Needing")
    with pytest.raises(weir.ScenarioError, match="defines no method that decides"):
        scenario(f"{needing}:Idle")


def test_a_file_that_cannot_be_imported_says_why(lab: Lab) -> None:
    with pytest.raises(weir.ScenarioError, match=r"importing lab_\d+ failed: SyntaxError: .*line 2"):
        scenario(lab("x = 1\ny =\n") + ":Aqm")
    with pytest.raises(weir.ScenarioError, match=r"failed: ModuleNotFoundError: No module named 'absent'"):
        scenario(lab("import absent\n") + ":Aqm")


MISTAKEN = """
    from weir.aqm import Aqm, Controller

    class Misspelt(Aqm):
        def on_enqueue(self, packet, queue, now):
            return None
        def on_overlow(self, packets, now):
            pass

    class Hooked(Controller):
        def update(self, seen):
            return 0.0
        def on_rate(self, rate, now):
            pass

    class Single(Controller):
        variables = "late"
        late = 0.0
        def update(self, seen):
            return 0.0

    class Numbered(Controller):
        variables = ("late", 1)
        late = 0.0
        def update(self, seen):
            return 0.0

    class Worded(Controller):
        period = "10 ms"
        def update(self, seen):
            return 0.0

    class Yearly(Controller):
        period = 3e7
        def update(self, seen):
            return 0.0

    class Linkless(Controller):
        def __init__(self):
            pass
        def update(self, seen):
            return 0.0
"""


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        ("Misspelt", "Misspelt has no hook 'on_overlow'", "did you mean 'on_overflow'?"),
        ("Hooked", "on_rate of a Controller is never called", "derive it from Aqm"),
        ("Single", "Single: variables is 'late', no tuple of names", 'write ("late",)'),
        ("Numbered", "Numbered: 1 in variables is no name", "write"),
        ("Worded", "Worded: period is '10 ms', no number of seconds", "write 0.01 for 10 ms"),
        ("Yearly", "Yearly: a period of 30000000.0 s", "seconds between updates"),
        ("Linkless", "the __init__ of Linkless does not take the link", "def __init__(self, link)"),
    ],
)
def test_mistakes_of_a_class_are_reported(lab: Lab, name: str, message: str, hint: str) -> None:
    with pytest.raises(weir.ScenarioError) as caught:
        scenario(f"{lab(MISTAKEN)}:{name}")
    error = caught.value
    assert error.path == "links.bottleneck.queue.python.class"
    assert message in error.message
    assert hint in (error.hint or "")


def test_a_parameter_is_one_value(lab: Lab) -> None:
    with pytest.raises(weir.ScenarioError, match="a parameter of a class is one value") as caught:
        scenario(f"{lab(CONSTANT)}:Constant", {"links.bottleneck.queue.python.parameters.height": [0.1]})
    assert caught.value.hint == "write a number, a text, true or false"
