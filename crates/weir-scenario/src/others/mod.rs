//! Names that other tools have for queues, filters of ACKs, congestion controls, loss recoveries and presets: what is
//! ours, or what the thing is that Weir has not.

mod keys;
mod queues;
mod table;
mod tcp;

use std::str::FromStr;

use weir_aqm::qdisc::QueueConfig;
use weir_tcp::{TcpPreset, congestion::CongestionConfig, recovery::RecoveryConfig};
use weir_types::UnitError;

pub(crate) use keys::word_of_others;

use crate::{meant::plain, schema::Place};
use queues::{FILTERS, QUEUES};
use table::Table;
use tcp::{CONTROLS, PRESETS, RECOVERIES};

/// Kind of thing that a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// A queue discipline.
    Queue,
    /// A mode of a filter of ACKs.
    Filter,
    /// A congestion control.
    Congestion,
    /// A loss recovery.
    Recovery,
    /// A preset of TCP.
    Preset,
}

impl FromStr for Named {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        Self::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            UnitError::new(format!("\"{text}\" is no kind of name"), format!("known: {names}"))
        })
    }
}

impl Named {
    const ALL: [Self; 5] = [Self::Queue, Self::Filter, Self::Congestion, Self::Recovery, Self::Preset];

    const fn name(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::Filter => "filter",
            Self::Congestion => "congestion",
            Self::Recovery => "recovery",
            Self::Preset => "preset",
        }
    }

    /// The kind whose names `known` are, the names of users' own classes aside.
    pub(crate) fn of(known: &[&str]) -> Option<Self> {
        let all_of = |ours: Vec<_>| known.iter().all(|name| *name == "python" || ours.contains(name));
        Self::ALL.into_iter().find(|kind| all_of(kind.ours()))
    }

    /// The names in Weir.
    pub fn ours(self) -> Vec<&'static str> {
        match self {
            Self::Queue => QueueConfig::NAMES.to_vec(),
            Self::Filter => Place::at(&["links", "l", "queue", "ack-filter", "mode"]).texts(),
            Self::Congestion => CongestionConfig::NAMES.to_vec(),
            Self::Recovery => RecoveryConfig::NAMES.to_vec(),
            Self::Preset => TcpPreset::ALL.iter().map(|preset| preset.name()).collect(),
        }
    }

    const fn others(self) -> Table {
        match self {
            Self::Queue => QUEUES,
            Self::Filter => FILTERS,
            Self::Congestion => CONTROLS,
            Self::Recovery => RECOVERIES,
            Self::Preset => PRESETS,
        }
    }
}

/// Hint at the name to write for `name`, as another tool calls it; `None` for a name that is ours or unknown.
pub fn name_of_others(kind: Named, name: &str) -> Option<&'static str> {
    let wanted = plain(name);
    if kind.ours().into_iter().any(|ours| plain(ours) == wanted) {
        return None;
    }
    let has = |names: &[&str], wanted: &str| names.iter().any(|other| plain(other) == wanted);
    // Linux's modules and ns-3's classes put the kind before or behind the name.
    let bare = ["tcp", "sch", "ns3"].iter().find_map(|prefix| wanted.strip_prefix(prefix));
    let bare = bare.map(|bare| bare.trim_start_matches(':'));
    let cut = ["queuedisc", "qdisc", "aqm"].iter().find_map(|suffix| wanted.strip_suffix(suffix));
    let spellings: Vec<_> = [Some(&*wanted), bare, cut].into_iter().flatten().collect();
    let known = |(names, _): &&(&[&str], &str)| spellings.iter().any(|name| has(names, name));
    kind.others().iter().find(known).map(|(_, hint)| *hint)
}

/// Where a name belongs that was written where one of `kind` belongs: a congestion control as a queue, or a queue as a
/// congestion control.
pub fn of_another_kind(kind: Named, name: &str) -> Option<String> {
    let (other, is, place) = match kind {
        Named::Queue => {
            (Named::Congestion, "a congestion control, which flows have", "flows.GROUP.tcp.congestion")
        }
        Named::Congestion => (Named::Queue, "a queue discipline, which links have", "links.LINK.queue"),
        Named::Filter | Named::Recovery | Named::Preset => return None,
    };
    let wanted = plain(name);
    // Such as `rem`, where `rem-host` is known.
    if wanted == "python" || kind.ours().into_iter().any(|ours| ours.split('-').next() == Some(&*wanted)) {
        return None;
    }
    if let Some(ours) = other.ours().into_iter().find(|ours| plain(ours) == wanted) {
        return Some(format!("`{ours}` is {is}: {place}.{ours} = {{}}"));
    }
    if let Some(hint) = name_of_others(other, name) {
        let what =
            hint.strip_prefix("that is ").map_or_else(|| format!("; {hint}"), |what| format!(": {what}"));
        return Some(format!("that is {is}{what}"));
    }
    (kind == Named::Congestion).then(|| of_tcp(name)).flatten()
}

/// The name of a loss recovery or a preset that was written where a congestion control belongs.
fn of_tcp(name: &str) -> Option<String> {
    let preset = TcpPreset::ALL.iter().find(|preset| plain(preset.name()) == plain(name));
    preset.map(|preset| format!("that is a preset: tcp.preset = \"{}\"", preset.name())).or_else(|| {
        let of_preset = || {
            name_of_others(Named::Preset, name)
                .map(|hint| format!("that is no congestion control; as tcp.preset: {hint}"))
        };
        name_of_others(Named::Recovery, name).map(str::to_owned).or_else(of_preset)
    })
}

#[cfg(test)]
mod tests {
    use super::{tcp::BBR, *};

    #[test]
    fn a_hint_names_what_there_is() {
        for kind in Named::ALL {
            let ours = kind.ours();
            for (names, hint) in kind.others() {
                for name in *names {
                    assert!(!ours.contains(name), "{name} is ours");
                    assert_eq!(name_of_others(kind, name), Some(*hint), "{name}");
                }
            }
        }
        assert_eq!(name_of_others(Named::Queue, "sch_sqm"), name_of_others(Named::Queue, "sqm"));
        assert_eq!(name_of_others(Named::Congestion, "TcpBbr"), Some(BBR));
        assert_eq!(name_of_others(Named::Queue, "fq_codel"), None);
    }
}
