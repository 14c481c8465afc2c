/// Events. At the same instant, the order of declaration decides, then the lower index: the order of a run
/// never depends on how events are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A measuring interval ends.
    Boundary,
    /// The series are sampled.
    Sample,
    /// A port has packets to send, before they must leave the pipes behind it.
    PortDue(u32),
    /// The head of a pipe reaches a port.
    ToPort(u32),
    /// A packet that was held reaches its endpoint.
    Arrive,
    /// A bulk flow begins.
    Start(u32),
    /// A bulk flow ends.
    Stop(u32),
    /// The jitter of a sender is over.
    SendLater(u32),
    /// A retransmission timer may have expired.
    Timer(u32),
    /// A delayed ACK is due.
    DelayedAck(u32),
    /// A generator begins a flow or sends a datagram.
    Generate(u32),
    /// The head of a pipe without delay reaches a port: after all that the endpoints of this instant send.
    Enter(u32),
    /// The caller wants to look at the simulation.
    Pause,
}

impl Event {
    /// Kind and index in one number, in the order of the declaration.
    #[inline]
    pub(crate) const fn rank(self) -> u64 {
        let (kind, index) = match self {
            Self::Boundary => (0, 0),
            Self::Sample => (1, 0),
            Self::PortDue(index) => (2, index),
            Self::ToPort(index) => (3, index),
            Self::Arrive => (4, 0),
            Self::Start(index) => (5, index),
            Self::Stop(index) => (6, index),
            Self::SendLater(index) => (7, index),
            Self::Timer(index) => (8, index),
            Self::DelayedAck(index) => (9, index),
            Self::Generate(index) => (10, index),
            Self::Enter(index) => (11, index),
            Self::Pause => (12, 0),
        };
        (kind << 32) | index as u64
    }

    /// The event of a rank.
    pub(crate) const fn of_rank(rank: u64) -> Self {
        let index = rank as u32;
        match rank >> 32 {
            0 => Self::Boundary,
            1 => Self::Sample,
            2 => Self::PortDue(index),
            3 => Self::ToPort(index),
            4 => Self::Arrive,
            5 => Self::Start(index),
            6 => Self::Stop(index),
            7 => Self::SendLater(index),
            8 => Self::Timer(index),
            9 => Self::DelayedAck(index),
            10 => Self::Generate(index),
            11 => Self::Enter(index),
            _ => Self::Pause,
        }
    }
}
