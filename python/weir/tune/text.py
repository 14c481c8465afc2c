"""An answer in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from weir.stats import wording
from weir.tune.answer import Answer, Outcome, Shape
from weir.tune.online import Phase
from weir.tune.region import MapCell
from weir.tune.sampled import Front
from weir.tune.space import Setting
from weir.tune.tune import Tuned

WITHOUT_CHANCE = (
    " Every seed gave the same run: nothing in this scenario is drawn, and nothing is known of how much runs "
    'differ. Add start_jitter = "1 s" to the flows.'
)


def text_of(tuned: Tuned) -> str:
    """What `weir tune` prints."""
    answer = tuned.answer
    lines = [sentence(answer), ""]
    if answer.chosen.setting:
        lines += [f"  --set {path}={_quoted(value)}" for path, value in answer.chosen.setting.items()] + [""]
    lines += [_line(outcome) for outcome in answer.chosen.worst_of_each]
    if answer.verdict != "defaults already meet it":
        lines += ["", "the defaults:", *map(_line, answer.defaults.worst_of_each)]
    if answer.shapes:
        lines += ["", "what the parameters do:"]
        lines += [
            f"  {shape.measure} over {short(shape.path)}: {shape_words(shape)}" for shape in answer.shapes
        ]
    if tuned.cells:
        lines += ["", *_map_lines(tuned.cells)]
    if tuned.phases:
        lines += ["", "beside OP-RED, the load changing:"]
        lines += [_phase_line(phase) for phase in tuned.phases]
    return "\n".join(lines)


def sentence(answer: Answer) -> str:
    """The verdict with its numbers, in a sentence or two."""
    chosen = answer.chosen
    setting = ", ".join(f"{short(path)} {value}" for path, value in chosen.setting.items()) or "as it is"
    worst = chosen.worst
    where = f" ({conditions(worst.condition)})" if worst.condition else ""
    sure = "with 95% confidence" if not chosen.without_chance else "in the only run that there is"
    spent = f"{worst.values.size} fresh seeds, {answer.runs} runs in all"
    match answer.verdict:
        case "achieved":
            said = f"achieved, {sure}: {setting}. Tightest{where}: {_said(worst)}"
        case "defaults already meet it":
            said = f"the defaults already meet it, {sure}. Tightest{where}: {_said(worst)}"
        case "not achievable":
            said = (
                f"not achievable. Nearest, by the largest ratio to a target: {setting}; "
                f"there{where} {_said(worst)}. "
                f"Nothing in the bounds is expected to be nearer than {percent(answer.least)}"
            )
        case "undecided":
            said = (
                f"undecided: the targets lie at the edge of what can be had, or the search ended too soon. "
                f"Best so far: {setting}; there{where} {_said(worst)}"
            )
    return f"{said}. {spent}.{WITHOUT_CHANCE if chosen.without_chance else ''}"


def shape_words(shape: Shape) -> str:
    """`falls, then grows, turns at 0.1; falls where red max_th is 50 packets`."""
    said = shape.said if shape.turns_at is None else f"{shape.said}, turns at {shape.turns_at}"
    if shape.where is None:
        return said
    where = " and ".join(f"{short(path)} is {value}" for path, value in shape.where)
    return f"{said}; {shape.otherwise} where {where}"


def front_text(found: Front) -> str:
    """A front as a table."""
    rows = sorted(found.settings, key=lambda one: one.outcomes[0].mean)
    lines = [
        f"{len(rows)} settings of which none beats another, of {found.tried} tried; {found.runs} runs",
        "",
    ]
    for one in rows:
        numbers = ", ".join(
            f"{outcome.target.of.title.lower()} "
            + wording.estimate(outcome.mean, outcome.half_width, outcome.target.of.decimals)
            for outcome in one.outcomes
        )
        lines.append(
            f"  {numbers}: " + ", ".join(f"{short(path)} {value}" for path, value in one.setting.items())
        )
    return "\n".join([*lines, "", "means of fresh seeds with 95% intervals, each for itself"])


def percent(shortfall: float) -> str:
    """A shortfall as people say it: `12% beyond its target`, `8% within`."""
    if math.isinf(shortfall):
        return "an unknown amount"
    if shortfall > math.log(1000.0):
        return "more than 1000 times its target"
    if shortfall >= math.log(2.0):
        return f"{math.exp(shortfall):.2g} times its target"
    if shortfall > 0.0:
        return f"{100.0 * math.expm1(shortfall):.2g}% beyond"
    return f"{-100.0 * math.expm1(shortfall):.2g}% within"


def _said(outcome: Outcome) -> str:
    measure = outcome.target.of
    unit = "%" if measure.unit == "%" else f" {measure.unit}" if measure.unit else ""
    value = wording.estimate(outcome.mean, outcome.half_width, measure.decimals)
    return f"{measure.title.lower()} {value}{unit}, target {outcome.target}, {percent(outcome.shortfall)}"


def _line(outcome: Outcome) -> str:
    where = f"  in {conditions(outcome.condition)}" if outcome.condition else ""
    return f"  {outcome.state:<7}{_said(outcome)}{where}"


def _phase_line(phase: Phase) -> str:
    delay = wording.estimate(phase.delay.mean, phase.delay.half_width, 1)
    loss = wording.estimate(phase.loss.mean, phase.loss.half_width, 2)
    where = f"  {phase.label}, {phase.users} flows"
    return f"{where}: delay {delay} ms, loss {loss}%, worst {percent(phase.shortfall)}"


def _map_lines(cells: Sequence[MapCell]) -> list[str]:
    inside = [cell for cell in cells if cell.inside]
    outside = [cell for cell in cells if not cell.inside]
    held = sum(cell.state == "met" for cell in inside)
    worst = max(inside, key=lambda cell: cell.worst.shortfall)
    lines = [
        f"over the region: met in {held} of {len(inside)} places of the map",
        f"  worst: {conditions(worst.condition)}, {_said(worst.worst)}",
    ]
    beyond = [cell for cell in outside if cell.state == "missed"]
    if beyond:
        nearest = min(beyond, key=lambda cell: cell.worst.shortfall)
        lines.append(
            f"  a step beyond it stops holding: {conditions(nearest.condition)}, {_said(nearest.worst)}"
        )
    elif outside:
        lines.append("  a step beyond it nothing is missed")
    return lines


def conditions(condition: Setting) -> str:
    """In a few words."""
    return ", ".join(f"{short(path)} {value}" for path, value in condition)


def short(path: str) -> str:
    """Of a path, what people call it: `red max_th`."""
    words = path.split(".")
    if "queue" in words:
        return " ".join(words[words.index("queue") + 1 :])
    return " ".join(words[1:]) if words[0] in {"links", "flows"} else path


def _quoted(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) and " " in value else str(value)
