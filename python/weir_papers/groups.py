"""Groups of claims: what became of each, here and in the other readings of what its paper leaves open."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from weir_papers.claims import Judgement
from weir_papers.expected import FAILS, HOLDS, TIE

Group = Literal[
    "reproduced", "contradicted", "depends on what the paper does not say", "tie", "undecided", "ours"
]

REPRODUCED: Group = "reproduced"
CONTRADICTED: Group = "contradicted"
DEPENDS: Group = "depends on what the paper does not say"
EQUAL: Group = "tie"
UNDECIDED: Group = "undecided"
OURS: Group = "ours"
GROUPS: tuple[Group, ...] = (REPRODUCED, DEPENDS, EQUAL, CONTRADICTED, UNDECIDED, OURS)


def in_words(counts: Mapping[Group, int]) -> str:
    """`33 reproduced, 8 depend on what the paper does not say`."""
    said = ", ".join(f"{count} {group}" for group, count in counts.items())
    return re.sub(r"(?<!\b1 )depends", "depend", said)


def grouped(judgement: Judgement, elsewhere: Sequence[bool], share: float = 0.5) -> Group:
    """Group of a claim. `elsewhere`: for each other reading of the paper, true if the claim fits in it.

    It is reproduced where it holds here and fits in at least this `share` of the other readings; a claim that
    there is a setting, where it holds here or fits in any. It depends on what the paper does not say where it
    holds or fits in some. Where it fits in none it is a tie, contradicted or undecided as it is here.
    """
    if judgement.claim.ours:
        return OURS
    holds = judgement.verdict == HOLDS
    if judgement.claim.holds_in == "there is a setting" and (holds or any(elsewhere)):
        return REPRODUCED
    if holds and sum(elsewhere) >= share * len(elsewhere):
        return REPRODUCED
    if holds or any(elsewhere):
        return DEPENDS
    found: dict[str, Group] = {TIE: EQUAL, FAILS: CONTRADICTED}
    return found.get(judgement.verdict, UNDECIDED)
