//! The Python binding: `weir._core`. Types go in and out here; nothing is decided.

mod errors;
mod network;
mod python_aqm;
mod queue;
mod run;
mod scenario;
mod statistics;
mod vocabulary;

use pyo3::prelude::*;

/// The Rust core of Weir.
#[pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    use super::{
        errors::{CaptureError, ScenarioError},
        network::{Bottleneck, LoadChange, Network, Path, Port, network_of},
        python_aqm::{BacklogView, LinkView, PacketView, SeenView},
        queue::QueueCore,
        run::{Batch, Run, tables},
        scenario::Scenario,
        statistics::student_t,
        vocabulary::{choices_of, disciplines, quantity, run_keys, schema},
    };

    #[pymodule_init]
    fn init(module: &super::Bound<'_, super::PyModule>) -> super::PyResult<()> {
        use super::PyModuleMethods;
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("results_version", weir_sim::RESULTS_VERSION)
    }
}
