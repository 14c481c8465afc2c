use std::{sync::Arc, time::Duration};

use pyo3::prelude::*;
use weir_sim::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// The memory that runs may take together.
#[pyclass(frozen, module = "weir._core")]
pub(crate) struct Memory(pub(crate) Arc<weir_sim::Memory>);

#[pymethods]
impl Memory {
    #[new]
    fn new(limit: u64) -> Self {
        Self(Arc::new(weir_sim::Memory::new(limit)))
    }

    #[getter]
    fn limit(&self) -> u64 {
        self.0.limit()
    }

    #[getter]
    fn taken(&self) -> u64 {
        self.0.taken()
    }

    #[getter]
    fn largest(&self) -> u64 {
        self.0.largest()
    }

    fn set_elsewhere(&self, taken: u64, largest: u64) {
        self.0.set_elsewhere(taken, largest);
    }
}

/// A run that took more memory than it may.
#[pyclass(frozen, module = "weir._core")]
pub(crate) struct Exceeded(pub(crate) weir_sim::Exceeded, pub(crate) Duration);

#[pymethods]
impl Exceeded {
    #[getter]
    fn at_s(&self) -> f64 {
        self.1.as_secs_f64()
    }

    #[getter]
    fn bytes(&self) -> u64 {
        self.0.bytes
    }

    #[getter]
    fn all_bytes(&self) -> u64 {
        self.0.all
    }

    #[getter]
    fn others(&self) -> usize {
        self.0.others
    }

    #[getter]
    fn mostly(&self) -> &'static str {
        self.0.mostly.name()
    }
}
