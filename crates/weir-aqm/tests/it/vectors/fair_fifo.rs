//! Fair queueing with one queue: a FIFO.

use proptest::prelude::*;
use weir_aqm::{
    Discipline, Limit, PacketInfo,
    aqm::{AqmConfig, PieParameters},
    qdisc::{AqmBacklog, FairQueue, Fifo, Scheduler},
};
use weir_types::{Duration, Ecn, Instant};

use super::fair::{build, codel, scheduler};
use crate::support::{Numbered, Trace, packet, stream};

/// AQMs under which a queue by itself is the same in a [`FairQueue`]: those that do not ask when
/// the line is idle. There a queue that refuses a packet is told at once.
const CAREFREE: [&str; 6] = ["drop-tail", "rem", "codel", "pie", "pi", "pi2"];

/// Runs the same arrivals and departures on both and compares what they do.
fn is_a_fifo(aqm: &AqmConfig, backlog: AqmBacklog, seed: u64) {
    let limit = Limit::Packets(1000);
    let mut fifo = Fifo::new(build(aqm), limit);
    let mut fair =
        FairQueue::new(&Scheduler { flows: 1, aqm_backlog: backlog, ..scheduler() }, limit, 1, |_| {
            build(aqm)
        });
    let mut draws = stream(&format!("arrivals.{seed}"));
    let (mut one, mut other, mut now) = (Trace::default(), Trace::default(), Instant::ZERO);
    for id in 0..3000 {
        now += Duration::from_micros(125).mul_f64(draws.uniform() * 2.0);
        while let Some(due) = fifo.next_update().filter(|due| *due <= now) {
            assert_eq!(fair.next_update(), Some(due));
            fifo.update(due);
            fair.update(due);
        }
        let ecn = if draws.chance(0.5) { Ecn::NotEct } else { Ecn::Ect0 };
        let info = PacketInfo { flow: id as u32, ..packet(ecn) };
        fifo.enqueue(Numbered { id, info }, now, &mut one);
        fair.enqueue(Numbered { id, info }, now, &mut other);
        if draws.chance(0.9) {
            let id =
                |taken: Option<(Numbered, Duration)>| taken.map(|(packet, sojourn)| (packet.id, sojourn));
            assert_eq!(id(fifo.dequeue(now, &mut one)), id(fair.dequeue(now, &mut other)));
        }
    }
    assert_eq!(one.events, other.events);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    /// With one queue, fair queueing is a FIFO under the same AQM.
    #[test]
    fn one_queue_is_a_fifo(seed: u64, own: bool) {
        let backlog = if own { AqmBacklog::Flow } else { AqmBacklog::Total };
        for name in CAREFREE {
            is_a_fifo(&AqmConfig::from_name(name).unwrap(), backlog, seed);
        }
        is_a_fifo(&codel(), backlog, seed);
        let pie = PieParameters {
            target: Duration::from_micros(500),
            interval: Duration::from_micros(375),
            max_burst: Duration::from_millis(1),
            ecn: true,
            ..PieParameters::default()
        };
        is_a_fifo(&AqmConfig::Pie(pie), backlog, seed);
    }
}
