"""What the paper leaves open, and what there is to say beyond verdicts."""

from __future__ import annotations

from weir.papers.paper import Choice

CHOICES = (
    Choice(
        "Round trip without queues",
        "3.734 ms, with sending",
        "the receive window of 21 packets is round trip times capacity, cut to whole packets: so at least "
        "21 transmissions, 3.7333 ms. At exactly that, every packet arrives in the instant in which "
        "another leaves; just below it DropTail's row is another one, above it is the printed one. Both "
        "sides are in the map.",
    ),
    Choice(
        "N, the ACKs to an estimate",
        "75",
        "the deviation of the queue falls with N, and 75 gives the printed one. The mean does not depend "
        "on it: see the map.",
    ),
    Choice(
        "tau, by which a rate becomes a window",
        "the round trip without queues",
        "with the measured one the rate formula has an equilibrium at 40 waiting packets, where the paper "
        "measures 20.",
    ),
    Choice(
        "What DropTail's buffer holds",
        "50 waiting packets",
        "limit_ as a number of packets that wait. ns-2.35 lets 49 wait; at this round trip that changes "
        "little.",
    ),
    Choice(
        "RED",
        "max_p 0.1, marks, not gentle, and ns-2's habits: its wait between marks, and none early or at a "
        "short queue",
        "the paper gives thresholds and weight. With drops its row is far off: see the table of other "
        "readings.",
    ),
    Choice(
        "Topology",
        "0.1 ms one way to the router, 1.6 ms over the link, 100 Mbit/s at both ends",
        "figure 2, a picture, is lost: the split of the round trip is ours.",
    ),
    Choice(
        "Chance",
        "starts later by up to 10 ms",
        "the paper has one run of each kind, and nothing random but marks. The jitter makes replications; "
        "table 1 has the run without it beside.",
    ),
    Choice(
        "Tahoe's beginning",
        "two packets, no SYN, and never fewer than two after a mark",
        "RFC 3168, two years younger, has a sender whose only packet is marked wait for its timer: 6 s if "
        "it is the first one, of 10 s that are measured.",
    ),
    Choice(
        "Bins of receive rates",
        "100 ms",
        "not given; the swing depends on them, and 50 ms would fit the printed numbers best.",
    ),
    Choice(
        "a, the weight of a utility",
        "5626, and twice that",
        "the text has C + 1, the captions 5625: no difference can be seen.",
    ),
)

FINDINGS = (
    (
        "All rows of table 1 come out, DropTail's by its phase. Four equal sources, one link and no chance "
        "make a clockwork: whether a packet arrives just before or just after another leaves is decided "
        "once and for all by the round trip. Between 3 and 5 ms DropTail loses 61 to 198 packets on "
        "average, and its queue is 37 to 47; the printed 91 and 44.9 belong to 3.4, 3.6 to 3.65 and 3.734 "
        "to 3.75 ms. A random wait of one transmission at the senders makes losses 150 and fairness 0.92. "
        "Comparisons of fairness on such a network say little of DropTail elsewhere."
    ),
    (
        "ns-2.35's numbers come out at its own settings: at 0.35 ms more of round trip, 49 packets in the "
        "buffer and its Tahoe, DropTail loses 150 ± 11 packets at a mean queue of 38.5 (ns-2: 140 and "
        "38.5); RED, with marks and with drops, agrees within the intervals. So ns-2.35 does not "
        "contradict the paper: its runs had another phase. Nor does the limit of 49 decide: at 3.734 ms "
        "the row holds with 49, 50 and 51."
    ),
    (
        "REM settles where the quadratic q² + 21 q = 840 says, at 20.33 packets, to 0.1 packet from 1 s "
        "on, and with two weights at 26.5. The textbook's equilibrium, rates that meet the capacity and "
        "windows by the measured round trip, has 40 and 60 packets waiting. With tau as long as it would "
        "then be measured, 10.84 ms, we find 38 packets, losses and reduced windows: none of it is in the "
        "paper. A host that goes on measuring its round trip while queues change is not in Weir."
    ),
    (
        "tau has to be known. A host that takes the least round trip it has seen takes standing queue for "
        "path, the more the later it comes, and gets more than its share: fairness falls to 0.97, and the "
        "queue grows to 23 packets."
    ),
    (
        "Nearly every packet is marked, 83% of all in 10 s: gamma = 0.1 per packet and a queue of 20 make "
        "a price of 2. REM of 2001 has the price integrate, and marks few."
    ),
    (
        "Inconsistencies: windows of 20 and 10 cannot be with a queue of 24.4; connections 1 and 3 have "
        "the same weight, but are said to receive 7.5 and 15 Mbit/s; RED is said to discard above thresh, "
        "where maxthresh is meant; 11 is called the theoretical window, without a derivation."
    ),
    (
        "Queue disciplines of today have targets for other round trips: at their defaults CoDel and "
        "FQ-CoDel keep 40 packets here, PIE and DualPI2 never act. With targets of 1 ms all of them keep 4 "
        "to 7 packets, a third of REM's queue, at nearly the same goodput but for CoDel; FQ-CoDel's "
        "receive rates are steadier than REM's."
    ),
    (
        "Set after results had been seen: the round trip of 3.734 ms instead of the 3.7333 of the same "
        "argument, at which every arrival is a tie, and the habits of ns-2 in RED, without which RED with "
        "drops misses ns-2; A-1.2 holds with and without them."
    ),
)
