"""The habits of ns-2 that are named options here, and what each of them does.

Every habit is a piece of wireline.toml. Where the piece goes, Weir's default takes its place; the
habits of TCP are parts of a preset, and the default is written beside it. All else stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from validation.loop import JITTER, MEASURES, USERS, Values, loads
from validation.places import SCENARIO
from weir import _core
from weir.stats._intervals import Difference, paired_difference

SHOWN = (20, 80, 160)
"""Numbers of users."""


@dataclass(frozen=True)
class Habit:
    """One option as wireline.toml has it."""

    variant: str
    """Variant that shows the effect of the option."""
    piece: str
    """Piece of the file that sets the option."""
    option: str
    ns2: str
    default: str
    why: str
    instead: str = ""
    """Replacement of the piece, so that Weir's default counts."""
    jittered: bool = False
    """Shown with the random wait of the senders."""


_PRESET = 'preset = "ns2"\n'

HABITS = (
    Habit(
        "red-20-80-drop",
        ', spacing = "wait"',
        'queue.red.spacing = "wait"',
        "`wait_`: no signal until 1/p packets have passed since the last; about ⅔ p signals a packet",
        '`"uniform"`: gaps of 1 to 1/p packets; about 2 p',
        "the rule of the 1993 paper",
    ),
    Habit(
        "red-20-80-drop",
        ", gentle = true",
        "queue.red.gentle = true",
        "on since 2001: the probability goes on to 1 at twice `max_th`",
        "off: everything is signalled from `max_th` on",
        "the 1993 paper; the REM paper of 2001 could know no other",
    ),
    Habit(
        "red-20-80-drop",
        ', idle_m = "ns2"',
        'queue.red.idle_m = "ns2"',
        "⌊m⌋ samples of zero for an idle time of m packets, and one for the arrival",
        '`"real"`: the factor (1 − w)^m',
        "the paper's formula; short idle times count too",
    ),
    Habit(
        "red-20-80-drop",
        ', min_qlen = "1 packet"',
        'queue.red.min_qlen = "1 packet"',
        "no signal unless more than one packet waits",
        "no such condition",
        "not in the paper",
    ),
    Habit(
        "red-20-80-drop",
        ", ns2_old = true",
        "queue.red.ns2_old = true",
        "the first packet after the average crosses `min_th` passes, and counts",
        "off",
        "not in the paper",
    ),
    Habit(
        "red-20-80-ecn",
        ", mark_p = 0.1",
        "queue.red.mark_p = 0.1",
        "`mark_p_`: marks only while p_b < 0.1, drops from there on",
        "always marks",
        "a sender that can be told need not lose; ns-2 has it since 2005",
    ),
    Habit(
        "rem-ecn",
        ', mark_at = "departure"',
        'queue.rem.mark_at = "departure"',
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
        _PRESET,
        "tcp.cwnd_validation = false",
        "the window grows with every ACK, used or not",
        "`true`: only while it limits the sender",
        "RFC 7661",
        instead=_PRESET + "cwnd_validation = true\n",
    ),
    Habit(
        "red-20-80-drop",
        _PRESET,
        'tcp.congestion.reno.ssthresh_from = "window"',
        "half the window",
        '`"flight"`: half of what is outstanding',
        "RFC 5681, equation 4",
        instead=_PRESET + 'congestion.reno.ssthresh_from = "flight"\n',
    ),
    Habit(
        "red-20-80-drop",
        _PRESET,
        "tcp.congestion.reno.integer_ssthresh = true",
        "`ssthresh` is rounded down",
        "not rounded",
        "RFC 5681 counts bytes",
        instead=_PRESET + "congestion.reno.integer_ssthresh = false\n",
    ),
    Habit(
        "red-20-80-drop",
        _PRESET,
        'tcp.recovery.newreno.full_ack_window = "window"',
        "recovery ends with the halved window, which this ACK lets grow",
        '`"flight"`: min(ssthresh, flight + 1)',
        "RFC 6582, step 3: no burst",
        instead=_PRESET + 'recovery.newreno.full_ack_window = "flight"\n',
    ),
    Habit(
        "red-20-80-drop",
        _PRESET,
        "tcp.recovery.newreno.max_burst = 2",
        "in recovery an ACK releases at most two segments beside the retransmission",
        "no bound",
        "not in RFC 6582",
        instead=_PRESET + "recovery.newreno.max_burst = 0\n",
    ),
    Habit(
        "red-20-80-drop",
        _PRESET,
        'tcp.clock_granularity = "10 ms"',
        "a clock of 10 ms with a random phase; here without the phase, rounded up",
        '`"1 ns"`',
        "clocks are finer now",
        instead=_PRESET + 'clock_granularity = "1 ns"\n',
    ),
    Habit(
        "red-20-80-drop",
        _PRESET,
        'tcp.min_rto = "200 ms"',
        "200 ms since 2004",
        '`"1 s"`',
        "RFC 6298, section 2.4",
        instead=_PRESET + 'min_rto = "1 s"\n',
    ),
    Habit(
        "red-20-80-drop",
        _PRESET,
        'tcp.initial_rto = "3 s"',
        "3 s since 2006",
        '`"1 s"`',
        "RFC 6298, section 2.1",
        instead=_PRESET + 'initial_rto = "1 s"\n',
    ),
    Habit(
        "red-20-80-drop",
        _PRESET,
        'tcp.initial_window = "2 packets"',
        "2 since 2001",
        '`"10 packets"`',
        "RFC 6928",
        instead=_PRESET + 'initial_window = "10 packets"\n',
    ),
    Habit(
        "red-20-80-ecn",
        _PRESET,
        "tcp.ecn_on_retransmissions = true",
        "retransmissions may be marked",
        "off: they may only be dropped",
        "RFC 3168, section 6.1.5",
        instead=_PRESET + "ecn_on_retransmissions = false\n",
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
    scenario = loads(text.replace(habit.piece, habit.instead)).variant(habit.variant)
    return scenario.replace([JITTER]) if habit.jittered else scenario


def effect(habit: Habit, label: str, habitual: Values, default: Values) -> Effect:
    """Effect of the default. Both sides: the last 40 s of each period, same seeds."""
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
