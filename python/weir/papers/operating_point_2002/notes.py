"""What the paper leaves open and what was chosen."""

from __future__ import annotations

from weir.papers.paper import Choice

CHOICES: tuple[Choice, ...] = (
    Choice(
        "rate, packets, round trip (figure 1 is lost)",
        "10 Mbit/s, 1000 B, 100 ms: 125 packets in the pipe",
        "By p = 1.5 / W² this needs 3% of loss for 20 users and 10 to 40% for 40 to 80. Only about there can "
        "the best max_p be near 0.1 for low loads and near 0.3 for 80 users, and a buffer of 50 packets have "
        "its knee at 15. The maps show what other networks do.",
    ),
    Choice(
        "numbers of users", "5, 10, 20, 40, 80, 100", "The paper names 80, and calls up to 20 a low load."
    ),
    Choice("min_th", "5 packets", "The default of ns-2 when the paper was written."),
    Choice(
        "max_th of figures 8 to 11",
        "10, 20, 30, 40, 50",
        "The paper does not say. 30 is that of figures 12 and 13, 50 the buffer.",
    ),
    Choice(
        "RED",
        "ns-2's of 2000: drops, not gentle, waits between drops, nothing early while at most one packet "
        "waits",
        "The paper used ns-2.1b7a with its defaults as far as one knows. RED as in its first paper, and "
        "without ns-2's habits, stand beside it.",
    ),
    Choice(
        "senders",
        "NewReno of ns-2.35, 1 ACK for each packet, never limited by the receiver",
        "The paper says TCP and no more. NewReno is what Weir was validated with over these parameters; "
        "Reno, and the coarse clock of 2000, stand beside it. A receiver's window of 20, ns-2's default, "
        "would leave five users with 80% of the link.",
    ),
    Choice(
        "random wait before each packet",
        "0 to 1.6 ms, two packet times",
        "Equal round trips and sizes keep step with the queue, which no real network does. It matters where "
        "the full buffer drops: with max_th 50, 80 users lose 9% in step and 12% with the wait (figure "
        "habits); the other settings hardly differ.",
    ),
    Choice("length", "100 s, the first 20 s left out", "Unstated; by then slow start is long over."),
    Choice("loss", "dropped over sent packets, retransmissions included", "Unstated; as in other papers."),
    Choice("delay", "mean wait in the queue of the packets that left it", "Unstated."),
    Choice(
        "packets transmitted",
        "those that left the queue in the 80 s",
        "The paper calls them link utilisation.",
    ),
    Choice(
        "points that can be had",
        "those of RED with fixed max_th (10 to 50) and max_p (0.01 to 0.5), without ns-2's small habits",
        "This is the RED that OP-RED moves, within the bounds that it keeps.",
    ),
    Choice(
        "nearest point",
        "the least larger ratio of delay and loss to the target",
        "The paper leaves the metric open. This one needs no exchange rate between milliseconds and per "
        "cent.",
    ),
    Choice(
        "targets",
        "for each load, three measured points 5% relaxed, and three with 0.4 and 0.8, 0.6 and 0.6, 0.8 and "
        "0.4 of their delays and losses",
        "Ends and middle of what can be had; and points beyond it on the side of the delay, of both, and of "
        "the loss. Whether a target can be had is judged by the grid of the same reproduction.",
    ),
    Choice(
        "laws beside OP-RED",
        "Adaptive RED with the delays of the targets; self-configuring RED with thresholds 5 and 30",
        "Each is told what it can be told. Adaptive RED computes min_th from its target, but at least 5 "
        "packets, and so cannot aim below 8 ms here.",
    ),
)

FINDINGS: tuple[str, ...] = (
    (
        "The paper's curves come back as it describes them: loss falling with max_th, a valley over max_p "
        "at heavy load that moves to the left with max_th and with fewer users, 0.3 better than 0.1 in "
        "both delay and loss, trade-off curves in two branches. The left branch needs RED as it was in "
        "2000, not gentle: nine in ten of its drops are forced by the average beyond max_th, and with the "
        "gentle ramp it is gone."
    ),
    (
        "Why a small max_p loses more: where RED's line ends below the loss that the load needs, the "
        "average reaches max_th, and RED drops all that comes until it is below again. Such bursts take "
        "several packets of the same windows. With 80 users, max_th 30 and max_p 0.02, 20,700 drops make "
        "7,350 senders back off, by timeout or fast retransmission, 2.8 drops for each; with max_p 0.3 "
        "16,280 drops make 11,040 back off, 1.5 for each."
    ),
    (
        "Two of the paper's sentences are true of different networks. That the delay hardly depends on the "
        "load (A-2.2) needs a pipe so small that ten users push the average to max_th; that at low load "
        "the loss is level above max_th 15 (A-2.3b) needs one so large that they do not. Of the 16 "
        "networks of the map none has both."
    ),
    (
        "The best max_p of 5 and 10 users is the smallest that was tried, not 0.1; at 0.1 they lose little "
        "more. The advice of the paper, that a low max_p serves a low load, stands."
    ),
    (
        "A w_q of 0.005 changes no order of curves, as the paper says, but leaves more of the link idle at "
        "low load: 10 users use 95.0% of it with max_th 30, and 97.6% with a w_q of 0.002."
    ),
    (
        "One habit of ns-2 is worth more than most parameters: nothing is dropped early while at most one "
        "packet waits. Ten users with max_th 10 use 88% of the link with all of ns-2's habits, as with "
        "this one alone, and 79% without any, as RED's paper has it."
    ),
    (
        "Spaced as in 1993, RED drops three times as often at the same max_p as with ns-2's wait. The "
        "valley is there, at a third of the max_p; 0.3 then no longer betters 0.1 (A-2.6). The number "
        "belongs to ns-2."
    ),
    (
        "OP-RED answers the question that the paper leaves open: it reaches every target that fixed "
        "parameters reach, comes within 7% of the nearest point for the others, and does so while targets "
        "and loads change. What it cannot do is what no RED can do here: 80 users lose 12% at least."
    ),
    (
        "In the plane of delay and loss, today's laws do not lie far apart for a given load: the number of "
        "windows sets most of the loss, and a law chooses the delay. PIE and DualPI2 keep theirs near 15 "
        "ms for any load; CoDel and FQ-CoDel let it grow. RED, with its max_p of 0.1, is on its left "
        "branch at 80 users, and behind all but FQ-CoDel there."
    ),
    (
        "Set after a preliminary grid: A-2.4 is judged below the buffer, and at it by itself (A-2.4d); the "
        "targets of OP-RED are points of that grid, eased by a twentieth, and points beyond it; and the "
        "grid beside OP-RED is of RED without the habits of ns-2, which is the RED that OP-RED moves."
    ),
)
