//! Values of the presets, control by control and recovery by recovery.

use std::fmt::Write as _;

use weir_tcp::{TcpPreset, congestion::CongestionConfig, recovery::RecoveryConfig};

/// A value of a preset changes only on purpose, and then its reason stands beside it in the source.
#[test]
fn each_preset_has_its_own_values() {
    let mut lines = String::new();
    for preset in TcpPreset::ALL {
        writeln!(lines, "{}\n  {:?}", preset.name(), preset.parameters()).expect("a string");
        for name in CongestionConfig::NAMES {
            let chosen = CongestionConfig::from_name(name).expect("in the registry");
            writeln!(lines, "  {:?}", preset.congestion_with(&chosen)).expect("a string");
        }
        for name in RecoveryConfig::NAMES {
            let chosen = RecoveryConfig::from_name(name).expect("in the registry");
            writeln!(lines, "  {:?}", preset.recovery_with(&chosen)).expect("a string");
        }
    }
    insta::assert_snapshot!(lines);
}
