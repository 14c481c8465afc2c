"""What is wrong with a law of one's own is told: before the run, or with its own traceback."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import weir
from conftest import SMALL, Command, Lab
from own import CONSTANT, queue, scenario, written
from weir.batch import run_batch

FAILING = """
    from weir.laws import Controller, Law

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

    class Odder(Law):
        def on_enqueue(self, packet, queue, now):
            raise Odd("this", "that")

    class Beyond(Controller):
        def update(self, seen):
            return 1.5

    class Wordy(Controller):
        def update(self, seen):
            return "often"

    class Undecided(Law):
        def on_enqueue(self, packet, queue, now):
            return True

    class Hasty(Controller):
        period = 1e-9
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
        ("Hasty", ValueError, "a period of 0.000000001 s", "when it was made"),
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
    began = time.monotonic()
    with pytest.raises(ZeroDivisionError):
        run_batch([(weir.Scenario.loads(SMALL, long).core, 1), (failing.core, 1)], 2)
    # The other would take minutes.
    assert time.monotonic() - began < 20


def test_the_command_shows_the_traceback_of_the_law_alone(lab: Lab, weir_command: Command) -> None:
    module = lab(FAILING)
    done = weir_command("run", str(written(f"{module}:Failing")), "--out", "out")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("Traceback (most recent call last):")
    assert "return 1 / (seen.now < 0.5)" in done.stderr
    assert done.stderr.rstrip().endswith(f"{module}:Failing, in update at 0.5 s of the run")
    assert done.stderr.count("  File ") == 1
    assert not Path("out").exists()


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
    "nowhere:Law": ("class", "there is no module 'nowhere'", "PYTHONPATH"),
    "{}:Constant_": ("class", "there is no class 'Constant_'", "did you mean 'Constant'?"),
    "{}": ("class", "is not the import path of a class", "module:Class"),
    "json:JSONDecoder": ("class", "neither a weir.laws.Controller nor a weir.laws.Law", "derive"),
}


@pytest.mark.parametrize("path", BAD)
def test_a_class_that_cannot_be_found(lab: Lab, path: str) -> None:
    key, message, hint = BAD[path]
    file = written(path.format(lab(CONSTANT)))
    with pytest.raises(weir.ScenarioError) as caught:
        weir.Scenario.load(file)
    error = caught.value
    assert error.path == f"links.bottleneck.aqm.python.{key}"
    assert error.line == 14
    assert message in error.message
    assert hint in (error.hint or "")
    with pytest.raises(ValueError, match=r"hint: "):
        queue(path.format("x"))


def test_parameters_are_checked_before_the_run(lab: Lab) -> None:
    path = f"{lab(CONSTANT)}:Constant"
    with pytest.raises(weir.ScenarioError) as caught:
        scenario(path, {"links.bottleneck.aqm.python.parameters.hight": 0.2})
    assert caught.value.path == "links.bottleneck.aqm.python.parameters.hight"
    assert "did you mean 'height'?" in str(caught.value)
    needing = lab("""
        from weir.laws import Controller

        class Needing(Controller):
            def __init__(self, link, *, gain):
                self.gain = gain
            def update(self, seen):
                return 0.0

        class Idle(Controller):
            pass
    """)
    with pytest.raises(weir.ScenarioError, match="missing a required argument: 'gain'"):
        scenario(f"{needing}:Needing")
    with pytest.raises(weir.ScenarioError, match="decides nothing"):
        scenario(f"{needing}:Idle")


def test_a_file_that_cannot_be_imported_says_why(lab: Lab) -> None:
    with pytest.raises(weir.ScenarioError, match=r"importing lab_\d+ failed: SyntaxError: .*line 2"):
        scenario(lab("x = 1\ny =\n") + ":Law")
    with pytest.raises(weir.ScenarioError, match=r"failed: ModuleNotFoundError: No module named 'absent'"):
        scenario(lab("import absent\n") + ":Law")
