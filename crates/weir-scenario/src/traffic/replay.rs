//! Replay of a packet trace: the packets of a CSV, pcap or pcapng file, when and as large as they were.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_tcp::Header;
use weir_types::Invalid;

use super::{
    recording::{Recording, Selection},
    towards::Towards,
    trace::Trace,
};
use crate::files::{self, Content};

/// The packets of a trace as datagrams.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("examples" = [{"file": "uplink.csv"}]))]
pub struct Replay {
    /// A path beside the scenario's file: pcap or pcapng, or CSV with the columns `time` (seconds),
    /// `bytes` and, if packets belong to several flows, `flow`; also compressed with gzip. Packets are
    /// sorted by time. Times count from the first packet, sizes are those of IP packets; of a capture,
    /// what is not IP is left out.
    pub file: String,
    /// Digest of what the file must hold. Default: whatever it holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Network whose packets are replayed, if the capture has both directions of a link: `"192.0.2.0/24"`, the
    /// address of a host, or a list; `"both"` for all. Default `"larger"`: the direction with more bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Towards>,
    /// Declare packets ECN-capable, and ignore the marks. Default off.
    #[serde(default)]
    pub ecn: bool,
    /// Packets that are replayed.
    #[serde(skip)]
    pub trace: Content<Trace>,
    /// Content of the file.
    #[serde(skip)]
    pub(crate) recording: Content<Recording>,
}

impl Replay {
    pub(super) fn read(&mut self, folder: &Path) -> Result<(), Invalid> {
        files::read(folder, &mut self.file, &mut self.digest, &mut self.recording, Recording::parse)?;
        let recording = self.recording.get();
        if self.to.is_none() && recording.is_two_way() {
            // Said in the scenario that is stored: what is replayed is not all that the file holds.
            self.to = Some(Towards::Larger);
        }
        let trace = recording.trace(self.to.as_ref().unwrap_or(&Towards::Larger))?;
        let (largest, most) = (trace.packets.iter().map(|packet| packet.bytes).max(), Header::MOST_BYTES);
        Invalid::unless(
            largest.is_none_or(|largest| largest <= most),
            "file",
            format!("a packet of {} B is larger than an IP packet", largest.unwrap_or(0)),
            format!("at most {most} B can be sent at once; record with segmentation offload off"),
        )?;
        self.trace = Content::made(trace);
        Ok(())
    }

    /// Replayed and left-out parts of the file; `None` if it was not read.
    pub fn selection(&self) -> Option<Selection> {
        let towards = self.to.as_ref().unwrap_or(&Towards::Larger);
        self.recording.is_read().then(|| self.recording.get().selection(towards))
    }
}
