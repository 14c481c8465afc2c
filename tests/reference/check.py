"""Compares the recorded traces with an independent calculation (model.py, queue_model.py, aqm_models.py).

Needs no ns-2.

PYTHONPATH=tests python -m reference.check
"""

from __future__ import annotations

import csv
import json
import sys
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reference.aqm_models import Avq, Pi, moments, moving
from reference.model import Options, Wire
from reference.queue_model import Red, Rem

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).resolve().parent


class DisagreementError(Exception):
    """The recorded trace and the calculation differ."""


def load(name: str) -> tuple[dict[str, Any], list[dict[str, str]]]:
    """The parameters and the rows of a trace."""
    with (HERE / f"{name}.csv").open(newline="") as file:
        return json.loads((HERE / f"{name}.json").read_text()), list(csv.DictReader(file))


def expect(name: str, row: int, what: str, computed: object, recorded: object) -> None:
    """Refuses a difference."""
    if computed != recorded:
        raise DisagreementError(f"{name}, row {row}, {what}: computed {computed}, recorded {recorded}")


def check_red() -> str:
    """Every average and every probability, to the last bit."""
    name = "red-average"
    about, rows = load(name)
    rate, size = about["rate_bits_per_second"], about["mean_packet_bytes"]
    red = Red(rate / (8.0 * size), about["w_q"], about["min_th"], about["max_th"], about["max_p"])
    waiting = averages = probabilities = 0
    for number, row in enumerate(rows, start=2):
        now, packet = int(row["time_ns"]), int(row["bytes"])
        if row["event"] == "take":
            red.take(now, packet)
            expect(name, number, "found nothing", waiting == 0, packet == 0)
            waiting -= packet > 0
            continue
        red.offer(now, waiting)
        expect(name, number, "queue", waiting, int(row["queue"]))
        expect(name, number, "average", red.average, float(row["average"]))
        chance = red.probability(waiting)
        expect(name, number, "probability", chance, float(row["probability"]) if row["probability"] else None)
        full = waiting >= about["buffer_packets"]
        expect(name, number, "accepted", not full, row["accepted"] == "1")
        waiting += not full
        averages += 1
        probabilities += chance is not None
    return f"{name}: {averages} averages and {probabilities} probabilities are equal"


def check_rem() -> str:
    """Every price, to the last bit, and every probability, which is as exact as the power function."""
    name = "rem-price"
    about, rows = load(name)
    capacity = about["rate_bits_per_second"] / (8.0 * about["mean_packet_bytes"]) * about["period_ns"] / 1e9
    rem = Rem(capacity, about["gamma"], about["alpha"], about["target_packets"], about["phi"])
    waiting = updates = 0
    largest = 0.0
    for number, row in enumerate(rows, start=2):
        if row["event"] == "offer":
            expect(name, number, "queue", waiting, int(row["queue"]))
            rem.arrivals += 1
            waiting += 1
        elif row["event"] == "take":
            waiting -= int(row["bytes"]) > 0
        else:
            expect(name, number, "queue", waiting, int(row["queue"]))
            rem.update(waiting)
            expect(name, number, "price", rem.price, float(row["price"]))
            updates += 1
            largest = max(largest, abs(rem.probability() - float(row["probability"])))
            expect(name, number, "probability within 1e-15", largest <= 1e-15, True)  # noqa: FBT003
    return f"{name}: {updates} prices are equal, the probabilities to {largest:.1g}"


def check_pi() -> str:
    """Every probability, to the last bit."""
    name = "pi-probability"
    about, rows = load(name)
    pi = Pi(about["a"], about["b"], about["target_packets"])
    updates = 0
    for moment in moments(about, rows):
        if moment.kind == "update":
            pi.update(moment.waiting)
            updates += 1
            expect(name, updates, "probability", pi.probability, float(moment.row["probability"]))
    return f"{name}: {updates} probabilities are equal"


def check_avq(name: str) -> str:
    """Every signal."""
    about, rows = load(name)
    drops = about["signal"] == "drop"
    rate = about["rate_bits_per_second"] / 8.0
    room = float(about["buffer_bytes"])
    avq = Avq(rate, room, about["gamma"], about["alpha"], about["start"] * rate, drops)
    offered = signals = 0
    for moment in moments(about, rows):
        if moment.kind != "offer":
            continue
        offered += 1
        signal = avq.offer(moment.now, moment.size)
        signals += signal
        recorded = moment.row["accepted"] == "0" if drops else moment.row["marked"] == "1"
        # What finds the buffer full is dropped in either mode, and what knows no ECN is not marked.
        if drops or moment.row["accepted"] != "0":
            expect(name, offered, "signal", signal, recorded)
    return f"{name}: {signals} signals for {offered} packets are equal"


def check_max_p(name: str) -> str:
    """Every max_p and every probability that was recorded, to the last bit."""
    about, rows = load(name)
    red = moving(about)
    changes = probabilities = 0
    for number, moment in enumerate(moments(about, rows)):
        if moment.kind == "take":
            red.take(moment.now, moment.size)
        elif moment.kind == "offer":
            before = red.max_p if number else None
            red.offer(moment.now, moment.waiting)
            changed = red.max_p if red.max_p != before else None
            expect(
                name, number, "max_p", changed, float(moment.row["max_p"]) if moment.row["max_p"] else None
            )
            chance = red.probability(moment.waiting)
            changes += changed is not None
            if moment.row["probability"]:
                probabilities += 1
                expect(name, number, "probability", chance, float(moment.row["probability"]))
    return f"{name}: {changes} changes of max_p and {probabilities} probabilities are equal"


def computed(option: Options, phase: int) -> Iterator[tuple[str, ...]]:
    """The rows of a trace of the sender, as text."""
    for event in Wire(option, phase).run():
        number = str(event.number) if event.kind in {"ack", "send"} else ""
        state = [repr(int(v) if v == int(v) else v) for v in event.state] if event.state else [""] * 7
        yield str(event.now), event.kind, number, " ".join(sorted(event.flags)), *state


def check_sender(name: str) -> str:
    """Every segment, every ACK and the sender's state after it, digit by digit.

    The phase of the sender's coarse clock is random in ns-2, so it is searched for.
    """
    about, rows = load(name)
    option = Options(**{field.name: about[field.name] for field in fields(Options)})
    recorded = [
        (
            *(r[c] for c in ("time_ns", "event", "number")),
            " ".join(sorted(r["flags"].split())),
            *list(r.values())[5:],
        )
        for r in rows
    ]
    best: tuple[int, str] = (-1, "")
    for phase in range(0, option.clock_tick_ns, option.clock_tick_ns // 50):
        found = list(computed(option, phase))
        if found == recorded:
            return f"{name}: {len(found)} events are equal"
        same = next((i for i, (a, b) in enumerate(zip(found, recorded, strict=False)) if a != b), len(found))
        if same > best[0] and same < min(len(found), len(recorded)):
            best = same, f"computed {found[same]}, recorded {recorded[same]}"
    raise DisagreementError(f"{name}, row {best[0] + 2}: {best[1]}")


def main() -> int:
    """Checks every trace and says what it found."""
    names = sorted(path.stem for path in HERE.glob("newreno-*.csv"))
    failed = False
    aqms = (
        check_red,
        check_rem,
        check_pi,
        *(lambda name=name: check_avq(name) for name in ("avq-marks", "avq-drops")),
        *(lambda name=name: check_max_p(name) for name in ("adaptive-red", "feng-red")),
    )
    for check in (*aqms, *(lambda name=name: check_sender(name) for name in names)):
        try:
            sys.stdout.write(check() + "\n")
        except DisagreementError as error:
            sys.stdout.write(f"DIFFERENT: {error}\n")
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
