"""Every command that README, CONTRIBUTING and the documentation name runs in `.ci/run` or `make soak`.

Targets of make are followed from there. Commands of Weir that nothing else runs are run here. All others have
a line in one of two tables below: a command with a line in neither fails.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from conftest import command_in
from test_blocks import FOREIGN, PARSED, TUTORIAL, Reader, blocks
from test_blocks import PAGES as FOLLOWED

ROOT = Path(__file__).parents[1]
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    *(str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs").rglob("*.md"))),
)

ELSEWHERE = {
    r"weir reproduce --list": "test_what_can_be_reproduced",
    r"weir reproduce .*": "make papers",
    r"weir sweep bench/sweep": "make bench",
    r"cargo bench -p weir-aqm --bench aqms": "make bench",
    r".* --dask local:4": "test_the_same_rows_from_a_cluster",
    r"(dask (scheduler|worker)|weir .* --dask t(cp|ls):).*": "test_a_lost_worker_is_made_up_for",
    r"weir report 1": "test_the_report_says_what_the_tables_say",
    r"weir traffic from-pcap FILE .*": "test_what_is_written_is_checked_and_runs",
    r"weir lesson mine.md": "test_the_example_of_the_page_is_a_lesson",
    r"weir studio( (mine|access).toml)?": "test_it_ends_with_ctrl_c",
    r"weir studio mine.md": "test_a_lesson_of_ones_own_travels_in_the_address",
    r"weir studio '#lesson/rem'": "test_a_link_opens_what_it_holds",
    r"weir studio --export .*": "test_the_page_is_written_for_a_server",
    r"weir plot weir.flent.gz rrul-home.flent.gz .*": "test_files_are_drawn_over_each_other",
    r"weir live .* --internet .*": "test_a_host_outside_is_reached_at_a_port_that_is_named",
    r"weir live .* --shell": "test_a_shell_has_jobs_and_its_terminal_is_given_back",
    r"weir live .* --forward .*": "test_a_forwarded_port_reaches_a_service_of_this_machine",
    r"weir live .*iperf3.*": "test_a_command_reaches_the_command_at_the_far_end",
    r"weir --install-completion": "test_the_shell_is_told_how",
    r"\.venv/bin/python tests/tuning/prior.py": "make soak",
    r"pip install \.": "make soak",
    r"pip install 'weir-aqm\[\w+\]'": "test_the_name_of_the_package_is_the_same_everywhere",
    r"python check\.py submissions": "test_the_script_tells_right_from_wrong",
    r"tc qdisc add .*": "test_every_discipline_is_described_in_all_parts",
}
"""Commands that a test or a target runs, most of them in another form, as a pattern; and which."""

NOT_RUN = {
    r"sudo .*": "it changes the machine",
    r"wireshark .*": "it needs a screen",
    r"(cd|export|mkdir|source) .*": "it prepares the reader's shell",
    r"pip install jupyterlab": "it installs another program",
    r"weir live .* -- flent .*": "it needs netperf",
    r"pre-commit install": "it is another program, which Weir does not bring",
}
"""Patterns of commands that no test runs, with the reason."""

SHORTER = {
    "docs/reference/traffic.md": {
        "web --": 'web --set duration="20 s" --',
        "replications 10": "replications 2",
        "±10%": "±90%",
    },
    "docs/reference/results.md": {"-n 10": "-n 2"},
    "docs/reference/tcp.md": {"-n 8": '-n 2 --set duration="20 s"'},
    "docs/how-to/reproduce-papers.md": {"hred-2003-steady": 'hred-2003-steady --set duration="150 s"'},
}
"""Page to the parts of its commands that are replaced, so that they take less time."""

SLOW = r"weir (sweep|theory|report \d --theory|compare (web|papers))"
"""Pattern of commands that take seconds even so."""

PROGRAMS = (
    r"make|weir|pip|pre-commit|cargo|python3?|npm|sudo|source|dask|tc|\.venv/bin/\w+|\.ci/\w+"
    r"|tools/[\w-]+\.(?:py|sh)"
)
"""Pattern of the beginning of a command between backticks."""

PLACEHOLDER = re.compile(r"(?<![\w-])[A-Z]{2,}\b|…")
BLOCK = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Named:
    """A command on a page."""

    page: str
    text: str
    is_followed: bool = False
    """A test of the blocks of the page runs it."""


def named(page: str) -> Iterator[Named]:
    """The commands of a page: lines of its shell blocks, and what stands between backticks."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for language, lines in BLOCK.findall(text):
        if language not in {"console", "sh"}:
            continue
        for line in filter(None, map(str.strip, lines.splitlines())):
            written = re.sub(r"\s+# .*", "", re.sub(r"^[$#] ", "", line))
            left_out = PARSED if written.startswith("weir ") else FOREIGN & {written.split()[0]}
            runs = language == "console" and not any(word in line for word in left_out)
            yield Named(page, written, runs and page in {*FOLLOWED, TUTORIAL})
    for span in re.findall(r"(?<!`)`([^`]+)`(?!`)", BLOCK.sub("", text)):
        command = " ".join(span.split())
        if re.match(rf"(?:{PROGRAMS}) |\.ci/run$", command):
            yield Named(page, command)


@cache
def every() -> tuple[Named, ...]:
    return tuple(dict.fromkeys(one for page in PAGES for one in named(page)))


@dataclass(frozen=True)
class Target:
    """A target of the Makefile."""

    needs: tuple[str, ...]
    recipe: tuple[str, ...]

    def makes(self, known: Sequence[str], values: dict[str, str]) -> set[str]:
        """The targets that its recipe makes."""
        found: set[str] = set()
        for line in self.recipe:
            for name, value in values.items():
                line = line.replace(f"$({name})", value)  # noqa: PLW2901
            if "$(MAKE)" in line:
                found |= set(line.split()) & set(known)
        return found


@cache
def targets() -> dict[str, Target]:
    found: dict[str, Target] = {}
    text = re.sub(r"\\\n\s*", "", (ROOT / "Makefile").read_text(encoding="utf-8"))
    rule = re.compile(r"^([a-z-]+):(?!=)([^#\n]*)(?:#.*)?\n((?:\t.*\n)*)", re.MULTILINE)
    for name, needs, recipe in rule.findall(text):
        found[name] = Target(tuple(needs.split()), tuple(recipe.splitlines()))
    return found


@cache
def made() -> frozenset[str]:
    """The targets that `.ci/run` or `make soak` make."""
    known = targets()
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    values = dict(re.findall(r"^([A-Z_]+) :?= (.*)$", text, re.MULTILINE))
    ci = (ROOT / ".ci/run").read_text(encoding="utf-8")
    waiting = ["soak", *re.findall(r"^ *(?:exec )?make ([a-z-]+)", ci, re.MULTILINE)]
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        target = known[name]
        waiting += [*(need for need in target.needs if need in known), *target.makes(list(known), values)]
    # One that only makes others is run if they are.
    for name, target in known.items():
        makes = target.makes(list(known), values)
        if makes and makes <= found and all("$(MAKE)" in line for line in target.recipe):
            found.add(name)
    return frozenset(found)


def place_of(command: str) -> str | None:
    """Folder in which a command runs that is neither followed nor Weir's."""
    if command.startswith(".ci/run"):
        return ".ci/run"
    for pattern, place in ELSEWHERE.items():
        if re.fullmatch(pattern, command):
            return place
    for pattern, reason in NOT_RUN.items():
        if re.fullmatch(pattern, command):
            return reason
    return None


@cache
def program() -> Any:  # noqa: ANN401 - the type is of a package that typer contains
    from weir.cli._app import program

    return typer.main.get_command(program())


def verb_of(command: str) -> tuple[Any, list[str]]:
    """The function of typer behind a command of Weir, and the words after it. Raises KeyError without one."""
    found = program()
    words = shlex.split(command, comments=True)[1:]
    while words and not words[0].startswith("-") and hasattr(found, "commands"):
        found = found.commands[words.pop(0)]
    return found, words


def is_mention(command: str) -> bool:
    """Returns true for a mention of a verb, alone or with options that exist, as in `weir plot --measure`."""
    if PLACEHOLDER.search(command) and "-- " not in command:
        return True
    found, words = verb_of(command)
    options = {option for one in found.params for option in (*one.opts, *one.secondary_opts)}
    return options.issuperset(words)


def to_run() -> list[Named]:
    """Commands of Weir that are run here."""
    weirs = {one.text: one for one in every() if one.text.startswith("weir ") and not one.is_followed}
    return [one for text, one in weirs.items() if place_of(text) is None and not is_mention(text)]


def test_every_command_runs_somewhere() -> None:
    lost = [
        f"{one.page}: {one.text}"
        for one in every()
        if not one.is_followed and not one.text.startswith(("weir ", "make ")) and place_of(one.text) is None
    ]
    assert lost == [], "name the test that runs them in ELSEWHERE"
    assert len(every()) > 200


def test_every_target_of_make_runs() -> None:
    """Checks the targets that a page names, and those that `make help` lists."""
    wanted = {word for one in every() if one.text.startswith("make ") for word in one.text.split()[1:]}
    told = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    listed = set(re.findall(r"^make ([a-z-]+) ", told, re.MULTILINE))
    assert wanted <= listed
    assert listed - {"help"} - made() == set(), "neither .ci/run nor make soak runs them"
    # `make help` says what is written of each.
    assert listed == set(re.findall(r"^([a-z-]+):.* ## ", (ROOT / "Makefile").read_text(), re.MULTILINE))


def test_contributing_lists_every_target() -> None:
    named_there = " ".join(one.text for one in (*named("CONTRIBUTING.md"), *named("README.md")))
    assert [name for name in targets() if f"make {name}" not in named_there and is_listed(name)] == []


def is_listed(name: str) -> bool:
    """Returns true if `make help` lists a target."""
    return bool(re.search(rf"^{name}:.* ## ", (ROOT / "Makefile").read_text(), re.MULTILINE))


def test_tools_that_are_named_are_used() -> None:
    named_tools = {
        path
        for page in ("README.md", "CONTRIBUTING.md")
        for path in re.findall(r"`(tools/[\w-]+\.(?:py|sh))", (ROOT / page).read_text(encoding="utf-8"))
    }
    recipes = "\n".join(line for name in made() for line in targets()[name].recipe)
    assert {path for path in named_tools if path not in recipes} == set()


@pytest.mark.parametrize("place", sorted(set(ELSEWHERE.values())))
def test_the_place_that_runs_a_command_exists(place: str) -> None:
    if place.startswith("make "):
        assert place.removeprefix("make ") in made()
        return
    tests = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py")]
    assert sum(len(re.findall(rf"^ *def {place}\(", text, re.MULTILINE)) for text in tests) == 1


def test_no_line_of_a_table_is_left_over() -> None:
    commands = [one.text for one in every()]
    for pattern in (*ELSEWHERE, *NOT_RUN):
        assert any(re.fullmatch(pattern, command) for command in commands), pattern
    for page, pairs in SHORTER.items():
        for said in pairs:
            assert any(said in one.text for one in to_run() if one.page == page), (page, said)


def test_every_verb_and_option_that_is_named_exists() -> None:
    for one in every():
        if one.text.startswith("weir ") and not PLACEHOLDER.search(one.text):
            verb_of(one.text)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the scenario of the README, two scenarios of `weir init`, and a result of each."""
    place = tmp_path_factory.mktemp("named")
    reader = Reader(place)
    for block in blocks("README.md"):
        if block.file:
            reader.follow(block)
    weir = command_in(place)
    shorter = ("--set", 'duration="20 s"', "--quiet")
    for words in (
        ("compare", "mine.toml", "-n", "2", "--quiet"),
        ("init", "access"),
        ("run", "access.toml", *shorter),
        ("init", "l4s"),
        ("run", "l4s.toml", *shorter),
    ):
        done = weir(*words)
        assert done.returncode == 0, (words, done.stderr)
    return place


def cases() -> list[Any]:
    """The commands, the slow ones for `make soak`."""
    slow = pytest.mark.soak
    return [
        pytest.param(one, id=one.text, marks=slow if re.match(SLOW, one.text) else ()) for one in to_run()
    ]


@pytest.mark.parametrize("one", cases())
def test_a_command_that_nothing_else_runs(one: Named, folder: Path) -> None:
    text = one.text
    for said, quick in SHORTER.get(one.page, {}).items():
        text = text.replace(said, quick)
    done = command_in(folder)(*shlex.split(text, comments=True)[1:])
    assert done.returncode == 0, (text, done.stderr)
