"""Scenarios with random mistakes: loaded, looked at as `weir check` does, and now and then run."""

from __future__ import annotations

import io
import random
import re
import textwrap
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path

import weir
from soak.features import inserted
from weir import ScenarioError, WeirError, _core
from weir.check import cost, merged, notes
from weir.cli import _check as check
from weir.run._batch import run_batch
from weir.run._tables import frames
from weir.scenario import Scenario

_RUN = 8
"""One in so many cases has no mistakes, but other features, and is run."""

_FEW = 20_000
_MEMORY = 200e6

_TOKEN = re.compile(r'"[^"\n]*"|[\w.+-]+|[^\w\s]')

_NASTY = (
    "0", "-1", "-0.0", "1e308", "-1e-308", "inf", "nan", "9223372036854775807", "9223372036854775808",
    "1e400", "true", "[]", "{}", "''", '""', '"0 s"', '"-1 s"', '"1e300 s"', '"99999999999999999999 Gbit/s"',
    '"1e-30 bit/s"', '"4611686018427387904 packets"', '"1 PB"', '"NaN ms"', '"inf s"', '"5 parsecs"', '"5"',
    '"\\u0000"', '"\\U0010FFFF"', '"\u202e\u200f"', '"💥"', "é", "1979-05-27T07:32:00Z", "0x7fffffffffffffff",
    '"1..2"', '"half"', "[" * 300 + "]" * 300, "{a=" * 150 + "1" + "}" * 150, "a" + ".a" * 2000,
    '"' + "x" * 70000 + '"',
    '"1 ms" # ', "[1, [2, [3, '4']]]", "1_000_000", '"10 Mbit/s"', '"3 packets"', '"2 ms"', '"exp(3 s)"',
)  # fmt: skip


@cache
def texts() -> tuple[str, ...]:
    """The bundled scenarios and templates."""
    folder = Path(weir.__file__).parent
    files = [*sorted((folder / "scenarios").rglob("*.toml")), *sorted((folder / "templates").glob("*.toml"))]
    return tuple(file.read_text(encoding="utf-8") for file in files)


@cache
def pool() -> tuple[str, ...]:
    """Every token of theirs."""
    return tuple(sorted({token for text in texts() for token in _TOKEN.findall(text)}))


def mutated(text: str, rng: random.Random) -> str:
    """The scenario after a few changes."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 5))):
        text = rng.choice(_CHANGES)(text, rng)
    return text


def _another_token(text: str, rng: random.Random) -> str:
    found = list(_TOKEN.finditer(text))
    if not found:
        return rng.choice(_NASTY)
    one = rng.choice(found)
    new = rng.choice(_NASTY if rng.random() < 0.6 else pool())
    return text[: one.start()] + new + text[one.end() :]


def _swapped_tokens(text: str, rng: random.Random) -> str:
    found = list(_TOKEN.finditer(text))
    if len(found) < 2:
        return text
    one, other = sorted(rng.sample(found, 2), key=lambda match: match.start())
    middle = text[one.end() : other.start()]
    return text[: one.start()] + other[0] + middle + one[0] + text[other.end() :]


def _scaled_number(text: str, rng: random.Random) -> str:
    found = list(re.finditer(r"\d+(?:\.\d+)?", text))
    if not found:
        return text
    one = rng.choice(found)
    new = f"{float(one[0]) * 10.0 ** rng.randint(-12, 18):.12g}" if rng.random() < 0.7 else f"-{one[0]}"
    return text[: one.start()] + new + text[one.end() :]


def _lines(text: str, rng: random.Random) -> str:
    """A line twice, away, elsewhere, or from another scenario."""
    lines = text.splitlines(keepends=True)
    if not lines:
        return text
    place = rng.randrange(len(lines))
    match rng.randrange(4):
        case 0:
            lines.insert(rng.randrange(len(lines)), lines[place])
        case 1:
            del lines[place]
        case 2:
            lines.insert(rng.randrange(len(lines)), lines.pop(place))
        case _:
            others = rng.choice(texts()).splitlines(keepends=True)
            begin = rng.randrange(len(others))
            lines[place:place] = others[begin : begin + rng.randint(1, 8)]
    return "".join(lines)


def _characters(text: str, rng: random.Random) -> str:
    if not text:
        return text
    place = rng.randrange(len(text))
    if rng.random() < 0.1:
        return text[:place]
    new = rng.choice(
        (
            "",
            '"',
            "[",
            "]",
            "=",
            ".",
            "\n",
            "\r",
            "\0",
            "#",
            "\ufeff",
            "\x1b",
            "{",
            chr(rng.randrange(1, 0xD800)),
        )
    )
    return text[:place] + new + text[place + 1 :]


_CHANGES = (
    _another_token,
    _another_token,
    _swapped_tokens,
    _scaled_number,
    _scaled_number,
    _lines,
    _characters,
    inserted,
    inserted,
    inserted,
)


def scenario(seed: int) -> str:
    """The text of a case."""
    rng = random.Random(seed)  # noqa: S311
    text = rng.choice(texts())
    if seed % _RUN == 0:
        for _ in range(rng.randint(1, 4)):
            text = inserted(text, rng)
        return text
    return mutated(text, rng)


def case(seed: int) -> None:
    """It is refused with a message, or has notes and tables."""
    text = scenario(seed)
    try:
        look_at(text)
        if seed % _RUN == 0:
            run_briefly(text)
    except (ScenarioError, WeirError) as error:
        assert str(error)  # noqa: PT017
    except BaseException as error:
        error.add_note("the scenario:\n" + textwrap.shorten(minimal(text), 6000, placeholder=" ..."))
        raise


def look_at(text: str) -> None:
    """As `weir check` does."""
    loaded = Scenario.loads(text)
    variants = (loaded.variant(name) for name in loaded.variants)
    settings = [("the scenario itself", loaded), *((one.label, one) for one in variants)]
    found = merged((label, notes(one)) for label, one in settings)
    with redirect_stdout(io.StringIO()):
        check.print_network(loaded, found)
    check.document_of(loaded, found)


def run_briefly(text: str) -> None:
    """Two seconds of it and of a few variants, where that is little work: no port sends more than it can."""
    short = Scenario.loads(text, {"duration": "2 s", "measure.warm_up": "0 s", "measure.period": "500 ms"})
    for one in (short, *(short.variant(name) for name in short.variants[:2])):
        if cost(one).packets < _FEW and cost(one).memory_bytes < _MEMORY:
            links = frames(_core.tables(run_batch([(one.core, 1)])), [0])["links"]
            for row in links.iter_rows(named=True):
                # A packet that began before a period counts where it ends.
                bits = row["rate_bps"] * (row["to_s"] - row["from_s"])
                assert not row["utilisation"] > 1.0 + 8 * 65_535 / max(bits, 1.0), row


def minimal(text: str) -> str:
    """As few lines as fail in the same way."""

    def outcome(candidate: str) -> str:
        try:
            look_at(candidate)
        except BaseException as error:  # noqa: BLE001
            return type(error).__name__
        return ""

    lines, wanted = text.splitlines(keepends=True), outcome(text)
    for place in reversed(range(len(lines))):
        shorter = lines[:place] + lines[place + 1 :]
        if outcome("".join(shorter)) == wanted:
            lines = shorter
    return "".join(lines)
