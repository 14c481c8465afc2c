"""The pages of a paper done again: HTML that needs nothing but itself, and Markdown with figures."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import jinja2

import weir
from weir.plot import IMAGES, Figure, Panel, write_page
from weir.report import REPORT, replacing, write_manifest
from weir.stats import wording
from weir_papers import quantifiers
from weir_papers.again import Again
from weir_papers.check import Check
from weir_papers.claims import Judgement
from weir_papers.expected import FAILS, HOLDS, OPEN, TIE, Finding
from weir_papers.groups import GROUPS, in_words
from weir_papers.paper import Topology
from weir_papers.reproduce import Reproduction

_HERE = Path(__file__).parent
_AT_ONCE = 8
"""Checks of a claim that a page lists at once; more are folded away."""


def write_reproduction(outcome: Reproduction, directory: str | os.PathLike[str]) -> Path:
    """Writes `report.html`, `figures/` and `claims.json`; returns the page.

    The directory appears when it is whole. Raises OSError where it cannot be written.
    """
    with replacing(directory) as place:
        write_page(
            place,
            "reproduction.html.jinja",
            outcome.paper.title,
            _facts(outcome),
            [Panel.of(figure) for figure in (*outcome.overview, *outcome.figures)],
            templates=_HERE,
            # Two thirds of the time for drawing is PNG's.
            images=IMAGES[:1] if outcome.quick else IMAGES,
            **_values(outcome),
        )
        (place / "claims.json").write_text(json.dumps(outcome.to_json(), indent=2) + "\n", encoding="utf-8")
        write_manifest(place, {"weir": weir.__version__, "paper": outcome.paper.key})
    return Path(directory) / REPORT


def write_markdown(outcome: Reproduction, report: Path, directory: Path) -> Path:
    """Writes `KEY.md` and `KEY-checks.md`, with the report's figures in `KEY/`; returns the first."""
    key = outcome.paper.key
    figures = directory / key
    figures.mkdir(parents=True, exist_ok=True)
    for old in figures.glob("*.svg"):
        old.unlink()
    for drawn in (*outcome.overview, *outcome.figures):
        source = report.parent / "figures" / f"{drawn.name}.svg"
        (figures / source.name).write_bytes(source.read_bytes())
    if outcome.paper.network is not None:
        name = f"{outcome.paper.network.name}.svg"
        (figures / name).write_text(outcome.paper.network.svg, encoding="utf-8")
    values = _values(outcome)
    _write(directory / f"{key}-checks.md", "checks.md.jinja", values)
    return _write(directory / f"{key}.md", "reproduction.md.jinja", values)


def write_index(outcomes: Sequence[Reproduction], directory: Path, again: Again | None = None) -> Path:
    """Writes `index.md`, a line for each paper; returns it. `again`: the same with other seeds."""
    values: dict[str, object] = {
        "outcomes": outcomes,
        "groups": [group for group in GROUPS if any(one.counts.get(group) for one in outcomes)],
        "claims": sum(len(one.judgements) for one in outcomes),
        "regrouped": [sum(one.regrouped(share) for one in outcomes) for share in (1 / 3, 2 / 3)],
        "changes": None if again is None else again.changes(outcomes),
    }
    return _write(directory / "index.md", "index.md.jinja", values)


def _write(path: Path, template: str, values: Mapping[str, object]) -> Path:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE),
        autoescape=False,  # noqa: S701 - Markdown of our own texts
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"anchor": _anchor, "surnames": _surnames, "year": _year}
    text = environment.get_template(template).render(values)
    path.write_text(text.rstrip() + "\n", encoding="utf-8")
    return path


def _facts(outcome: Reproduction) -> dict[str, str]:
    paper = outcome.paper
    return {
        "Paper": f"{paper.authors}, {paper.published}",
        "Claims": in_words(outcome.counts),
        "Registered": f"{paper.digest}, seeds {outcome.seeds[0]} to {outcome.seeds[-1]}",
        "Replications": outcome.replications + (" (--quick)" if outcome.quick else ""),
        "Runs": f"{sum(one.runs for one in outcome.spent):,} in {outcome.cpu_s:,.0f} s of CPU",
        "Weir": weir.__version__,
    }


def _values(outcome: Reproduction) -> dict[str, object]:
    return {
        "paper": outcome.paper,
        "outcome": outcome,
        "overview": outcome.overview,
        "published": _published(outcome),
        "further": [figure for figure in outcome.figures if not _is_published(figure)],
        "tables": outcome.tables,
        "judgements": outcome.judgements,
        "said": said,
        "counted": counted,
        "printed": printed,
        "shown": shown,
        "required": required,
        "is_a": is_a,
        "tally": tally,
        "fitting": fitting,
        "version": weir.__version__,
    }


def _anchor(key: str) -> str:
    """Anchor of a heading that is this key, as Markdown's readers make it."""
    return re.sub(r"[^\w -]", "", key.lower()).replace(" ", "-")


def _surnames(authors: str) -> str:
    """`Lapsley, Low` of `D. Lapsley, S. Low`."""
    return ", ".join(name.split()[-1] for name in authors.split(", "))


def _year(published: str) -> str:
    """The last number of four digits."""
    return re.findall(r"\b\d{4}\b", published)[-1]


def _published(outcome: Reproduction) -> list[Figure | Topology]:
    """The figures of the paper, in its order."""
    drawn: list[Figure | Topology] = [one for one in outcome.figures if _is_published(one)]
    network = outcome.paper.network
    return sorted([*drawn, *([network] if network else [])], key=lambda one: int(one.name.split("-")[1]))


def _is_published(figure: Figure) -> bool:
    """Returns true if the paper has the figure, so that its name is the paper's number."""
    return re.fullmatch(r"figure-\d+", figure.name) is not None


def said(check: Check) -> str:
    """Value, interval and unit of a check: `20.4 ± 0.3 packets`."""
    tail = "" if not check.unit else "%" if check.unit == "%" else f" {check.unit}"
    return f"{_number(check.value, check.half_width)}{tail}"


def counted(judgement: Judgement) -> str:
    """Number of checks that hold: `15 of 16`; empty for a single check."""
    if len(judgement.checks) == 1:
        return ""
    return f"{judgement.count('holds')} of {len(judgement.checks)}"


def tally(judgement: Judgement) -> str:
    """Checks by verdict: `11 of 16 checks hold, 5 tie`."""
    words: dict[Finding, str] = {TIE: "tie", FAILS: "do not hold", OPEN: "undecided"}
    rest = [f"{judgement.count(one)} {said}" for one, said in words.items() if judgement.count(one)]
    return ", ".join([f"{counted(judgement)} checks hold", *rest])


def fitting(elsewhere: Sequence[Finding]) -> str:
    """Number of other readings in which a claim fits, and in which it is a tie; empty without any."""
    if not elsewhere:
        return ""
    ties = f", and is a tie in {elsewhere.count(TIE)}" if TIE in elsewhere else ""
    return f"; it fits in {elsewhere.count(HOLDS)} of {len(elsewhere)} other readings{ties}"


def shown(judgement: Judgement) -> tuple[Check, ...]:
    """The checks that a short page shows: all if they are few, else those that do not hold."""
    if len(judgement.checks) <= _AT_ONCE:
        return judgement.checks
    missed = sorted(
        (check for check in judgement.checks if check.verdict != "holds"), key=lambda check: check.distance
    )
    return tuple(missed[:_AT_ONCE]) or (judgement.decisive,)


def required(judgement: Judgement) -> str:
    """In how many checks the claim has to hold, and by which words of the paper."""
    claim = judgement.claim
    return quantifiers.required(claim.holds_in, claim.exceptions, claim.words)


def is_a(verdict: Finding) -> str:
    """The verdict as a verb: `holds`, `is a tie`."""
    return {TIE: "is a tie", OPEN: "is undecided"}.get(verdict, verdict)


def printed(checks: Sequence[Check]) -> bool:
    """Returns true if the paper prints a number for any of the checks."""
    return any(check.published is not None for check in checks)


def _number(value: float, half_width: float | None) -> str:
    if math.isnan(value):
        return "not defined"
    # Two digits of the uncertainty say all there is to say.
    scale = half_width or abs(value) / 100.0
    decimals = 0 if scale == 0.0 else min(6, max(0, 1 - math.floor(math.log10(scale))))
    return wording.estimate(value, half_width, decimals).replace("±", " ± ")
