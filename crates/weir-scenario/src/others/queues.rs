//! Queue disciplines of other tools, and what they are here.

use super::table::Table;

pub(super) const QUEUES: Table = &[
    (
        &["sch_cake", "cake_mq", "sqm", "layer_cake", "piece_of_cake"],
        "write `cake`, whose shaper is its `bandwidth`. `cobalt` is its AQM alone, and \
         `queue.fq = { aqm.cobalt = {} }` has it in fair queues",
    ),
    (
        &["ack_filter_aggressive", "ack_suppression"],
        "write `ack-filter`, a FIFO that takes redundant ACKs away; `mode = \"aggressive\"` takes more. CAKE has it as \
         `queue.cake.ack_filter`",
    ),
    (
        &["no_ack_filter"],
        "that is `cake` without a filter of ACKs, its default: queue.cake.ack_filter = \"off\"",
    ),
    (
        &["pfifo", "fifo", "taildrop", "tail_drop", "noop", "tail", "pfifo_head_drop", "dtq"],
        "write `drop-tail`: a FIFO that drops when the buffer is full. The limit is the link's buffer, in packets",
    ),
    (
        &["bfifo"],
        "write `drop-tail`: a FIFO that drops when the buffer is full. The limit is the link's buffer, in bytes: \
         buffer = \"100 kB\"",
    ),
    (
        &["pfifo_fast", "prio", "mqprio", "ets", "priority", "pq", "llq"],
        "that is a scheduler of priorities, and Weir has none. `cake` sorts packets into tins by the `dscp` of their \
         flow group; with one class it is `drop-tail`",
    ),
    (
        &["ared", "a_red", "red_adaptive", "self_configuring_red"],
        "Adaptive RED of 2001 is `adaptive-red`; Self-configuring RED of 1999 is `feng-red`",
    ),
    (
        &["gred", "wred", "rio", "rio_c", "rio_d"],
        "that is RED with thresholds of its own for each class of packets, and Weir has one class: write `red`",
    ),
    (&["gentle_red", "gentle", "gentlered", "red_gentle"], "write `red` with gentle = true"),
    (&["nonlinear_red"], "write `nlred`"),
    (&["stabilized_red", "stabilised_red"], "write `sred`"),
    (&["hybrid_red"], "write `hred`"),
    (
        &[
            "sfq",
            "drr",
            "wfq",
            "wrr",
            "scfq",
            "stfq",
            "dwrr",
            "wf2q",
            "fair",
            "fair_queue",
            "sfqred",
            "qfq",
            "esfq",
            "wdrr",
            "mdrr",
        ],
        "that is fair queueing. Write `fq`: deficit round robin over flows, each with drop-tail, or another AQM: \
         queue.fq = { aqm.red = {} }",
    ),
    (
        &["fq_cobalt", "fq_pi", "fq_red", "fq_pi2", "fq_drop_tail"],
        "write `fq` with that AQM in each queue: queue.fq = { aqm.red = {} }",
    ),
    (&["fqc", "fq_codel_fast", "flow_queue_codel"], "write `fq-codel`"),
    (&["dualq", "dualpi", "dualq_coupled", "l4s"], "write `dualpi2`"),
    (
        &["curvy_red", "dualq_curvy_red"],
        "Weir has no Curvy RED; the other coupled queue of RFC 9332 is `dualpi2`",
    ),
    (&["prop_integral", "proportional_integral"], "write `pi`"),
    (&["pi_square", "pi_squared", "pisquare"], "write `pi2`"),
    (&["docsis_pie", "docsis"], "write `pie` with target = \"10 ms\"; `docsis = {}` is a key of the link"),
    (&["pie2"], "PI2 (PI squared, RFC 9332) is `pi2`; PIE (RFC 8033) is `pie`"),
    (
        &["dctcp", "threshold", "ecn_threshold", "step_marking", "simple_marking"],
        "write `step`: marks above a threshold",
    ),
    (
        &["tbf", "token_bucket", "shaper", "policer"],
        "a token bucket is not a queue here, but a property of the link: token_bucket = { burst = \"16 kB\" } beside \
         rate; its queue is `drop-tail` or any other",
    ),
    (
        &["htb", "hfsc", "cbq", "atm"],
        "that shares a link among classes, and Weir has none. The link's rate is the shaper; `fq` shares among flows, \
         `cake` among tins and hosts",
    ),
    (
        &["netem", "dummynet", "nistnet", "delay", "loss"],
        "netem is not a queue here: delay, loss, delay_variation, rate and buffer are properties of the link",
    ),
    (
        &["hhf", "heavy_hitter"],
        "that sets heavy hitters apart, and Weir has none. `fq` shares among flows, `sfb` limits unresponsive ones",
    ),
    (
        &["etf", "taprio", "cbs", "skbprio", "plug", "noqueue", "mq", "multiq", "ingress", "clsact", "bql"],
        "Weir has nothing like it: no schedule in time, no classes, no filters. `drop-tail` is a plain FIFO",
    ),
    (
        &[
            "lred",
            "dred",
            "fred",
            "green",
            "yellow",
            "gsp",
            "raq",
            "svb",
            "gkvq",
            "pd_red",
            "red_pd",
            "rared",
            "afd",
            "mred",
            "dsred",
            "loss_ratio_red",
            "codel_pie",
            "sfc",
            "lrc",
        ],
        "that is an AQM of the literature that Weir has not: `weir list disciplines` shows those there are, and \
         `queue.python` takes one of your own",
    ),
];

/// Modes of a filter of ACKs: those of `tc-cake(8)`, and words for on and off.
pub(super) const FILTERS: Table = &[
    (
        &["ack_filter", "on", "true", "yes", "enable", "enabled", "normal"],
        "write \"conservative\", which is `ack-filter` of Linux, or \"aggressive\", which takes more ACKs away; \
         \"off\" takes none",
    ),
    (&["ack_filter_aggressive"], "write \"aggressive\""),
    (&["no_ack_filter", "no", "none", "false", "disable", "disabled"], "write \"off\""),
];
