//! Where an AQM holds its queue, for those that derive it.

use weir_types::Level;

use super::QueueConfig;
use crate::{Link, aqm::AqmConfig};

impl QueueConfig {
    /// The band in which the AQM holds the average queue before `link`; `None` for one that has no such band.
    pub fn band(&self, link: Link) -> Option<(Level, Level)> {
        match (self, self.inner()) {
            (Self::AdaptiveRed(red), _) | (_, Some((_, AqmConfig::AdaptiveRed(red)))) => Some(red.band(link)),
            _ => None,
        }
    }
}
