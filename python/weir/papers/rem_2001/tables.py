"""Numbers side by side: windows, the wireline experiment beside ns-2, the wireless one, the mixed path."""

from __future__ import annotations

import numpy as np

from weir.papers import ns2
from weir.papers.data import Sample, Study
from weir.papers.paper import Table
from weir.papers.quantities import Level, Quantity
from weir.papers.rem_2001 import measured
from weir.papers.rem_2001.experiments import PACKAGE, RED, REM, period, settled, wireless
from weir.statistics import mean_interval
from weir.wording import estimate

_SHOWN = (20.0, 80.0, 160.0)


def windows(study: Study) -> Table:
    """The check that fixes the size of packets."""
    rows: list[tuple[str, ...]] = []
    wireline = (measured.window("rem-mark"), period("rem-mark", "mean_queue"), measured.PIPE, "wireline")
    radio = (
        measured.window("rem", "wireless"),
        wireless("rem", "mean_queue"),
        measured.RADIO_PIPE,
        "wireless",
    )
    for (window, queue, pipe, name), ends in (
        (wireline, ((20.0, "32"), (160.0, "4"))),
        (radio, ((20.0, "22"), (100.0, "4"))),
    ):
        for users, printed in ends:
            waiting = float(_at(queue, study, users).values.mean())
            rows.append(
                (
                    name,
                    f"{users:g}",
                    printed,
                    f"{pipe / users:.1f}",
                    f"{(pipe + waiting) / users:.1f}",
                    _said(_at(window, study, users), 1),
                )
            )
    return Table(
        "windows",
        "Windows (packets)",
        ("Experiment", "Users", "Printed", "Pipe / N", "(Pipe + queue) / N", "Measured, REM mark"),
        tuple(rows),
        "The pipe holds 640 packets of 1000 B, or 417 of 384 bits: only so are the printed windows those "
        "of the pipe, shared. Measured: mean congestion window of the first users over the last 30 s of "
        "the period. On the wireless link windows hold what was lost and is not yet repaired, too.",
    )


def summary(study: Study) -> Table:
    """REM, RED and DropTail beside ns-2."""
    labels = study["wireline"].labels
    rows: list[tuple[str, ...]] = []
    for variant in (*REM, *RED):
        for users in _SHOWN:
            cells = [labels[variant], f"{users:g}"]
            for measure, digits in (("goodput", 1), ("mean_queue", 1), ("loss", 2)):
                cells.append(_said(_at(period(variant, measure), study, users), digits))
                other = ns2.mean(PACKAGE, "wireline", variant, measure, users)
                cells.append("" if other is None else f"{other:.{digits}f}")
            rows.append(tuple(cells))
    return Table(
        "wireline",
        "The wireline experiment beside ns-2.35, whole periods",
        ("Queue", "Users", "Goodput (%)", "ns-2", "Mean queue", "ns-2", "Loss (%)", "ns-2"),
        tuple(rows),
        "ns-2.35's RED is gentle; its marking RED marks at any probability. Access links and the split "
        "of delays differ a little. With ns-2's own settings the two agree: docs/validation.md.",
    )


def gentle(study: Study) -> Table:
    """RED's jump at max_th with 160 users."""
    labels = study["wireline"].labels
    rows: list[tuple[str, ...]] = []
    for variant in ("drop-tail", *RED):
        cells = [labels[variant]]
        for measure, digits in (("goodput", 1), ("mean_queue", 1)):
            cells.append(_said(_at(settled(variant, measure), study, 160.0), digits))
            level = Level("gentle", variant, measure, when="periods")
            cells.append("" if variant == "drop-tail" else _said(level.samples(study)[0], digits))
            other = ns2.mean(PACKAGE, "settled", variant, measure, 160.0)
            cells.append("" if other is None else f"{other:.{digits}f}")
        rows.append(tuple(cells))
    return Table(
        "gentle",
        "RED that jumps to 1 at max_th and gentle RED, 160 users",
        ("Queue", "Goodput (%), jump", "gentle", "ns-2", "Mean queue, jump", "gentle", "ns-2"),
        tuple(rows),
        "The last 30 s of 50; ns-2's RED is gentle, and its numbers are of the last 40 s. Gentle RED's "
        "users begin together here.",
    )


def goodput_ranges(study: Study) -> Table:
    """What figure 3's text prints."""
    printed = {
        "drop-tail": "62 to 91",
        "red-20-80": "90 to 96",
        "red-10-30": "82 to 95",
        "rem": "90 to 96",
        "red-20-80-forced": "90 to 96",
        "red-10-30-forced": "82 to 95",
    }
    labels = study["wireless"].labels
    rows = [
        (labels[variant], text, *(_said(sample, 1) for sample in wireless(variant, "goodput").samples(study)))
        for variant, text in printed.items()
    ]
    for variant, label in study["senders"].labels.items():
        found = Level("senders", variant, "goodput", when="stages").samples(study)
        rows.append((label, "", *(_said(sample, 1) for sample in found), "", "", ""))
    return Table(
        "wireless",
        "Wireless TCP: goodput (%) in each period",
        ("Queue", "Printed, all periods", "20 users", "40", "60", "80", "100"),
        tuple(rows),
        "The printed numbers fit a RED that drops beyond max_th, as ns-2's does, better than one that "
        "marks there, as the text says. The last rows, of 20 and 40 users only, are senders that the "
        "paper does not show.",
    )


def mixed(study: Study) -> Table:
    """A path with a router that cannot mark."""
    data = study["mixed-path"]
    rows: list[tuple[str, ...]] = []
    for variant, label in data.labels.items():
        of = [
            measured.of_group(variant, group, "goodput", "goodput", "%", 100.0).samples(study)[0]
            for group in ("phone", "desk")
        ]
        timeouts = measured.of_group(variant, "phone", "timeouts", "timeouts", "").samples(study)[0]
        lost = Level("mixed-path", variant, "drops").samples(study)[0]
        rows.append((label, *(_said(one, 1) for one in of), _said(lost, 0), _said(timeouts, 0)))
    return Table(
        "mixed-path",
        "Ten wireless and ten conventional users of one router of 5 Mbit/s, 60 s",
        ("Wireless sources", "Their goodput (%)", "The others'", "Drops at the router", "Their timeouts"),
        tuple(rows),
        "The first three rows: the router cannot mark. Sources that fall back are then NewReno, packet "
        "for packet; those that go by marks alone crowd out the others. In the last two it marks.",
    )


def _at(quantity: Quantity, study: Study, users: float) -> Sample:
    return next(sample for sample in quantity.samples(study) if sample.at == users)


def _said(sample: Sample, digits: int) -> str:
    found = mean_interval(np.asarray(sample.values))
    return estimate(found.mean, found.half_width, digits)
