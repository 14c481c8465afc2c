"""Where Unix is missing: what Windows lacks is hidden, and the commands do their work."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import SMALL
from weir import studio

# Python reads it in every process that begins, those that Weir begins among them.
HIDDEN = """
import os, signal, subprocess, sys, tempfile
for name in ("fcntl", "grp", "pwd", "resource", "termios", "tty", "pty"):
    sys.modules[name] = None
for module, names in (
    (os, ("killpg", "sched_getaffinity", "O_NOFOLLOW", "getuid", "geteuid")),
    (signal, ("pthread_sigmask",)),
):
    for name in names:
        if hasattr(module, name):
            delattr(module, name)
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("windows")
    (made / "site").mkdir()
    (made / "site" / "sitecustomize.py").write_text(HIDDEN, encoding="utf-8")
    (made / "small.toml").write_text(SMALL, encoding="utf-8")
    return made


def command(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(place / "site")}
    return subprocess.run(
        [sys.executable, "-m", "weir", *words],
        cwd=place,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_a_store_of_a_system_with_flock_can_be_used(place: Path) -> None:
    words = ("run", "small.toml", "--store", "store", "--quiet")
    plain = [sys.executable, "-m", "weir", *words]
    subprocess.run(plain, cwd=place, capture_output=True, check=True)
    done = command(place, *words, "--set", "seed=8")
    assert done.returncode == 0, done.stderr


@pytest.mark.soak
def test_everything_works_that_stores_and_draws(place: Path) -> None:
    for words in (
        ("compare", "small.toml", "-n", "2", "--quiet", "--report"),
        ("sweep", "small.toml", "--axis", "links.bottleneck.rate=1,2 Mbit/s", "--processes", "2", "--quiet"),
        ("results", "--verify"),
        ("results", "1", "--export", "rows.csv", "--quiet"),
        ("plot", "1", "--kind", "cdf", "--out", "figure.png", "--quiet"),
        ("results", "2", "--remove"),
        ("results", "--prune"),
    ):
        done = command(place, *words)
        assert done.returncode == 0, (words, done.stderr)
        assert "Traceback" not in done.stderr
        assert "Warning" not in done.stderr, done.stderr
    assert (place / "figure.png").read_bytes().startswith(b"\x89PNG")
    # Nothing is left behind: neither locks nor what was not finished.
    left = [path.name for path in place.rglob("*.weir-*")]
    assert left == []
    assert [path.name for path in (place / "results/store/owners").iterdir() if path.is_dir()] == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("live", "small.toml", "--", "true"), "weir live needs Linux"),
    ],
)
def test_what_needs_more_says_so(place: Path, words: tuple[str, ...], told: str) -> None:
    done = command(place, *words)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {told}"), done.stderr


def test_a_second_process_waits_for_its_turn_without_flock(place: Path) -> None:
    """Locks are those of files; a killed process holds none."""
    hold = (
        "import sys, time; from pathlib import Path; from weir._locks import Lock\n"
        "lock = Lock(Path('turn.lock')); print(lock.take(), flush=True); time.sleep(60)"
    )
    ask = (
        "from pathlib import Path; from weir._locks import Lock\n"
        "lock = Lock(Path('turn.lock')); print(lock.take(), lock.take(0.1)); lock.release()"
    )
    environment = {**os.environ, "PYTHONPATH": str(place / "site")}

    def asked() -> str:
        done = subprocess.run(
            [sys.executable, "-c", ask],
            cwd=place,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    holder = subprocess.Popen(
        [sys.executable, "-c", hold], cwd=place, env=environment, stdout=subprocess.PIPE, text=True
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        assert asked() == "False False"
        holder.kill()
    assert asked().startswith("True")


@pytest.mark.skipif(studio.PAGE.exists(), reason="the page is built")
def test_a_studio_that_was_not_built_is_one_line(place: Path) -> None:
    done = command(place, "studio", "--no-open")
    assert done.returncode == 2
    assert done.stderr == f"error: {studio.NOT_BUILT}\n"
