//! Identity: what makes two scenarios, and two runs, the same.

use std::path::Path;

use weir_scenario::{Document, run_key};

use crate::{PLAIN, read};

#[test]
fn the_hash_counts_only_what_differs_from_defaults() {
    let plain = read(PLAIN).unwrap().hash();
    let said = PLAIN
        .replace("max_th =", "w_q = 0.002, max_th =")
        .replace("count = 5", "count = 5\npacket_size = \"1500 B\"");
    assert_eq!(read(&said).unwrap().hash(), plain, "saying a default changes nothing");
    let renamed = PLAIN.replace("name = \"plain\"", "name = \"other\"\nseed = 9");
    assert_eq!(read(&renamed).unwrap().hash(), plain, "names and seeds do not count");
    let other = PLAIN.replace("\"15 packets\"", "\"16 packets\"");
    assert_ne!(read(&other).unwrap().hash(), plain);
}

/// Results are stored under these: another hash makes stored runs unfindable. They may change only where the version
/// of the results does.
#[test]
fn hashes_stay() {
    let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/weir/scenarios");
    let rem = Document::load(&scenarios.join("rem-wireline.toml")).unwrap();
    assert_eq!(rem.scenario().unwrap().hash(), "bc13967979b60b72");
    for (variant, hash) in [
        ("drop-tail", "bc13967979b60b72"),
        ("red-20-80-drop", "488bbfc88279154e"),
        ("red-20-80-mark", "ec532792b76ad101"),
        ("rem-drop", "bc746e02f23c9434"),
        ("rem-mark", "3894a6593131e296"),
    ] {
        assert_eq!(rem.variant(variant).unwrap().hash(), hash, "{variant}");
    }
    for (file, hash) in [
        ("gigabit-100", "b6dc2d1b9a4e010f"),
        ("wireline-access", "1e0bd36f4ad502b4"),
        ("wireline-delay", "12ef09d46672f8a9"),
        ("wireline-delay-rem", "84480f98ac00c81b"),
    ] {
        let document = Document::load(&scenarios.join(format!("bench/{file}.toml"))).unwrap();
        assert_eq!(document.scenario().unwrap().hash(), hash, "{file}");
    }
}

#[test]
fn a_run_is_its_scenario_its_seed_and_the_version_of_its_results() {
    let key = run_key("b2fd8285cb75e231", 1, 1);
    // printf "b2fd8285cb75e231 1 1" | sha256sum: 049f3a717dd32699..., and da2655c73f1c3b5c...
    assert_eq!(key, 0x049f_3a71_7dd3_2699);
    assert_eq!(run_key("b2fd8285cb75e231", 6, 1), 0x5a26_55c7_3f1c_3b5c);
    for other in [
        run_key("b2fd8285cb75e232", 1, 1),
        run_key("b2fd8285cb75e231", 2, 1),
        run_key("b2fd8285cb75e231", 1, 2),
        run_key("b2fd8285cb75e231", 11, 1),
    ] {
        assert_ne!(key, other);
    }
    assert!((0..1000).all(|seed| run_key("b2fd8285cb75e231", seed, 1) >= 0));
}
