"""Why claims are judged as they are, by experiments of this reproduction."""

GOODPUT_GROWS = (
    "It is higher at 120 flows than at 20 under all four. Two fall on the way: DropTail from 100 flows to "
    "120, a phase effect, for with the random wait of figure 'wait' it rises until the link is full; and "
    "REM, which has the link full from 40 flows on, by a little, for packets that arrive twice after "
    "timeouts."
)
NLRED_GOODPUT = (
    "REM is above NLRED up to 80 flows, DropTail and GRED at 20 and 40. What lifts NLRED above GRED from 60 "
    "on is not the parabola: RED that is not gentle has more goodput than NLRED, and NLRED that is gentle "
    "less than GRED (figure 'readings')."
)
NLRED_FULL = (
    "It fills the link later than the paper says: at 120 flows not quite. The map has it full where the "
    "round trip is at most 50 ms and the pipe at most 244 packets; but there, 40 Mbit/s and 25 ms left "
    "aside, more than 10% is lost at 120 flows."
)
QUEUE_SMALL = (
    "So at 20 flows; at 40 it is the shorter one, by a fraction of a packet both times. Without the habits "
    "of ns-2 the claim holds (figure and table 'without habits'). It is a matter of intervals, not of "
    "pictures."
)
QUEUE_LARGE = (
    "REM's and DropTail's queues are longer, GRED's is not: it is shorter by less than a packet, because it "
    "leaves the link idle more often. Like against like, the paper is right: against RED that is not gentle "
    "(P-6), and with both gentle, NLRED's queue is the longer one at 20 flows and the shorter one at 120 "
    "(figure 'readings')."
)
QUEUE_FACTOR = (
    "Below RED's probability everywhere means a longer queue at any number of flows (P-5), so the second "
    "half of the picture cannot come of the paper's words about NLRED. It needs the factor 1.5 of Zhou, "
    "Yeung and Li."
)
DELAY_REM = (
    "Arrivals that are dropped count in REM's price, so that its queue rests below b* in proportion to the "
    "loss (dotted in figure 4). Where more is lost the price has far to go, at some 4 a second with a full "
    "buffer: ns-2.35 at 10 Mbit/s, 50 ms and 120 flows has 37 packets from 20 to 100 s, and 12 from 200 s "
    "on."
)
DELAY_OTHERS = (
    "Not one step falls, nor does any place on the map show it. More flows need more loss, and a queue "
    "that drops by its average length has to be longer for that; the paper's own figure 3 says so, and "
    "delay is queue over rate. Measured as the time that packets wait at the bottleneck, this cannot be so "
    "for RED's family."
)
LOSS_GROWS = (
    "Windows alone, p = 1.5 / W^2, would make it nearly four times as much: with 4 packets in a window many "
    "losses end in a timeout, and a flow that waits loses nothing. With a pipe of 244 packets or less the "
    "claim fails, 5 Mbit/s and 200 ms left aside, because windows are that small at 60 flows already."
)
LOSS_AT_120 = (
    "Windows alone make it 8.6%. On the map it is so wherever the pipe holds 488 packets or more, and not "
    "below, except at 40 Mbit/s and 25 ms."
)
OTHERS_USE = "On the map it is so wherever the pipe holds 488 packets or less."
FAIRNESS_FALLS = (
    "All of it is in the third decimal: every index here is above 0.99. It falls under DropTail and NLRED, "
    "where it moves at all. More flows mean smaller windows and more timeouts; and the index depends more "
    "on how long one looks than on anything else (figure 'fairness')."
)
FAIRNESS_NLRED = (
    "It is fairer than REM with few flows; GRED is fairer than it from 40 flows on, DropTail up to 80. The "
    "reason that the paper gives, two packets of each flow that are queued before one is marked, is no part "
    "of NLRED, which knows no flows."
)
FAIRNESS_GRED = (
    "It is fairer than REM up to 100 flows. DropTail is the fairest of all up to 80 flows because packets "
    "are in step and take turns to be lost; with the random wait GRED is fairer than DropTail too (figure "
    "'wait')."
)
MAX_P_SPREAD = (
    "So at 20 flows, and the opposite from 60 on. With max_p of 0.1, from 60 flows about two fifths of "
    "NLRED's drops are those beyond max_th; with 0.3 and 0.5, its parabola being 0.45 and 0.75 high, there "
    "are few or none, and some goodput goes with them. GRED has no such certainty to lose. Without the "
    "habits of ns-2 the verdict is the same and the spreads are larger."
)
MAX_P_GOODPUT = (
    "So from 0.1 to 0.3, NLRED at 40 flows left aside. From 0.3 to 0.5 GRED's goodput rises at every number "
    "of flows and NLRED's up to 80, where fewer flows lose together (figure 'synchronisation')."
)
MAX_P_NLRED = "NLRED is not above GRED at 20 flows for any max_p, and with 0.1 not at 40."
DROP_TAIL_GOODPUT = (
    "REM is above DropTail at every number of flows, NLRED from 60 on, GRED at 120 only. DropTail is in "
    "step: with the random wait it gains several points, and even REM falls behind from 80 flows on. GRED "
    "and NLRED beat DropTail at 20, 60 and 120 flows where the pipe holds about 1000 packets or more; at "
    "20 Mbit/s and 200 ms all three do. There, with senders in step, the conclusion can be true. Without "
    "the habits of ns-2, which drops nothing early from an empty queue, NLRED does so with the longest pipe "
    "of the map, and GRED nowhere."
)
DROP_TAIL_LOSS = (
    "Not one check, nor any place on the map: a shorter queue means smaller windows for the same rate, and "
    "smaller windows are had by more loss. With the random wait and the longest pipes REM and GRED come "
    "level, and REM, with its target of 20 packets, is below once, at 40 Mbit/s and 100 ms."
)
DROP_TAIL_FAIRNESS = FAIRNESS_GRED
NLRED_DELAY = "Less than under REM and DropTail; by GRED's, at most a tenth of a millisecond above or below."
NLRED_LOSS = "It loses more than any of them at every number of flows."
NLRED_USES = (
    "Less at 20 flows and at 40, where some two fifths of the flows lose packets together (figure "
    "'synchronisation')."
)
LENGTH_GOODPUT = (
    "With 60 flows, the number from which NLRED's goodput is said to converge; the paper does not say "
    "which. It is above GRED and DropTail at every length, and REM is above it."
)
LENGTH_LOSS = "The longer the run the less the start weighs; NLRED loses most at every length."
GENTLER = "The paper's sentence about NLRED, taken at its word."
CROSSING = (
    "Where the two probabilities cross, at two thirds of the way from min_th to max_th, so do the queues. "
    "RED here is not gentle, as NLRED is not."
)
DROP_TAIL_DELAY = (
    "On the map it is so wherever the pipe holds 488 packets or less. Beyond, DropTail's queue is empty so "
    "often that its mean is no longer than REM's."
)
LOSS_RISES = "The one claim of the paper that holds at every place of the map."
