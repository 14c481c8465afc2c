//! The packets that leave a relay, as a pcapng file. A thread of its own writes, since a disk may take its time: the
//! directions hand it blocks of packets. Blocks of one direction are in order; between both, a block may come later
//! than packets that left after it.

use std::{
    fs::File,
    io::{self, BufWriter, Write as _},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{self, TrySendError},
    },
    thread::{self, JoinHandle},
    time::{SystemTime, UNIX_EPOCH},
};

use weir_scenario::pcapng;
use weir_types::Instant;

/// Bytes of packets that a direction keeps before it hands them over.
const BLOCK: usize = 1 << 16;
/// Blocks that may wait for the disk: 64 MiB, half a second of 1 Gbit/s.
const WAITING: usize = 1 << 10;

/// The file, while the relay runs.
#[derive(Debug)]
pub(crate) struct Capture {
    writer: JoinHandle<io::Result<()>>,
    /// Bytes that the disk was too slow for.
    missing: Arc<AtomicU64>,
}

/// The end of the capture at which one direction hands over its packets.
#[derive(Debug)]
pub(crate) struct Tap {
    interface: u32,
    /// When the relay started, in nanoseconds since 1970.
    epoch: u64,
    pending: Vec<u8>,
    blocks: mpsc::SyncSender<Vec<u8>>,
    missing: Arc<AtomicU64>,
}

impl Capture {
    /// Begins a file with an interface for each of `names`: what leaves in that direction.
    pub(crate) fn begin<const N: usize>(file: PathBuf, names: [&str; N]) -> io::Result<(Self, [Tap; N])> {
        let mut out = BufWriter::new(File::create(file)?);
        pcapng::section(&mut out, concat!("Weir ", env!("CARGO_PKG_VERSION")), &[])?;
        for name in names {
            pcapng::interface(&mut out, name, "packets as they leave the relay", 0)?;
        }
        out.flush()?;
        let epoch = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
        let (blocks, handed_over) = mpsc::sync_channel::<Vec<u8>>(WAITING);
        let write = move || {
            handed_over.into_iter().try_for_each(|block| out.write_all(&block)).and_then(|()| out.flush())
        };
        let writer = thread::Builder::new().name("weir-capture".into()).spawn(write)?;
        let missing = Arc::new(AtomicU64::new(0));
        let mut interfaces = 0..;
        let taps = names.map(|_| Tap {
            interface: interfaces.next().expect("there is no end"),
            epoch,
            pending: Vec::new(),
            blocks: blocks.clone(),
            missing: Arc::clone(&missing),
        });
        Ok((Self { writer, missing }, taps))
    }

    /// Once the directions have ended: whether all was written.
    pub(crate) fn finish(self) -> io::Result<()> {
        self.writer.join().unwrap_or_else(|_| Err(io::Error::other("the writer of the capture panicked")))?;
        match self.missing.load(Ordering::Relaxed) {
            0 => Ok(()),
            bytes => Err(io::Error::other(format!("the disk was too slow for {bytes} bytes of it"))),
        }
    }
}

impl Tap {
    /// A packet left at `at`.
    pub(crate) fn packet(&mut self, at: Instant, packet: &[u8]) {
        let nanos = self.epoch + at.as_nanos();
        // To memory: it cannot fail.
        let _ = pcapng::packet(&mut self.pending, self.interface, nanos, packet, packet.len() as u32);
        if self.pending.len() >= BLOCK {
            self.flush();
        }
    }

    fn flush(&mut self) {
        // If the writer has failed, `finish` says so.
        if let Err(TrySendError::Full(block)) = self.blocks.try_send(std::mem::take(&mut self.pending)) {
            self.missing.fetch_add(block.len() as u64, Ordering::Relaxed);
        }
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        self.flush();
    }
}
