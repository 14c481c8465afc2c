//! Presets of TCP: fills in what a file leaves to `tcp.preset`. This happens in the tree of the file, after
//! all overrides, so that written values count wherever they come from. A filled-in value stands where
//! `preset` is written, so that an error points there.

use std::{ops::Range, sync::LazyLock};

use serde::Serialize;
use serde_json::{Map, Value};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};
use weir_tcp::{TcpPreset, congestion::CongestionConfig, recovery::RecoveryConfig};

use crate::{
    overrides::{displace, key},
    schema::Place,
};

/// The values of a preset, with every congestion control and every loss recovery.
struct Values {
    preset: TcpPreset,
    text: String,
}

static VALUES: LazyLock<Vec<Values>> = LazyLock::new(|| TcpPreset::ALL.into_iter().map(Values::of).collect());

impl Values {
    fn of(preset: TcpPreset) -> Self {
        let mut table = plain(preset.parameters());
        let congestion = CongestionConfig::NAMES.iter().filter_map(|name| CongestionConfig::from_name(name));
        let recovery = RecoveryConfig::NAMES.iter().filter_map(|name| RecoveryConfig::from_name(name));
        let congestion: Map<_, _> =
            congestion.flat_map(|chosen| plain(preset.congestion_with(&chosen))).collect();
        let recovery: Map<_, _> = recovery.flat_map(|chosen| plain(preset.recovery_with(&chosen))).collect();
        table.insert("congestion".into(), congestion.into());
        table.insert("recovery".into(), recovery.into());
        Self { preset, text: toml::to_string(&table).expect("parameters are valid TOML") }
    }
}

fn plain(parameters: impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(parameters) {
        Ok(Value::Object(table)) => table,
        _ => unreachable!("parameters are a table"),
    }
}

/// Fills in what the flow groups leave to their presets. A name that no preset has stays for the reader of
/// the tree to refuse.
pub(crate) fn fill(tree: &mut DeTable<'_>) {
    let Some(DeValue::Table(flows)) = tree.get_mut("flows").map(Spanned::get_mut) else { return };
    let groups = Place::root().below("flows");
    for (name, group) in flows.iter_mut() {
        let DeValue::Table(group) = group.get_mut() else { continue };
        let Some(DeValue::Table(tcp)) = group.get_mut("tcp").map(Spanned::get_mut) else { continue };
        let Some(named) = tcp.get("preset") else { continue };
        let preset = named.get_ref().as_str().and_then(TcpPreset::from_name);
        let Some(values) = VALUES.iter().find(|values| Some(values.preset) == preset) else { continue };
        let span = named.span();
        let defaults = DeTable::parse(&values.text).expect("written as TOML").into_inner();
        let parameters = values.preset.parameters();
        let chosen = [("congestion", parameters.congestion.name()), ("recovery", parameters.recovery.name())];
        for (choice, name) in chosen {
            if !tcp.contains_key(choice) {
                let only = DeTable::from_iter([(key(name, span.clone()), empty(span.clone()))]);
                tcp.insert(key(choice, span.clone()), Spanned::new(span.clone(), DeValue::Table(only)));
            }
        }
        fill_table(groups.below(name.get_ref()).below("tcp"), tcp, defaults, &span);
    }
}

fn empty(span: Range<usize>) -> Spanned<DeValue<'static>> {
    Spanned::new(span, DeValue::Table(DeTable::new()))
}

/// Adds to `written` what it lacks of `defaults`. In a table that holds a choice, nothing else is chosen.
fn fill_table<'i>(place: Place, written: &mut DeTable<'i>, defaults: DeTable<'i>, span: &Range<usize>) {
    let is_choice = place.is_choice();
    for (name, mut default) in defaults {
        let name: &str = name.get_ref();
        match (written.get_mut(name).map(Spanned::get_mut), default.get_mut()) {
            (Some(DeValue::Table(written)), DeValue::Table(defaults)) => {
                fill_table(place.below(name), written, std::mem::take(defaults), span);
            }
            (None, _) if !is_choice => {
                written.insert(key(name, span.clone()), displace(default, &|_| span.clone()));
            }
            _ => {}
        }
    }
}
