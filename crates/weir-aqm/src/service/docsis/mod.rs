//! The upstream of a cable modem: a packet waits in its queue until the CMTS has granted what the modem asked for.
//!
//! ```text
//! MAP interval k       from k M to (k + 1) M
//! request              once in an interval, at r(k):  bytes that wait - bytes asked for or granted
//! known at k M         requests made until k M - L
//! grant g(k)           min(max(bytes known and not granted, PGS), tokens, most)
//! burst                the first min(g(k), bytes that wait) bytes, from s(k) on, at the rate of the channel
//! s(k)                 k M with PGS, k M + u(k) (M - time of `most` on the channel) without
//! r(k)                 s(k) with a grant (piggybacked), k M + u(k) M without (contention)
//! ```
//!
//! M is `map_interval`, L `request_to_grant`, and PGS the bytes of the guaranteed rate in an interval. u(k) is uniform
//! on [0, 1), and `most` is the largest grant that channel, peak and bucket allow. A packet continues in the next grant
//! where one is too short. It is taken from the queue when its first byte leaves.
//!
//! The loop is that of the ns-3 model `docsis-ns3` for ns-3.41 (`doc/source/model-overview.rst`). There, too, a request
//! without a grant never collides, grants lie at random in their interval, and unused bytes of a grant are tokens
//! again. Proactive grants keep the period of the intervals, and what was asked for is added to them. Left out are
//! OFDMA frames, minislots, the time to prepare a burst and headers of MAC frames. Of other modems only the place of a
//! grant is left. Tokens, peak and bucket bound proactive grants, too; there they do not.

mod clock;
mod exchange;
mod parameters;

pub(crate) use clock::Upstream;
pub use parameters::Docsis;
