//! Addresses of hosts, and networks of them: `192.0.2.0/24`.

use std::{
    borrow::Cow,
    cmp::Reverse,
    collections::HashMap,
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    str::FromStr,
};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use weir_types::UnitError;

/// Sixteen bytes; those of IPv4 are the last four, behind zeros.
pub(crate) type Address = [u8; 16];

/// Addresses that begin with the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subnet {
    address: IpAddr,
    bits: u8,
}

/// An address as it is written.
pub(crate) fn written(address: Address) -> IpAddr {
    match address {
        // 0.0.0.0/8 sends nothing: these bits are of IPv6, such as its loopback.
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, first, rest @ ..] if first != 0 => {
            Ipv4Addr::new(first, rest[0], rest[1], rest[2]).into()
        }
        _ => Ipv6Addr::from(address).into(),
    }
}

/// The host with most bytes; of equal ones the first by its address: the order of a map is none.
pub(crate) fn most(hosts: HashMap<Address, u64>) -> Option<IpAddr> {
    let most = hosts.into_iter().max_by_key(|(host, bytes)| (*bytes, Reverse(*host)));
    most.map(|(host, _)| written(host))
}

/// Returns true if it is a group of hosts: multicast or broadcast.
pub(crate) fn is_group(address: Address) -> bool {
    match written(address) {
        IpAddr::V4(address) => address.is_multicast() || address.is_broadcast(),
        IpAddr::V6(address) => address.is_multicast(),
    }
}

impl Subnet {
    pub(crate) fn contains(self, address: Address) -> bool {
        let (differing, length) = match (self.address, written(address)) {
            (IpAddr::V4(own), IpAddr::V4(other)) => (u128::from(own.to_bits() ^ other.to_bits()), 32),
            (IpAddr::V6(own), IpAddr::V6(other)) => (own.to_bits() ^ other.to_bits(), 128),
            _ => return false,
        };
        differing.checked_shr(length - u32::from(self.bits)).unwrap_or(0) == 0
    }
}

impl FromStr for Subnet {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let error = || {
            let hint = "write 192.0.2.0/24, 2001:db8::/32 or the address of one host";
            UnitError::new(format!("\"{text}\" is no network"), hint)
        };
        let (address, bits) = text.trim().split_once('/').map_or((text.trim(), None), |(a, b)| (a, Some(b)));
        let address: IpAddr = address.parse().map_err(|_| error())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(most), str::parse).map_err(|_| error())?;
        if bits <= most { Ok(Self { address, bits }) } else { Err(error()) }
    }
}

impl fmt::Display for Subnet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

impl JsonSchema for Subnet {
    fn schema_name() -> Cow<'static, str> {
        "Subnet".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "a network or the address of a host",
            "pattern": "^[0-9A-Fa-f.:]+(/[0-9]+)?$",
            "examples": ["192.0.2.0/24", "2001:db8::1"],
        })
    }
}
