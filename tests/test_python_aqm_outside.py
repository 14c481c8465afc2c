"""AQMs in Python that depend on more than scenario and seed: it is said, and their runs need not be kept."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import weir
from conftest import SMALL, Command, Lab, names_in
from python_aqms import scenario, written
from weir import _core
from weir._errors import WeirError
from weir.aqm._sources import unrepeatable
from weir.store import Store
from weir.tune._tune import recorded_answer

CHANCE = """
    {imports}
    from weir.aqm import Aqm

    class Chance(Aqm):
        def on_enqueue(self, packet, queue, now):
            return "drop" if {drawn} < 0.02 else None
"""


@pytest.mark.parametrize(
    ("imports", "drawn", "name"),
    [
        ("import random", "random.random()", "random.random"),
        ("import random as r", "r.gauss(0, 1)", "random.gauss"),
        ("from random import random as draw", "draw()", "random.random"),
        ("from random import Random", "Random().random()", "random.Random"),
        ("import random", "random.SystemRandom().random()", "random.SystemRandom"),
        ("import numpy as np", "np.random.rand()", "numpy.random.rand"),
        ("import numpy", "numpy.random.default_rng().random()", "numpy.random.default_rng"),
        ("from numpy import random as nr", "nr.normal()", "numpy.random.normal"),
        ("import numpy.random as nr", "nr.normal()", "numpy.random.normal"),
        ("from secrets import randbelow", "randbelow(5)", "secrets.randbelow"),
        ("import time", "time.monotonic()", "time.monotonic"),
        ("from datetime import datetime", "datetime.now().second", "datetime.datetime.now"),
        ("import os", "os.urandom(1)[0]", "os.urandom"),
    ],
)
def test_what_changes_results_at_the_same_seed_is_said(lab: Lab, imports: str, drawn: str, name: str) -> None:
    path = f"{lab(CHANCE.format(imports=imports, drawn=drawn))}:Chance"
    (note,) = (one for one in weir.check.notes(scenario(path)) if one.code == "python-not-repeatable")
    assert note.severity == "warning"
    assert note.path == "links.bottleneck.queue.python.class"
    assert f"{name} (line 7)" in note.message
    assert "self.random" in note.hint


@pytest.mark.parametrize(
    ("imports", "drawn"),
    [
        ("import random", "self.random.random()"),
        ("import random", "random.Random(3).random()"),
        ("import numpy as np", "np.random.default_rng(self.random.getrandbits(64)).random()"),
        ("import time, os", "now + len(os.sep)"),
        ("random = None", "len('random.random()')"),
    ],
)
def test_what_the_seed_determines_is_not_noted(imports: str, drawn: str) -> None:
    assert unrepeatable(CHANCE.format(imports=imports, drawn=drawn).replace("\n    ", "\n")) == []


def test_a_run_says_it_and_so_does_its_result_later(lab: Lab, weir_command: Command) -> None:
    module = lab(CHANCE.format(imports="import random", drawn="random.random()"))
    done = weir_command("run", str(written(f"{module}:Chance")))
    assert "[python-not-repeatable]" in done.stderr
    # The result has the text as it was run.
    Path(f"{module}.py").write_text("gone", encoding="utf-8")
    shown = json.loads(weir_command("results", "1", "--json").stdout)
    assert "python-not-repeatable" in {note["code"] for note in shown["notes"]}
    assert weir_command("report", "1").returncode == 0
    page = next(Path("results").glob("1-*/report.html")).read_text(encoding="utf-8")
    assert "class Chance(Aqm):" in page
    assert "random.random()" in page


def test_each_queue_has_a_stream_of_its_own(lab: Lab) -> None:
    """Draws depend on the seed and the path of the queue: draws of another queue change nothing."""
    module = lab("""
        from weir.aqm import Aqm

        class First(Aqm):
            variables = ("drawn",)
            def __init__(self, link, more=0):
                self.drawn = self.random.random()
                for _ in range(more):
                    self.random.random()
            def on_enqueue(self, packet, queue, now):
                return None
    """)

    def drawn(seed: int, link: str = "bottleneck", more: int = 0) -> dict[str, float]:
        text = SMALL.partition("[variants")[0].replace("links.bottleneck", f"links.{link}")
        reverse = {"class": f"{module}:First", "parameters": {"more": more}}
        queues = {
            f"links.{link}.queue.python": {"class": f"{module}:First"},
            f"links.{link}.reverse.queue.python": reverse,
            f"links.{link}.reverse.buffer": "20 packets",
        }
        series = weir.Scenario.loads(text, queues).run(seed=seed).series  # type: ignore[arg-type]
        rows = series.filter(series["variable"] == "drawn").unique("component")
        return dict(zip(rows["component"], rows["value"], strict=True))

    first = drawn(1)
    assert len(set(first.values())) == 2
    assert drawn(1, more=10) == first
    assert set(drawn(2).values()).isdisjoint(first.values())
    assert set(drawn(1, link="other").values()).isdisjoint(first.values())


OUTSIDE = """
    from pathlib import Path
    from weir.aqm import Controller

    class Reads(Controller):
        {stored}
        def update(self, seen):
            return float(Path("probability").read_text())
"""


@pytest.mark.parametrize(("stored", "options"), [("stored = False", []), ("pass", ["--no-store"])])
@pytest.mark.parametrize("verb", ["run", "sweep"])
def test_runs_that_are_kept_out_of_the_store(
    lab: Lab, weir_command: Command, stored: str, options: list[str], verb: str
) -> None:
    file = written(f"{lab(OUTSIDE.format(stored=stored))}:Reads")
    more = ["--axis", "flows.ftp.rtt=60, 80 ms", "--threads", "2"] if verb == "sweep" else []
    losses: list[float] = []
    for probability in ("0.0", "0.3"):
        Path("probability").write_text(probability, encoding="utf-8")
        done = weir_command(verb, str(file), *more, *options, "--json", "--report")
        assert done.returncode == 0, done.stderr
        shown = json.loads(done.stdout)
        assert (shown["found"], shown["done"]) == (0, 2 if more else 1)
        losses.append(next(row["mean"] for row in shown["estimates"] if row["measure"] == "loss"))
        assert "none is kept" in done.stderr
    assert losses[1] > losses[0] + 0.1
    assert names_in(Path("results")) == ["small"]
    assert "class Reads(Controller):" in Path("results/small/report.html").read_text(encoding="utf-8")


def test_runs_that_are_not_kept_in_python(lab: Lab) -> None:
    Path("probability").write_text("0.1", encoding="utf-8")
    aqm = scenario(f"{lab(OUTSIDE.format(stored='stored = False'))}:Reads")
    with aqm.run(store="kept/store") as result:
        place = result.store.path
        assert result.estimates().height > 0
        assert place.exists()
    assert not place.exists()
    assert not Path("kept").exists()
    with pytest.raises(WeirError, match=r"stored = False"):
        aqm.tune(["mean delay < 20 ms"], ["links.bottleneck.buffer=10..30 packets"], store="kept/store")


LEAVES_A_TRACE = """
    from pathlib import Path
    from weir.aqm import Controller
    Path("trace").touch()

    class Level(Controller):
        def __init__(self, link, height={height}):
            self.height = height
        def update(self, seen):
            return self.height
"""

PARAMETER = "links.bottleneck.queue.python.parameters.height"


@pytest.mark.parametrize(
    "there", [pytest.param(True, id="there", marks=pytest.mark.soak), pytest.param(False, id="gone")]
)
def test_to_read_a_result_runs_no_class_of_it(lab: Lab, weir_command: Command, there: bool) -> None:  # noqa: FBT001
    """A store may be somebody else's, with the folder around it."""
    one, other = (lab(LEAVES_A_TRACE.format(height=height)) for height in (0.02, 0.05))
    file = str(written(f"{one}:Level"))
    asked = [
        ("run", file),
        ("sweep", file, "--axis", f"{PARAMETER}=0.01, 0.1"),
        ("sweep", file, "--axis", f"links.bottleneck.queue.python.class={one}:Level, {other}:Level"),
        ("tune", file, "--target", "mean delay < 1 s", "--vary", f"{PARAMETER}=0.01..0.1"),
    ]
    for arguments in asked:
        done = weir_command(*arguments, "--quiet")
        assert done.returncode == 0, done.stderr
    Path("trace").unlink()
    if not there:
        Path(f"{one}.py").unlink()
        Path(f"{other}.py").unlink()
    for number in ("1", "2", "3", "4"):
        for verb in ("results", "report"):
            done = weir_command(verb, number)
            assert (done.returncode, Path("trace").exists()) == (0, False), (verb, number, done.stderr)
    done = weir_command("responses", "1", "--band", "5 packets..20 packets")
    assert (done.returncode, Path("trace").exists()) == (0, False), done.stderr
    for number in ("1", "3"):
        assert weir_command("plot", number).returncode == 0
        assert not Path("trace").exists()
    page = next(Path("results").glob("3-*/report.html")).read_text(encoding="utf-8")
    assert f"{one}:Level: its file in Python" in page
    assert f"{other}:Level: its file in Python" in page
    tuning = next(Path("results").glob("4-*/report.html")).read_text(encoding="utf-8")
    assert f"{one}:Level: its file in Python" in tuning
    assert "class Level(" in tuning


def test_the_page_of_several_tuned_disciplines_has_the_text_of_classes(
    lab: Lab, weir_command: Command
) -> None:
    cls = f"{lab(LEAVES_A_TRACE.format(height=0.02))}:Level"
    reverse = f'{{ queue.python.class = "{cls}", buffer = "100 packets" }}'
    Path("reverse.toml").write_text(SMALL.partition("[variants")[0], encoding="utf-8")
    done = weir_command(
        "tune", "reverse.toml", "--set", f"links.bottleneck.reverse={reverse}",
        "--disciplines", "drop-tail,codel", "--target", "mean delay < 1 s", "--report",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    page = next(Path("results").glob("1-*/report.html")).read_text(encoding="utf-8")
    assert page.count(f"{cls}: its file in Python") == 1
    assert "class Level(" in page


def test_a_tuning_of_an_unknown_file_is_not_read_by_running_it(lab: Lab) -> None:
    """As earlier versions recorded it."""
    loaded = weir.load(written(f"{lab(LEAVES_A_TRACE.format(height=0.02))}:Level"))
    tuned = loaded.tune(["mean delay < 1 s"], [f"{PARAMETER}=0.01..0.1"], store="store")
    assert tuned.record is not None
    assert set(tuned.record.definition["python"]) == {
        loaded.core.value("links.bottleneck.queue.python.class")
    }
    definition = {key: value for key, value in tuned.record.definition.items() if key != "python"}
    with Store.open("store") as store:
        assert recorded_answer(store, tuned.record).to_json() == tuned.to_json()
        with pytest.raises(WeirError, match="does not say of which file"):
            recorded_answer(store, replace(tuned.record, definition=definition))


def test_what_was_only_read_cannot_be_run(lab: Lab) -> None:
    text = written(f"{lab(LEAVES_A_TRACE.format(height=0.02))}:Level").read_text(encoding="utf-8")
    core = _core.Scenario.loads(text, python=None)
    assert not Path("trace").exists()
    with pytest.raises(RuntimeError, match="cannot be run"):
        _core.Batch([(core, 1)])


def test_a_class_of_an_axis_keeps_its_runs_out_of_the_store(lab: Lab, weir_command: Command) -> None:
    kept, not_kept = (lab(OUTSIDE.format(stored=stored)) for stored in ("pass", "stored = False"))
    Path("probability").write_text("0.1", encoding="utf-8")
    axis = f"links.bottleneck.queue.python.class={kept}:Reads, {not_kept}:Reads"
    done = weir_command("sweep", str(written(f"{kept}:Reads")), "--axis", axis)
    assert done.returncode == 0, done.stderr
    assert not Path("results/store").exists()
