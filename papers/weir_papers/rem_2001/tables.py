"""What the tables of `figures.toml` hold, by their names."""

from __future__ import annotations

from collections.abc import Iterator

from weir_papers import ns2
from weir_papers.curves import estimated
from weir_papers.data import Sample, Study
from weir_papers.quantities import Level, Quantity
from weir_papers.reading import Contents
from weir_papers.rem_2001 import quantities as of
from weir_papers.rem_2001.checks import RED, REM, period, settled, wireless

_PRINTED = {
    "drop-tail": "62 to 91",
    "red-20-80": "90 to 96",
    "red-10-30": "82 to 95",
    "rem": "90 to 96",
    "red-20-80-forced": "90 to 96",
    "red-10-30-forced": "82 to 95",
}
"""Goodput that the paper prints, %."""


def _windows(study: Study) -> Iterator[list[str]]:
    for name, window, queue, pipe, ends in (
        ("wireline", of.window("rem-mark"), period("rem-mark", "mean_queue"), of.PIPE, {20: "32", 160: "4"}),
        (
            "wireless",
            of.window("rem", "wireless"),
            wireless("rem", "mean_queue"),
            of.RADIO_PIPE,
            {20: "22", 100: "4"},
        ),
    ):
        for users, printed in ends.items():
            filled = pipe + float(_at(queue, study, users).values.mean())
            measured = estimated(_at(window, study, users), 1)
            yield [name, f"{users}", printed, f"{pipe / users:.1f}", f"{filled / users:.1f}", measured]


def _wireline(study: Study) -> Iterator[list[str]]:
    for variant in (*REM, *RED):
        for users in (20.0, 80.0, 160.0):
            cells = [study["wireline"].labels[variant], f"{users:g}"]
            for measure, digits in (("goodput", 1), ("mean_queue", 1), ("loss", 2)):
                cells.append(estimated(_at(period(variant, measure), study, users), digits))
                cells.append(_of_ns2("wireline", variant, measure, users, digits))
            yield cells


def _gentle(study: Study) -> Iterator[list[str]]:
    for variant in ("drop-tail", *RED):
        cells = [study["wireline"].labels[variant]]
        for measure in ("goodput", "mean_queue"):
            gentle = Level("gentle", variant, measure, when="periods")
            cells.append(estimated(_at(settled(variant, measure), study, 160.0), 1))
            cells.append("" if variant == "drop-tail" else estimated(gentle.samples(study)[0], 1))
            cells.append(_of_ns2("settled", variant, measure, 160.0, 1))
        yield cells


def _wireless(study: Study) -> Iterator[list[str]]:
    for variant, printed in _PRINTED.items():
        found = wireless(variant, "goodput").samples(study)
        yield [study["wireless"].labels[variant], printed, *(estimated(one, 1) for one in found)]
    for variant, label in study["senders"].labels.items():
        found = Level("senders", variant, "goodput", when="stages").samples(study)
        yield [label, "", *(estimated(one, 1) for one in found), "", "", ""]


def _mixed_path(study: Study) -> Iterator[list[str]]:
    for variant, label in study["mixed-path"].labels.items():
        phone, desk = (of.of_group(variant, one, "goodput", "", "%", 100.0) for one in ("phone", "desk"))
        timeouts = of.of_group(variant, "phone", "timeouts", "", "")
        columns = ((phone, 1), (desk, 1), (Level("mixed-path", variant, "drops"), 0), (timeouts, 0))
        yield [label, *(estimated(one.samples(study)[0], digits) for one, digits in columns)]


def _at(quantity: Quantity, study: Study, users: float) -> Sample:
    return next(sample for sample in quantity.samples(study) if sample.at == users)


def _of_ns2(experiment: str, variant: str, measure: str, users: float, digits: int) -> str:
    found = ns2.mean("rem_2001", experiment, variant, measure, users)
    return "" if found is None else f"{found:.{digits}f}"


TABLES: Contents = {
    "windows": _windows,
    "wireline": _wireline,
    "gentle": _gentle,
    "wireless": _wireless,
    "mixed-path": _mixed_path,
}
