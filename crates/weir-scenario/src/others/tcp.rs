//! Congestion controls, loss recoveries and presets of other tools, and what they are here.

use super::table::Table;

pub(super) const BBR: &str = "BBR is `tcp.congestion.bbr1` (version 1) or `tcp.congestion.bbr3` (version 3)";

pub(super) const CONTROLS: Table = &[
    (&["bbr", "bbrv1", "bbrv3"], BBR),
    (
        &["bbr2", "bbrv2"],
        "BBR is `tcp.congestion.bbr1` (version 1) or `tcp.congestion.bbr3` (version 3, which took the place of 2)",
    ),
    (
        &["linux_reno", "reno_linux", "aimd", "newreno_sack"],
        "write `reno`: NewReno and SACK are loss recoveries, tcp.recovery.newreno and tcp.recovery.sack",
    ),
    (&["bic", "cubic_reno"], "Weir has no BIC; its successor is `cubic`"),
    (&["l4s", "tcp_prague", "prague_tcp"], "write `prague`"),
    (&["data_center_tcp"], "write `dctcp`"),
    (&["stcp"], "write `scalable`"),
    (
        &["westwood", "westwood+", "tcpw"],
        "write `tcp.congestion.westwood-plus`; the first Westwood, which takes a sample of each ACK, is not there",
    ),
    (
        &["veno"],
        "that is Reno with an estimate for wireless links, and Weir has not this one. `westwood-plus` sets the window \
         by what the path carries, `wireless` tells random losses apart",
    ),
    (
        &[
            "highspeed",
            "hstcp",
            "high_speed",
            "htcp",
            "h_tcp",
            "hamilton",
            "illinois",
            "hybla",
            "yeah",
            "compound",
            "ctcp",
        ],
        "that is a control for large windows that Weir has not; it has `cubic` and `scalable`",
    ),
    (
        &["nv", "fast", "cdg", "copa", "vegas_plus", "swift", "timely", "dual", "card", "verus"],
        "that is a control by delay that Weir has not; it has `vegas`",
    ),
    (
        &["mptcp", "lia", "olia", "balia", "wvegas"],
        "that couples the paths of Multipath TCP, and a flow has one path here: write `reno`, `cubic` or `vegas`",
    ),
    (
        &["lp", "nice", "tcp_lp"],
        "that is a control of low priority that Weir has not; it has `ledbat` and `ledbat-plus-plus`",
    ),
    (
        &[
            "pcc",
            "vivace",
            "allegro",
            "pcc_vivace",
            "sprout",
            "remy",
            "orca",
            "aurora",
            "indigo",
            "rrtcc",
            "gcc",
            "scream",
            "nada",
            "xcp",
            "rcp",
            "dcqcn",
            "hpcc",
            "tfrc",
            "lola",
            "elastic",
            "tack",
            "powertcp",
            "c2tcp",
            "relentless",
            "cerl",
        ],
        "Weir has no such control: `weir list congestion` shows those there are",
    ),
];

pub(super) const RECOVERIES: Table = &[
    (
        &["rack", "tlp", "rack_tlp", "fack", "prr", "linux"],
        "that is part of SACK: recovery.sack = { detection = \"rack\", tlp = true, prr = true }",
    ),
    (
        &["frto", "f_rto", "dsack", "eifel"],
        "that undoes a false loss or timeout, which no sender does here: write `sack`",
    ),
    (&["tahoe"], "Tahoe is a congestion control: tcp.congestion.tahoe = {}"),
    (&["new_reno_sack", "selective"], "write `sack`"),
];

pub(super) const PRESETS: Table = &[
    (
        &["ns3", "ns_3", "omnet", "omnetpp", "omnet++", "opnet", "inet"],
        "Weir has no preset of ns-3 and its like, which follow the RFCs: write `rfc`, and what differs beside it",
    ),
    (&["ns", "nstcp", "network_simulator"], "write `ns2`"),
    (
        &[
            "freebsd",
            "bsd",
            "openbsd",
            "netbsd",
            "windows",
            "macos",
            "apple",
            "ios",
            "darwin",
            "default",
            "standard",
            "quic",
            "lwip",
            "windows10",
            "windows11",
        ],
        "Weir has no such preset: write `rfc`, and what differs beside it; `linux` is the kernel's",
    ),
    (&["ubuntu", "debian", "android", "kernel", "mininet", "gns3"], "write `linux`"),
];
