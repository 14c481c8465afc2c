"""docs/validation.md: the outcome in tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import jinja2

from validation import (
    bbr,
    by_sender,
    kernel,
    kernel_page,
    l4s,
    misses,
    operating,
    parking,
    picture,
    sections,
    shares,
    tcps,
)
from validation.aqm import TOLERANCE, Followed, Replay
from validation.loop import DROP_TAIL, MEASURES, USERS, Cell, Measure, Row
from validation.options import SHOWN, Effect
from validation.places import HERE
from validation.sender import Senders
from validation.sweeps import Sweeps
from validation.traces import SPREADS, Lineage
from weir import _core
from weir.stats._intervals import Difference
from weir.stats.wording import estimate, number, plus_minus

COMMAND = "PYTHONPATH=tests python -m validation --write docs/validation.md"


@dataclass(frozen=True)
class Aqms:
    """Level 1."""

    red: Replay
    rem: Replay
    paper: Replay
    """RED with the paper's rule for idle times."""

    @property
    def price_exact(self) -> bool:
        return self.rem.measure.equal == self.rem.measure.count

    @property
    def hold(self) -> bool:
        return self.red.holds and self.rem.holds and self.price_exact


@dataclass(frozen=True)
class Outcome:
    """Outcome of all three levels."""

    seeds: Sequence[int]
    aqms: Aqms
    lineage: Lineage
    senders: Senders
    rows: list[Row]
    effects: list[Effect]
    sweeps: Sweeps
    operating: operating.Operating
    kernel: kernel.Kernel
    l4s: l4s.Senders
    bbr: l4s.Senders
    tcps: list[tcps.Variant]
    parking: parking.Parking

    @property
    def holds(self) -> bool:
        parts = (self.aqms.hold, self.lineage.holds, self.senders.passed, self.sweeps.holds)
        further = (
            self.operating.holds
            and self.kernel.holds
            and self.l4s.holds
            and self.bbr.holds
            and all(one.holds for one in self.tcps)
        )
        return all(parts) and further and self.parking.holds and all(row.holds for row in self.rows)

    @property
    def bound(self) -> list[Cell]:
        """Every value that has a tolerance, whole periods included."""
        return [cell for row in self.rows if row.bound for cell in row.all_cells]


def summary(outcome: Outcome) -> list[str]:
    """Summary: one line per level, and one per value out of tolerance."""
    aqms, senders, bound = outcome.aqms, outcome.senders, outcome.bound
    lineage = outcome.lineage
    red, rem = aqms.red.measure, aqms.rem.measure
    equal = f"{red.count} averages of RED to {exponent(red.relative)}, {rem.count} prices of REM"
    lines = [
        f"{mark(aqms.hold)} AQM alone: equal are {equal} to {exponent(rem.relative)}",
        f"{mark(lineage.holds)} further AQMs: {len(lineage.traced)} variables, {len(lineage.drawn)} draws",
        f"{mark(senders.passed)} sender alone: {senders.identical} of {len(senders.traces)} traces equal",
    ]
    lines += [f"  {line}" for line in senders.output.splitlines() if not senders.passed]
    worst = max(cell.used for cell in bound)
    lines.append(
        f"{mark(all(row.holds for row in outcome.rows))} closed loop: {sum(cell.holds for cell in bound)} of "
        f"{len(bound)} values within tolerance; the worst uses {100 * worst:.0f}% of it"
    )
    for row in outcome.rows:
        for cell in row.all_cells if row.bound else []:
            if not cell.holds:
                lines.append(f"  ✗ {name(row)}, {cell.measure.name} at {cell.users} users: {both(cell)}")
    sweeps = outcome.sweeps
    lines.append(
        f"{mark(sweeps.holds)} sweeps and loads: {sum(cell.holds for cell in sweeps.bound)} of "
        f"{len(sweeps.bound)} values within tolerance"
    )
    for point in (*sweeps.red, *sweeps.loads):
        for cell in point.cells if point.bound else []:
            if not cell.holds:
                where = ", ".join(f"{key} {value}" for key, value in point.where.items())
                lines.append(
                    f"  ✗ {point.label}, {where}, {cell.users} users, {cell.measure.name}: {both(cell)}"
                )
    driven = outcome.operating
    lines.append(
        f"{mark(driven.holds)} OP-RED: {sum(aim.holds for aim in driven.every)} of {len(driven.every)} "
        "targets reached, or approached and reported"
    )
    for aim in driven.every:
        if not aim.holds:
            target, reached = operating.point(aim.target), operating.point(aim.reached)
            lines.append(
                f"  ✗ {aim.users} users, target {target}: {reached}, {aim.excess:+.2f}, {operating.says(aim)}"
            )
    return [
        *lines,
        *_of_tcps(outcome.tcps),
        *_of_parking(outcome.parking),
        *_of_kernel(outcome.kernel),
        *_of_l4s("senders of L4S", outcome.l4s),
        *_of_l4s("BBR", outcome.bbr),
    ]


def _of_tcps(found: Sequence[tcps.Variant]) -> list[str]:
    every = [cell for variant in found for cell in variant.every]
    verdict = mark(all(variant.holds for variant in found))
    within = sum(cell.holds for cell in every)
    lines = [f"{verdict} other TCPs: {within} of {len(every)} values within tolerance"]
    for variant in found:
        for cell in variant.missed:
            if not variant.is_open(cell):
                where = f"{variant.tcp} over {variant.queue}, {cell.users} users, {cell.measure.name}"
                lines.append(f"  ✗ {where}: {both(cell)}")
    return lines


def _of_parking(found: parking.Parking) -> list[str]:
    within = sum(cell.holds for cell in found.judged)
    lines = [f"{mark(found.holds)} parking lot: {within} of {len(found.judged)} values within tolerance"]
    for lot in found.lots:
        for cell in lot.missed:
            hop = lot.cells[cell.measure.name].index(cell) + 1
            lines.append(f"  ✗ {lot.label}, {cell.measure.name}, hop {hop}: {both(cell)}")
        if not lot.adds_up:
            lines.append(f"  ✗ {lot.label}: what long flows see marked is not what the hops mark")
    if not found.locked_out:
        lines.append("  ✗ DropTail: long flows in step are not locked out")
    return lines


def _of_l4s(name: str, found: l4s.Senders) -> list[str]:
    within = found.values - len(found.missed)
    return _line(name, found.holds, within, found.values, found.misses)


def _of_kernel(found: kernel.Kernel) -> list[str]:
    within = sum(cell.holds for cell in found.cells)
    return _line("a real kernel", found.holds, within, len(found.cells), found.misses)


def _line(name: str, holds: bool, within: int, values: int, missed: Sequence[misses.Miss]) -> list[str]:  # noqa: FBT001
    """One line for a section, and one for each miss that is not named."""
    told = f"; {_statuses(missed)}" if missed else ""
    return [
        f"{mark(holds)} {name}: {within} of {values} values within tolerance{told}",
        *misses.named(missed),
    ]


def _statuses(missed: Sequence[misses.Miss]) -> str:
    """Number of misses by status, in words."""
    counts = misses.count(missed)
    parts = [
        f"{counts['explained']} misses explained",
        f"{counts['chance']} within chance",
        f"{counts['not explained']} not explained",
    ]
    return ", ".join(parts)


def page(outcome: Outcome) -> str:
    """The page as Markdown."""
    environment = jinja2.Environment(  # noqa: S701 - Markdown, of our own numbers
        loader=jinja2.FileSystemLoader(HERE),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    settled = [
        (row, cell) for row in outcome.rows if row.bound for cells in row.cells.values() for cell in cells
    ]
    phases = _phases(outcome.rows)
    apart = [(row, cell) for row, cell in settled if abs(cell.difference) > cell.half_width]
    text = environment.get_template("page.md.jinja").render(
        command=COMMAND,
        weir=_core.__version__,
        results_version=_core.results_version,
        seeds=outcome.seeds,
        aqms=outcome.aqms,
        followed=_followed(outcome.aqms),
        senders=outcome.senders,
        users=USERS,
        rows=outcome.rows,
        measures=MEASURES,
        bound=outcome.bound,
        worst=max(outcome.bound, key=lambda cell: cell.used),
        settled=settled,
        far=[(row, cell) for row, cell in settled if cell.surely_used > 1.0],
        apart=apart,
        largest=max(apart, key=lambda pair: pair[1].used) if apart else None,
        picture=picture.NAME,
        bbr_picture=shares.NAME,
        phases=phases,
        moved=_moved(phases),
        plain_drop_tail=[cell for phase in phases for cell in (phase.goodput, phase.queue)],
        effects=outcome.effects,
        shown=SHOWN,
        unseen=_unseen(outcome.effects),
        mark=mark,
        name=name,
        both=both,
        pair=pair,
        use=use,
        change=change,
        exponent=exponent,
        plain=plain,
        lineage=outcome.lineage,
        spreads=SPREADS,
        **sections.context(outcome.sweeps),
        **operating.context(outcome.operating),
        **kernel_page.context(outcome.kernel),
        **l4s.context(outcome.l4s),
        **bbr.context(outcome.bbr),
        **by_sender.context(outcome.kernel, outcome.l4s, outcome.bbr),
        statuses=_statuses,
        causes=misses.causes,
        queues_of=misses.queues_of,
        **tcps.context(outcome.tcps),
        **parking.context(outcome.parking),
    )
    return text.rstrip("\n") + "\n"


def exponent(value: float) -> str:
    """A small number."""
    return f"{value:.1e}" if value else "0"


def mark(holds: bool) -> str:  # noqa: FBT001 - a filter in the template
    """A tick or a cross."""
    return "✓" if holds else "✗"


def name(row: Row) -> str:
    """Name of a row."""
    return f"{row.label}, random wait" if row.jittered else row.label


def both(cell: Cell) -> str:
    """Both means, their difference, and how much of the tolerance it uses."""
    decimals = cell.measure.decimals
    difference = _signed(cell.difference, decimals)
    spread = plus_minus(cell.half_width, decimals)
    verdict = "" if cell.holds else " ✗"
    return f"{pair(cell)}<br>{difference}{spread}, {100 * cell.used:.0f}%{verdict}"


def pair(cell: Cell) -> str:
    """Weir / ns-2."""
    decimals = cell.measure.decimals
    sides = (estimate(side.mean, side.half_width, decimals) for side in (cell.weir, cell.ns2))
    return " / ".join(sides)


def plain(cell: Cell) -> str:
    """Weir / ns-2 without their intervals."""
    return " / ".join(number(side.mean, cell.measure.decimals) for side in (cell.weir, cell.ns2))


def use(cells: Sequence[Cell]) -> str:
    """The largest use of the tolerance."""
    return f"{100 * max(cell.used for cell in cells):.0f}%"


def change(measure: Measure, difference: Difference) -> str:
    """A paired difference; a dash where none is shown."""
    if difference.verdict() == "no difference shown":
        return "–"
    # A difference of pairs is known more closely than a mean.
    decimals = measure.decimals + 1
    interval = difference.interval
    return _signed(interval.mean, decimals) + plus_minus(interval.half_width, decimals)


def _signed(value: float, decimals: int) -> str:
    """A number with its sign, unless it is zero to this number of decimals."""
    text = number(value, decimals)
    sign = "+" if float(text) > 0.0 else ""
    return sign + text.replace("-", "−")


def _followed(aqms: Aqms) -> list[tuple[str, str, Followed, str, bool]]:
    close = f"{TOLERANCE:.0e}"
    red, rem = aqms.red, aqms.rem
    return [
        ("RED", "average", red.measure, close, red.measure.holds),
        ("RED", "*p_b*", red.probability, close, red.probability.holds),
        ("REM", "price", rem.measure, "0", aqms.price_exact),
        ("REM", "probability", rem.probability, close, rem.probability.holds),
    ]


@dataclass(frozen=True)
class Phase:
    """DropTail at one number of users, without and with the random wait."""

    users: int
    goodput: Cell
    waited_goodput: Cell
    queue: Cell
    waited_queue: Cell


def _phases(rows: Sequence[Row]) -> list[Phase]:
    plain, waited = (
        next(row for row in rows if row.label == DROP_TAIL and row.jittered == jittered)
        for jittered in (False, True)
    )
    columns = [row.cells[measure] for measure in ("goodput", "queue") for row in (plain, waited)]
    return [Phase(users, *cells) for users, *cells in zip(USERS, *columns, strict=True)]


def _moved(phases: Sequence[Phase]) -> dict[str, float]:
    """The most that the wait changes in Weir."""
    return {
        "goodput": max(abs(p.waited_goodput.weir.mean - p.goodput.weir.mean) for p in phases),
        "queue": max(abs(p.waited_queue.weir.mean - p.queue.weir.mean) for p in phases),
    }


def _unseen(effects: Sequence[Effect]) -> list[str]:
    """Options that change nothing at all: the same numbers with every seed."""
    return [
        effect.habit.option
        for effect in effects
        if all(
            difference.interval.mean == 0.0 and difference.interval.half_width == 0.0
            for differences in effect.differences.values()
            for difference in differences
        )
    ]
