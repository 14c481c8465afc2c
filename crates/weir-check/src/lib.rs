#![doc = include_str!("../README.md")]

mod aqm;
mod bounds;
mod cake;
mod chance;
mod changes;
mod drops;
mod ecn;
mod level;
mod levels;
mod lines;
mod load;
mod measured;
mod modem;
mod note;
mod overflow;
mod path;
mod phase;
mod port;
mod rates;
mod rules;
mod scene;
mod senders;
pub mod words;

use weir_scenario::{Document, Scenario};

pub use cake::shaped_bps;
pub use level::in_words;
pub use load::offered_bps;
pub use modem::{grant_wait_s, granted_bps};
pub use note::{Note, Severity};
pub use rules::{RULES, Rule};

use note::Notes;
use scene::Scene;

/// Notes on what may mislead in `scenario`, which was read from `document` with the overrides of `variant`. They are in
/// the order of [`RULES`].
///
/// `estimated_bytes` tells the mean size of data packets at a port with packets of several sizes, by its name. It is
/// asked by rules on times that a full buffer takes to send. Without an answer, each flow counts alike.
pub fn notes(
    scenario: &Scenario,
    document: &Document,
    variant: Option<&str>,
    estimated_bytes: &dyn Fn(&str) -> Option<f64>,
) -> Vec<Note> {
    let scene = Scene::of(scenario, document.written(variant), estimated_bytes);
    let mut found = Notes::default();
    for rule in RULES {
        rule.apply(&scene, &mut found);
    }
    found.different()
}
