//! A recording: the packets of a CSV, pcap or pcapng file in the order of their times.

use std::{
    collections::HashMap,
    hash::Hash,
    io::Read,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
};

use weir_tcp::Header;
use weir_types::{Duration, Ecn, Invalid};

use super::{
    towards::Towards,
    trace::{Trace, TracePacket},
};
use crate::capture::{self, Endpoints, InOrder, Larger, Lateness, Side, Sides, most};
use crate::files;

/// Content of a recording: its packets and flows.
#[derive(Debug, Default)]
pub struct Recording {
    whole: Arc<Trace>,
    flows: Vec<Flow>,
    /// Groups of hosts that have nothing to do with each other; `None` if there is one direction.
    groups: Option<usize>,
    lateness: Lateness,
    copies: u64,
    /// Trace that was chosen last: the points of a sweep share it.
    chosen: Mutex<Option<(Towards, Arc<Trace>)>>,
}

/// A flow of a recording.
#[derive(Clone, Copy, Debug)]
struct Flow {
    packets: u64,
    bytes: u64,
    /// `None` in CSV, which has no addresses.
    endpoints: Option<Endpoints>,
    side: Side,
}

/// Packets of a recording, and where most of them went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Packets.
    pub packets: u64,
    /// Bytes of IP packets.
    pub bytes: u64,
    /// The host that was sent most bytes.
    pub to: Option<IpAddr>,
    /// All hosts that were sent something.
    pub hosts: u64,
}

/// Parts of a recording that are replayed and that are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    /// Packets that are replayed.
    pub replayed: Share,
    /// Packets that are left out.
    pub left_out: Share,
    /// Groups of hosts that have nothing to do with each other; `None` if there is one direction.
    pub groups: Option<usize>,
    /// Both directions of a link are replayed, as if they were one, though a network was named.
    pub mixed: bool,
    /// From the first packet of the recording to the last that is replayed.
    pub last: Duration,
    /// Packets that came after a later one.
    pub late: u64,
    /// By how much the latest of them was late.
    pub latest: Duration,
    /// Packets that had been captured elsewhere, and are left out.
    pub copies: u64,
}

impl Recording {
    /// Reads a capture or CSV, compressed or not.
    ///
    /// # Errors
    /// Names the line, or the number of the packet, that is wrong.
    pub fn parse(bytes: &[u8]) -> Result<Self, Invalid> {
        let mut plain = Vec::new();
        let bytes = if capture::is_compressed(bytes) {
            let read = capture::decompressed(bytes).and_then(|mut file| file.read_to_end(&mut plain));
            read.map_err(|error| Invalid {
                parameter: "file".into(),
                message: format!("it cannot be decompressed: {error}"),
                hint: "compress it again with gzip".into(),
            })?;
            &plain
        } else {
            bytes
        };
        let recording = if capture::is_capture(bytes) { parse_capture(bytes) } else { parse_csv(bytes) }?;
        Invalid::unless(
            !recording.whole.packets.is_empty(),
            "file",
            "there is no packet in it",
            "a capture needs IP packets; CSV has lines such as \"0.001,1500\"",
        )?;
        Ok(recording)
    }

    /// Returns true if it has both directions of a link.
    pub const fn is_two_way(&self) -> bool {
        self.groups.is_some()
    }

    /// The packets of a direction. Their times count from the first packet of the recording.
    ///
    /// # Errors
    /// If none went there, or nobody knows where they went.
    pub fn trace(&self, towards: &Towards) -> Result<Arc<Trace>, Invalid> {
        if matches!(towards, Towards::Subnets(_)) && self.flows.iter().any(|flow| flow.endpoints.is_none()) {
            return Err(Invalid {
                parameter: "to".into(),
                message: "a CSV trace has no addresses, so all its packets go one way".into(),
                hint: "leave `to` out, or replay a capture".into(),
            });
        }
        let chosen: Vec<bool> = self.flows.iter().map(|flow| flow.goes(towards)).collect();
        if chosen.iter().all(|is| *is) {
            return Ok(Arc::clone(&self.whole));
        }
        if chosen.iter().all(|is| !is) {
            let all = Share::of(self.flows.iter());
            let most = all.to.map(|to| to.to_string()).unwrap_or_default();
            return Err(Invalid {
                parameter: "to".into(),
                message: "no packet of the capture goes there".into(),
                hint: format!("packets go to {} hosts; {most} is sent most bytes", all.hosts),
            });
        }
        let mut last = self.chosen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, trace)) = last.as_ref().filter(|(of, _)| of == towards) {
            return Ok(Arc::clone(trace));
        }
        let packets = self.whole.packets.iter().filter(|packet| chosen[packet.flow as usize]).copied();
        let trace = Arc::new(numbered(packets.collect()).0);
        *last = Some((towards.clone(), Arc::clone(&trace)));
        Ok(trace)
    }

    /// Replayed and left-out parts of the recording, for a direction.
    pub fn selection(&self, towards: &Towards) -> Selection {
        let of = |goes: bool| Share::of(self.flows.iter().filter(move |flow| flow.goes(towards) == goes));
        let last = self.whole.packets.iter().rfind(|one| self.flows[one.flow as usize].goes(towards));
        let sides = self.flows.iter().filter(|flow| flow.goes(towards)).map(|flow| flow.side);
        Selection {
            replayed: of(true),
            left_out: of(false),
            groups: self.groups,
            mixed: matches!(towards, Towards::Subnets(_)) && self.is_two_way() && Side::are_both(sides),
            last: last.map_or(Duration::ZERO, |packet| packet.at),
            late: self.lateness.late,
            latest: self.lateness.latest(),
            copies: self.copies,
        }
    }
}

impl Flow {
    fn goes(&self, towards: &Towards) -> bool {
        match (towards, &self.endpoints) {
            (Towards::Larger, _) => self.side.larger,
            (Towards::Subnets(subnets), Some((_, to, ..))) => {
                subnets.iter().any(|subnet| subnet.contains(*to))
            }
            (Towards::Both, _) | (Towards::Subnets(_), None) => true,
        }
    }
}

impl Share {
    fn of<'a>(flows: impl Iterator<Item = &'a Flow>) -> Self {
        let mut share = Self::default();
        let mut hosts: HashMap<_, u64> = HashMap::new();
        for flow in flows {
            share.packets += flow.packets;
            share.bytes += flow.bytes;
            if let Some((_, to, ..)) = flow.endpoints {
                *hosts.entry(to).or_default() += flow.bytes;
            }
        }
        share.hosts = hosts.len() as u64;
        share.to = most(hosts);
        share
    }
}

/// Packets with flows numbered in the order of their first packets, and the former numbers in that order.
fn numbered(mut packets: Vec<TracePacket>) -> (Trace, Vec<u32>) {
    let mut numbers: HashMap<u32, u32> = HashMap::new();
    let mut former = Vec::new();
    for packet in &mut packets {
        packet.flow = *numbers.entry(packet.flow).or_insert_with(|| {
            former.push(packet.flow);
            former.len() as u32 - 1
        });
    }
    (Trace { packets, flows: former.len() as u32 }, former)
}

/// Recording that is being read: packets, and flows by whatever names them.
struct Reading<Name> {
    /// Time since anywhere in nanoseconds, bytes, flow.
    packets: Vec<(i128, u32, u32)>,
    flows: HashMap<Name, u32>,
}

impl<Name: Eq + Hash + Clone> Reading<Name> {
    fn new() -> Self {
        Self { packets: Vec::new(), flows: HashMap::new() }
    }

    fn push(&mut self, nanos: i128, bytes: u32, flow: Name) {
        let new = self.flows.len() as u32;
        let flow = *self.flows.entry(flow).or_insert(new);
        self.packets.push((nanos, bytes, flow));
    }

    /// Makes a recording of packets that are in the order of their times.
    fn finish(
        self,
        lateness: Lateness,
        groups: Option<usize>,
        of: impl Fn(&Name) -> (Option<Endpoints>, Side),
    ) -> Recording {
        let first = self.packets.first().map_or(0, |(nanos, ..)| *nanos);
        let since = |nanos: i128| Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
        let packets = self.packets.iter().map(|(nanos, bytes, flow)| TracePacket {
            at: since(nanos - first),
            bytes: *bytes,
            flow: *flow,
            ecn: Ecn::NotEct,
        });
        let (whole, former) = numbered(packets.collect());
        let none = Flow { packets: 0, bytes: 0, endpoints: None, side: Side::default() };
        let mut flows = vec![none; former.len()];
        let mut names = vec![None; former.len()];
        for (name, number) in self.flows {
            names[number as usize] = Some(name);
        }
        for (flow, former) in flows.iter_mut().zip(former) {
            let name = names[former as usize].as_ref().expect("every flow has a name");
            (flow.endpoints, flow.side) = of(name);
        }
        for packet in &whole.packets {
            let flow = &mut flows[packet.flow as usize];
            flow.packets += 1;
            flow.bytes += u64::from(packet.bytes);
        }
        Recording { whole: Arc::new(whole), flows, groups, lateness, copies: 0, chosen: Mutex::default() }
    }
}

fn parse_capture(bytes: &[u8]) -> Result<Recording, Invalid> {
    let begin = || (Reading::new(), Sides::default());
    let found = capture::in_order(
        || Ok(bytes),
        || Ok(()),
        begin,
        |(reading, sides), packet| {
            let Some(ip) = packet.ip else { return Ok(()) };
            sides.push(&ip.endpoints, ip.stations, packet.interface, ip.bytes);
            reading.push(packet.nanos, ip.bytes, ip.endpoints);
            Ok(())
        },
    )?;
    let InOrder { made: (reading, sides), lateness, copies, damage } = found;
    if let Some(damage) = damage {
        return Err(damage);
    }
    let larger = sides.larger();
    let groups = larger.as_ref().map(|larger: &Larger| larger.groups);
    let side = |flow: &Endpoints| larger.as_ref().map_or(Side::ONLY, |larger| larger.side(flow));
    Ok(Recording { copies, ..reading.finish(lateness, groups, |flow| (Some(*flow), side(flow))) })
}

/// `time,bytes[,flow]`, with or without that head.
fn parse_csv(bytes: &[u8]) -> Result<Recording, Invalid> {
    let example = "each line has seconds, bytes and perhaps a flow, such as \"0.001,1500\"";
    let mut rows = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(bytes);
    let mut reading = Reading::new();
    for (index, row) in rows.records().enumerate() {
        let row = row.map_err(|error| {
            let line = error.position().map_or(0, csv::Position::line);
            files::at("line", line, "not text", "a trace is CSV, pcap or pcapng")
        })?;
        let line = row.position().map_or(0, csv::Position::line);
        let wrong = |message: String| files::at("line", line, message, example);
        let fields: Vec<_> = row.iter().collect();
        if index == 0 && matches!(fields[..], ["time", "bytes"] | ["time", "bytes", "flow"]) {
            continue;
        }
        let [time, size, rest @ ..] = &fields[..] else {
            return Err(wrong(format!("{} field where there should be two", fields.len())));
        };
        let nanos = nanos_of(time)
            .ok_or_else(|| wrong(format!("{} is not a time in seconds", files::quoted(time))))?;
        let size = size.parse().ok().filter(|size| (1..=Header::MOST_BYTES).contains(size));
        let size =
            size.ok_or_else(|| wrong(format!("{} is not the size of a packet", files::quoted(fields[1]))))?;
        let flow = match rest {
            [] => "",
            [flow] => flow,
            _ => return Err(wrong(format!("{} fields where there should be two or three", fields.len()))),
        };
        reading.push(nanos, size, flow.to_owned());
    }
    let mut lateness = Lateness::default();
    for (nanos, ..) in &reading.packets {
        lateness.push(*nanos);
    }
    reading.packets.sort_by_key(|(nanos, ..)| *nanos);
    Ok(reading.finish(lateness, None, |_| (None, Side::ONLY)))
}

/// Decimal seconds as whole nanoseconds, digit by digit: seconds since 1970 have more digits than a
/// floating-point number.
pub(super) fn nanos_of(text: &str) -> Option<i128> {
    if text.contains(['e', 'E']) {
        let seconds: f64 = text.parse().ok()?;
        return (seconds.abs() < 1e12).then(|| (seconds * 1e9).round() as i128);
    }
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !are_digits(whole) || !are_digits(fraction) || whole.len() > 12 || whole.len() + fraction.len() == 0 {
        return None;
    }
    let seconds: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let nanos: i128 = format!("{:0<9}", &fraction[..fraction.len().min(9)]).parse().ok()?;
    let nanos = seconds * 1_000_000_000 + nanos;
    Some(if negative { -nanos } else { nanos })
}
