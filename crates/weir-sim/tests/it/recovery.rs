//! Loss recovery in the loop with a queue.

use crate::{TWENTY, of_flows, of_link, run, scenario};

const NEWRENO: &str = "{ newreno = {} }";
const SACK: &str = "{ sack = {} }";
const LINUX: &str = "{ sack = { detection = \"rack\", prr = true, tlp = true } }";

/// Retransmissions, timeouts and drops of thirty flows with windows of four under `recovery`.
fn outcome(recovery: &str) -> (f64, f64, f64) {
    let set = [
        ("flows.ftp.tcp.recovery", recovery),
        ("flows.ftp.tcp.timestamps", "true"),
        ("flows.ftp.count", "30"),
    ];
    let measured = run(&scenario(TWENTY, &set), 1);
    assert!((0.9..=1.0).contains(&of_link(&measured, "utilisation")), "{recovery}");
    (of_flows(&measured, "retransmitted"), of_flows(&measured, "timeouts"), of_link(&measured, "drops"))
}

/// Whoever knows what has arrived sends again what was dropped, and hardly anything else.
#[test]
fn what_was_dropped_is_sent_again_and_little_else() {
    for recovery in [NEWRENO, SACK, LINUX] {
        let (again, timeouts, drops) = outcome(recovery);
        // What was dropped before the warm-up was over may be sent again after it.
        assert!(
            (again - drops).abs() < 0.02 * drops + 5.0,
            "{recovery}: {again} sent again, {drops} dropped"
        );
        assert!(timeouts < 0.01 * drops, "{recovery}: {timeouts} timeouts, {drops} dropped");
    }
}

#[test]
fn scoreboards_do_not_allocate_once_they_have_their_size() {
    for recovery in [SACK, LINUX] {
        let allocations = |duration: &str| {
            let set = [("flows.ftp.tcp.recovery", recovery), ("duration", duration)];
            let scenario = scenario(TWENTY, &set);
            allocation_counter::measure(|| drop(run(&scenario, 1))).count_total
        };
        let (short, long) = (allocations("\"60 s\""), allocations("\"260 s\""));
        assert!(long <= short + 60, "{recovery}: {short} allocations in 60 s, {long} in 260 s");
    }
}
