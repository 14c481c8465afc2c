"""Lessons: each says what the simulator says, and a wrong one is refused with its line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from conftest import Command
from weir.lesson import Lesson, bundled_lessons

LESSON = """\
# A small lesson

Two flows share a link.

```toml
schema = 1
name = "small"
title = "2 Reno flows on 2 Mbit/s"
duration = "6 s"
measure.warm_up = "1 s"

[links.bottleneck]
rate = "2 Mbit/s"
delay = "5 ms"
buffer = "40 packets"
queue.drop-tail = {}

[flows.reno]
count = 2
rtt = "20 ms"
start_jitter = "100 ms"
```

## Predict

The buffer becomes half as large. What happens to the delay?

- [x] It falls. `below 0.9`
- [ ] It stays. `0.9 to 1.1`
- [ ] It grows. `above 1.1`

Measured: `delay_mean / delay_mean before`

## Move

`links.bottleneck.buffer = "20 packets"`

## Why

A packet waits as long as the packets before it take.

- The link is as busy. `utilisation - utilisation before` `-2 to 2 points`
"""


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    """The file of a lesson."""
    file = tmp_path / "small.md"
    file.write_text(LESSON, encoding="utf-8")
    return file


def said_by_the_simulator(name: str, replications: int) -> None:
    lesson = Lesson.load(name)
    question, *others = lesson.outcomes(replications)
    (right,) = (answer for answer in lesson.answers if answer.right)
    assert question.right_in(right) == replications, question.interval
    for claim, outcome in zip(lesson.claims, others, strict=True):
        assert outcome.right_in(claim) == replications, (claim.text, outcome.interval)


@pytest.mark.parametrize("name", bundled_lessons())
def test_each_lesson_says_what_the_simulator_says(name: str) -> None:
    said_by_the_simulator(name, 2)


@pytest.mark.soak
@pytest.mark.parametrize("name", bundled_lessons())
def test_each_lesson_says_what_the_simulator_says_with_every_seed(name: str) -> None:
    said_by_the_simulator(name, 100)


@pytest.mark.parametrize("name", bundled_lessons())
def test_a_lesson_fits_above_the_fold(name: str) -> None:
    """Two or three sentences, a question, and at most four answers."""
    lesson = Lesson.load(name)
    text = (Path(__file__).parents[1] / "python/weir/lessons" / f"{name}.md").read_text(encoding="utf-8")
    opening = text.split("```toml")[0].split("\n", 1)[1]
    assert len(re.findall(r"[.?](?:\s|$)", opening)) <= 4
    assert 2 <= len(lesson.answers) <= 4
    reason = text.split("## Why")[1].split("\n- ")[0]
    assert len(re.findall(r"[.](?:\s|$)", reason)) <= 3
    assert len(lesson.claims) >= 1


def test_there_are_ten_lessons_and_a_file_for_each() -> None:
    folder = Path(__file__).parents[1] / "python/weir/lessons"
    assert len(bundled_lessons()) >= 10
    assert {file.stem for file in folder.glob("*.md")} == set(bundled_lessons())


def test_the_example_of_the_page_is_a_lesson(weir_command: Command, tmp_path: Path) -> None:
    page = (Path(__file__).parents[1] / "docs/how-to/lessons.md").read_text(encoding="utf-8")
    (tmp_path / "mine.md").write_text(page.split("````markdown\n")[1].split("````")[0], encoding="utf-8")
    done = weir_command("lesson", "mine.md")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [f"| `{name}` | {Lesson.load(name).title} |" for name in bundled_lessons()]
    assert page.endswith("\n".join(rows) + "\n")


@pytest.mark.soak
@pytest.mark.parametrize(
    ("over", "found"), [((), "achieved"), (("--over", "rate=5..20 Mbit/s"), "not achievable")]
)
def test_the_machine_of_a_lesson_gave_the_answer_that_stands_there(
    weir_command: Command, tmp_path: Path, over: tuple[str, ...], found: str
) -> None:
    """The setting of B in *Tune against the machine*, and that none is good for slower lines, too."""
    text = (Path(__file__).parents[1] / "python/weir/lessons/tune.md").read_text(encoding="utf-8")
    (tmp_path / "tune.toml").write_text(text.split("```toml\n")[1].split("```")[0], encoding="utf-8")
    targets = ("--target", "mean delay < 20 ms", "--target", "utilisation > 97%")
    vary = ("--vary", "red.max_th=10..200 packets", "--vary", "red.max_p=0.01..0.5")
    done = weir_command("tune", "tune.toml", "--variant", "a", *targets, *vary, *over, "--json", "--quiet")
    answer = json.loads(done.stdout)
    assert answer["verdict"] == found, done.stderr
    if not over:
        setting = answer["chosen"]["setting"]
        assert f'max_th = "{setting["links.bottleneck.queue.red.max_th"]}"' in text
        assert f"max_p = {setting['links.bottleneck.queue.red.max_p']:.4f}" in text


def test_the_command_says_which_answer_is_right(weir_command: Command, lesson: Path) -> None:
    done = weir_command("lesson", lesson, "-n", "3")
    assert done.returncode == 0, done.stderr
    assert re.search(r"delay_mean / delay_mean before: 0\.\d+±\S+, 3 runs", done.stdout), done.stdout
    assert "right in 3: It falls. below 0.9 (the answer of the lesson)" in done.stdout
    assert "right in 0: It grows." in done.stdout
    assert "right in 3: The link is as busy. -2 to 2 points" in done.stdout


def test_the_command_as_a_document(weir_command: Command, lesson: Path) -> None:
    done = weir_command("lesson", lesson, "-n", "2", "--json")
    found = json.loads(done.stdout)
    assert found["title"] == "A small lesson"
    assert found["n"] == 2
    assert [one["said_right"] for one in found["answers"]] == [True, False, False]
    assert [one["right_in"] for one in found["answers"]] == [2, 0, 0]
    assert found["claims"][0]["unit"] == "points"


def test_a_lesson_that_is_wrong_is_told_so(weir_command: Command, lesson: Path) -> None:
    lesson.write_text(LESSON.replace("[x]", "[ ]").replace("- [ ] It stays", "- [x] It stays"))
    done = weir_command("lesson", lesson, "-n", "2")
    assert done.returncode == 1
    assert "the simulator does not say in every run what the lesson says" in done.stderr


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "`above 1.1`",
            "`above 1`",
            "small.md:30: two answers are right for one value: that of line 29 and this",
        ),
        ('rate = "2 Mbit/s"', 'rate = "fast"', "small.md:13: links.bottleneck.rate: "),
        ('buffer = "20 packets"', 'buffer = "many"', "small.md:36: links.bottleneck.buffer: "),
        ("## Why", "## Reason", 'small.md:38: "Reason" is no part'),
    ],
)
def test_a_wrong_lesson_is_refused_with_its_line(
    weir_command: Command, lesson: Path, old: str, new: str, said: str
) -> None:
    lesson.write_text(LESSON.replace(old, new), encoding="utf-8")
    done = weir_command("lesson", lesson)
    assert done.returncode == 2
    assert said in done.stderr
    assert "hint: " in done.stderr


def test_a_lesson_that_is_not_there_names_those_that_are(weir_command: Command) -> None:
    done = weir_command("lesson", "buffer")
    assert done.returncode == 2
    assert "buffer cannot be read: No such file or directory" in done.stderr
    assert "hint: lessons of Weir: bufferbloat, red" in done.stderr


@pytest.mark.parametrize("count", ["0", "1", "-3", "x"])
def test_an_interval_needs_two_runs(weir_command: Command, lesson: Path, count: str) -> None:
    assert weir_command("lesson", lesson, "-n", count).returncode == 2
