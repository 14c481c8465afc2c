//! State of a receiver whose ACKs bear options.

use super::{accecn::AccEcn, compression::Compression, log::OptionLog};
use crate::TcpParameters;

/// Reports of a receiver with selective acknowledgements. Few receivers have them, and the others stay small.
#[derive(Clone, Debug)]
pub struct Reporter {
    pub(super) log: OptionLog,
    /// `None` unless accurate ECN feedback is asked for.
    pub(super) accecn: Option<AccEcn>,
    /// `None` unless ACKs are held back.
    pub(super) compression: Option<Compression>,
}

impl Reporter {
    /// Nothing to report yet.
    pub(super) fn new(parameters: &TcpParameters) -> Self {
        Self {
            log: OptionLog::default(),
            accecn: parameters.accecn.then(|| AccEcn::new(parameters)),
            compression: parameters.sack_compression.map(Compression::new),
        }
    }
}
