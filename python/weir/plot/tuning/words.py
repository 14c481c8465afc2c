"""Names of measures, settings and conditions, as figures and pages of tuning write them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from weir.stats.measures import Measure
from weir.tune.answer import State, Verdict
from weir.tune.space import Setting

SIGNS: dict[State, str] = {"met": "✓", "open": "?", "missed": "✗"}
"""What is seen in grey print."""

ROLES: dict[Verdict, str] = {
    "achieved": "chosen",
    "defaults already meet it": "defaults",
    "not achievable": "nearest",
    "undecided": "best found",
}
"""What the chosen setting is called."""

_SHORT = {
    ("flows", "count"): "flows",
    ("flows", "rtt"): "rtt",
    ("links", "rate"): "rate",
    ("links", "buffer"): "buffer",
}


def words_of(measure: Measure) -> str:
    """A measure inside a sentence: `p99 delay`, `loss`."""
    text = measure.title.lower()
    return re.sub(r"^(\w+) (p[\d.]+)$", r"\2 \1", text)


def sentence(text: str) -> str:
    """With a capital."""
    return text[:1].upper() + text[1:]


def names_of(paths: Sequence[str]) -> list[str]:
    """As short as tells them apart: `rate`, `flows`; else `bottleneck delay`."""
    words = [path.split(".") for path in paths]
    short = [_SHORT.get((one[0], one[-1]), "") if len(one) == 3 else "" for one in words]
    return [
        name if name and short.count(name) == 1 else " ".join(one[1:]) or one[0]
        for name, one in zip(short, words, strict=True)
    ]


def condition_words(condition: Setting) -> str:
    """`rate 5 Mbit/s, flows 40`."""
    names = names_of([path for path, _ in condition])
    return ", ".join(
        f"{name} {value_words(value)}" for name, (_, value) in zip(names, condition, strict=True)
    )


def value_words(value: object) -> str:
    """At most four digits: `5.946 Mbit/s`."""
    number, _, unit = str(value).partition(" ")
    try:
        return f"{float(number):.4g} {unit}".strip()
    except ValueError:
        return str(value)
