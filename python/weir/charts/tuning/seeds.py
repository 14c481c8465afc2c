"""The fresh seeds, one by one: what the verdict is made of."""

from __future__ import annotations

from weir.charts.figure import Figure
from weir.charts.tuning.data import Data
from weir.charts.tuning.scales import ROLES, sentence, words_of
from weir.charts.tuning.sheets import Mark, Role, Sheet, Sheets, drawn
from weir.tuning.answer import Confirmed


def seeds(data: Data) -> Figure:
    """What the targets' measures were with each of the fresh seeds."""
    answer = data.answer
    judged: dict[Role, Confirmed] = {"defaults": answer.defaults}
    if answer.chosen.setting:
        judged["chosen"] = answer.chosen
    sheets: list[Sheet] = []
    for target in dict.fromkeys(answer.targets):
        marks: list[Mark] = []
        for role, confirmed in judged.items():
            # Of several conditions the one that is worst for the target.
            outcome = max(data.of_target(confirmed, target), key=lambda one: one.shortfall)
            marks += [Mark(role, float(i), float(v)) for i, v in enumerate(outcome.values, start=1)]
        values = [*(mark.y for mark in marks), target.bound]
        full = max(values) < 2 * min(values)
        sheets.append(
            Sheet(sentence(words_of(target.of)), target.of.heading, [], marks, [target.bound], full)
        )
    name = ROLES[answer.verdict]
    where = f", in the worst of {data.conditions} conditions" if data.conditions > 1 else ""
    named = "Squares: the defaults." if name == "defaults" else f"Diamonds: {name}; squares: the defaults."
    caption = (
        f"One mark per seed that had no part in the search{where}. {named} Green lines: the targets, "
        "which the means have to meet, not every seed."
    )
    return drawn(Sheets("fresh-seeds", "Seed by seed", caption, "Fresh seed", sheets))
