#![doc = include_str!("../README.md")]

mod capture;
mod changes;
mod check;
mod defaults;
mod demand;
mod document;
mod error;
mod files;
mod identity;
mod lifetimes;
mod links;
mod listed;
mod live;
mod meant;
mod measure;
mod network;
mod others;
mod overrides;
mod population;
mod presets;
mod problem;
mod queue_changes;
mod reader;
mod scenario;
mod schema;
mod settings;
mod sweep;
mod syntax;
mod topology;
mod traffic;
mod wording;

pub use capture::{Found, LeftOut, OtherDirection, Subnet, Transfer, Transfers, pcapng};
pub use changes::{Change, DirectionChange, FlowsChange, LinkChange, QueueChange};
pub use check::longest_run;
pub use demand::{Demand, PACKET_MEMORY};
pub use document::{Document, read_queue};
pub use error::ScenarioError;
pub use files::Content;
pub use identity::run_key;
pub use lifetimes::Lifetime;
pub use links::{
    Aggregation, Bernoulli, ChainStep, DelayVariation, Direction, DocsisSpec, GilbertElliott, Link,
    LinkBuffer, Loss, NormalDelay, PortSpec, RateChange, ReverseLink, TokenBucketSpec, UniformDelay,
};
pub use listed::{LeftInList, Listed};
pub use live::{KernelLink, Live, Way};
pub use measure::{Measure, Series};
pub use network::{Bottleneck, LoadChange, MOST_RATE_CHANGES, Network, Path, Port};
pub use others::{Named, name_of_others, of_another_kind};
pub use population::{CountAt, CountSteps, PopulationChange};
pub use scenario::{SCHEMA_VERSION, Scenario, Variants};
pub use schema::{Role, choices_of, is_random, roles, schema};
pub use settings::{Need, Scale, needs};
pub use sweep::{Axes, AxisValues, Sweep, SweepMethod};
pub use topology::DirectedLink;
pub use traffic::{
    Access, ArrivalRate, Bulk, Cbr, Cdf, CdfFile, ClosedLoop, Exponential, ExponentialSize, FlowGroup, Gaps,
    ListedTransfer, LogNormal, LogNormalSize, ObjectCount, OnOff, PageTime, ParetoSize, Poisson, Recording,
    Replay, Rtt, RttDistribution, Selection, Share, Size, SizeDistribution, Sizes, ThreeGpp, Towards, Trace,
    TracePacket, Traffic, TransferList, Uniform, Web,
};
