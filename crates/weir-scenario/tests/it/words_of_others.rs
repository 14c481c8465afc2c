//! Words of other tools inside a table lead to the keys that say the same.

use crate::mistakes::{RED, expect, spoil};

#[test]
fn words_of_other_tools_inside_a_table() {
    for (from, to, hint) in [
        (RED, "queue.cake.docsis = true", "overhead = \"18 B\" and mpu = \"64 B\""),
        (RED, "queue.cake.carrier = \"docsis\"", "overhead = \"18 B\" and mpu = \"64 B\""),
        (RED, "queue.cake.conservative = true", "write overhead = \"48 B\" and carrier = \"atm\""),
        (RED, "queue.cake.atm = true", "did you mean `carrier = \"atm\"`?"),
        (RED, "queue.cake.diffserv4 = true", "did you mean `tins = \"diffserv4\"`?"),
        (RED, "queue.cake.diffserv = \"diffserv4\"", "did you mean `tins = \"diffserv4\"`?"),
        (RED, "queue.cake.nat = true", "no address is translated here"),
        (RED, "queue.cake.limit = 100", "write memory_limit, in bytes"),
        (RED, "queue.cake.rtt = \"internet\"", "write rtt = \"100 ms\""),
        (RED, "queue.cake.bandwidth = \"unlimited\"", "write unlimited = true"),
        (RED, "queue.cake.overhead = \"-10 B\"", "write \"0 B\" or more"),
        (RED, "queue.cake.tins = 4", "a choice is a name: tins = \"diffserv3\", or"),
        (RED, "token_bucket = { rate = \"1 Mbit/s\" }", "the rate of the link: write it there"),
        (RED, "token_bucket = { maxburst = \"16 kB\" }", "write burst"),
        (RED, "token_bucket = { latency = \"50 ms\" }", "buffer of the link"),
        (RED, "docsis = { peak = \"20 Mbit/s\" }", "beside docsis, at the link: token_bucket = "),
        (RED, "docsis = { MaxSustainedRate = \"20 Mbit/s\" }", "the rate of the link: write it there"),
        (RED, "docsis = { MinReqGntDelay = 12 }", "write request_to_grant"),
        (RED, "docsis.UsCapacity = \"100 Mbit/s\"", "write channel"),
        (RED, "docsis.ggr = \"2 Mbit/s\"", "write guaranteed_grant_rate"),
        ("count = 5", "tcp.congestion.prague = { rtt_virtual = \"25 ms\" }", "write target_rtt"),
        ("count = 5", "tcp.congestion.dctcp = { shift_g = 4 }", "write gain = 0.0625"),
        ("count = 5", "tcp.congestion.ledbat = { NoiseFilterLen = 4 }", "write current_filter"),
    ] {
        let line = if from == RED { 9 } else { 12 };
        expect(&spoil(from, to), &format!("plain.toml:{line}: "), &[hint]);
    }
}

#[test]
fn a_table_where_something_else_is_written() {
    for (from, to, hint) in [
        (RED, "docsis = true", "write for example docsis = { channel = \"100 Mbit/s\" }"),
        (RED, "docsis = \"3.1\"", "write for example docsis = { channel = \"100 Mbit/s\" }"),
        (RED, "token_bucket = \"125 kB\"", "write for example token_bucket = { burst = "),
        (RED, "token_bucket = true", "write for example token_bucket = { burst = "),
        ("count = 5", "tcp.pacing = false", ", or leave it out"),
        ("count = 5", "tcp.congestion.bbr3 = { ecn = true }", "write for example ecn = {"),
    ] {
        let (message, line) = (spoil(from, to), if from == RED { 9 } else { 12 });
        expect(&message, &format!("plain.toml:{line}: "), &["a table belongs here, not ", hint]);
        assert!(!message.contains("quotation marks"), "{message}");
    }
}
