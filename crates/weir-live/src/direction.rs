//! The thread of one direction: reads packets, moves them through the ports, writes them when they are due.

use std::{
    array::from_fn,
    io,
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    thread::set_current_timer_slack,
};
use weir_line::Totals;
use weir_scenario::TracePacket;
use weir_types::{Duration, Ecn, Instant};

use crate::{
    around::{Around, Clock},
    between::{Between, LinkState},
    capture::Tap,
    chain::LinkName,
    counts::Times,
    device::{Device, LARGEST},
    flows::{FlowCounts, Flows},
    frame::{self, Frame},
    kernel::Passed,
    offload,
    slots::Slots,
};

/// Packets that are read before those that are due are written.
const BATCH: usize = 64;
/// The longest sleep: within it the thread hears that it is to stop, or to tell its state.
const LONGEST_SLEEP: Duration = Duration::from_millis(10);
/// The longest time that is waited awake for a packet that is due: sleeps end late, usually by some ten microseconds.
const LONGEST_AWAKE: Duration = Duration::from_micros(100);
/// Ends of a side, at most.
pub(crate) const MOST_ENDS: usize = 64;
/// Files to wait for: the ends of a side, and a device of a router.
const MOST_FILES: usize = MOST_ENDS + 1;
/// A wake-up that is later than this is a stall.
const STALL: Duration = Duration::from_millis(10);
/// A packet that leaves later than this is late.
const LATE: Duration = Duration::from_millis(1);
/// The busiest flows that a state lists.
const BUSIEST: usize = 20;

/// State that a direction shares with its observers.
#[derive(Debug)]
pub(crate) struct Shared {
    /// When the run ends, in nanoseconds: `u64::MAX` until that is known.
    pub(crate) end: AtomicU64,
    /// Packets that came.
    pub(crate) packets: AtomicUsize,
    /// A state that is asked for.
    state: Mutex<Asked>,
    told: Condvar,
}

#[derive(Debug)]
enum Asked {
    Nothing,
    State,
    Told(State),
}

/// State of a direction while it runs.
#[derive(Clone, Debug)]
pub struct State {
    /// The links with queues, in the order in which packets pass them.
    pub links: Vec<LinkState>,
    /// The busiest flows.
    pub flows: Vec<FlowCounts>,
    /// How late it was.
    pub lateness: Lateness,
}

/// How late a direction was, and what it could not do.
#[derive(Clone, Copy, Debug)]
pub struct Lateness {
    /// Time from when a sleep should have ended to when it did, in nanoseconds: median, 99th and 99.9th percentile, and
    /// maximum.
    pub wake_ns: [f64; 4],
    /// Sleeps that ended more than 10 ms late.
    pub stalls: u64,
    /// Packets that left.
    pub packets: u64,
    /// Packets that left more than 1 ms late.
    pub late: u64,
    /// Packets that were no IP packets, had no room, or could not be cut.
    pub refused: u64,
    /// Packets that the other side did not take.
    pub undelivered: u64,
    /// CPU time of the thread, system calls included.
    pub cpu: time::Duration,
}

/// Results of a direction.
#[derive(Debug)]
pub struct Finished {
    /// The packets that came.
    pub trace: Vec<TracePacket>,
    /// The instant up to which all was done: the end, or later if a stall hid the end.
    pub until: Instant,
    /// The links with queues, and what they did.
    pub links: Vec<(LinkName, Totals)>,
    /// The packets that a queue of the kernel had, if there is one.
    pub passed: Vec<Passed>,
    /// All flows.
    pub flows: Vec<FlowCounts>,
    /// How late it was.
    pub lateness: Lateness,
    /// Why it stopped before its end, if it did.
    pub error: Option<io::Error>,
}

impl Shared {
    pub(crate) fn new() -> Self {
        Self {
            end: AtomicU64::new(u64::MAX),
            packets: AtomicUsize::new(0),
            state: Mutex::new(Asked::Nothing),
            told: Condvar::new(),
        }
    }

    /// The state of the direction; `None` if it does not tell within a second.
    pub(crate) fn ask(&self) -> Option<State> {
        let mut asked = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        *asked = Asked::State;
        let patience = time::Duration::from_secs(1);
        let waits = |asked: &mut Asked| !matches!(asked, Asked::Told(_));
        let (mut asked, _) =
            self.told.wait_timeout_while(asked, patience, waits).unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut *asked, Asked::Nothing) {
            Asked::Told(state) => Some(state),
            Asked::Nothing | Asked::State => None,
        }
    }
}

/// One direction.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) clock: Clock,
    pub(crate) shared: Arc<Shared>,
    pub(crate) sources: Vec<Arc<Device>>,
    pub(crate) sinks: Vec<Arc<Device>>,
    between: Between,
    tap: Option<Tap>,
    slots: Slots,
    flows: Flows,
    trace: Vec<TracePacket>,
    /// When the last packet came.
    last: Instant,
    /// The instant up to which all is done.
    until: Instant,
    gone: Vec<Frame>,
    wakes: Times,
    /// How late sleeps usually end: they are asked to end as much earlier.
    early: Duration,
    lateness: Lateness,
}

impl Running {
    pub(crate) fn new(
        clock: Clock,
        shared: Arc<Shared>,
        sources: Vec<Arc<Device>>,
        sinks: Vec<Arc<Device>>,
        between: Between,
        tap: Option<Tap>,
        mtu: usize,
    ) -> Self {
        let lateness = Lateness {
            wake_ns: [f64::NAN; 4],
            stalls: 0,
            packets: 0,
            late: 0,
            refused: 0,
            undelivered: 0,
            cpu: time::Duration::ZERO,
        };
        Self {
            clock,
            shared,
            sources,
            sinks,
            between,
            tap,
            slots: Slots::new(mtu),
            flows: Flows::default(),
            trace: Vec::new(),
            last: Instant::ZERO,
            until: Instant::ZERO,
            gone: Vec::new(),
            wakes: Times::new(),
            early: Duration::ZERO,
            lateness,
        }
    }

    /// Runs until the end, or until a device fails.
    pub(crate) fn run(mut self) -> Finished {
        let began = cpu_time::ThreadTime::now();
        // Without it the kernel may let 50 us pass to save wake-ups; where it is refused, sleeps are longer.
        let _ = set_current_timer_slack(std::num::NonZeroU64::new(1));
        let error = self.relay(&began).err();
        let lateness = self.lateness(&began);
        let (links, passed) = self.between.finish();
        let (trace, until, flows) = (self.trace, self.until, self.flows.all().to_vec());
        Finished { trace, until, links, passed, flows, lateness, error }
    }

    fn relay(&mut self, began: &cpu_time::ThreadTime) -> io::Result<()> {
        let (mut buffer, mut scratch) = (vec![0; LARGEST], vec![0; LARGEST]);
        loop {
            let end = Instant::from_nanos(self.shared.end.load(Ordering::Relaxed));
            let more = self.receive(end, &mut buffer, &mut scratch)?;
            self.shared.packets.store(self.trace.len(), Ordering::Relaxed);
            // Time does not go back, where the end was heard of too late.
            let now = self.clock.now().min(end).max(self.until);
            self.until = now;
            let Self { clock, slots, flows, gone, .. } = self;
            self.between.advance(now, &mut Around { clock: *clock, slots, flows, gone })?;
            for frame in self.gone.drain(..) {
                self.slots.free(frame.slot);
            }
            self.deliver(now)?;
            if now >= end {
                return Ok(());
            }
            self.tell(began);
            if !more {
                self.sleep(end)?;
            }
        }
    }

    /// Reads what has come. Returns whether there may be more.
    fn receive(&mut self, end: Instant, buffer: &mut [u8], scratch: &mut [u8]) -> io::Result<bool> {
        let mut more = false;
        for index in 0..self.sources.len() {
            let device = Arc::clone(&self.sources[index]);
            let mut left = BATCH;
            while left > 0
                && let Some((header, packet)) = device.receive(buffer)?
            {
                left -= 1;
                // Packets have instants of their own, in the order in which they were read.
                let now = self.clock.now();
                let read = offload::unfold(&header, packet, scratch, |packet, checked| {
                    self.take(packet, checked, now, end);
                });
                self.lateness.refused += u64::from(!read);
            }
            more |= left == 0;
        }
        Ok(more)
    }

    /// A packet came at `now`.
    #[inline]
    fn take(&mut self, packet: &[u8], checked: bool, now: Instant, end: Instant) {
        let at = now.max(self.last + Duration::from_nanos(1));
        if at >= end {
            return;
        }
        let slot =
            frame::parse(packet).and_then(|parsed| Some((parsed, self.slots.put(&packet[..parsed.bytes])?)));
        let Some((parsed, slot)) = slot else {
            self.lateness.refused += 1;
            return;
        };
        self.last = at;
        let bytes = parsed.bytes as u32;
        let flow = self.flows.count(parsed.key, bytes);
        self.trace.push(TracePacket { at: at.since(Instant::ZERO), bytes, flow, ecn: parsed.ecn });
        self.between.offer(Frame { slot, bytes, flow, ecn: parsed.ecn, label: parsed.label(), checked }, at);
    }

    /// Writes what was due by `now`.
    fn deliver(&mut self, now: Instant) -> io::Result<()> {
        while let Some((at, frame)) = self.between.take(now) {
            let packet = self.slots.get_mut(frame.slot, frame.bytes as usize);
            if frame.ecn == Ecn::Ce {
                frame::mark(packet);
            }
            if let Some(tap) = &mut self.tap {
                tap.packet(at, packet);
            }
            let sink = match &*self.sinks {
                [only] => Some(only),
                several => {
                    let to = frame::destination(packet);
                    several.iter().find(|sink| to.is_some_and(|to| sink.has(to)))
                }
            };
            let sent = match sink {
                Some(sink) => sink.send(packet, frame.checked)?,
                None => false,
            };
            self.slots.free(frame.slot);
            self.lateness.packets += 1;
            self.lateness.undelivered += u64::from(!sent);
            self.lateness.late += u64::from(now.since(at) > LATE);
        }
        Ok(())
    }

    /// Sleeps until packets come or are nearly due. The rest is waited for awake.
    fn sleep(&mut self, end: Instant) -> io::Result<()> {
        let now = self.clock.now();
        let due = self.between.next_due().unwrap_or(Instant::MAX).min(end);
        let left = due.since(now).min(LONGEST_SLEEP).saturating_sub(self.early);
        if left.is_zero() {
            return Ok(());
        }
        let timeout = Timespec { tv_sec: 0, tv_nsec: left.as_nanos().cast_signed() };
        let flags = |file| PollFd::from_borrowed_fd(file, PollFlags::IN);
        let mut files: [_; MOST_FILES] =
            from_fn(|index| flags(self.sources.get(index).unwrap_or(&self.sources[0]).as_fd()));
        let mut count = self.sources.len();
        if let Some(file) = self.between.returns() {
            files[count] = flags(file);
            count += 1;
        }
        let ready = match poll(&mut files[..count], Some(&timeout)) {
            Ok(ready) => ready,
            Err(rustix::io::Errno::INTR) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        if ready == 0 {
            let late = self.clock.now().since(now + left);
            self.wakes.record(late);
            self.lateness.stalls += u64::from(late > STALL);
            // An exponential average, which one stall does not move far.
            self.early = (self.early * 7 + late.min(LONGEST_AWAKE)) / 8;
        }
        Ok(())
    }

    /// Tells its state, if that is asked for.
    fn tell(&mut self, began: &cpu_time::ThreadTime) {
        // Whoever asks can wait for the next turn; the packets cannot wait for him.
        let shared = Arc::clone(&self.shared);
        let Ok(mut asked) = shared.state.try_lock() else { return };
        if matches!(*asked, Asked::State) {
            *asked = Asked::Told(self.state(began));
            shared.told.notify_one();
        }
    }

    fn state(&mut self, began: &cpu_time::ThreadTime) -> State {
        let mut flows: Vec<_> = self.flows.all().to_vec();
        let less = |flow: &FlowCounts| std::cmp::Reverse(flow.bytes);
        if flows.len() > BUSIEST {
            // Packets wait meanwhile, and there may be many flows: they are not sorted.
            flows.select_nth_unstable_by_key(BUSIEST, less);
            flows.truncate(BUSIEST);
        }
        flows.sort_by_key(less);
        let lateness = self.lateness(began);
        State { links: self.between.states(), flows, lateness }
    }

    fn lateness(&self, began: &cpu_time::ThreadTime) -> Lateness {
        let wake_ns = [0.5, 0.99, 0.999, 1.0].map(|share| self.wakes.quantile(share));
        Lateness { wake_ns, cpu: began.elapsed(), ..self.lateness }
    }
}
