"""What the paper leaves open, and what there is to say beyond the verdicts."""

from weir.papers.paper import Choice

CHOICES = (
    Choice(
        "Capacity and round trip",
        "20 Mbit/s and 100 ms, a pipe of 488 packets",
        "Windows say 0.24, 2.2 and 8.6% of loss at 20, 60 and 120 flows: the one simple choice with "
        "goodput near the link beyond 60 flows and less than 10% of loss at 120. Maps show 16 settings.",
    ),
    Choice(
        "NLRED's height",
        "1.5 max_p",
        "Equal areas (Zhou, Yeung and Li). The paper's words mean 1.0, its figure 3 needs 1.5; both are run.",
    ),
    Choice(
        "NLRED beyond max_th",
        "every packet is dropped",
        "As RED's and NLRED's papers have it. GRED is gentle by its name; a gentle NLRED is a variant.",
    ),
    Choice(
        "Habits of ns-2's RED",
        "all of them, for RED, GRED and NLRED alike: signals wait for each other, an idle time counts in "
        "whole steps and one more, nothing is dropped early unless more than one packet waits, the first "
        "packet above min_th is spared",
        "The paper's simulator was ns-2, where NLRED is a change to the code of its RED. The third is worth "
        "points of goodput (figure 'habits'). The same without them, but for the wait, is beside it "
        "(figure, table and map 'without habits').",
    ),
    Choice(
        "Buffers of DropTail and REM",
        "100 packets wait",
        "ns-2's hold one packet less, which is done beside ns-2 only.",
    ),
    Choice("b* of REM", "20 packets", "The REM paper's, and ns-2's."),
    Choice(
        "Starts of the flows",
        "within 1 s, evenly",
        "At the same instant flows would march in step.",
    ),
    Choice(
        "Random wait of senders",
        "none",
        "ns-2's default, which a script that does not mention it has. DropTail is ruled by phase effects "
        "then; experiments 'wait' and 'places-wait' are the same with up to two packet times.",
    ),
    Choice(
        "TCP",
        "NewReno as ns-2.35 has it, window 8000 packets, no ECN",
        "The version is not stated; drops are spoken of throughout.",
    ),
    Choice(
        "What is measured",
        "20 to 100 s of a run of 100 s; loss of packets sent; delay in the bottleneck's buffer",
        "The paper defines goodput and loss; not delay, nor what becomes of the start. Figures 8 and 9 "
        "include the start.",
    ),
    Choice(
        "Simulation time in figures 8 and 9",
        "measured from the beginning to 25, 50, ..., 150 s",
        "'Simulation time varies from 25 to 150 s': runs of that length. A shorter run is the beginning of "
        "a longer one with the same seed, so one run of 150 s gives all six.",
    ),
    Choice(
        "Flows in figures 8 and 9",
        "20, 60 and 120; judged at 60",
        "Not stated. 60 is where the paper's text has the curves bend.",
    ),
)

FINDINGS = (
    (
        "The habits of ns-2 were given to RED, GRED and NLRED after the results without them had been seen: "
        "NLRED could not be run with them before. The reason is the paper's simulator, not a verdict, and "
        "the table of both says what it changes: one verdict, A-4.2a, which held without the habits and "
        "does not with them. Goodput is higher with them, by several points where flows are few, but no "
        "claim that failed without them holds with them."
    ),
    (
        "No setting of the map satisfies half of its claims. Those that satisfy most, with pipes of 30 to "
        "244 packets, have the link full under NLRED, but most of them lose far more at 120 flows than the "
        "paper shows."
    ),
    (
        "NLRED's lead over GRED in figures 2, 6 and 10 is that of RED over gentle RED. With both gentle "
        "there is none, with neither RED leads a little (figure 'readings'). ns-2.35 shows the same cost "
        "of gentleness where max_th is small: with 40 flows on 10 Mbit/s and max_th of 10 packets it uses "
        "97.5% of the link gentle, 99.9% not gentle."
    ),
    (
        "Goodput at few flows follows synchronisation. Under GRED and NLRED some two fifths of 20 flows lose "
        "packets in the same round trip, under REM an eighth, and REM's goodput is far above theirs. REM's "
        "probability changes little from one packet to the next; an average queue with a weight of 0.002 is "
        "behind the queue by a tenth of a second, a round trip."
    ),
    (
        "The conclusion that all of them beat DropTail holds for delay, up to a pipe of 488 packets. For "
        "loss it holds nowhere on the map, nor for fairness. For goodput it can hold where the pipe is ten "
        "times the buffer, if senders are in step; with a random wait of up to two packet times there is no "
        "place where all three are ahead of DropTail at 20, 60 and 120 flows."
    ),
    (
        "Senders in step have more than one state. Under REM 60 flows on 30 Mbit/s with 100 ms use 89% of "
        "the link in some runs, with ten timeouts in all, and 97.5% in others, with 130. The paper shows "
        "single runs, as it seems."
    ),
    (
        "Where the paper contradicts itself: figure 4 (delay falls) and figure 3 (queues grow), for one is "
        "the other over the rate; 'the same max_p makes NLRED gentler at all loads' and 'more aggressive "
        "at heavy load', which need different factors; a window of 8000 packets is never reached. It gives "
        "a queue weight for REM, which has none, and says of REM that it marks more than RED from the "
        "beginning, which depends on its price."
    ),
    (
        "Of today's queues PIE does nothing here: 100 packets of 512 bytes are 20 ms at this rate, and "
        "while less than 15 ms are in the queue it lets bursts pass; its runs are DropTail's, packet for "
        "packet. CoDel and FQ-CoDel use the link better than NLRED does with 20 and 40 flows, but pass their "
        "target of 5 ms from 40 on and come to more than twice of it: their pace is made for few flows. "
        "CUBIC with selective acknowledgements fills the link over DropTail at every number of flows, and "
        "gains most over NLRED at 20."
    ),
)
