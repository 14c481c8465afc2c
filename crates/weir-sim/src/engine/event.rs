/// Events. At the same instant, the order of declaration decides, then the lower index: the order of a run
/// never depends on how events are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A queue or a way changes.
    Change(u32),
    /// A measuring interval ends.
    Boundary,
    /// A part of what is measured ends.
    Part,
    /// The series are sampled.
    Sample,
    /// Some retransmission timers may expire soon.
    Timers,
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
    /// A packet leaves a line on which packets overtake.
    Release(u32),
    /// The caller wants to look at the simulation.
    Pause,
}

impl Event {
    /// Kind and index in one number, in the order of the declaration.
    #[inline]
    pub(crate) const fn rank(self) -> u64 {
        let (kind, index) = match self {
            Self::Change(index) => (0, index),
            Self::Boundary => (1, 0),
            Self::Part => (2, 0),
            Self::Sample => (3, 0),
            Self::Timers => (4, 0),
            Self::PortDue(index) => (5, index),
            Self::ToPort(index) => (6, index),
            Self::Arrive => (7, 0),
            Self::Start(index) => (8, index),
            Self::Stop(index) => (9, index),
            Self::SendLater(index) => (10, index),
            Self::Timer(index) => (11, index),
            Self::DelayedAck(index) => (12, index),
            Self::Generate(index) => (13, index),
            Self::Enter(index) => (14, index),
            Self::Release(index) => (15, index),
            Self::Pause => (16, 0),
        };
        (kind << 32) | index as u64
    }

    /// The event of a rank.
    pub(crate) const fn of_rank(rank: u64) -> Self {
        let index = rank as u32;
        match rank >> 32 {
            0 => Self::Change(index),
            1 => Self::Boundary,
            2 => Self::Part,
            3 => Self::Sample,
            4 => Self::Timers,
            5 => Self::PortDue(index),
            6 => Self::ToPort(index),
            7 => Self::Arrive,
            8 => Self::Start(index),
            9 => Self::Stop(index),
            10 => Self::SendLater(index),
            11 => Self::Timer(index),
            12 => Self::DelayedAck(index),
            13 => Self::Generate(index),
            14 => Self::Enter(index),
            15 => Self::Release(index),
            _ => Self::Pause,
        }
    }
}
