"""Compares the recorded traces with an independent calculation (model.py). Needs no ns-2.

python check.py
"""

from __future__ import annotations

import csv
import json
import sys
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from model import Options, Red, Rem, Wire

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
    for check in (check_red, check_rem, *(lambda name=name: check_sender(name) for name in names)):
        try:
            sys.stdout.write(check() + "\n")
        except DisagreementError as error:
            sys.stdout.write(f"DIFFERENT: {error}\n")
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
