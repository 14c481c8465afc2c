//! Many runs on all cores. Each run is single-threaded and depends on its scenario and seed
//! alone, so results do not depend on how many threads there are.

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{Arc, OnceLock, mpsc},
    thread::{self, JoinHandle},
    time::Duration,
};

use rayon::prelude::*;
use weir_scenario::Scenario;

use crate::{Capture, CaptureError, Measurements, Monitor, Stopped, World};

/// One run to do.
#[derive(Clone, Debug)]
pub struct Job {
    /// What to simulate.
    pub scenario: Arc<Scenario>,
    /// Seed of all its random streams.
    pub seed: u64,
    /// Captures to make of it.
    pub captures: Vec<Capture>,
}

impl Job {
    /// Builds the world, runs it, clears it away, and says what all that took.
    fn run(&self, monitor: &Monitor) -> Result<Measurements, Stopped> {
        let began = cpu_time::ThreadTime::now();
        let world = World::new(&self.scenario, self.seed).capturing(&self.scenario, &self.captures)?;
        let measured = world.run(monitor)?;
        Ok(Measurements { cpu: began.elapsed(), ..measured })
    }
}

/// What a thread does its work within: some laws need an interpreter at hand.
pub type Around = fn(work: Box<dyn FnOnce() + Send>);

/// Runs that go on in the background. Dropping it stops them.
#[derive(Debug)]
pub struct Batch {
    jobs: Arc<[(Job, Monitor)]>,
    ended: mpsc::Receiver<()>,
    threads: Option<JoinHandle<Result<Vec<Measurements>, Stopped>>>,
    /// The first capture that could not be written.
    failure: Arc<OnceLock<CaptureError>>,
    done: bool,
}

impl Batch {
    /// Starts all `jobs` on `threads` threads; 0 means one per core.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn start(jobs: Vec<Job>, threads: usize, around: Around) -> std::io::Result<Self> {
        let mut workers = Vec::new();
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .spawn_handler(|pooled| {
                let thread = thread::Builder::new().name(format!("weir-{}", pooled.index()));
                workers.push(thread.spawn(move || around(Box::new(|| pooled.run())))?);
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
                let result = catch_unwind(AssertUnwindSafe(|| job.run(monitor))).unwrap_or_else(|panic| {
                    // Nobody is going to see the others.
                    cancel(&work);
                    resume_unwind(panic)
                });
                if let Err(Stopped::Capture(error)) = &result {
                    let _ = failed.set(error.clone());
                    cancel(&work);
                }
                result
            };
            let runs = || work.par_iter().with_max_len(1).map(run).collect();
            let results = catch_unwind(AssertUnwindSafe(|| pool.install(runs)));
            // The other end may be gone; then nobody wants to know.
            let _ = ends.send(());
            // What the threads work within may not outlive the program's end.
            drop(pool);
            for worker in workers {
                let _ = worker.join();
            }
            results.unwrap_or_else(|panic| resume_unwind(panic))
        })?;
        Ok(Self { jobs, ended, threads: Some(threads), failure, done: false })
    }

    /// Waits at most `timeout`; whether all runs have ended.
    pub fn wait(&mut self, timeout: Duration) -> bool {
        self.done |= !matches!(self.ended.recv_timeout(timeout), Err(mpsc::RecvTimeoutError::Timeout));
        self.done
    }

    /// Simulated time done, as a fraction of all.
    pub fn progress(&self) -> f64 {
        let (done, all) = self.jobs.iter().fold((0.0, 0.0), |(done, all), (job, monitor)| {
            (done + monitor.simulated().as_secs_f64(), all + job.scenario.duration.as_secs_f64())
        });
        if all > 0.0 { done / all } else { 1.0 }
    }

    /// Runs that have ended.
    pub fn finished(&self) -> usize {
        self.jobs.iter().filter(|(job, monitor)| monitor.simulated() >= job.scenario.duration).count()
    }

    /// Stops every run and waits for the threads.
    pub fn cancel(&mut self) {
        cancel(&self.jobs);
        if let Some(threads) = self.threads.take() {
            let _ = threads.join();
        }
    }

    /// The capture that could not be written, if there is one: the runs were stopped for it.
    pub fn failure(&self) -> Option<&CaptureError> {
        self.failure.get()
    }

    /// The results in the order of the jobs, once all have ended; `None` if they were stopped
    /// or have been taken.
    ///
    /// # Panics
    /// If a run did.
    pub fn take(&mut self) -> Option<Vec<Measurements>> {
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
