//! Tests of the queue disciplines through their public interface, in one binary.

mod contracts;
mod docsis;
mod no_alloc;
mod python;
mod service;
mod support;
mod vectors;
