//! Presets: defaults of a whole TCP implementation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A set of defaults. A preset gives every value that is not written, also within the chosen congestion
/// control and loss recovery; what is written counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TcpPreset {
    /// The RFCs: the defaults of each value.
    #[default]
    Rfc,
    /// One-way TCP of ns-2.35: Reno with `NewReno` recovery, packets for bytes, a clock of 10 ms. Without
    /// its `window_` of 20 packets, which scenarios state: see `receive_window`.
    Ns2,
    /// Linux 7.2: CUBIC with `HyStart`, SACK with RACK, TLP and PRR, delayed ACKs. ECN stays off, as
    /// `tcp_ecn` has it for connections that a host opens.
    Linux,
}

impl TcpPreset {
    /// All presets.
    pub const ALL: [Self; 3] = [Self::Rfc, Self::Ns2, Self::Linux];

    /// Its name in scenario files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rfc => "rfc",
            Self::Ns2 => "ns2",
            Self::Linux => "linux",
        }
    }

    /// The preset called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }
}

/// Parameters whose values depend on the preset.
pub(crate) trait InPreset: Default {
    /// Their values in a preset: the defaults, where its implementation has no others.
    fn in_preset(preset: TcpPreset) -> Self {
        let _ = preset;
        Self::default()
    }
}

/// The key `preset` of a scenario file. The reader of the file fills in the preset's values before it reads
/// the table, so that nothing of the key remains in the parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PresetKey;

impl<'de> Deserialize<'de> for PresetKey {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        TcpPreset::deserialize(deserializer).map(|_| Self)
    }
}

impl JsonSchema for PresetKey {
    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        TcpPreset::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        TcpPreset::json_schema(generator)
    }
}
