//! Facts about a congestion control, without running it: what it asks of the connection, and what marks are to it.
//! Senders, checks, tools and pages ask here, so that none of them names a control.

use alloc::vec::Vec;

/// Importance of marks to a congestion control, from least to most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Marks {
    /// Nothing: a queue that marks does not slow it down.
    Ignored,
    /// A signal of congestion, as a loss is.
    Heard,
    /// The signal that it is made for; without marks it is another control (RFC 8257, section 3.5: DCTCP is Reno).
    Wanted,
    /// All that it learns of congestion: it is refused without ECN.
    Needed,
    /// It answers how many packets are marked: it is refused without accurate feedback. Segments of a scalable control
    /// are then ECT(1) (RFC 9331).
    Counted,
}

impl Marks {
    /// The fact in one word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ignored => "ignored",
            Self::Heard => "heard",
            Self::Wanted => "wanted",
            Self::Needed => "needed",
            Self::Counted => "counted",
        }
    }
}

/// Meaning of an echo of marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Feedback {
    /// Some segment was marked since the sender last said that it cut its window (RFC 3168).
    #[default]
    Latched,
    /// All segments that this ACK acknowledges for the first time were marked, or none. A duplicate tells of the
    /// segment that caused it (RFC 8257, section 3.2).
    Exact,
    /// ACKs count the marked segments (RFC 9768), if both ends agree: see [`crate::accecn`].
    Accurate,
}

/// Facts about a congestion control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Importance of marks to the control.
    pub marks: Marks,
    /// Meaning of the echoes of marks that it needs, unless feedback is accurate.
    pub feedback: Feedback,
    /// It samples the delivery rate, and paces by it: it is refused without SACK and RACK.
    pub samples: bool,
    /// A mark cuts its window by as much as marks are frequent: it belongs in a low-latency queue (RFC 9331,
    /// section 4.1).
    pub scalable: bool,
    /// It yields to other traffic, by the queueing delay (RFC 6297).
    pub yields: bool,
    /// Name of the same algorithm in Linux's `tcp_congestion_control`; `None` if no kernel has it.
    pub kernel_name: Option<&'static str>,
}

impl Facts {
    /// A control that answers losses and marks, and asks for nothing.
    pub const PLAIN: Self = Self {
        marks: Marks::Heard,
        feedback: Feedback::Latched,
        samples: false,
        scalable: false,
        yields: false,
        kernel_name: None,
    };

    /// The keys of `tcp` beside which the control is what it is made to be, each with its value in TOML.
    pub fn needs(&self) -> Vec<(&'static str, &'static str)> {
        let mut needs = Vec::new();
        if self.samples {
            // Brings SACK with RACK, and pacing as the control's home has it.
            needs.push(("preset", "\"linux\""));
        }
        if self.marks >= Marks::Wanted {
            needs.push(("ecn", "true"));
        }
        if self.marks == Marks::Counted {
            needs.push(("accecn", "true"));
            if !self.samples {
                needs.push(("recovery.sack", "{}"));
            }
        }
        needs
    }
}
