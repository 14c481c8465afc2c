//! Words of other tools inside a table of ours: what they say, and where that is written here.

use super::table::Table;
use crate::meant::plain;

/// Hint at what to write for `word`, a key or a value of the table at `path`, as another tool calls it.
pub(crate) fn word_of_others(path: &[&str], word: &str) -> Option<&'static str> {
    let wanted = plain(word);
    let words = match (path.first()?, path.last()?) {
        (&"links", &"cake") => CAKE,
        (&"links", &"token_bucket") => BUCKET,
        (&"links", &"docsis") => MODEM,
        (&"flows", &"prague") => PRAGUE,
        (&"flows", &"dctcp") => DCTCP,
        (&"flows", &"ledbat") => LEDBAT,
        _ => return None,
    };
    words.iter().find(|(names, _)| names.iter().any(|name| plain(name) == wanted)).map(|(_, hint)| *hint)
}

/// Words of `tc-cake(8)`, with what it says they stand for, and keys of CoDel and FQ-CoDel.
const CAKE: Table = &[
    (&["unlimited"], "write unlimited = true, and no bandwidth"),
    (&["autorate_ingress"], "Weir's shaper has the rate that is written: bandwidth = \"20 Mbit/s\""),
    (&["datacentre", "datacenter"], "write rtt = \"100 us\""),
    (&["lan"], "write rtt = \"1 ms\""),
    (&["metro"], "write rtt = \"10 ms\""),
    (&["regional"], "write rtt = \"30 ms\""),
    (&["internet"], "write rtt = \"100 ms\", the default"),
    (&["oceanic"], "write rtt = \"300 ms\""),
    (&["satellite"], "write rtt = \"1 s\""),
    (&["interplanetary"], "write rtt = \"1000 s\""),
    (&["target", "interval"], "write rtt: it is the interval, and the target is a twentieth of it"),
    (&["nat", "nonat"], "no address is translated here: hosts are `from_host` and `to_host` of flow groups"),
    (&["wash", "nowash"], "packets keep their dscp here, as with nowash: leave it out"),
    (&["split_gso", "no_split_gso"], "no packet holds several segments here: leave it out"),
    (&["fwmark"], "there is no firewall here: tins go by the `dscp` of flow groups"),
    (&["ecn", "noecn"], "CAKE marks packets of flows with tcp.ecn = true, and drops others: leave it out"),
    (&["limit"], "write memory_limit, in bytes; the link's buffer is a limit, too"),
    (&["egress"], "write ingress = false, the default"),
    (&["noatm"], "write carrier = \"plain\", the default"),
    (&["raw"], "write overhead = \"0 B\", the default"),
    (&["conservative"], "write overhead = \"48 B\" and carrier = \"atm\""),
    (&["ethernet"], "write overhead = \"38 B\" and mpu = \"84 B\""),
    (&["ether_vlan"], "write an overhead that is larger by 4 B"),
    (&["docsis"], "write overhead = \"18 B\" and mpu = \"64 B\"; grants of a modem are `docsis` of the link"),
    (&["pppoe_ptm"], "write overhead = \"30 B\" and carrier = \"ptm\""),
    (&["bridged_ptm"], "write overhead = \"22 B\" and carrier = \"ptm\""),
    (&["ipoa_vcmux"], "write overhead = \"8 B\" and carrier = \"atm\""),
    (&["ipoa_llcsnap"], "write overhead = \"16 B\" and carrier = \"atm\""),
    (&["bridged_vcmux"], "write overhead = \"24 B\" and carrier = \"atm\""),
    (&["bridged_llcsnap", "pppoe_vcmux"], "write overhead = \"32 B\" and carrier = \"atm\""),
    (&["pppoa_vcmux"], "write overhead = \"10 B\" and carrier = \"atm\""),
    (&["pppoa_llc"], "write overhead = \"14 B\" and carrier = \"atm\""),
    (&["pppoe_llcsnap"], "write overhead = \"40 B\" and carrier = \"atm\""),
];

/// Words of `tc-tbf(8)`.
const BUCKET: Table = &[
    (&["rate"], "the bucket fills at the rate of the link: write it there, beside token_bucket"),
    (&["buffer", "maxburst", "bucket", "size"], "write burst"),
    (
        &["limit", "latency"],
        "what may wait is the buffer of the link, beside token_bucket: buffer = \"50 kB\"",
    ),
    (&["mtu", "minburst"], "the bucket of the peak holds a packet here: leave it out"),
];

/// Words of the standard of DOCSIS 3.1, and of its models for ns-3.
const MODEM: Table = &[
    (
        &["rate", "max_sustained_rate", "max_sustained_traffic_rate", "mstr"],
        "the Maximum Sustained Traffic Rate is the rate of the link: write it there, beside docsis",
    ),
    (
        &["burst", "max_traffic_burst", "peak", "peak_rate", "peak_traffic_rate", "token_bucket"],
        "write it beside docsis, at the link: token_bucket = { burst = \"125 kB\", peak = \"20 Mbit/s\" }",
    ),
    (
        &["pgs", "ggr", "proactive", "proactive_grant_service", "guaranteed_rate"],
        "write guaranteed_grant_rate = \"5 Mbit/s\"",
    ),
    (&["ggi", "guaranteed_grant_interval"], "such grants come in each map_interval: leave it out"),
    (
        &["min_req_gnt_delay", "request_grant_delay", "req_gnt_delay"],
        "write request_to_grant = \"1.62 ms\", a time where ns-3 counts frames",
    ),
    (&["us_capacity", "upstream_capacity", "capacity"], "write channel = \"100 Mbit/s\""),
    (&["queue", "aqm", "pie", "target", "buffer"], "the queue is at the link, beside docsis: queue.pie = {}"),
];

/// Words of `tcp_prague`.
const PRAGUE: Table = &[
    (&["prague_rtt_target", "rtt_target", "rtt_virtual", "virtual_rtt"], "write target_rtt = \"25 ms\""),
    (&["prague_rtt_transition", "rtt_transition"], "write transition = 4, rounds"),
    (&["prague_cwnd_transit", "cwnd_transit"], "write rate_mode_below = \"4 packets\""),
    (&["prague_alpha_mode", "alpha_mode", "alpha"], "write initial_alpha = 0"),
    (&["ecn", "accecn"], "write them in the table above: tcp.ecn = true, tcp.accecn = true"),
];

/// Parameters of Linux's `tcp_dctcp`.
const DCTCP: Table = &[
    (&["dctcp_shift_g", "shift_g"], "write gain = 0.0625, which is two to the power of -4"),
    (&["dctcp_alpha_on_init", "alpha_on_init", "alpha"], "write initial_alpha = 1, which is 1024 in Linux"),
    (&["ecn", "accecn"], "write it in the table above: tcp.ecn = true"),
];

/// Attributes of ns-3's `TcpLedbat`.
const LEDBAT: Table = &[
    (&["noise_filter", "noise_filter_len", "noise_filter_length"], "write current_filter"),
    (&["ss_param", "do_ss"], "write slow_start"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Place;

    #[test]
    fn hints_name_keys_that_there_are() {
        for (path, words) in [
            ("links.l.queue.cake", CAKE),
            ("links.l.token_bucket", BUCKET),
            ("links.l.docsis", MODEM),
            ("flows.f.tcp.congestion.prague", PRAGUE),
            ("flows.f.tcp.congestion.dctcp", DCTCP),
            ("flows.f.tcp.congestion.ledbat", LEDBAT),
        ] {
            let path: Vec<_> = path.split('.').collect();
            let ours = Place::at(&path).names();
            for (names, hint) in words {
                let first = hint.strip_prefix("write ").and_then(|rest| rest.split([' ', ':', ',']).next());
                let is_key =
                    first.is_none_or(|key| ours.contains(&key) || ["it", "them", "an"].contains(&key));
                assert!(is_key, "{path:?}: {hint}");
                for name in *names {
                    assert_eq!(word_of_others(&path, name), Some(*hint), "{name}");
                }
            }
        }
        assert_eq!(word_of_others(&["links", "l", "queue", "red"], "limit"), None);
    }
}
