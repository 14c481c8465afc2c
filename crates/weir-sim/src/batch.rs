//! Many runs on all cores. A run uses one thread and depends only on its scenario and seed, so results do
//! not depend on the number of threads.

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{Arc, OnceLock, mpsc},
    thread::{self, JoinHandle},
    time::Duration,
};

use rayon::prelude::*;
use weir_scenario::Scenario;
use weir_types::Instant;

use crate::{
    capture::{Capture, CaptureError, Captures},
    memory::{Exceeded, Memory, Share},
    monitor::{Monitor, Stopped},
    record::Measurements,
    simulation::Simulation,
};

/// One run.
#[derive(Clone, Debug)]
pub struct Job {
    /// The scenario to simulate.
    pub scenario: Arc<Scenario>,
    /// Seed of all its random streams.
    pub seed: u64,
    /// Captures to make.
    pub captures: Vec<Capture>,
}

/// The measurements of a job, with what they take of the memory that has a limit; or why it has none.
pub type Measured = Result<(Measurements, Option<Arc<Share>>), Exceeded>;

/// Why a batch has no results.
enum Failure {
    Cancelled,
    Capture(CaptureError),
}

impl From<CaptureError> for Failure {
    fn from(error: CaptureError) -> Self {
        Self::Capture(error)
    }
}

impl Job {
    /// Builds, runs and frees the simulation, and measures the CPU time of all this.
    fn run(&self, monitor: &Monitor, memory: Option<&Arc<Memory>>) -> Result<Measured, Failure> {
        let began = cpu_time::ThreadTime::now();
        let share = memory.map(|memory| monitor.limit(memory));
        let measured = self.measure(monitor);
        if let Some(share) = &share {
            share.end();
        }
        match measured {
            Ok(measured) => Ok(Ok((Measurements { cpu: began.elapsed(), ..measured }, share))),
            Err(failure) => monitor.exceeded().map(Err).ok_or(failure),
        }
    }

    fn measure(&self, monitor: &Monitor) -> Result<Measurements, Failure> {
        let Self { scenario, seed, captures } = self;
        let stopped = |_: Stopped| Failure::Cancelled;
        let simulation = Simulation::watched(scenario, *seed, monitor).map_err(stopped)?;
        if captures.is_empty() {
            return simulation.run(monitor).map_err(stopped);
        }
        let mut captures = Captures::create(captures, scenario, *seed, simulation.queues())?;
        let Ok(measured) = simulation.observed_by(&mut captures).run(monitor) else {
            return Err(captures.failure().map_or(Failure::Cancelled, Failure::Capture));
        };
        captures.finish(Instant::ZERO + scenario.duration)?;
        Ok(measured)
    }
}

/// The work of a thread.
pub type Work = Box<dyn FnOnce() + Send>;

/// Runs in the background. Dropping the batch stops them.
#[derive(Debug)]
pub struct Batch {
    jobs: Arc<[(Job, Monitor)]>,
    ended: mpsc::Receiver<()>,
    threads: Option<JoinHandle<Result<Vec<Measured>, Failure>>>,
    /// The first error of a capture.
    failure: Arc<OnceLock<CaptureError>>,
    done: bool,
}

impl Batch {
    /// Starts all `jobs` on `threads` threads; 0 means one per core. Runs that take too much of `memory` end.
    /// `wrapper` runs the work of each thread: an AQM in Python needs an interpreter around it.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn start(
        jobs: Vec<Job>,
        threads: usize,
        memory: Option<Arc<Memory>>,
        wrapper: impl Fn(Work) + Clone + Send + 'static,
    ) -> std::io::Result<Self> {
        let mut workers = Vec::new();
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .spawn_handler(|pooled| {
                let thread = thread::Builder::new().name(format!("weir-{}", pooled.index()));
                let wrapper = wrapper.clone();
                workers.push(thread.spawn(move || wrapper(Box::new(|| pooled.run())))?);
                Ok(())
            })
            .build()
            .map_err(std::io::Error::other)?;
        let jobs: Arc<[_]> = jobs.into_iter().map(|job| (job, Monitor::default())).collect();
        let (ends, ended) = mpsc::channel();
        let work = Arc::clone(&jobs);
        let failure = Arc::new(OnceLock::new());
        let failed = Arc::clone(&failure);
        let threads = thread::Builder::new().name("weir-batch".into()).spawn(move || {
            let run = |(job, monitor): &(Job, Monitor)| {
                let result = catch_unwind(AssertUnwindSafe(|| job.run(monitor, memory.as_ref())))
                    .unwrap_or_else(|panic| {
                        // The results of the other runs are lost.
                        cancel(&work);
                        resume_unwind(panic)
                    });
                if let Err(Failure::Capture(error)) = &result {
                    let _ = failed.set(error.clone());
                    cancel(&work);
                }
                result
            };
            let runs = || work.par_iter().with_max_len(1).map(run).collect();
            let results = catch_unwind(AssertUnwindSafe(|| pool.install(runs)));
            // The receiver may have been dropped.
            let _ = ends.send(());
            // The wrappers must end before the program: join the threads.
            drop(pool);
            for worker in workers {
                let _ = worker.join();
            }
            results.unwrap_or_else(|panic| resume_unwind(panic))
        })?;
        Ok(Self { jobs, ended, threads: Some(threads), failure, done: false })
    }

    /// Waits at most `timeout`. Returns whether all runs have ended.
    pub fn wait(&mut self, timeout: Duration) -> bool {
        self.done |= !matches!(self.ended.recv_timeout(timeout), Err(mpsc::RecvTimeoutError::Timeout));
        self.done
    }

    /// The simulated share of the total simulated time.
    pub fn progress(&self) -> f64 {
        let (done, all) = self.jobs.iter().fold((0.0, 0.0), |(done, all), (job, monitor)| {
            (done + monitor.simulated().as_secs_f64(), all + job.scenario.duration.as_secs_f64())
        });
        if all > 0.0 { done / all } else { 1.0 }
    }

    /// The simulated time of the job at `place`.
    pub fn simulated(&self, place: usize) -> Duration {
        Duration::from_nanos(self.jobs[place].1.simulated().as_nanos())
    }

    /// Runs that have ended.
    pub fn finished(&self) -> usize {
        self.jobs.iter().filter(|(job, monitor)| monitor.simulated() >= job.scenario.duration).count()
    }

    /// Stops every run.
    pub fn stop(&self) {
        cancel(&self.jobs);
    }

    /// Stops every run and waits for the threads.
    pub fn cancel(&mut self) {
        self.stop();
        if let Some(threads) = self.threads.take() {
            let _ = threads.join();
        }
    }

    /// Stops every run, and leaves the threads to themselves: one of them never returns.
    pub fn abandon(&mut self) {
        self.stop();
        self.threads = None;
        self.done = true;
    }

    /// The error of the capture that stopped the runs, if there is one.
    pub fn failure(&self) -> Option<&CaptureError> {
        self.failure.get()
    }

    /// The results in the order of the jobs, once all have ended. `None` if the runs were stopped, or the
    /// results have been taken.
    ///
    /// # Panics
    /// If a run panicked.
    pub fn take(&mut self) -> Option<Vec<Measured>> {
        match self.threads.take()?.join() {
            Ok(results) => results.ok(),
            Err(panic) => resume_unwind(panic),
        }
    }
}

fn cancel(jobs: &[(Job, Monitor)]) {
    for (_, monitor) in jobs {
        monitor.cancel();
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        self.cancel();
    }
}
