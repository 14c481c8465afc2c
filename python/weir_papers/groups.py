"""Groups of claims: what became of each, here and in the other readings of what its paper leaves open."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from weir_papers.claims import Judgement
from weir_papers.expected import FAILS, HOLDS, OPEN, TIE, Finding

Group = Literal[
    "reproduced",
    "contradicted",
    "depends on what the paper does not say",
    "tie",
    "undecided",
    "ours",
    "holds so far",
    "tie so far",
    "does not hold so far",
]

REPRODUCED: Group = "reproduced"
CONTRADICTED: Group = "contradicted"
DEPENDS: Group = "depends on what the paper does not say"
EQUAL: Group = "tie"
UNDECIDED: Group = "undecided"
OURS: Group = "ours"

SO_FAR: Mapping[Finding, Group] = {
    HOLDS: "holds so far",
    TIE: "tie so far",
    FAILS: "does not hold so far",
    OPEN: UNDECIDED,
}
"""A claim with fewer seeds and settings than the full set, which are too few for a group."""

GROUPS: tuple[Group, ...] = (
    *(REPRODUCED, DEPENDS, EQUAL, CONTRADICTED),
    *(group for group in SO_FAR.values() if group != UNDECIDED),
    *(UNDECIDED, OURS),
)


def in_words(counts: Mapping[Group, int]) -> str:
    """`33 reproduced, 8 depend on what the paper does not say`."""
    said = ", ".join(f"{count} {group}" for group, count in counts.items())
    for one, many in (("depends", "depend"), ("holds", "hold"), ("does not hold", "do not hold")):
        said = re.sub(rf"(?<!\b1 )\b{one}\b", many, said)
    return said


def grouped(judgement: Judgement, elsewhere: Sequence[Finding], share: float = 0.5) -> Group:
    """Group of a claim. `elsewhere`: the finding in each other reading of the paper.

    - Reproduced: it holds here and in at least this `share` of the other readings. For a claim that there
      is a setting, one is enough.
    - Depends on what the paper does not say: it holds in some. So it is, too, where a setting was chosen so
      that it holds, and where it is refuted here and a tie in some.
    - Where it holds in none it is a tie, contradicted or undecided as it is here.
    """
    claim, holds = judgement.claim, judgement.verdict == HOLDS
    if claim.ours:
        return OURS
    there = elsewhere.count(HOLDS)
    if holds or there:
        enough = holds and there >= share * len(elsewhere)
        is_shown = enough or claim.holds_in == "there is a setting"
        return REPRODUCED if is_shown and not claim.settles else DEPENDS
    if judgement.verdict == FAILS and TIE in elsewhere:
        return DEPENDS
    found: dict[str, Group] = {TIE: EQUAL, FAILS: CONTRADICTED}
    return found.get(judgement.verdict, UNDECIDED)
