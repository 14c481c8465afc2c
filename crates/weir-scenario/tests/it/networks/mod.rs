//! Networks: routes, short forms, what lines and transmitters do, and what is refused of them.

mod mistakes;
mod resolved;
mod routes;
mod rows;
mod traces;

use weir_scenario::{DirectedLink, Direction, Scenario};

/// A scenario with these links and flows.
fn text(links_and_flows: &str) -> String {
    format!("schema = 1\nname = \"net\"\nduration = \"10 s\"\n{links_and_flows}")
}

#[track_caller]
fn scenario(links_and_flows: &str) -> Scenario {
    crate::read(&text(links_and_flows)).unwrap_or_else(|error| panic!("{error}"))
}

/// A link of 10 ms with these ends, and a queue in both directions.
fn link(name: &str, ends: &str) -> String {
    let (from, to) = ends.split_once(' ').unwrap();
    format!(
        "[links.{name}]\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"10 Mbit/s\"\ndelay = \"10 ms\"\n\
         buffer = \"50 packets\"\nreverse = {{ buffer = \"50 packets\" }}\n"
    )
}

/// Data's way and that of the ACKs, as `ab bc' ...`, with a stroke for the reverse direction.
fn ways(scenario: &Scenario, group: &str) -> (String, String) {
    let group = &scenario.flows[group];
    let show = |way: Vec<DirectedLink<'_>>| {
        let stroke = |at: &DirectedLink<'_>| if at.direction == Direction::Reverse { "'" } else { "" };
        way.iter().map(|at| format!("{}{}", at.link, stroke(at))).collect::<Vec<_>>().join(" ")
    };
    (show(scenario.data_path(group)), show(scenario.ack_path_of(group)))
}

/// Every example of the guide, in a folder with the traces that it names.
#[test]
fn the_guide_can_be_read() {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/networks.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let blocks: Vec<_> =
        guide.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    let [head, examples @ ..] = &blocks[..] else { panic!("no examples") };
    assert!(examples.len() == 12, "{}", examples.len());
    let folder = traces::Folder::new("guide");
    folder.write("cell.down", "1\n2\n2\n5\n");
    folder.write("cell.up", "3\n");
    for example in examples {
        let text = format!("{head}{example}");
        let document = weir_scenario::Document::parse(&folder.path("guide.toml"), &text).unwrap();
        document.scenario().unwrap_or_else(|error| panic!("{error}\n{example}"));
    }
}
