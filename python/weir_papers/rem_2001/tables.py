"""Contents of the tables of `figures.toml`, by their names."""

from __future__ import annotations

from collections.abc import Iterator

from weir.scenario import Scenario
from weir.theory import resting
from weir_papers import ns2
from weir_papers.curves import estimated
from weir_papers.data import Study
from weir_papers.quantities import Level, Quantity
from weir_papers.reading import Contents
from weir_papers.rem_2001 import quantities as of
from weir_papers.rem_2001.checks import RED, REM, SIX, WIRELESS, period, settled

_PRINTED = {"drop-tail": "62 to 91", "red-20-80": "90 to 96", "red-10-30": "82 to 95", "rem": "90 to 96"}
"""Goodput that the paper prints, %."""


def _wireline(study: Study) -> Iterator[list[str]]:
    for variant in (*REM, *RED):
        for users in (20.0, 80.0, 160.0):
            cells = [study["wireline"].labels[variant], f"{users:g}"]
            for measure, digits in (("goodput", 1), ("mean_queue", 1), ("loss", 2)):
                level = period(variant, measure, "wireline-gentle")
                cells.append(_at(level, study, users, digits))
                cells.append(_of_ns2("wireline", variant, measure, users, digits))
            yield cells


def _red(study: Study) -> Iterator[list[str]]:
    for variant in ("drop-tail", *RED):
        cells = [study["wireline"].labels[variant]]
        for name in ("wireline", "wireline-gentle"):
            cells += [_at(settled(variant, one, name), study, 160.0, 1) for one in ("goodput", "mean_queue")]
        cells += [_of_ns2("settled", variant, one, 160.0, 1) for one in ("goodput", "mean_queue")]
        yield cells


def _wireless(study: Study) -> Iterator[list[str]]:
    readings = {
        "wireless": "",
        "wireless-gentle": ", gentle, ns-2's code",
        "wireless-ns2": ", ns-2's of 2000",
    }
    for variant in ("drop-tail", *WIRELESS):
        of_red = variant.startswith("red")
        for name, words in readings.items() if of_red else (("wireless", ""),):
            found = period(variant, "goodput", name).samples(study)
            label = study[name].labels[variant] + words
            yield [label, _PRINTED[variant], *(estimated(one, 1) for one in found)]
    before = Level("senders", "rem-newreno", "goodput", when="stages")
    yield [study["senders"].labels["rem-newreno"], "", _at(before, study, 20.0, 1), "", "", "", ""]


def _mixed_path(study: Study) -> Iterator[list[str]]:
    for variant, label in study["mixed-path"].labels.items():
        phone, desk = (of.of_group("mixed-path", variant, (one,)) for one in ("phone", "desk"))
        timeouts = of.of_group("mixed-path", variant, ("phone",), "timeouts")
        columns = ((phone, 1), (desk, 1), (Level("mixed-path", variant, "drops"), 0), (timeouts, 0))
        yield [label, *(estimated(one.samples(study)[0], digits) for one, digits in columns)]


def _duality(study: Study) -> Iterator[list[str]]:
    """Rates of every group where prices clear the links, beside the measured rates."""
    data = study["utilities"]
    for variant in SIX:
        rest = resting(Scenario.loads(data.resolved[variant]))
        total = (rest.rates["bps"] * rest.rates["flows"] / 10e6 * 100.0).to_list()
        shares = dict(zip(rest.rates["group"], total, strict=True))
        cells = [data.labels[variant]]
        for name, groups in (("long", ("long",)), ("cross1", ("cross1", "cross2", "cross3"))):
            measured = of.of_group("utilities", variant, groups).samples(study)[0]
            cells += [f"{shares[name]:.1f}", estimated(measured, 1)]
        yield [*cells, ", ".join(dict.fromkeys(flag.code for flag in rest.flags))]


def _at(quantity: Quantity, study: Study, users: float, digits: int) -> str:
    return estimated(of.only_at(quantity, users).samples(study)[0], digits)


def _of_ns2(experiment: str, variant: str, measure: str, users: float, digits: int) -> str:
    found = ns2.mean("rem_2001", experiment, variant, measure, users)
    return "" if found is None else f"{found:.{digits}f}"


TABLES: Contents = {
    "wireline": _wireline,
    "red": _red,
    "wireless": _wireless,
    "mixed-path": _mixed_path,
    "duality": _duality,
}
