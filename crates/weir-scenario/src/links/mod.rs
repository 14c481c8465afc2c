//! Links: what each of their directions does to packets.

mod docsis;
mod line;
mod link;
mod loss;
mod schedule;
mod trace;

pub use docsis::DocsisSpec;
pub use line::{Aggregation, DelayVariation, NormalDelay, TokenBucketSpec, UniformDelay};
pub use link::{Direction, Link, LinkBuffer, PortSpec, ReverseLink};
pub use loss::{Bernoulli, ChainStep, GilbertElliott, Loss};
pub use schedule::RateChange;
pub(crate) use schedule::{check_schedule, schedule};
