//! Both directions of a relay, from outside.

use std::{
    io,
    path::PathBuf,
    sync::{Arc, atomic::Ordering},
    thread::{self, JoinHandle},
    time,
};

use weir_scenario::{KernelLink, Live, Way};
use weir_types::{Duration, Instant};

use crate::{
    around::Clock,
    between::Between,
    capture::Capture,
    chain::Chain,
    device::{Device, End},
    direction::{Finished, MOST_ENDS, Running, Shared, State},
    kernel::{KernelQueue, Router},
};

/// Time that both directions have to hear of the end: they stop at the same instant.
const NOTICE: Duration = Duration::from_millis(20);

/// A relay that runs. Dropping it stops it.
#[derive(Debug)]
pub struct Relay {
    clock: Clock,
    directions: Vec<(Arc<Shared>, JoinHandle<Finished>)>,
    capture: Option<Capture>,
}

/// Results of a relay.
#[derive(Debug)]
pub struct RelayResult {
    /// How long it ran.
    pub duration: Duration,
    /// The way of the data.
    pub forward: Finished,
    /// The way of the ACKs.
    pub reverse: Finished,
    /// Why the capture is not whole, if it is not.
    pub capture_error: Option<io::Error>,
}

impl Relay {
    /// Starts to relay packets of at most `mtu` bytes over the ways of `live`: forward from `senders`, back from
    /// `receivers`. The queues are those of a simulation with `seed`. `capture` is a file for the packets that leave.
    /// With a `router` the queue of its link is the kernel's.
    ///
    /// # Errors
    /// If a device cannot be used, the file not be written, or no thread be started.
    pub fn start(
        live: &Live,
        seed: u64,
        senders: Vec<End>,
        receivers: Vec<End>,
        mtu: usize,
        capture: Option<PathBuf>,
        router: Option<(KernelLink, Router)>,
    ) -> io::Result<Self> {
        let open = |ends: Vec<End>| {
            ends.into_iter().map(|end| Ok(Arc::new(Device::new(end)?))).collect::<io::Result<Vec<_>>>()
        };
        let (senders, receivers) = (open(senders)?, open(receivers)?);
        if [&senders, &receivers].iter().any(|ends| ends.is_empty() || ends.len() > MOST_ENDS) {
            let message = format!("a side has 1 to {MOST_ENDS} ends");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let (capture, taps) = match capture {
            Some(file) => {
                let begun = Capture::begin(file, ["forward", "reverse"]);
                let (capture, taps) =
                    begun.map_err(|error| io::Error::new(error.kind(), format!("the capture: {error}")))?;
                (Some(capture), taps.map(Some))
            }
            None => (None, [None, None]),
        };
        let [forward, reverse] = taps;
        let clock = Clock(time::Instant::now());
        // From here on dropping it stops what has started.
        let mut relay = Self { clock, directions: Vec::new(), capture };
        let ports = |way: &Way| Between::Ports(Chain::new(way, seed));
        let there = match router {
            Some((link, router)) => Between::Kernel(Box::new(KernelQueue::new(&link, router)?)),
            None => ports(&live.forward),
        };
        let start = |name: &str, between, sources: &[Arc<Device>], sinks: &[Arc<Device>], tap| {
            let shared = Arc::new(Shared::new());
            let running =
                Running::new(clock, Arc::clone(&shared), sources.to_vec(), sinks.to_vec(), between, tap, mtu);
            let thread = thread::Builder::new().name(format!("weir-{name}")).spawn(move || running.run())?;
            io::Result::Ok((shared, thread))
        };
        relay.directions.push(start("forward", there, &senders, &receivers, forward)?);
        relay.directions.push(start("reverse", ports(&live.reverse), &receivers, &senders, reverse)?);
        Ok(relay)
    }

    /// How long it has run.
    pub fn elapsed(&self) -> Duration {
        self.clock.now().since(Instant::ZERO)
    }

    /// Packets that came so far, in both directions; all are kept until the end, each as a
    /// [`weir_scenario::TracePacket`].
    pub fn packets(&self) -> usize {
        self.directions.iter().map(|(shared, _)| shared.packets.load(Ordering::Relaxed)).sum()
    }

    /// States of both directions, forward first; `None` for one that has stopped or does not answer.
    pub fn states(&self) -> [Option<State>; 2] {
        [0, 1].map(|index| self.directions.get(index)?.0.ask())
    }

    /// Returns true if both directions still run: one that fails stops.
    pub fn is_running(&self) -> bool {
        self.directions.iter().all(|(_, thread)| !thread.is_finished())
    }

    /// Ends the run. `None` if it has been ended before.
    ///
    /// # Panics
    /// If a direction panicked.
    pub fn stop(&mut self) -> Option<RelayResult> {
        let end = self.clock.now() + NOTICE;
        for (shared, _) in &self.directions {
            shared.end.store(end.as_nanos(), Ordering::Relaxed);
        }
        let mut finished = self.directions.drain(..).map(|(_, thread)| match thread.join() {
            Ok(finished) => finished,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        let (forward, reverse) = (finished.next()?, finished.next()?);
        drop(finished);
        let capture_error = self.capture.take().and_then(|capture| capture.finish().err());
        Some(RelayResult { duration: end.since(Instant::ZERO), forward, reverse, capture_error })
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        for (shared, _) in &self.directions {
            shared.end.store(0, Ordering::Relaxed);
        }
        for (_, thread) in self.directions.drain(..) {
            // A panic was said where it happened.
            let _ = thread.join();
        }
    }
}
