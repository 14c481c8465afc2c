//! An AQM that somebody hosts is an AQM like any other.

use std::sync::Arc;

use proptest::prelude::*;
use weir_aqm::{
    Aqm, Limit, Link,
    aqm::{AqmConfig, AqmFactory, ClassArgument, LoadedClass, PythonParameters},
    qdisc::{Fifo, QueueConfig},
};
use weir_types::{Rng, Streams};

use crate::{
    contracts::{Rules, keeps_its_word, operations, random},
    support::link,
};

/// Hosts an AQM of this crate.
struct Own(AqmConfig);

impl AqmFactory for Own {
    fn build(&self, link: Link, rng: Rng) -> Box<dyn Aqm> {
        Box::new(self.0.build(link, rng))
    }
}

fn hosted(aqm: AqmConfig) -> AqmConfig {
    let factory = LoadedClass(Some(Arc::new(Own(aqm))));
    AqmConfig::Python(PythonParameters { class: "lab:Own".into(), factory, ..PythonParameters::default() })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Every hook reaches it, and what it says is done.
    #[test]
    fn a_hosted_aqm_is_the_aqm_itself(config in random::config(), seed: u64, operations in operations()) {
        let link = Link { limit: Limit::Packets(40), ..link() };
        let rules = Rules { marks: true, line: |_| 0 };
        let trace = |config: &AqmConfig| {
            let fifo = || Fifo::new(config.build(link, Streams::new(seed).at("aqm")), link.limit);
            keeps_its_word(fifo, &rules, &operations)
        };
        prop_assert_eq!(trace(&config), trace(&hosted(config)));
    }
}

#[test]
fn a_class_is_named_by_its_import_path() {
    for class in ["", "lab", "lab:", ":Own"] {
        let config = QueueConfig::Python(PythonParameters { class: class.into(), ..Default::default() });
        let invalid = config.check().expect_err(class);
        assert_eq!(invalid.parameter, "class");
        assert!(invalid.hint.contains("module:Class"));
    }
    let parameters = [("gain".to_owned(), ClassArgument::Number(f64::INFINITY))].into();
    let endless = PythonParameters { class: "lab:Own".into(), parameters, ..Default::default() };
    assert_eq!(QueueConfig::Python(endless).check().unwrap_err().parameter, "parameters");
    assert_eq!(hosted(AqmConfig::from_name("red").unwrap()).check(), Ok(()));
}

/// Values keep their kind on the way to the class.
#[test]
fn settings_are_what_was_written() {
    let table =
        serde_json::json!({ "class": "lab:Own", "parameters": { "a": 1, "b": 1.0, "c": true, "d": "1 ms" } });
    let parameters: PythonParameters = serde_json::from_value(table.clone()).unwrap();
    assert_eq!(serde_json::to_value(&parameters).unwrap()["parameters"], table["parameters"]);
    let refused =
        serde_json::from_value::<PythonParameters>(serde_json::json!({ "class": "lab:Own", "gain": 1 }));
    assert!(refused.unwrap_err().to_string().contains("unknown field `gain`"));
}
