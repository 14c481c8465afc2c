//! Values that could stand in place of others: for those who offer them, such as menus and sliders.

use weir_tcp::congestion::CongestionConfig;

use crate::Document;

/// A value that another one needs beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// Dotted path.
    pub path: String,
    /// The value in TOML; `None` if the key goes.
    pub value: Option<&'static str>,
    /// The value in words.
    pub name: &'static str,
}

/// Values without which `value` at `path` is refused, or is not what it is made to be. A choice is the path of its
/// table: `flows.web.tcp.congestion.prague`.
pub fn needs(path: &str, value: &str) -> Vec<Need> {
    let names: Vec<_> = path.split('.').collect();
    let beside = |last: &str, (key, value): (&str, &'static str)| {
        let table = path.strip_suffix(last).unwrap_or(path);
        Need { path: format!("{table}{key}"), value: Some(value), name: in_words(key, value) }
    };
    match *names {
        ["flows", _, "tcp", "congestion", name] => {
            let needs = CongestionConfig::from_name(name).map(|control| control.facts().needs());
            let last = format!("congestion.{name}");
            needs.unwrap_or_default().into_iter().map(|need| beside(&last, need)).collect()
        }
        ["flows", _, "tcp", key] => {
            weir_tcp::TcpParameters::needs(key, value).map(|need| beside(key, need)).into_iter().collect()
        }
        [.., "queue", discipline, key] => {
            weir_aqm::aqm::needs(discipline, key, value).map(|need| beside(key, need)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn in_words(key: &str, value: &'static str) -> &'static str {
    match (key, value) {
        ("ecn", "true") => "ECN",
        ("ecn", _) => "no ECN",
        ("accecn", "true") => "accurate ECN",
        ("accecn", _) => "no accurate ECN",
        ("mark_at", _) => "marks at arrival",
        ("recovery.sack", _) => "SACK",
        ("preset", "\"linux\"") => "the preset linux",
        _ => value,
    }
}

/// Values that a slider can have, in their order.
#[derive(Clone, Copy, Debug)]
pub struct Scale<'a> {
    /// The lowest one.
    pub low: f64,
    /// The highest one.
    pub high: f64,
    /// Values between have two digits, and are as dense at each order of magnitude; else they are a hundred equal steps.
    pub log: bool,
    /// All are whole numbers.
    pub whole: bool,
    /// Unit; empty for a number.
    pub unit: &'a str,
}

impl Scale<'_> {
    /// The values between the ends, and the ends.
    fn values(&self) -> Vec<f64> {
        let Self { low, high, log, whole, .. } = *self;
        let mut found = vec![low];
        if log && low > 0.0 {
            let first = low.log10().floor() as i32 - 1;
            let last = high.log10().ceil() as i32;
            let parts = (first..last).flat_map(|power| (10..100).map(move |part| (part, power)));
            found.extend(parts.filter_map(|(part, power)| format!("{part}e{power}").parse::<f64>().ok()));
        } else {
            found.extend((1..100).map(|step| low + (high - low) * f64::from(step) / 100.0));
        }
        found.push(high);
        if whole {
            for value in &mut found {
                *value = value.round();
            }
        }
        found.retain(|value| (low..=high).contains(value));
        found.sort_by(f64::total_cmp);
        found.dedup();
        found
    }

    fn text(&self, value: f64) -> String {
        if self.unit.is_empty() { format!("{value}") } else { format!("\"{value} {}\"", self.unit) }
    }
}

impl Document {
    /// The lowest and the highest value of a scale around `now`, which is valid. All of `paths` have the value together,
    /// in each of these variants; `None` is the scenario without a variant. Values between the two are taken to be valid.
    pub fn span(
        &self,
        variants: &[Option<&str>],
        paths: &[String],
        scale: Scale<'_>,
        now: f64,
    ) -> (f64, f64) {
        let values = scale.values();
        let is_valid = |value: f64| {
            let text = scale.text(value);
            let set: Vec<_> = paths.iter().map(|path| (path.clone(), text.clone())).collect();
            let document = self.with_overrides(&set);
            let read =
                |name: Option<&str>| name.map_or_else(|| document.scenario(), |name| document.variant(name));
            variants.iter().all(|variant| read(*variant).is_ok())
        };
        let below: Vec<_> = values.iter().copied().filter(|value| *value < now).collect();
        let above: Vec<_> = values.iter().rev().copied().filter(|value| *value > now).collect();
        let end = |from_outside: &[f64]| match from_outside.first() {
            Some(outermost) if is_valid(*outermost) => *outermost,
            _ => {
                let inner = from_outside.partition_point(|value| !is_valid(*value));
                from_outside.get(inner).copied().unwrap_or(now)
            }
        };
        (end(&below), end(&above))
    }
}
