"""An answer of tuning in words: the verdict in one sentence, and what stands behind it."""

from __future__ import annotations

from math import exp, floor, isfinite, log10

from weir.plot.tuning.data import Data
from weir.plot.tuning.words import ROLES, condition_words, sentence, words_of
from weir.stats.intervals import CONFIDENCE
from weir.stats.measures import Measure
from weir.sweep.values import Value
from weir.tune.answer import Confirmed, Outcome
from weir.tune.targets import Target

MANY = 2000
"""Replications from which more of them are no advice any more."""

_FULL = {"goodput": 100.0, "utilisation": 100.0, "jain": 1.0}
"""Measures whose shortfall is a ratio of what lacks, as in `Target.shortfall`."""


def verdict_sentence(data: Data) -> str:
    """What came out, with its numbers, in one sentence."""
    answer, judged = data.answer, data.answer.chosen
    setting, result = setting_words(data), _result(judged)
    each = f" in each of {data.conditions} conditions" if data.conditions > 1 else ""
    sure = f"with {CONFIDENCE:.0%} confidence"
    if judged.without_chance:
        sure = "in the only run that there is, for every seed gave the same (nothing is drawn: add jitter)"
    spent = f"on {seeds_of(judged)} fresh seeds, after {answer.runs:,} runs"
    match answer.verdict:
        case "achieved":
            return f"Achieved: {setting} gives {result}, {sure}{each}, {spent}."
        case "defaults already meet it":
            return f"Your defaults already meet it: they give {result}, {sure}{each}, {spent}."
        case "not achievable":
            nearest = f"the nearest setting, {setting}, gives {result}"
            return f"Not achievable within these bounds: {nearest}, {sure}, {spent}."
        case "undecided":
            return f"Undecided: the best setting found, {setting}, gives {result}, {spent}."


def reasons(data: Data) -> list[str]:
    """What the sentence leaves open, in further ones."""
    answer = data.answer
    worst = answer.chosen.worst
    said: list[str] = []
    if data.conditions > 1:
        said.append(
            f"Every target is to be met in each of {data.conditions} conditions; of each target, the "
            "condition that is worst for it is shown."
        )
    match answer.verdict:
        case "not achievable":
            said.append(
                f"Nearest is the setting whose worst target is missed by the least factor: here "
                f"{words_of(worst.target.of)}, by {exp(worst.shortfall):.3g}."
            )
            if isfinite(answer.least) and answer.least > 0.0:
                said.append(
                    "From all runs, no setting within the bounds can be expected to miss its worst target by "
                    f"less than a factor of {exp(answer.least):.3g}."
                )
        case "undecided":
            said += _what_it_takes(data)
        case _:
            pass
    return said


def _what_it_takes(data: Data) -> list[str]:
    """More seeds where an interval contains its bound; more search where a better setting may be there."""
    answer = data.answer
    said: list[str] = []
    for outcome in (o for o in worst_of_each(answer.chosen) if o.state == "open"):
        name = words_of(outcome.target.of)
        apart = abs(outcome.mean - outcome.target.bound)
        count = seeds_of(answer.chosen)
        needed = count * (outcome.half_width / apart) ** 2 if apart > 0.0 else float("inf")
        if needed > MANY:
            said.append(
                f"{sentence(name)} lies on its bound: no affordable number of seeds tells on which side."
            )
        else:
            said.append(
                f"To tell {name} from its bound would take about {_rounded(needed)} seeds if its mean stays; "
                f"{count} were used."
            )
    if answer.chosen.state == "missed":
        if not isfinite(answer.least):
            said.append("Only settings that were drawn are known: that none meets the targets is not shown.")
        elif answer.least <= 0.0:
            said.append(
                "A setting that meets all targets, at best with a worst ratio of measure to bound of "
                f"{exp(answer.least):.3g}, cannot be ruled out: narrower bounds around the best setting "
                "would tell."
            )
    return said


def worst_of_each(judged: Confirmed) -> list[Outcome]:
    """Of every target, the outcome in the condition that is worst for it."""
    targets = list(dict.fromkeys(outcome.target for outcome in judged.outcomes))
    return [
        max((o for o in judged.outcomes if o.target == target), key=lambda o: o.shortfall)
        for target in targets
    ]


def seeds_of(judged: Confirmed) -> int:
    """Fresh seeds that the verdict is on."""
    return min(int(outcome.values.size) for outcome in judged.outcomes)


def setting_words(data: Data) -> str:
    """`max_th 33 packets, max_p 0.1`."""
    at = data.chosen
    return "the defaults" if at is None else data.named(at)


def role_of(data: Data) -> str:
    """What the judged setting is called, as a head of a column."""
    return {"chosen": "This setting", "nearest": "Nearest setting", "best found": "Best found"}.get(
        ROLES[data.answer.verdict], "Your defaults"
    )


def target_words(target: Target) -> str:
    """`p99 delay < 20 ms`."""
    return f"{words_of(target.of)} {target.sense} {_with_unit(f'{target.bound:g}', target.of)}"


def measured(outcome: Outcome) -> str:
    """`17.8 ± 0.4 ms`, in as many decimals as show on which side of the bound the interval lies."""
    half = outcome.half_width
    if not isfinite(half):
        return _with_unit(f"{outcome.mean:.4g}", outcome.target.of)
    decimals = outcome.target.of.decimals if half == 0.0 else max(0, min(6, -floor(log10(half / 2.0))))
    for more in range(4):
        text = f"{outcome.mean:.{decimals + more}f}", f"{half:.{decimals + more}f}"
        mean, width = (float(one) for one in text)
        if _side(outcome.target, mean - width, mean + width) == outcome.state:
            break
    return _with_unit(" ± ".join(text), outcome.target.of)  # pyright: ignore[reportPossiblyUnboundVariable]


def margin(outcome: Outcome) -> str:
    """`11%` where the mean is on the right side of the bound; else by what factor it is not."""
    lacks = _lacks(outcome.target)
    if outcome.shortfall > 0.0:
        ratio = exp(outcome.shortfall)
        of = " what may lack" if lacks else ""
        return f"{ratio:.3g} times{of}" if ratio >= 1.005 else "none"
    if outcome.target.sense == ">" and not lacks:
        return _percent(exp(-outcome.shortfall) - 1.0)
    return f"{_percent(1.0 - exp(outcome.shortfall))}{' of what may lack' if lacks else ''}"


def shown(value: Value | None) -> str:
    """A value of a scenario for reading: at most four digits."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value)


def _result(judged: Confirmed) -> str:
    """Every target's measure; where all are worst in the same condition, it is named once."""
    outcomes = worst_of_each(judged)
    shared = {outcome.condition for outcome in outcomes}
    once = len(shared) == 1
    parts = [_clause(outcome, where=not once) for outcome in outcomes]
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    condition = shared.pop()
    return f"in its worst condition ({condition_words(condition)}) {listed}" if once and condition else listed


def _clause(outcome: Outcome, *, where: bool) -> str:
    bound = f"target {outcome.target.sense} {_with_unit(f'{outcome.target.bound:g}', outcome.target.of)}"
    match outcome.state:
        case "met":
            said = f"margin {margin(outcome)}"
        case "missed":
            said = f"missed by a factor of {exp(outcome.shortfall):.3g}"
            if _lacks(outcome.target):
                said += " in what lacks"
        case "open":
            said = "open: the interval contains it"
    name = words_of(outcome.target.of)
    there = f" at {condition_words(outcome.condition)}" if where and outcome.condition else ""
    return f"{name} {measured(outcome)}{there} ({bound}, {said})"


def _with_unit(number: str, measure: Measure) -> str:
    return f"{number}{'' if measure.unit in {'%', ''} else ' '}{measure.unit}"


def _lacks(target: Target) -> bool:
    return target.sense == ">" and target.measure in _FULL


def _side(target: Target, low: float, high: float) -> str:
    met = target.met_by(low), target.met_by(high)
    return "met" if all(met) else "open" if any(met) else "missed"


def _percent(share: float) -> str:
    if share < 0.0005:
        return "none"
    return f"{100.0 * share:.0f}%" if share >= 0.01 else f"{100.0 * share:.1g}%"


def _rounded(count: float) -> str:
    digits = max(0, floor(log10(max(count, 1.0))) - 1)
    return f"{round(count / 10**digits + 0.5) * 10**digits:,}"
