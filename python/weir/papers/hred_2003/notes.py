"""What the paper leaves open, and what there is to say beyond the verdicts."""

from __future__ import annotations

from weir.papers.paper import Choice

CHOICES = (
    Choice(
        "TCP of FTP and web",
        "NewReno, no ECN, initial window 2, never limited by the receiver, ns-2.35's habits",
        "The paper names ns-2 and no flavour. The same senders are compared with ns-2.35 in the validation.",
    ),
    Choice(
        "Least timeout",
        "200 ms",
        "ns-2.35's, so that it can be compared with; from 2001 to 2004 ns-2 had 1 s. The maps have both.",
    ),
    Choice(
        "Web sessions",
        "a page of one object, Pareto II with mean 12 packets and shape 1.2, about every 15 s",
        "Only their number is printed. ns-2's large-scale-web: 300 sessions bring about 3% of the link, 3000 "
        "nearly a fifth. The maps have pages every 5 s, too.",
    ),
    Choice(
        "Round trips",
        "drawn from U(160 ms, 240 ms) anew in every replication, the same for all laws",
        "The paper uses one set for all experiments; intervals over one set would not speak of others.",
    ),
    Choice(
        "Warm-up and measurement",
        "100 s, then 200 s",
        "200 s are printed; PI needs up to 100 s to get there.",
    ),
    Choice(
        "Phases of figures 6 and 7",
        "change at 100 s, back at 180 s, end at 260 s",
        "Not stated; 80 s are longer than figure 5's 50 s. A longer phase would turn a part of PI's "
        '"never" into times of more than 80 s.',
    ),
    Choice("End of figure 5", "300 s", '"Doubled every 50 second after initial 150 second" has no end.'),
    Choice(
        "Flows that come",
        "within 1 s (FTP), with a first page within 15 s (web)",
        "All at once march in step.",
    ),
    Choice(
        "RED's spacing of drops",
        "ns-2's wait: gaps between 1/p and 2/p",
        "Not stated; ns-2's default, which drops two thirds of what the line says. Others are drawn beside "
        "it.",
    ),
    Choice(
        "AVQ's gamma and kappa",
        "gamma 0.98, virtual buffer 1.0, adapting to accepted packets",
        "kappa is no symbol of AVQ; gamma is not printed. ns-2's defaults. Others are drawn beside it.",
    ),
    Choice(
        "HRED's p_min at the start",
        "0.001",
        "Not stated; from 0 it would never rise. From 0.01 nothing is different after the warm-up.",
    ),
    Choice("PI's gains", "the printed ones, times 500 B", "They follow from 100 flows and 240 ms."),
    Choice("Drops by size", "off: every packet is dropped with p", "Nearly all packets are of 500 B."),
    Choice(
        "Kilobytes",
        "packets waiting times the mean size of what left; in series times 500 B",
        "The SYNs of web connections have 40 B: up to 2% of the packets at the heaviest load.",
    ),
)

FINDINGS = (
    (
        "What the paper claims of steady load holds for the mean queue, the use of the link and the losses, "
        "with web traffic and without. Its claim that only HRED has no large deviation does not: with 100 "
        "flows PI's queue is the steadier one."
    ),
    (
        "HRED's lead in response time is real, in both directions, where the load changes by a factor of 3 "
        "or more (rising: 2.5), and at heavy load always: there PI is not back within 80 s from 2.5 times "
        "the flows on (falling: twice), and HRED needs 1 to 4 s."
    ),
    (
        "PI is as slow as its gains say: its probability cannot climb faster than (a - b) times 160 Hz "
        "times the excess of the queue, 0.0009 a second at 187 kB and 0.0015 with a full buffer. The gains "
        "were designed for 100 flows at least; for the 400 to 1600 flows of figure 7 the same procedure "
        "gives larger ones."
    ),
    "With 1000 flows PI's large deviation is no oscillation: after 100 s the queue is still on its way down.",
    (
        "At light load HRED's printed gains are too large: a quarter of them makes it faster and steadier. "
        "Equation (11) answers a change within one round trip, while senders, as the paper itself says, take "
        "several."
    ),
    (
        "K = 2 meets the paper's own test up to a round trip of 219 ms at min_th, not for the 240 ms that "
        "K_alpha was computed with; that does no harm. The test is no guide: see P-8."
    ),
    (
        "With CUBIC senders HRED's queue swings between empty and full while there are 100 of them, and is "
        "calmer the more come."
    ),
    "RED's response times say little: its queue is inside the wide band at most loads whatever it does.",
    (
        "Slips of the paper: figure 1 prints l > min_th where it means l < min_th; equation (10) lost a "
        "product; the α of equation (8) is the K of Table 2, not the step α of figure 1; equation (7) takes "
        "|S| after a condition S < 1 for an S that is negative; q and l are the same queue; K_alpha is per "
        "bit, the gains of PI per byte; kappa is no symbol of AVQ."
    ),
    (
        "Short looks at all three scenarios came before the claims. The ranges are the paper's; how an "
        "oscillation is measured (the first peak of the autocorrelation), what counts as a small queue "
        "(below min_th) and by which band PI is late were chosen after them, and no range was changed after "
        "it was judged."
    ),
)
