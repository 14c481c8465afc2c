//! Replay of a packet trace: the packets of a CSV, pcap or pcapng file, when and as large as they were.

use std::{collections::HashMap, hash::Hash, io::Read, path::Path};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Ecn, Invalid};

use super::files::{self, Content};
use crate::capture;

/// The packets of a trace as datagrams.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("examples" = [{"file": "uplink.csv"}]))]
pub struct Replay {
    /// A path beside the scenario's file: pcap or pcapng, or CSV with the columns `time` (seconds),
    /// `bytes` and, if packets belong to several flows, `flow`; also compressed with gzip. Times count from the
    /// first packet, sizes are those of IP packets; of a capture, what is not IP is left out.
    pub file: String,
    /// Digest of what the file must hold. Default: whatever it holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Declare packets ECN-capable, and ignore the marks. Default off.
    #[serde(default)]
    pub ecn: bool,
    /// What the file holds.
    #[serde(skip)]
    pub trace: Content<Trace>,
}

/// Packets in the order of their times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The packets.
    pub packets: Vec<TracePacket>,
    /// Flows they belong to.
    pub flows: u32,
}

/// A packet of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TracePacket {
    /// Since the start of the trace; of a file, since its first packet.
    pub at: Duration,
    /// Bytes of the IP packet.
    pub bytes: u32,
    /// Number of its flow, in the order of their first packets.
    pub flow: u32,
    /// Its ECN bits. Those of a file are [`Ecn::NotEct`]: [`Replay::ecn`] says what they are.
    pub ecn: Ecn,
}

/// What is not yet a trace: times since anywhere, in nanoseconds, and flows by whatever names them.
struct Reading<Flow> {
    trace: Trace,
    flows: HashMap<Flow, u32>,
    first: i128,
    last: i128,
}

impl Replay {
    pub(super) fn read(&mut self, folder: &Path) -> Result<(), Invalid> {
        files::read(folder, &mut self.file, &mut self.digest, &mut self.trace, Trace::parse)
    }
}

impl Trace {
    /// Reads a capture or CSV.
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
        let trace = if capture::is_capture(bytes) { parse_capture(bytes) } else { parse_csv(bytes) }?;
        Invalid::unless(
            !trace.packets.is_empty(),
            "file",
            "there is no packet in it",
            "a capture needs IP packets; CSV has lines such as \"0.001,1500\"",
        )?;
        Ok(trace)
    }
}

impl<Flow: Eq + Hash> Reading<Flow> {
    fn new() -> Self {
        Self { trace: Trace::default(), flows: HashMap::new(), first: 0, last: 0 }
    }

    /// The next packet; the error says that it is earlier than the last.
    fn push(&mut self, nanos: i128, bytes: u32, flow: Flow) -> Result<(), String> {
        if self.trace.packets.is_empty() {
            (self.first, self.last) = (nanos, nanos);
        }
        if nanos < self.last {
            let seconds = (self.last - nanos) as f64 / 1e9;
            return Err(format!("the time goes back by {seconds} s"));
        }
        self.last = nanos;
        let at = u64::try_from(nanos - self.first).unwrap_or(u64::MAX);
        let new = self.flows.len() as u32;
        let flow = *self.flows.entry(flow).or_insert(new);
        let at = Duration::from_nanos(at);
        self.trace.packets.push(TracePacket { at, bytes, flow, ecn: Ecn::NotEct });
        Ok(())
    }

    fn finish(self) -> Trace {
        Trace { flows: self.flows.len() as u32, ..self.trace }
    }
}

/// `time,bytes[,flow]`, with or without that head.
fn parse_csv(bytes: &[u8]) -> Result<Trace, Invalid> {
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
        let size = size.parse().ok().filter(|size| (1..=1_000_000).contains(size));
        let size =
            size.ok_or_else(|| wrong(format!("{} is not the size of a packet", files::quoted(fields[1]))))?;
        let flow = match rest {
            [] => "",
            [flow] => flow,
            _ => return Err(wrong(format!("{} fields where there should be two or three", fields.len()))),
        };
        reading
            .push(nanos, size, flow.to_owned())
            .map_err(|message| files::at("line", line, message, "sort the lines by time"))?;
    }
    Ok(reading.finish())
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

fn parse_capture(bytes: &[u8]) -> Result<Trace, Invalid> {
    let mut reading = Reading::new();
    let damage = capture::read(bytes, |packet| {
        let Some(ip) = packet.ip else { return Ok(()) };
        reading.push(packet.nanos, ip.bytes, ip.endpoints).map_err(|message| {
            files::at("packet", packet.number, message, "sort it with a tool such as reordercap")
        })
    })?;
    damage.map_or_else(|| Ok(reading.finish()), Err)
}
