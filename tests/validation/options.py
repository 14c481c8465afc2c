"""The habits of ns-2 that are named options here, and what each of them does.

Every habit is a piece of wireline.toml. Without the piece Weir's default takes its place; all
else stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from validation.loop import JITTER, MEASURES, USERS, Values, loads
from validation.places import SCENARIO
from weir import _core
from weir.statistics import Difference, paired_difference

SHOWN = (20, 80, 160)
"""Numbers of users."""


@dataclass(frozen=True)
class Habit:
    """One option as wireline.toml has it."""

    variant: str
    """Which shows its effect."""
    piece: str
    """Of the file: what sets the option."""
    option: str
    ns2: str
    default: str
    why: str
    jittered: bool = False
    """Shown with the random wait of the senders."""


HABITS = (
    Habit(
        "red-20-80-drop",
        ', spacing = "wait"',
        'aqm.red.spacing = "wait"',
        "`wait_`: no signal until 1/p packets have passed since the last; about ⅔ p signals a packet",
        '`"uniform"`: gaps of 1 to 1/p packets; about 2 p',
        "the rule of the 1993 paper",
    ),
    Habit(
        "red-20-80-drop",
        ", gentle = true",
        "aqm.red.gentle = true",
        "on since 2001: the probability goes on to 1 at twice `max_th`",
        "off: everything is signalled from `max_th` on",
        "the 1993 paper; the REM paper of 2001 could know no other",
    ),
    Habit(
        "red-20-80-drop",
        ', idle_steps = "whole-and-one"',
        'aqm.red.idle_steps = "whole-and-one"',
        "⌊m⌋ samples of zero for an idle time of m packets, and one for the arrival",
        '`"real"`: the factor (1 − w)^m',
        "the paper's formula; short idle times count too",
    ),
    Habit(
        "red-20-80-drop",
        ', early_above = "1 packet"',
        'aqm.red.early_above = "1 packet"',
        "no signal unless more than one packet waits",
        "no such condition",
        "not in the paper",
    ),
    Habit(
        "red-20-80-drop",
        ", spare_first = true",
        "aqm.red.spare_first = true",
        "the first packet after the average crosses `min_th` passes, and counts",
        "off",
        "not in the paper",
    ),
    Habit(
        "red-20-80-ecn",
        ", mark_below = 0.1",
        "aqm.red.mark_below = 0.1",
        "`mark_p_`: marks only while p_b < 0.1, drops from there on",
        "always marks",
        "a sender that can be told need not lose; ns-2 has it since 2005",
    ),
    Habit(
        "rem-ecn",
        ', mark_at = "departure"',
        'aqm.rem.mark_at = "departure"',
        "packets are marked as they leave the queue",
        '`"arrival"`',
        "the paper marks arrivals",
    ),
    Habit(
        "drop-tail",
        '"links.bottleneck.buffer_counts" = "waiting-and-sending"\n',
        'buffer_counts = "waiting-and-sending"',
        "the buffer of DropTail and REM counts the packet being sent: 119 wait",
        '`"waiting"`: 120 wait',
        "a buffer of 120 packets holds 120, under every discipline",
        jittered=True,
    ),
    Habit(
        "red-20-80-drop",
        'growth = "always"\n',
        'tcp.growth = "always"',
        "the window grows with every ACK, used or not",
        '`"when-limiting"`: only while it limits the sender',
        "RFC 7661",
    ),
    Habit(
        "red-20-80-drop",
        'halves = "window", ',
        'tcp.congestion.reno.halves = "window"',
        "half the window",
        '`"flight"`: half of what is outstanding',
        "RFC 5681, equation 4",
    ),
    Habit(
        "red-20-80-drop",
        ", whole_ssthresh = true",
        "tcp.congestion.reno.whole_ssthresh = true",
        "`ssthresh` is rounded down",
        "not rounded",
        "RFC 5681 counts bytes",
    ),
    Habit(
        "red-20-80-drop",
        'exit = "window", ',
        'tcp.recovery.newreno.exit = "window"',
        "recovery ends with the halved window, which this ACK lets grow",
        '`"flight"`: min(ssthresh, flight + 1)',
        "RFC 6582, step 3: no burst",
    ),
    Habit(
        "red-20-80-drop",
        ", burst = 2",
        "tcp.recovery.newreno.burst = 2",
        "in recovery an ACK releases at most two segments beside the retransmission",
        "no bound",
        "not in RFC 6582",
    ),
    Habit(
        "red-20-80-drop",
        'clock_granularity = "10 ms"\n',
        'tcp.clock_granularity = "10 ms"',
        "a clock of 10 ms with a random phase; here without the phase, rounded up",
        '`"1 ns"`',
        "clocks are finer now",
    ),
    Habit(
        "red-20-80-drop",
        'min_rto = "200 ms"\n',
        'tcp.min_rto = "200 ms"',
        "200 ms since 2004",
        '`"1 s"`',
        "RFC 6298, section 2.4",
    ),
    Habit(
        "red-20-80-drop",
        'initial_rto = "3 s"\n',
        'tcp.initial_rto = "3 s"',
        "3 s since 2006",
        '`"1 s"`',
        "RFC 6298, section 2.1",
    ),
    Habit(
        "red-20-80-drop",
        'initial_window = "2 packets"\n',
        'tcp.initial_window = "2 packets"',
        "2 since 2001",
        '`"10 packets"`',
        "RFC 6928",
    ),
    Habit(
        "red-20-80-ecn",
        "ecn_on_retransmissions = true\n",
        "tcp.ecn_on_retransmissions = true",
        "retransmissions may be marked",
        "off: they may only be dropped",
        "RFC 3168, section 6.1.5",
    ),
)


@dataclass(frozen=True)
class Effect:
    """The default instead of the habit, in pairs of equal seeds."""

    habit: Habit
    label: str
    differences: Mapping[str, list[Difference]]
    """Measure to default minus habit, for each of SHOWN."""


def without(habit: Habit) -> _core.Scenario:
    """The scenario without the habit. Raises ValueError where wireline.toml has no such piece."""
    text = SCENARIO.read_text(encoding="utf-8")
    if habit.piece not in text:
        raise ValueError(f"{SCENARIO.name} has no {habit.piece!r}")
    scenario = loads(text.replace(habit.piece, "")).variant(habit.variant)
    return scenario.replace([JITTER]) if habit.jittered else scenario


def effect(habit: Habit, label: str, habitual: Values, default: Values) -> Effect:
    """What the default changes. Both sides: the last 40 s of each period, same seeds."""
    periods = [USERS.index(users) for users in SHOWN]
    return Effect(
        habit,
        label,
        {
            measure.name: [
                paired_difference(default[measure.name][:, period], habitual[measure.name][:, period])
                for period in periods
            ]
            for measure in MEASURES
        },
    )
