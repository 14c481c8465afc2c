//! Where packets come from and go to: a TUN device, or a packet socket.

use std::{
    io::{self, IoSlice},
    net::IpAddr,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
};

use rustix::{
    fs::{OFlags, fcntl_getfl, fcntl_setfl},
    io::{Errno, read, writev},
};

use crate::offload;

/// Bytes of an Ethernet header: destination, source, type.
const ETHERNET: usize = 14;
/// Bytes that a device may give at once: a packet of 64 kB and the headers before it.
pub(crate) const LARGEST: usize = (1 << 16) + ETHERNET + offload::HEADER;

/// One end of the relay, as it is handed over.
#[derive(Debug)]
pub struct End {
    /// A TUN device or a packet socket. A TUN device is without packet information and with virtio headers of 10
    /// bytes. A packet socket (`SOCK_RAW`) is bound to an interface without offloads.
    pub file: OwnedFd,
    /// Destination and source address of the frames that a packet socket sends; none for a TUN device.
    pub ethernet: Option<[u8; 12]>,
    /// The addresses behind it, where there are several ends on one side.
    pub addresses: Vec<IpAddr>,
}

/// An open end.
#[derive(Debug)]
pub(crate) struct Device {
    file: OwnedFd,
    ethernet: Option<[u8; 12]>,
    addresses: Vec<IpAddr>,
}

impl Device {
    /// Reads and writes will not wait from now on.
    pub(crate) fn new(end: End) -> io::Result<Self> {
        let End { file, ethernet, addresses } = end;
        fcntl_setfl(&file, fcntl_getfl(&file)? | OFlags::NONBLOCK)?;
        Ok(Self { file, ethernet, addresses })
    }

    pub(crate) fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Returns true if packets for `address` go to this device.
    pub(crate) fn has(&self, address: IpAddr) -> bool {
        self.addresses.contains(&address)
    }

    /// Reads what came last: the offload header and the packet, empty for what is not IP. `None` if nothing came.
    pub(crate) fn receive<'b>(
        &self,
        buffer: &'b mut [u8],
    ) -> io::Result<Option<([u8; offload::HEADER], &'b mut [u8])>> {
        let length = match read(&self.file, &mut *buffer) {
            Ok(length) => length,
            Err(Errno::AGAIN | Errno::INTR) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let read = &mut buffer[..length];
        if self.ethernet.is_none() {
            let header = read.first_chunk().copied().unwrap_or_default();
            return Ok(Some((header, read.get_mut(offload::HEADER..).unwrap_or_default())));
        }
        let is_ip = matches!(read.get(12..ETHERNET), Some([0x08, 0x00] | [0x86, 0xdd]));
        let packet = if is_ip { &mut read[ETHERNET..] } else { &mut [] };
        Ok(Some((offload::header(false), packet)))
    }

    /// Writes an IP packet; `checked` if its checksums are ours. False if the other side does not take it: it has no
    /// room, or whoever is there has taken the device down or made its MTU less.
    pub(crate) fn send(&self, packet: &[u8], checked: bool) -> io::Result<bool> {
        let mut ethernet = [0; ETHERNET];
        let header = offload::header(checked);
        let before: &[u8] = if let Some(addresses) = &self.ethernet {
            ethernet[..12].copy_from_slice(addresses);
            let is_v4 = packet.first().is_some_and(|first| first >> 4 == 4);
            ethernet[12..].copy_from_slice(if is_v4 { &[0x08, 0x00] } else { &[0x86, 0xdd] });
            &ethernet
        } else {
            &header
        };
        match writev(&self.file, &[IoSlice::new(before), IoSlice::new(packet)]) {
            Ok(_) => Ok(true),
            Err(
                Errno::AGAIN | Errno::NOBUFS | Errno::NOMEM | Errno::IO | Errno::NETDOWN | Errno::MSGSIZE,
            ) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}
