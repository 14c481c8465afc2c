"""`weir lesson`: a lesson of the studio, and what the simulator answers to its question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weir.cli import _command as command
from weir.cli._options import Json, option

if TYPE_CHECKING:
    from weir.lesson import Lesson, Outcome, Quantity, Said


def lesson(
    source: Annotated[
        str, typer.Argument(metavar="LESSON", help="A Markdown file, or the name of a lesson of Weir.")
    ],
    *,
    replications: Annotated[int, option("N", "Runs, each with a seed of its own.", "-n", min=2)] = 10,
    json: Json = False,
) -> None:
    """Check a lesson: which answer is right, by the simulator."""
    from weir.lesson import Lesson

    found = Lesson.load(source)
    outcomes = found.outcomes(replications)
    if json:
        command.print_json(_document(found, outcomes))
    else:
        _print(found, outcomes)
    if any(outcome.right_in(said) < replications for said, outcome in _to_hold(found, outcomes)):
        command.note("the simulator does not say in every run what the lesson says")
        raise typer.Exit(1)


def _to_hold(lesson: Lesson, outcomes: Sequence[Outcome]) -> list[tuple[Said, Outcome]]:
    """The right answer and the claims, each with the outcome of its quantity."""
    right = [(answer, outcomes[0]) for answer in lesson.answers if answer.right]
    return [*right, *zip(lesson.claims, outcomes[1:], strict=True)]


def _document(lesson: Lesson, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    def measured(quantity: Quantity, outcome: Outcome) -> dict[str, Any]:
        interval, n = outcome.interval, len(outcome.values)
        named = {"quantity": quantity.written, "unit": quantity.unit}
        return {**named, "value": interval.mean, "half_width": interval.half_width, "n": n}

    def said(one: Said, outcome: Outcome) -> dict[str, Any]:
        return {"text": one.text, "range": one.written, "right_in": outcome.right_in(one)}

    answers = [{**said(one, outcomes[0]), "said_right": one.right} for one in lesson.answers]
    claims = [
        {**said(one, outcome), **measured(one.quantity, outcome)}
        for one, outcome in zip(lesson.claims, outcomes[1:], strict=True)
    ]
    first = measured(lesson.quantity, outcomes[0])
    return {"title": lesson.title, **first, "answers": answers, "claims": claims}


def _print(lesson: Lesson, outcomes: Sequence[Outcome]) -> None:
    from weir.stats import wording

    def measured(quantity: Quantity, outcome: Outcome) -> str:
        interval = outcome.interval
        value = wording.estimate(interval.mean, interval.half_width, 3)
        return f"{quantity.written}: {f'{value} {quantity.unit}'.rstrip()}"

    def said(one: Said, outcome: Outcome) -> str:
        return f"  right in {outcome.right_in(one):>{width}}: {one.text} {one.written}"

    n = len(outcomes[0].values)
    width = len(str(n))
    command.print_text(f"{lesson.title}\n{measured(lesson.quantity, outcomes[0])}, {n} runs")
    for one in lesson.answers:
        command.print_text(said(one, outcomes[0]) + (" (the answer of the lesson)" if one.right else ""))
    for one, outcome in zip(lesson.claims, outcomes[1:], strict=True):
        command.print_text(f"{measured(one.quantity, outcome)}\n{said(one, outcome)}")
