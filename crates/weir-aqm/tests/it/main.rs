//! Tests of the queue disciplines through their public interface, in one binary.

mod contracts;
mod hosted;
mod no_alloc;
mod service;
mod support;
mod vectors;
