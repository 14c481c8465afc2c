//! The Python binding: `weir._core`. Types go in and out here; nothing is decided.

mod capture;
mod check;
mod errors;
mod lesson;
#[cfg(target_os = "linux")]
mod live;
mod memory;
mod network;
mod python_aqm;
mod queue;
mod run;
mod scenario;
mod statistics;
mod theory;
mod vocabulary;

use pyo3::prelude::*;

/// The Rust core of Weir.
#[pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    use super::{
        capture::transfers,
        check::{
            level_in_words, note_codes, notes_of, packets_in_words, rate_in_words, scaled, time_in_words,
        },
        errors::{CaptureError, ScenarioError},
        lesson::lesson,
        memory::{Exceeded, Memory},
        network::{
            Bottleneck, LoadChange, Network, Path, Port, RecordingSelection, RecordingShare, network_of,
        },
        python_aqm::{BacklogView, LinkView, PacketView, SeenView, signal_descriptor},
        queue::QueueCore,
        run::{Batch, Run, tables},
        scenario::Scenario,
        statistics::student_t,
        theory::{fluid_queue, fluid_system, fluid_timeline, integrate, pi_gains},
        vocabulary::{
            CongestionFacts, cake_bytes, choices_of, congestion_facts, disciplines, name_of_others, quantity,
            run_keys, schema,
        },
    };

    #[cfg(target_os = "linux")]
    #[pymodule_export]
    use super::live::{LiveRun, LiveWays, Relay};

    #[pymodule_init]
    fn init(module: &super::Bound<'_, super::PyModule>) -> super::PyResult<()> {
        use super::PyModuleMethods;
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("interface", super::crc32(include_bytes!("../../../python/weir/_core.pyi")))?;
        module.add("PACKET_BYTES", weir_scenario::PACKET_MEMORY)?;
        module.add("PIE_SCALE", weir_theory::PIE_SCALE.to_vec())?;
        module.add("results_version", weir_sim::RESULTS_VERSION)
    }
}

/// The checksum that Python's zlib computes: of `_core.pyi`, it tells an extension of other sources.
const fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = !0_u32;
    let mut at = 0;
    while at < bytes.len() {
        sum ^= bytes[at] as u32;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
            bit += 1;
        }
        at += 1;
    }
    !sum
}
