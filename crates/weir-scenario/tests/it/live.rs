//! The ways of packets from outside through a scenario.

use weir_scenario::{Document, Scenario};
use weir_types::Duration;

fn scenario(flows: &str, links: &str) -> Scenario {
    let text = format!("schema = 1\nname = \"live\"\nduration = \"10 s\"\n{links}\n{flows}");
    Document::parse("live", &text).unwrap().scenario().unwrap()
}

const ACCESS: &str = r#"
    [links.line]
    rate = "20 Mbit/s"
    delay = "5 ms"
    buffer = "1 BDP"
    queue.pie = {}
    reverse = { rate = "2 Mbit/s", buffer = "50 packets" }
"#;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

#[test]
fn both_directions_have_their_queues_and_half_of_the_round_trip() {
    let flows = "[flows.web]\nrtt = \"50 ms\"\npacket_size = \"1000 B\"\n";
    let live = scenario(flows, ACCESS).live(None, None).unwrap();
    assert_eq!((live.group.as_str(), live.rtt), ("web", ms(50)));
    // 50 ms less 5 ms of the link in either direction.
    for (way, name) in [(&live.forward, "line"), (&live.reverse, "line.reverse")] {
        assert_eq!(way.before, ms(20));
        let scenario = way.scenario.as_ref().unwrap();
        let network = scenario.network();
        let passed: Vec<_> = network.paths[0].data.iter().map(ToString::to_string).collect();
        assert_eq!(passed, [name]);
    }
    // AQMs see the packets that the scenario speaks of.
    let forward = live.forward.scenario.unwrap();
    assert_eq!(forward.network().ports[0].mean_packet_size.bytes(), 1000);
    assert_eq!(forward.network().ports[0].limit, weir_aqm::Limit::Span(125_000));
}

#[test]
fn flows_that_go_up_come_back_down() {
    let flows = "[flows.up]\nrtt = \"50 ms\"\nupload = true\n";
    let live = scenario(flows, ACCESS).live(None, None).unwrap();
    let passed =
        |way: &weir_scenario::Way| way.scenario.as_ref().unwrap().network().paths[0].data[0].to_string();
    assert_eq!((passed(&live.forward).as_str(), passed(&live.reverse).as_str()), ("line.reverse", "line"));
}

#[test]
fn a_direction_without_queue_only_delays() {
    let links = "links.l = { rate = \"1 Mbit/s\", delay = \"10 ms\", buffer = \"9 packets\" }";
    let live = scenario("flows.f = { rtt = \"60 ms\" }", links).live(None, Some(ms(40))).unwrap();
    assert!(live.reverse.scenario.is_none());
    assert_eq!((live.forward.before, live.reverse.before), (ms(10), ms(20)));
}

#[test]
fn what_packets_from_outside_cannot_pass_is_refused() {
    let links = "links.l = { rate = \"1 Mbit/s\", delay = \"10 ms\", buffer = \"9 packets\" }";
    let refused =
        |scenario: Scenario, group: Option<&str>, rtt| scenario.live(group, rtt).unwrap_err().message;
    let plain = scenario("flows.f = { rtt = \"60 ms\" }", links);
    assert!(refused(plain.clone(), Some("g"), None).contains("no group of flows \"g\""));
    assert!(refused(plain, None, Some(ms(15))).contains("shorter than that of the links alone, 20 ms"));
    let changes = "[[changes]]\nat = \"2 s\"\nlinks.l.queue.codel = {}";
    let changing = scenario(&format!("flows.f = {{ rtt = \"60 ms\" }}\n{changes}"), links);
    assert!(refused(changing, None, None).contains("cannot change queues"));
    let filter = links.replace(" }", ", queue.cake = { ack_filter = \"conservative\" } }");
    let filtering = scenario("flows.f = { rtt = \"60 ms\" }", &filter);
    assert!(refused(filtering, None, None).contains("it has no filter of them"));
}
