/// What can happen. Of events at one instant the one written first here comes first, then
/// the one with the lower index: the order of a run never depends on how events were stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Event {
    /// A measuring interval ends.
    Boundary,
    /// Values over time are recorded.
    Sample,
    /// A port's transmitter can take the next waiting packet.
    PortFree(u32),
    /// The head of a pipe reaches a port.
    ToPort(u32),
    /// The head of a pipe reaches its receiver.
    ToReceiver(u32),
    /// The head of a pipe, an ACK, reaches its sender.
    ToSender(u32),
    /// A flow begins.
    Start(u32),
    /// A flow has no more to send.
    Stop(u32),
    /// A sender that was held back by its jitter sends.
    SendLater(u32),
    /// A retransmission timer may have expired.
    Timer(u32),
    /// A delayed ACK is due.
    DelayedAck(u32),
}
