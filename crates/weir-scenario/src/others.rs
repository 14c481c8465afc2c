//! Names that other tools have for queues, congestion controls, loss recoveries and presets: what is ours, or what
//! the thing is that Weir has not.

use std::str::FromStr;

use weir_aqm::qdisc::QueueConfig;
use weir_tcp::{TcpPreset, congestion::CongestionConfig, recovery::RecoveryConfig};
use weir_types::UnitError;

use crate::meant::plain;

/// Kind of thing that a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// A queue discipline.
    Queue,
    /// A congestion control.
    Congestion,
    /// A loss recovery.
    Recovery,
    /// A preset of TCP.
    Preset,
}

impl FromStr for Named {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        Self::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            UnitError::new(format!("\"{text}\" is no kind of name"), format!("known: {names}"))
        })
    }
}

impl Named {
    const ALL: [Self; 4] = [Self::Queue, Self::Congestion, Self::Recovery, Self::Preset];

    const fn name(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::Congestion => "congestion",
            Self::Recovery => "recovery",
            Self::Preset => "preset",
        }
    }

    /// The kind whose names `known` are, the names of users' own classes aside.
    pub(crate) fn of(known: &[&str]) -> Option<Self> {
        let all_of = |ours: Vec<_>| known.iter().all(|name| *name == "python" || ours.contains(name));
        Self::ALL.into_iter().find(|kind| all_of(kind.ours()))
    }

    /// The names in Weir.
    pub fn ours(self) -> Vec<&'static str> {
        match self {
            Self::Queue => QueueConfig::NAMES.to_vec(),
            Self::Congestion => CongestionConfig::NAMES.to_vec(),
            Self::Recovery => RecoveryConfig::NAMES.to_vec(),
            Self::Preset => TcpPreset::ALL.iter().map(|preset| preset.name()).collect(),
        }
    }

    const fn others(self) -> &'static [(&'static [&'static str], &'static str)] {
        match self {
            Self::Queue => QUEUES,
            Self::Congestion => CONTROLS,
            Self::Recovery => RECOVERIES,
            Self::Preset => PRESETS,
        }
    }
}

/// Hint at the name to write for `name`, as another tool calls it; `None` for a name that is ours or unknown.
pub fn name_of_others(kind: Named, name: &str) -> Option<&'static str> {
    let wanted = plain(name);
    if kind.ours().into_iter().any(|ours| plain(ours) == wanted) {
        return None;
    }
    let has = |names: &[&str], wanted: &str| names.iter().any(|other| plain(other) == wanted);
    // Linux's modules and ns-3's classes put the kind before or behind the name.
    let bare = ["tcp", "sch", "ns3"].iter().find_map(|prefix| wanted.strip_prefix(prefix));
    let bare = bare.map(|bare| bare.trim_start_matches(':'));
    let cut = ["queuedisc", "qdisc", "aqm"].iter().find_map(|suffix| wanted.strip_suffix(suffix));
    let spellings: Vec<_> = [Some(&*wanted), bare, cut].into_iter().flatten().collect();
    let known = |(names, _): &&(&[&str], &str)| spellings.iter().any(|name| has(names, name));
    kind.others().iter().find(known).map(|(_, hint)| *hint)
}

/// Where a name belongs that was written where one of `kind` belongs: a congestion control as a queue, or a queue as a
/// congestion control.
pub fn of_another_kind(kind: Named, name: &str) -> Option<String> {
    let (other, is, place) = match kind {
        Named::Queue => {
            (Named::Congestion, "a congestion control, which flows have", "flows.GROUP.tcp.congestion")
        }
        Named::Congestion => (Named::Queue, "a queue discipline, which links have", "links.LINK.queue"),
        Named::Recovery | Named::Preset => return None,
    };
    let wanted = plain(name);
    // Such as `rem`, where `rem-host` is known.
    if wanted == "python" || kind.ours().into_iter().any(|ours| ours.split('-').next() == Some(&*wanted)) {
        return None;
    }
    if let Some(ours) = other.ours().into_iter().find(|ours| plain(ours) == wanted) {
        return Some(format!("`{ours}` is {is}: {place}.{ours} = {{}}"));
    }
    if let Some(hint) = name_of_others(other, name) {
        let what =
            hint.strip_prefix("that is ").map_or_else(|| format!("; {hint}"), |what| format!(": {what}"));
        return Some(format!("that is {is}{what}"));
    }
    (kind == Named::Congestion).then(|| of_tcp(name)).flatten()
}

/// The name of a loss recovery or a preset that was written where a congestion control belongs.
fn of_tcp(name: &str) -> Option<String> {
    let preset = TcpPreset::ALL.iter().find(|preset| plain(preset.name()) == plain(name));
    preset.map(|preset| format!("that is a preset: tcp.preset = \"{}\"", preset.name())).or_else(|| {
        let of_preset = || {
            name_of_others(Named::Preset, name)
                .map(|hint| format!("that is no congestion control; as tcp.preset: {hint}"))
        };
        name_of_others(Named::Recovery, name).map(str::to_owned).or_else(of_preset)
    })
}

const QUEUES: &[(&[&str], &str)] = &[
    (
        &["sch_cake", "cake_mq", "sqm", "layer_cake", "piece_of_cake"],
        "write `cake`, whose shaper is its `bandwidth`. `cobalt` is its AQM alone, and `queue.fq = { aqm.cobalt = {} }` \
         has it in fair queues",
    ),
    (
        &["ack_filter_aggressive", "ack_suppression"],
        "write `ack-filter`, a FIFO that takes redundant ACKs away; `mode = \"aggressive\"` takes more. CAKE has it as \
         `queue.cake.ack_filter`",
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

const BBR: &str = "BBR is `tcp.congestion.bbr1` (version 1) or `tcp.congestion.bbr3` (version 3)";

const CONTROLS: &[(&[&str], &str)] = &[
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

const RECOVERIES: &[(&[&str], &str)] = &[
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

const PRESETS: &[(&[&str], &str)] = &[
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_names_what_there_is() {
        for kind in Named::ALL {
            let ours = kind.ours();
            for (names, hint) in kind.others() {
                for name in *names {
                    assert!(!ours.contains(name), "{name} is ours");
                    assert_eq!(name_of_others(kind, name), Some(*hint), "{name}");
                }
            }
        }
        assert_eq!(name_of_others(Named::Queue, "sch_sqm"), name_of_others(Named::Queue, "sqm"));
        assert_eq!(name_of_others(Named::Congestion, "TcpBbr"), Some(BBR));
        assert_eq!(name_of_others(Named::Queue, "fq_codel"), None);
    }
}
