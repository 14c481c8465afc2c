//! Promises to the author of a scenario file.

mod captures;
mod changes;
mod files;
mod hints;
mod identity;
mod live;
mod mistakes;
mod networks;
mod overrides;
mod replay;
mod replay_copies;
mod replay_directions;
mod senders;
mod settings;
mod sweep;
mod traffic;
mod words_of_others;

use weir_scenario::{Document, Scenario, ScenarioError};

/// A small scenario that runs, to be spoilt in tests.
const PLAIN: &str = r#"schema = 1
name = "plain"
duration = "10 s"

[links.bottleneck]
rate = "10 Mbit/s"
delay = "10 ms"
buffer = "50 packets"
queue.red = { min_th = "5 packets", max_th = "15 packets" }

[flows.ftp]
count = 5
rtt = "40 ms"
start = "1 s"
"#;

fn read(text: &str) -> Result<Scenario, ScenarioError> {
    Document::parse("plain.toml", text)?.scenario()
}
