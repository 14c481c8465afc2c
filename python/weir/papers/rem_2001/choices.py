"""What the paper leaves open, and what there is to say beyond the verdicts."""

from __future__ import annotations

from weir.papers.paper import Choice

CHOICES = (
    Choice(
        "Size of packets, wireline",
        "1000 B",
        '"1KB": only so are 640 packets in the pipe, and windows 32 and 4.',
    ),
    Choice(
        "Size of packets, wireless",
        "48 B",
        '"382 bits" are no whole number of bytes; 384 bits give windows of 21 and 4, and 1% of losses holds '
        "back 20 users but not 40. With 382 bytes neither is so: see the map.",
    ),
    Choice(
        "Starts",
        "U(0, 1 s) within each group of 20",
        "all at the same instant would stay in step.",
    ),
    Choice(
        "Round trip of 80 ms",
        "propagation alone; 35 ms of it at the bottleneck each way",
        "so the windows come out; the split is ours.",
    ),
    Choice("Access links", "100 Mbit/s (wireline); delay only (wireless)", "not limiting either way."),
    Choice(
        "RED",
        "not gentle, with ns-2's wait between signals, beyond max_th drops also where it marks",
        "ns-2.1b6 of January 2000 came before gentle was its default; wait was on from the beginning.",
    ),
    Choice(
        "RED, wireless",
        "marks beyond max_th; beside it, RED that drops there",
        "the text says that packets are dropped only at a full buffer; no ns-2 ever did so.",
    ),
    Choice(
        "REM's interval", "2 ms, equation 2", "ns-2's code for REM, by the authors; the paper gives none."
    ),
    Choice(
        "Where packets are marked",
        "on arrival",
        "the paper; ns-2 marks those that depart.",
    ),
    Choice(
        "A timeout of a wireless source",
        "slow start from one packet up to half",
        '"halves its window" may also mean half at once; slow start is what timeouts mean elsewhere.',
    ),
    Choice(
        "Wireless losses",
        "behind the queue, data only",
        "figure 4 counts overflow apart; ACKs are not mentioned.",
    ),
    Choice(
        "Periods",
        "figures: whole, as in the paper; claims on settled queues: the last 30 s",
        "the price needs 5 to 20 s to climb after each step.",
    ),
    Choice(
        "Mean window",
        "mean over time of the congestion windows of ten of the first users, five on the wireless link",
        "the paper does not say how it has them.",
    ),
    Choice(
        "Targets of today's controllers",
        "2.5 ms",
        "20 packets of REM; with their own, 5 to 15 ms, a buffer of 15 ms would be all theirs.",
    ),
)

FINDINGS = (
    (
        "Figure 3's text and numbers part: it says that packets are dropped only at a full buffer, but "
        "its goodput for RED is nearer to what comes out where RED drops beyond max_th. RED that marks "
        "every packet there and loses none swings between an empty queue and a full one."
    ),
    (
        "Not all REDs are below DropTail in goodput, as section 4.2 says: from 100 users on RED(20:80) "
        "that drops is level or above. It hangs on the jump at max_th, which ends the growth of the "
        "queue at once. With gentle RED the average overshoots until the buffer is full, and all four "
        "are below, as in ns-2.35."
    ),
    ("The captions of figures 3 and 4, windows from 22 packets to 4, settle that 382 are bits."),
    (
        "REM that drops has its queue below the target in proportion to its losses, where there are many "
        "users: equation 2 counts packets that are then dropped as input. The paper says that it is "
        "stabilised around the target; equation 3 does that."
    ),
    (
        "Section 4.1 says that REM and PI are equivalent. For equation 3 they are, to within what one "
        "draw changes; equation 2 knows the rate besides, and rests elsewhere."
    ),
    (
        "REM's advantage in goodput is one over DropTail whose flows lose in step. With a random wait of "
        "two packet times before each burst DropTail is not behind any more from 100 users on."
    ),
    (
        "Set after a first look at two or three replications: the margins of P-6, P-7a, P-8, P-10 and P-13, "
        "the two halves of A-0.7 with one range, P-3 as a claim about gentle RED (what is not gentle is in "
        "A-0.5a), and P-4 in the last 30 s of each stage, where the range of A-0.2 belongs; over whole "
        "periods the queue under Reno comes to 36 packets. All other ranges are older than the runs."
    ),
)
