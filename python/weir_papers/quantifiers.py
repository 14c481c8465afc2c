"""Quantifiers: in how many of its checks a claim has to hold, by the words of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from weir_papers.check import Check
from weir_papers.expected import FAILS, HOLDS, OPEN, TIE, Finding

Quantifier = Literal["all", "most", "some", "there is a setting"]
"""Checks in which a claim has to hold.

- `all`: every one, but for as many exceptions as the claim allows.
- `most`: more than half.
- `some`: one at least.
- `there is a setting`: one at least, here or in another reading of what the paper leaves open.
"""


def required(quantifier: Quantifier, exceptions: int, words: str) -> str:
    """The rule in words: `all of its checks but 2 have to hold`."""
    text = {
        "all": f"all of its checks{f' but {exceptions}' if exceptions else ''} have to hold",
        "most": "more than half of its checks have to hold",
        "some": "one of its checks has to hold",
        "there is a setting": "one of its checks has to hold, here or in another reading",
    }[quantifier]
    return f'{text}, as the paper says "{words}"' if words else text


def verdict(checks: Sequence[Check], quantifier: Quantifier, exceptions: int) -> Finding:
    """The verdict of a claim.

    A false claim about all checks has a false one among them, which would have to hold by chance: each check
    has its own 95%. A claim about one of them, or about most, has many chances: its checks hold by the
    interval of all together.
    """
    alone = quantifier == "all"
    found = [check.verdict if alone else check.verdict_among_all for check in checks]
    holds, ties, fails = (found.count(one) for one in (HOLDS, TIE, FAILS))
    needed = needs(len(found), quantifier, exceptions)
    if fails > len(found) - needed:
        return FAILS
    if holds >= needed:
        return HOLDS
    # For all, every check but the exceptions is known to be no worse than a tie. For the others so many are
    # no better that the rest is too few.
    decided = ties + holds >= needed if alone else len(found) - ties - fails < needed
    return TIE if decided and ties else OPEN


def needs(checks: int, quantifier: Quantifier, exceptions: int) -> int:
    """Number of checks that have to hold."""
    match quantifier:
        case "all":
            return max(checks - exceptions, 1)
        case "most":
            return checks // 2 + 1
        case _:
            return 1


def likely(checks: Sequence[Check], quantifier: Quantifier, exceptions: int) -> Finding:
    """The finding by the means alone, which is all that a few replications have.

    For all, as many have to speak for the claim as have to hold. Where the others are ties, so is the claim.
    """
    stands = [check.stand for check in checks]
    speak_for, speak_against = stands.count(1), stands.count(-1)
    match quantifier:
        case "all":
            is_shown = speak_for >= needs(len(stands), quantifier, exceptions)
            return FAILS if speak_against > exceptions else HOLDS if is_shown else TIE
        case "most":
            return HOLDS if 2 * speak_for > len(stands) else FAILS if 2 * speak_against > len(stands) else TIE
        case _:
            return HOLDS if speak_for else FAILS if speak_against == len(stands) else TIE


def decisive(checks: Sequence[Check], quantifier: Quantifier, exceptions: int) -> Check:
    """The check that the verdict hangs on: of those that may not be missed, the one nearest to its border, or
    furthest beyond."""
    order = {FAILS: 0, OPEN: 1, TIE: 2, HOLDS: 3}
    ranked = sorted(checks, key=lambda check: (order[check.verdict], check.distance))
    return ranked[len(ranked) - needs(len(ranked), quantifier, min(exceptions, len(ranked) - 1))]
