"""An answer of tuning in words: for the terminal, the page of evidence and its figures."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import exp, expm1, floor, isfinite, isinf, log, log10
from typing import Any

from weir.check import units
from weir.stats import CONFIDENCE, MEASURES, Measure, wording
from weir.stats.wording import sentence_case
from weir.sweep import Scalar
from weir.sweep import scalar_text as written
from weir.tune._answer import Answer, AnswerKind, Confirmed, Shape, State, TargetResult
from weir.tune._online import Phase
from weir.tune._region import MapCell
from weir.tune._sampled import Front
from weir.tune._space import Setting
from weir.tune._targets import Target
from weir.tune._tune import Tuned

SIGNS: dict[State, str] = {"met": "✓", "open": "?", "missed": "✗"}
"""Signs of the states, legible in grey print."""

ROLES: dict[AnswerKind, str] = {
    "achieved": "chosen",
    "defaults already meet it": "defaults",
    "not achievable": "nearest",
    "undecided": "best found",
}
"""Names of the judged setting, by verdict."""

MANY = 2000
"""Number of replications from which the advice to use more is not given."""

_SHORT = {("flows", "count"): "flows"}
_OWN = {("flows", "rtt"), ("links", "rate"), ("links", "buffer")}

WITHOUT_CHANCE = (
    " Every seed gave the same run: nothing in this scenario is drawn, and nothing is known of how much runs "
    'differ. Add start_jitter = "1 s" to the flows.'
)


# Names and numbers.


def measure_words(measure: Measure) -> str:
    """A measure inside a sentence: `p99 delay`, `loss`."""
    return re.sub(r"^(\w+) (p[\d.]+)(?= of |$)", r"\2 \1", measure.words)


def names_of(paths: Sequence[str]) -> list[str]:
    """Names of the parameters, as short as tells them apart: `rate`, `flows`, `max_th`; else `bottleneck
    delay`, `core red max_th`."""
    words = [path.split(".") for path in paths]
    short = [_short(one) for one in words]
    return [
        name if name and short.count(name) == 1 else " ".join(w for w in one[1:] if w != "queue") or one[0]
        for name, one in zip(short, words, strict=True)
    ]


def _short(words: Sequence[str]) -> str:
    ends = (words[0], words[-1])
    if "queue" in words[:-1] or (len(words) == 3 and ends in _OWN):
        return words[-1]
    return _SHORT.get(ends, "") if len(words) == 3 else ""


def number_words(number: float) -> str:
    """Number with three significant digits, and all digits of a larger whole number: `0.0613`, `1,235`."""
    return f"{number:.3g}" if abs(number) < 999.5 else f"{number:,.0f}"


def percent(share: float) -> str:
    """Percentage with three significant digits, at most two decimals: `97%`, `8.25%`, `0.3%`."""
    return f"{float(f'{100.0 * share:.3g}'):.2f}".rstrip("0").rstrip(".") + "%"


def value_words(value: object) -> str:
    """A value of a scenario: `5.95 Mbit/s`; a dash for none."""
    number, _, unit = str(value).partition(" ")
    try:
        return f"{number_words(float(number))} {unit}".strip()
    except ValueError:
        return "–" if value is None else str(value)


def setting_words(setting: Setting | Mapping[str, Scalar]) -> str:
    """Parameters or conditions: `max_th 33 packets, max_p 0.1`, `rate 5 Mbit/s, flows 40`."""
    pairs = list(setting.items() if isinstance(setting, Mapping) else setting)
    names = names_of([path for path, _ in pairs])
    return ", ".join(f"{name} {value_words(value)}" for name, (_, value) in zip(names, pairs, strict=True))


# One target.


def target_words(target: Target) -> str:
    """Target in words: `p99 delay < 20 ms`."""
    return f"{measure_words(target.of)} {_bound(target)}"


def _bound(target: Target) -> str:
    return f"{target.sense} {_with_unit(f'{target.bound:g}', target.of)}"


def measured(outcome: TargetResult) -> str:
    """Measured mean with its interval: `17.8 ± 0.4 ms`. The decimals show on which side of the bound the
    interval lies."""
    half = outcome.half_width
    if not isfinite(half):
        return _with_unit(f"{outcome.mean:.4g}", outcome.target.of)
    decimals = outcome.target.of.decimals if half == 0.0 else max(0, min(6, -floor(log10(half / 2.0))))
    text = ("", "")
    for more in range(4):
        text = f"{outcome.mean:.{decimals + more}f}", f"{half:.{decimals + more}f}"
        mean, width = (float(one) for one in text)
        met = outcome.target.met_by(mean - width), outcome.target.met_by(mean + width)
        if ("met" if all(met) else "open" if any(met) else "missed") == outcome.state:
            break
    # Equal values have no interval.
    return _with_unit(text[0] if half == 0.0 else " ± ".join(text), outcome.target.of)


def margin(outcome: TargetResult) -> str:
    """Margin such as `11%` if the mean is on the right side of the bound; else the factor by which it
    misses."""
    lacks = " of what may lack" if outcome.target.full is not None else ""
    if outcome.shortfall > 0.0:
        ratio = exp(outcome.shortfall)
        return f"{number_words(ratio)} times{lacks.removeprefix(' of')}" if ratio >= 1.005 else "none"
    above = outcome.target.sense == ">" and not lacks
    share = expm1(-outcome.shortfall) if above else -expm1(outcome.shortfall)
    return "none" if share < 0.0005 else f"{percent(share)}{lacks}"


def miss_words(shortfall: float) -> str:
    """A shortfall in the search: `misses its target by 12%`, `a margin of 8%`."""
    if isinf(shortfall):
        return "an unknown distance from its target"
    if shortfall >= log(2.0):
        ratio = "more than 1000" if shortfall > log(1000.0) else number_words(exp(shortfall))
        return f"{ratio} times its target"
    if shortfall > 0.0:
        return f"misses its target by {percent(expm1(shortfall))}"
    return f"a margin of {percent(-expm1(shortfall))}"


def _clause(outcome: TargetResult, *, where: bool) -> str:
    match outcome.state:
        case "met":
            said = f"margin {margin(outcome)}"
        case "missed":
            lacks = " in what lacks" if outcome.target.full is not None else ""
            said = f"missed by a factor of {number_words(exp(outcome.shortfall))}{lacks}"
        case "open":
            said = "open: the interval contains it"
    there = f" at {setting_words(outcome.condition)}" if where and outcome.condition else ""
    name = measure_words(outcome.target.of)
    return f"{name} {measured(outcome)}{there} (target {_bound(outcome.target)}, {said})"


def _with_unit(number: str, measure: Measure) -> str:
    return f"{number}{'' if measure.unit in {'%', ''} else ' '}{measure.unit}"


# The answer.


def sentence(answer: Answer) -> str:
    """The verdict with its numbers, in a sentence."""
    judged = answer.chosen
    setting = setting_words(judged.setting) or "the defaults"
    count = conditions_of(answer)
    sure = f"with {CONFIDENCE:.0%} confidence"
    if judged.without_chance:
        sure = "in the only run that there is"
    if count > 1 and answer.verdict in {"achieved", "defaults already meet it"}:
        sure += f" in each of {count} conditions"
    spent = f"on {seeds_of(judged)} fresh seeds, after {answer.runs:,} runs"
    match answer.verdict:
        case "achieved":
            said = f"Achieved: {setting} gives {_result(judged)}, {sure}, {spent}."
        case "defaults already meet it":
            said = f"Your defaults already meet it: they give {_result(judged)}, {sure}, {spent}."
        case "not achievable":
            nearest = f"the nearest setting, {setting}, gives {_result(judged)}"
            said = f"Not achievable within these bounds: {nearest}, {sure}, {spent}."
        case "undecided":
            said = f"Undecided: the best setting found, {setting}, gives {_result(judged)}, {spent}."
    return said + (WITHOUT_CHANCE if judged.without_chance else "")


def _result(judged: Confirmed) -> str:
    """Measure of every target in words. If all are worst in the same condition, it is named once."""
    outcomes = judged.worst_of_each
    shared = {outcome.condition for outcome in outcomes}
    parts = [_clause(outcome, where=len(shared) > 1) for outcome in outcomes]
    condition, result = shared.pop(), units.listed(parts)
    return (
        f"in its worst condition ({setting_words(condition)}) {result}"
        if condition and not shared
        else result
    )


def reasons(answer: Answer) -> list[str]:
    """Explanations of what the sentence leaves open."""
    worst, count = answer.chosen.worst, conditions_of(answer)
    said: list[str] = []
    if count > 1:
        said.append(
            f"Every target is to be met in each of {count} conditions; of each target, the "
            "condition that is worst for it is shown."
        )
    if answer.verdict == "not achievable":
        said.append(
            "Nearest is the setting whose worst target is missed by the least factor: here "
            f"{measure_words(worst.target.of)}, by {number_words(exp(worst.shortfall))}."
        )
        if isfinite(answer.least) and answer.least > 0.0:
            said.append(
                "From all runs, no setting within the bounds can be expected to miss its worst target by "
                f"less than a factor of {number_words(exp(answer.least))}."
            )
    elif answer.verdict == "undecided":
        said += [
            _seeds_needed(o, seeds_of(answer.chosen))
            for o in answer.chosen.worst_of_each
            if o.state == "open"
        ]
        if answer.chosen.state == "missed" and not isfinite(answer.least):
            said.append("Only settings that were drawn are known: that none meets the targets is not shown.")
        elif answer.chosen.state == "missed" and answer.least <= 0.0:
            said.append(
                "A setting that meets all targets, at best with a worst ratio of measure to bound of "
                f"{number_words(exp(answer.least))}, cannot be ruled out: narrower bounds around the best "
                "setting would tell."
            )
    return said


def _seeds_needed(outcome: TargetResult, count: int) -> str:
    """Number of seeds that would decide on an interval that contains its bound, in a sentence."""
    name = measure_words(outcome.target.of)
    apart = abs(outcome.mean - outcome.target.bound)
    needed = count * (outcome.half_width / apart) ** 2 if apart > 0.0 else float("inf")
    if needed > MANY:
        return f"{sentence_case(name)} lies on its bound: no affordable number of seeds tells on which side."
    step = 10 ** max(0, floor(log10(max(needed, 1.0))) - 1)
    return (
        f"To tell {name} from its bound would take about {round(needed / step + 0.5) * step:,} seeds if its "
        f"mean stays; {count} were used."
    )


def conditions_of(answer: Answer) -> int:
    """Number of conditions in which every target must be met."""
    return len({outcome.condition for outcome in answer.chosen.outcomes})


def seeds_of(judged: Confirmed) -> int:
    """Number of fresh seeds behind the verdict."""
    return min(int(outcome.values.size) for outcome in judged.outcomes)


def shape_words(shape: Shape) -> str:
    """Response of a measure to a parameter, in words: `falls, then grows (at 0.1)`."""
    return shape.said if shape.turns_at is None else f"{shape.said} (at {value_words(shape.turns_at)})"


def shapes_of(answer: Answer) -> list[str]:
    """Sentences on the responses to the parameters, one per measure."""
    paths = list(dict.fromkeys(shape.path for shape in answer.shapes))
    names = dict(zip(paths, names_of(paths), strict=True))
    clauses: dict[str, list[str]] = {}
    for shape in answer.shapes:
        said = f"{shape.said} with {names[shape.path]}"
        if shape.said == "no effect shown":
            said = f"no effect of {names[shape.path]} shown"
        if shape.turns_at is not None:
            said += f" (turning at {value_words(shape.turns_at)})"
        if shape.where is not None:
            said += f", but {shape.otherwise} where {setting_words(shape.where)}"
        clauses.setdefault(shape.measure, []).append(said)
    measures = {target.measure: measure_words(target.of) for target in answer.targets}
    return [f"{sentence_case(measures[name])}: {'; '.join(parts)}." for name, parts in clauses.items()]


# The map over a region.


def worst_corner(cells: Sequence[MapCell]) -> MapCell:
    """Cell inside the region that misses a target by most, or meets it by least."""
    inside = [cell for cell in cells if cell.inside] or list(cells)
    return max(inside, key=lambda cell: cell.worst.shortfall)


def map_words(answer: Answer, cells: Sequence[MapCell]) -> str:
    """Map in a sentence: where the setting meets the targets, the worst cell, and where it stops."""
    cell = worst_corner(cells)
    inside = [one.state for one in cells if one.inside]
    who = "Your defaults meet" if ROLES[answer.verdict] == "defaults" else "This setting meets"
    said = f"{measured(cell.worst)}, where the target is {target_words(cell.worst.target)}: {cell.state}"
    return (
        f"{who} every target in {inside.count('met')} of {len(inside)} conditions of the map. The worst is "
        f"{setting_words(cell.condition)}, with {measure_words(cell.worst.target.of)} {said}. {beyond(cells)}"
    ).rstrip()


def beyond(cells: Sequence[MapCell]) -> str:
    """Ends of the region beyond which a target is missed, one step further, in a sentence. Empty if there are
    none."""
    within = {pair for cell in cells if cell.inside for pair in cell.condition}
    steps: dict[Setting, list[MapCell]] = {}
    for cell in cells:
        left = tuple(pair for pair in cell.condition if pair not in within)
        # Corners, where several conditions are beyond at once, are on the map.
        if len(left) == 1:
            steps.setdefault(left, []).append(cell)
    if not steps:
        return ""
    paths = [path for path, _ in cells[0].condition]
    names = dict(zip(paths, names_of(paths), strict=True))
    said: list[str] = []
    for ((path, value),), there in steps.items():
        missed = sum(cell.state == "missed" for cell in there)
        share = f" ({missed} of {len(there)} conditions)" if len(there) > 1 else ""
        said += [f"{names[path]} {value_words(value)}{share}"] if missed else []
    alone = " in one condition alone" if len(paths) > 1 else ""
    where = f"a target is missed at {', '.join(said)}" if said else "no target is missed"
    return f"A step beyond the region{alone} {where}."


# The terminal.


def text_of(tuned: Tuned) -> str:
    """Text that `weir tune` prints."""
    answer = tuned.answer
    lines = [sentence(answer), *reasons(answer), ""]
    if answer.chosen.setting:
        lines += [f"  {argument}" for argument in arguments_of(answer.chosen.setting)] + [""]
    lines += [*map(_line, answer.chosen.worst_of_each), *_beside(answer.chosen)]
    if answer.chosen.setting:
        defaults = answer.defaults
        lines += ["", "the defaults:", *map(_line, defaults.worst_of_each), *_beside(defaults)]
    if answer.shapes:
        lines += ["", *shapes_of(answer)]
    if tuned.cells:
        lines += ["", map_words(answer, tuned.cells)]
    if tuned.phases:
        lines += ["", "beside OP-RED, the load changing:", *map(_phase_line, tuned.phases)]
    return "\n".join(lines)


def arguments_of(setting: Mapping[str, Any]) -> list[str]:
    """Setting as options for a shell: `--set links.bottleneck.queue.red.max_p=0.1`."""
    texts = [f"{path}={written(value)}" for path, value in setting.items()]
    return [f'--set "{text}"' if " " in text else f"--set {text}" for text in texts]


def front_text(found: Front) -> str:
    """Table of a front."""
    rows = sorted(found.settings, key=lambda one: one.outcomes[0].mean)
    lines = [
        f"{len(rows)} settings of which none beats another, of {found.tried} tried; {found.runs} runs",
        "",
    ]
    for one in rows:
        numbers = (f"{measure_words(o.target.of)} {measured(o)}" for o in one.outcomes)
        lines.append(f"  {', '.join(numbers)}: {setting_words(one.setting)}")
    return "\n".join([*lines, "", "means of fresh seeds with 95% intervals, each for itself"])


def _line(outcome: TargetResult) -> str:
    return f"  {outcome.state:<7}{_clause(outcome, where=True)}"


def _beside(judged: Confirmed) -> list[str]:
    """Measures without a target, in a line."""
    said = [
        f"{measure_words(of)} {_with_unit(wording.estimate(one.mean, one.half_width, of.decimals), of)}"
        for name, one in judged.beside.items()
        for of in (MEASURES[name],)
    ]
    worst = ", each in its worst condition:" if len({one.condition for one in judged.outcomes}) > 1 else ""
    return [f"  beside{worst} {', '.join(said)}"] if said else []


def _phase_line(phase: Phase) -> str:
    delay = wording.estimate(phase.delay.mean, phase.delay.half_width, 1)
    loss = wording.estimate(phase.loss.mean, phase.loss.half_width, 2)
    where = f"  {phase.label}, {phase.users} flows"
    return f"{where}: delay {delay} ms, loss {loss}%, worst {miss_words(phase.shortfall)}"
