"""Groups of claims, and what a few replications say of one."""

from __future__ import annotations

from dataclasses import replace

from judging import EVEN, HIGH, LOW, judged

from weir_papers.expected import FAILS, HOLDS, MORE, OPEN, TIE, at_least
from weir_papers.groups import DEPENDS, REPRODUCED, grouped, in_words
from weir_papers.pages import tally


def test_what_became_of_a_claim_depends_on_all_readings() -> None:
    holds, fails, open_ = (judged([values], at_least(0.0)) for values in ([1.0, 1.1], [-9.0, -9.1], [0.1]))
    assert grouped(holds, []) == "reproduced"
    assert grouped(holds, [HOLDS, FAILS]) == "reproduced"
    assert grouped(holds, [HOLDS, FAILS, FAILS]) == "depends on what the paper does not say"
    assert grouped(fails, [HOLDS, FAILS]) == "depends on what the paper does not say"
    assert grouped(fails, [FAILS]) == "contradicted"
    # Equal readings rescue it: what is a tie in one is not contradicted.
    assert grouped(fails, [FAILS, TIE]) == "depends on what the paper does not say"
    assert grouped(fails, [FAILS, OPEN]) == "contradicted"
    assert grouped(open_, []) == "undecided"
    ours = replace(holds, claim=replace(holds.claim, ours=True))
    assert grouped(ours, [FAILS]) == "ours"
    even = judged([EVEN], MORE)
    assert grouped(even, []) == "tie"
    assert grouped(even, [FAILS]) == "tie"
    assert grouped(even, [HOLDS]) == "depends on what the paper does not say"
    # "Can": one reading is enough.
    can = judged([LOW], MORE, holds_in="there is a setting")
    assert grouped(can, [FAILS, FAILS, HOLDS]) == "reproduced"
    assert grouped(can, [FAILS]) == "contradicted"


def test_what_a_setting_was_chosen_for_is_not_reproduced_by_it() -> None:
    settled = judged([HIGH], MORE)
    settled = replace(settled, claim=replace(settled.claim, settles="the number of samples"))
    assert grouped(settled, [HOLDS]) == "depends on what the paper does not say"
    assert grouped(settled, []) == "depends on what the paper does not say"
    refuted = replace(judged([LOW], MORE), claim=settled.claim)
    assert grouped(refuted, [FAILS]) == "contradicted"


def test_what_is_the_same_everywhere_fits_no_reading() -> None:
    """A few replications have means alone."""
    assert judged([[5.0], [4.0]], MORE).likely == HOLDS
    assert judged([[0.0], [0.0]], MORE).likely == TIE
    assert judged([[0.3], [0.3]], MORE).likely == TIE
    assert judged([[5.0], [4.0], [-0.2]], MORE).likely == TIE
    assert judged([[5.0], [4.0], [-0.6]], MORE).likely == FAILS
    assert judged([[5.0], [4.0], [-0.6]], MORE, holds_in="most").likely == HOLDS
    assert judged([[-5.0], [4.0], [-0.6]], MORE, holds_in="some").likely == HOLDS
    assert judged([[-5.0], [0.1], [-0.6]], MORE, holds_in="some").likely == TIE
    assert judged([[-5.0], [-4.0]], MORE, holds_in="some").likely == FAILS
    assert judged([[-5.0], [0.1], [4.0]], MORE, holds_in="most").likely == TIE
    assert judged([[-5.0], [-4.0], [4.0]], MORE, holds_in="most").likely == FAILS


def test_checks_are_counted_in_words() -> None:
    mixed = judged([HIGH, EVEN, LOW], MORE)
    assert tally(mixed) == "1 of 3 checks hold, 1 tie, 1 do not hold"


def test_groups_in_words() -> None:
    assert in_words({REPRODUCED: 2, DEPENDS: 8}) == "2 reproduced, 8 depend on what the paper does not say"
    assert in_words({DEPENDS: 1}) == "1 depends on what the paper does not say"
    assert in_words({DEPENDS: 21}) == "21 depend on what the paper does not say"
