"""Why claims are judged as they are."""

from __future__ import annotations

REM_ROW = (
    "The queue is that of equilibrium, 20.33 packets, less what the first 600 ms take, when one, two and "
    "three sources are there: from 1 s on it is 20.3. The paper's 18.7 is about one packet less, and its "
    "goodput 81 ms of the link short, ours 16 ms: its start-up was another one, which cannot be known "
    "without the topology."
)
RED_ROW = (
    "Only with marks: with drops RED loses 620 packets, and its goodput is 2% less. Marks spaced as in "
    "RED's own paper, not as in ns-2, are three times as frequent at the same average and cost 300 packets "
    "of goodput."
)
DROP_TAIL_ROW = (
    "The row is a matter of phase. It holds at a round trip of 21 transmissions or a little more, up to "
    "3.75 ms, at 3.4 and at 3.6 ms; just below 21 transmissions 190 packets are lost on average and the "
    "queue is 37. See the figure over the round trip and the map; ns-2.35, whose runs had 0.35 ms more, "
    "lost 140."
)
ORDER = (
    "All three deliver the same to 12 packets of 56,160, REM most, since they keep the link busy as soon "
    "as there are two sources. What the paper's differ by, 62 and 198 packets, was lost at the start: its "
    "REM lost 81 ms of the link there. No setting of N or of the round trip does that to ours."
)
SWING = (
    "In bins of 100 ms. In bins of 50 ms it is 5.1 and 18 Mbit/s, which is what the paper reads off its "
    "figures; in bins of 200 ms 2.9 and 9.5. See the figure over the length of the bins."
)
WINDOWS = "What is sent is the whole part of the window: its mean is 10.33, as in equilibrium."
EQUILIBRIUM = (
    "Above it by half a packet: only whole packets are sent, and the mean of the whole parts is 10.33 "
    "packets. The paper's 11 as theoretical value has no derivation; 10.33 follows from windows that are "
    "rates times the round trip without queues, 15.2 from its rate formula."
)
TWO_WEIGHTS = (
    "Sources 2 and 4, by the weights; the paper names connections 1 and 3, whose weights are the same. The "
    "queue is that of equilibrium, 26.5, less the ramp. The textbook would have 60 packets wait, more than "
    "the buffer holds."
)
LATE = (
    "Three windows of 21 packets leave 42 waiting; the fourth source meets a full buffer. Arrivals of the "
    "first three come just after a departure each and find room; those by which the fourth grows do not."
)
THRESHOLDS = "RED steers the average; the queue itself is beyond the thresholds for 7% of the time."
FAIRER = (
    "As long as packets leave their senders without any chance. A random wait of up to one transmission "
    "makes DropTail's index 0.92, of two 0.99."
)
TWENTY_AND_TEN = (
    "The paper contradicts itself: two windows of 20 and two of 10 packets are 60, which with 21 in the "
    "pipe leave 39 waiting, and it prints a queue of 24.4. That queue leaves room for 7.6 and 15.1; we "
    "have 8.2 and 16.5, of which the whole parts are sent."
)
NETWORKS = (
    "Computed, without packets and without chance: the interval is over 20 networks with weights of "
    "utilities, and first prices or orders of updates, drawn at random. The step is half of what the "
    "optimum bears, less where news are late."
)
STEPS = "100% or 0% of ten networks of each kind; what has not come within 0.01% after 1000 steps never does."
