//! The packets of a capture in the order of their times: those of several queues or interfaces, and those after
//! a clock was set, are written in another.

use std::{collections::BTreeMap, io::Read};

use weir_types::{Duration, Invalid};

use super::{Packet, copies::Copies};

/// How far packets are from the order of their times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lateness {
    newest: Option<i128>,
    /// Packets that came after a later one.
    pub(crate) late: u64,
    /// By how many nanoseconds the latest of them was late.
    nanos: i128,
}

impl Lateness {
    /// Counts the next packet by its time in nanoseconds.
    pub(crate) fn push(&mut self, nanos: i128) {
        let newest = self.newest.map_or(nanos, |newest| newest.max(nanos));
        self.newest = Some(newest);
        if nanos < newest {
            self.late += 1;
            self.nanos = self.nanos.max(newest - nanos);
        }
    }

    /// By how much the latest of them was late.
    pub(crate) fn latest(&self) -> Duration {
        Duration::from_nanos(u64::try_from(self.nanos).unwrap_or(u64::MAX))
    }
}

/// Result of reading a capture.
pub(crate) struct InOrder<Made> {
    pub(crate) made: Made,
    pub(crate) lateness: Lateness,
    /// Packets that had been captured elsewhere.
    pub(crate) copies: u64,
    /// At which reading ended, if it ended before the file did.
    pub(crate) damage: Option<Invalid>,
}

/// Begins with `begin`, and calls `each` for every packet in the order of the times. Packets of equal times come in
/// the order of the file. `each` gets only the first copy of a packet that was captured twice. A capture that is not
/// in order is opened twice: how late packets come says how long others wait for them, so that memory does not grow
/// with the file. `go_on` is asked for every packet that is read.
///
/// # Errors
/// Any error of `open`, `go_on` and `each`, and of a capture that cannot be read at all.
pub(crate) fn in_order<Made, File: Read + Send>(
    mut open: impl FnMut() -> Result<File, Invalid>,
    mut go_on: impl FnMut() -> Result<(), Invalid>,
    mut begin: impl FnMut() -> Made,
    mut each: impl FnMut(&mut Made, Packet) -> Result<(), Invalid>,
) -> Result<InOrder<Made>, Invalid> {
    let mut lateness = Lateness::default();
    let mut made = begin();
    let mut copies = Copies::default();
    let mut once = |copies: &mut Copies, made: &mut Made, packet: Packet| {
        let is_copy = packet.ip.as_ref().is_some_and(|ip| copies.has(packet.nanos, packet.interface, ip));
        if is_copy { Ok(()) } else { each(made, packet) }
    };
    let damage = super::read(open()?, |packet| {
        go_on()?;
        lateness.push(packet.nanos);
        if lateness.late == 0 { once(&mut copies, &mut made, packet) } else { Ok(()) }
    })?;
    if lateness.late == 0 {
        return Ok(InOrder { made, lateness, copies: copies.found, damage });
    }
    (made, copies) = (begin(), Copies::default());
    // By time and place in the file.
    let mut waiting: BTreeMap<(i128, u64), Packet> = BTreeMap::new();
    let (mut newest, mut number) = (i128::MIN, 0);
    let damage = super::read(open()?, |packet| {
        go_on()?;
        newest = newest.max(packet.nanos);
        waiting.insert((packet.nanos, number), packet);
        number += 1;
        while let Some(first) = waiting.first_entry()
            && first.key().0 + lateness.nanos <= newest
        {
            once(&mut copies, &mut made, first.remove())?;
        }
        Ok(())
    })?;
    for packet in waiting.into_values() {
        once(&mut copies, &mut made, packet)?;
    }
    Ok(InOrder { made, lateness, copies: copies.found, damage })
}
