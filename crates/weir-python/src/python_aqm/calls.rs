//! Calls of AQMs in Python, and their end: one that takes too long, or that nobody waits for any more, is
//! interrupted by an exception.
//!
//! Python can end a loop in Python, but no function in C that does not return. A batch whose call is of that
//! kind gives up its thread. Where such a function keeps the interpreter, nothing else in the process can go
//! on: the process ends.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    io::Write,
    process, ptr,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::SeqCst},
        mpsc,
    },
    thread,
    time::Duration,
};

use pyo3::{ffi, prelude::*};

use super::signals;

/// How often is looked. A call is timed by looks, not by a clock: a process that is stopped does not look.
const LOOK: Duration = Duration::from_millis(100);
/// Looks after which a call that was interrupted does not end.
const PATIENCE: u32 = 30;
/// The exit code after Ctrl-C and SIGTERM.
const INTERRUPTED: i32 = 130;

/// State that a batch shares with the calls of its threads.
#[derive(Debug, Default)]
pub(crate) struct Lease {
    ended: AtomicBool,
    /// The thread, as Python calls it, that does not return.
    stuck: OnceLock<u64>,
}

impl Lease {
    /// Nobody waits for the calls any more.
    pub(crate) fn end(&self) {
        self.ended.store(true, SeqCst);
    }

    /// Why the threads of the batch cannot be waited for, if they cannot.
    pub(crate) fn failure(&self, py: Python<'_>) -> Option<PyErr> {
        let thread = *self.stuck.get()?;
        let told = py.import("weir.aqm._calls").and_then(|module| module.call_method1("stuck", (thread,)));
        Some(told.map_or_else(|untold| untold, PyErr::from_value))
    }

    /// Returns true if one of the threads has to be left to itself. The interpreter is told: it cannot be taken down
    /// then.
    pub(crate) fn is_stuck(&self) -> bool {
        let stuck = self.stuck.get().is_some();
        if stuck {
            // Without the module there is no AQM.
            let _ = Python::attach(|py| py.import("weir.aqm._calls")?.call_method0("leave_behind").map(drop));
        }
        stuck
    }
}

/// State of a thread that calls AQMs.
struct Desk {
    /// As Python calls the thread.
    thread: u64,
    /// Odd within a call; in no two calls the same.
    call: AtomicU64,
    /// Looks that the call may take.
    looks: AtomicU32,
    /// An exception is on its way into the call.
    interrupted: AtomicBool,
    lease: Option<Arc<Lease>>,
}

static DESKS: Mutex<Vec<Weak<Desk>>> = Mutex::new(Vec::new());

thread_local! {
    static LEASE: RefCell<Option<Arc<Lease>>> = const { RefCell::new(None) };
    static DESK: RefCell<Option<Arc<Desk>>> = const { RefCell::new(None) };
    static WITHIN: Cell<bool> = const { Cell::new(false) };
}

/// Does `work` on a thread of a batch.
pub(super) fn leased(lease: &Arc<Lease>, work: impl FnOnce()) {
    LEASE.set(Some(Arc::clone(lease)));
    work();
}

/// How many looks so many seconds are; without a limit, none.
pub(super) fn looks(seconds: Option<f64>) -> u32 {
    seconds.map_or(u32::MAX, |seconds| (seconds / LOOK.as_secs_f64()).ceil() as u32)
}

/// Does `work`, a call of an AQM that may take so many looks. A call within a call is a part of it.
pub(super) fn timed<T>(py: Python<'_>, looks: u32, work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    if WITHIN.replace(true) {
        return work();
    }
    let desk = match desk(py) {
        Ok(desk) => desk,
        Err(error) => {
            WITHIN.set(false);
            return Err(error);
        }
    };
    desk.looks.store(looks, SeqCst);
    let call = Call { desk: &desk, py };
    desk.call.fetch_add(1, SeqCst);
    let result = work();
    drop(call);
    if !desk.interrupted.swap(false, SeqCst) {
        return result;
    }
    // Whatever it made of the interruption, it was too late.
    let module = py.import("weir.aqm._calls")?;
    let frames = result.err().and_then(|error| error.traceback(py));
    let seconds = f64::from(looks) * LOOK.as_secs_f64();
    Err(PyErr::from_value(module.call_method1("interrupted", (seconds, frames))?))
}

/// Ends a call, however it ends. The interpreter is ours: no exception is sent meanwhile.
struct Call<'a, 'py> {
    desk: &'a Desk,
    py: Python<'py>,
}

impl Drop for Call<'_, '_> {
    fn drop(&mut self) {
        WITHIN.set(false);
        self.desk.call.fetch_add(1, SeqCst);
        if self.desk.interrupted.load(SeqCst) {
            // One that has not arrived would hit whatever the thread does next.
            raise_in(self.py, self.desk.thread, None);
        }
    }
}

/// Has Python raise an exception of this class in a thread, or recalls one that has not been raised.
#[expect(unsafe_code, reason = "PyO3 has no safe form of it")]
fn raise_in(_: Python<'_>, thread: u64, class: Option<&Bound<'_, PyAny>>) {
    // SAFETY: the interpreter is ours, and takes a reference of its own to the class.
    unsafe {
        ffi::PyThreadState_SetAsyncExc(
            thread.cast_signed() as _,
            class.map_or(ptr::null_mut(), Bound::as_ptr),
        );
    }
}

/// The desk of this thread.
fn desk(py: Python<'_>) -> PyResult<Arc<Desk>> {
    if let Some(known) = DESK.with_borrow(Clone::clone) {
        return Ok(known);
    }
    let thread = py.import("threading")?.call_method0("get_ident")?.extract()?;
    let desk = Arc::new(Desk {
        thread,
        call: AtomicU64::new(0),
        looks: AtomicU32::new(u32::MAX),
        interrupted: AtomicBool::new(false),
        lease: LEASE.with_borrow(Clone::clone),
    });
    DESK.set(Some(Arc::clone(&desk)));
    locked(&DESKS).push(Arc::downgrade(&desk));
    watched()?;
    Ok(desk)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts what looks at the desks, once in a process.
fn watched() -> std::io::Result<()> {
    static BY: AtomicU32 = AtomicU32::new(0);
    // A process that was forked has none of the threads.
    if BY.swap(process::id(), SeqCst) != process::id() {
        let waiting = Arc::new(AtomicBool::new(false));
        let sender = messenger(Arc::clone(&waiting))?;
        let watch = Watch { seen: HashMap::new(), signalled: None, held: 0, waiting, sender };
        thread::Builder::new().name("weir-calls".into()).spawn(|| watch.go_on())?;
    }
    Ok(())
}

/// A call, and how long it has been looked at.
#[derive(Clone, Copy, Default)]
struct Seen {
    call: u64,
    looks: u32,
    /// Since it was to end.
    overdue: u32,
}

struct Watch {
    seen: HashMap<u64, Seen>,
    /// Looks since Ctrl-C or SIGTERM.
    signalled: Option<u32>,
    /// Looks for which the interpreter was not to be had.
    held: u32,
    /// The messenger has something to do.
    waiting: Arc<AtomicBool>,
    sender: mpsc::Sender<Due>,
}

/// Calls that have to end.
type Due = Vec<(Arc<Desk>, u64)>;

impl Watch {
    fn go_on(mut self) {
        loop {
            thread::sleep(LOOK);
            self.look();
        }
    }

    fn look(&mut self) {
        let desks: Vec<_> = {
            let mut known = locked(&DESKS);
            known.retain(|desk| desk.strong_count() > 0);
            known.iter().filter_map(Weak::upgrade).collect()
        };
        self.seen.retain(|thread, _| desks.iter().any(|desk| desk.thread == *thread));
        if signals::came() {
            self.signalled = Some(0);
        }
        if desks.iter().all(|desk| desk.call.load(SeqCst).is_multiple_of(2)) {
            self.signalled = None;
        }
        let due: Due = desks.into_iter().filter_map(|desk| self.due(desk)).collect();
        if due.is_empty() && self.signalled.is_none() {
            self.held = 0;
        } else {
            self.interrupt(due);
        }
    }

    /// The call of a desk if it has to end.
    fn due(&mut self, desk: Arc<Desk>) -> Option<(Arc<Desk>, u64)> {
        let call = desk.call.load(SeqCst);
        let seen = self.seen.entry(desk.thread).or_default();
        if call.is_multiple_of(2) || seen.call != call {
            *seen = Seen { call, ..Seen::default() };
            return None;
        }
        seen.looks += 1;
        let ended = desk.lease.as_ref().is_some_and(|lease| lease.ended.load(SeqCst));
        if !ended && seen.looks <= desk.looks.load(SeqCst) {
            return None;
        }
        seen.overdue += 1;
        if let Some(lease) = desk.lease.as_ref().filter(|_| seen.overdue > PATIENCE) {
            let _ = lease.stuck.set(desk.thread);
        }
        Some((desk, call))
    }

    /// Has another thread interrupt these calls, for which it needs the interpreter. Ends the process if it
    /// is not to be had.
    fn interrupt(&mut self, due: Due) {
        if self.waiting.load(SeqCst) {
            self.held += 1;
            if self.held > PATIENCE {
                end_process(self.signalled.is_some());
            }
            return;
        }
        self.held = 0;
        // The interpreter is to be had: Python has seen the signal.
        if self.signalled.is_some_and(|asked| asked > 0) {
            self.signalled = None;
        }
        self.signalled = self.signalled.map(|asked| asked + 1);
        self.waiting.store(true, SeqCst);
        // It lives as long as we.
        let _ = self.sender.send(due);
    }
}

/// A thread that waits for the interpreter, and interrupts calls that still go on.
fn messenger(waiting: Arc<AtomicBool>) -> std::io::Result<mpsc::Sender<Due>> {
    let (sender, receiver) = mpsc::channel::<Due>();
    let deliver = move |due: Due| {
        Python::try_attach(|py| {
            let class = py.import("weir.aqm._calls")?.getattr("EndedError")?;
            for (desk, call) in due {
                // Nothing of Python runs between these lines.
                if desk.call.load(SeqCst) == call {
                    desk.interrupted.store(true, SeqCst);
                    raise_in(py, desk.thread, Some(&class));
                }
            }
            PyResult::Ok(())
        });
        waiting.store(false, SeqCst);
    };
    thread::Builder::new()
        .name("weir-interrupts".into())
        .spawn(move || receiver.into_iter().for_each(deliver))?;
    Ok(sender)
}

/// No exit handler of Python could run.
fn end_process(signalled: bool) -> ! {
    let (message, code) = if signalled {
        ("interrupted: an AQM in Python kept the interpreter\n", INTERRUPTED)
    } else {
        (
            "error: a call of an AQM in Python took longer than its time_limit, and keeps the interpreter: \
             the process ends\n",
            1,
        )
    };
    let _ = std::io::stderr().write_all(message.as_bytes());
    process::exit(code)
}
