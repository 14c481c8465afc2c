//! The memory of runs under way, and its limit.
//!
//! A run uses one thread. So its memory is what that thread has allocated and not freed since the run began, and
//! this number depends on the run alone: neither on other programs nor on what the allocator keeps.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

thread_local! {
    /// Bytes that this thread has allocated, less those that it has freed.
    static ALLOCATED: Cell<i64> = const { Cell::new(0) };
}

/// The system's allocator. It counts what each thread takes: a program that limits the memory of runs has it as
/// its `#[global_allocator]`. Without it, every run takes nothing.
#[derive(Debug)]
pub struct CountingAllocator;

#[expect(unsafe_code, reason = "an allocator can only be written with it")]
// SAFETY: every call is handed on to the system's allocator as it came, and so is every result. Counting neither
// allocates (the counter is a constant-initialised thread-local without a destructor) nor panics: sizes are at
// most `isize::MAX`, and the sum wraps.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        counted(unsafe { System.alloc(layout) }, layout.size(), 0)
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        counted(unsafe { System.alloc_zeroed(layout) }, layout.size(), 0)
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        counted(unsafe { System.realloc(pointer, layout, size) }, size, layout.size())
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) };
        count(0, layout.size());
    }
}

/// Counts the memory at `pointer`, if there is any, in place of `former` bytes.
fn counted(pointer: *mut u8, bytes: usize, former: usize) -> *mut u8 {
    if !pointer.is_null() {
        count(bytes, former);
    }
    pointer
}

#[expect(clippy::cast_possible_wrap, reason = "no layout is larger than isize::MAX")]
fn count(bytes: usize, former: usize) {
    ALLOCATED.with(|sum| sum.set(sum.get().wrapping_add(bytes as i64 - former as i64)));
}

/// A part of a run that takes memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The state of flows.
    Flows,
    /// Packets that wait or are under way.
    Packets,
    /// Values over time.
    Series,
    /// Counts of groups at ports in periods.
    Counts,
}

impl Part {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flows => "flows",
            Self::Packets => "packets",
            Self::Series => "series",
            Self::Counts => "counts",
        }
    }
}

/// A run that the limit has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exceeded {
    /// Bytes of the run.
    pub bytes: u64,
    /// Bytes of all runs under the same limit, with the measurements that are still held.
    pub all: u64,
    /// Other runs that were under way in this process.
    pub others: usize,
    /// The part of the run that took most memory.
    pub mostly: Part,
}

/// The memory that runs may take together.
///
/// When they take more, the largest of them ends: of equal ones the newest. Each run looks at its own monitor, so
/// the end comes a few thousand events of that run later. Other runs go on.
#[derive(Debug)]
pub struct Memory {
    limit: u64,
    taken: AtomicU64,
    /// Bytes of runs in other processes under the same limit.
    elsewhere: AtomicU64,
    largest_elsewhere: AtomicU64,
    /// Bytes of each run under way, the oldest first.
    under_way: Mutex<Vec<Arc<AtomicU64>>>,
}

impl Memory {
    /// At most so many bytes.
    pub fn new(limit: u64) -> Self {
        Self {
            limit,
            taken: AtomicU64::new(0),
            elsewhere: AtomicU64::new(0),
            largest_elsewhere: AtomicU64::new(0),
            under_way: Mutex::default(),
        }
    }

    /// The limit in bytes.
    pub const fn limit(&self) -> u64 {
        self.limit
    }

    /// Bytes that runs in this process have taken, with measurements that are still held.
    pub fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// Bytes of the largest run under way in this process.
    pub fn largest(&self) -> u64 {
        self.runs().iter().map(|run| run.load(Ordering::Relaxed)).max().unwrap_or_default()
    }

    /// Says what runs in other processes have taken, and the largest of those under way.
    pub fn set_elsewhere(&self, taken: u64, largest: u64) {
        self.elsewhere.store(taken, Ordering::Relaxed);
        self.largest_elsewhere.store(largest, Ordering::Relaxed);
    }

    fn all(&self) -> u64 {
        self.taken() + self.elsewhere.load(Ordering::Relaxed)
    }

    fn runs(&self) -> MutexGuard<'_, Vec<Arc<AtomicU64>>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One run's share of a [`Memory`]: the bytes of the run, later those of its measurements. It counts until it is
/// dropped.
#[derive(Debug)]
pub struct Share {
    memory: Arc<Memory>,
    bytes: Arc<AtomicU64>,
    /// Bytes that the thread had allocated before the run.
    before: i64,
    exceeded: OnceLock<Exceeded>,
}

impl Share {
    /// The share of a run that begins in this thread.
    pub(crate) fn begin(memory: &Arc<Memory>) -> Self {
        let bytes = Arc::new(AtomicU64::new(0));
        memory.runs().push(Arc::clone(&bytes));
        Self { memory: Arc::clone(memory), bytes, before: ALLOCATED.get(), exceeded: OnceLock::new() }
    }

    /// Counts what the run has by now. Only its own thread may ask.
    fn update(&self) -> u64 {
        let now = u64::try_from(ALLOCATED.get().wrapping_sub(self.before)).unwrap_or(0);
        let former = self.bytes.swap(now, Ordering::Relaxed);
        if now >= former {
            self.memory.taken.fetch_add(now - former, Ordering::Relaxed);
        } else {
            self.memory.taken.fetch_sub(former - now, Ordering::Relaxed);
        }
        now
    }

    /// Counts what the run has by now, and returns whether it must end. Only its own thread may ask.
    pub(crate) fn is_over(&self) -> bool {
        self.update();
        self.memory.all() > self.memory.limit && self.is_largest()
    }

    #[cold]
    fn is_largest(&self) -> bool {
        let own = self.bytes.load(Ordering::Relaxed);
        let runs = self.memory.runs();
        let newer = runs.iter().rev().take_while(|run| !Arc::ptr_eq(run, &self.bytes));
        let among_newer =
            newer.fold(None, |most: Option<u64>, run| most.max(Some(run.load(Ordering::Relaxed))));
        let among_all = runs.iter().map(|run| run.load(Ordering::Relaxed)).max().unwrap_or_default();
        own >= among_all
            && among_newer.is_none_or(|most| own > most)
            && own >= self.memory.largest_elsewhere.load(Ordering::Relaxed)
    }

    /// Notes why the run ends; `mostly` says what takes most of so many bytes.
    pub(crate) fn note(&self, mostly: impl FnOnce(u64) -> Part) {
        let others = self.memory.runs().len() - 1;
        let bytes = self.bytes.load(Ordering::Relaxed);
        let all = self.memory.all();
        let _ = self.exceeded.set(Exceeded { bytes, all, others, mostly: mostly(bytes) });
    }

    /// Why the limit has ended the run, if it has.
    pub(crate) fn exceeded(&self) -> Option<Exceeded> {
        self.exceeded.get().copied()
    }

    /// The run has ended: what is left of it are its measurements. Only its own thread may say so.
    pub(crate) fn end(&self) {
        self.update();
        self.memory.runs().retain(|run| !Arc::ptr_eq(run, &self.bytes));
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.memory.runs().retain(|run| !Arc::ptr_eq(run, &self.bytes));
        self.memory.taken.fetch_sub(self.bytes.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}
