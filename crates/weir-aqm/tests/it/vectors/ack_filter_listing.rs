//! The ACK filter a second time, from the order of steps in `cake_ack_filter` of `sch_cake.c`, over headers as they
//! are on the wire. Nothing is shared with Weir. Timestamps are those of one host, which grow: their test always
//! passes.

/// Twelve bits of flags, as in the fourth word of a TCP header.
pub(super) const FIN: u16 = 0x001;
pub(super) const SYN: u16 = 0x002;
pub(super) const PSH: u16 = 0x008;
pub(super) const ACK: u16 = 0x010;
pub(super) const ECE: u16 = 0x040;
pub(super) const CWR: u16 = 0x080;
pub(super) const AE: u16 = 0x100;
const ALL: u16 = 0xfff;

/// An option of TCP by its kind.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Opt {
    Nop,
    Timestamp,
    Sack(Vec<(u32, u32)>),
    /// Such as that of accurate ECN.
    Unknown(u8),
}

/// A segment of TCP; `tuple` stands for addresses and ports.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tcp {
    pub(super) tuple: u32,
    pub(super) flags: u16,
    pub(super) ack_seq: u32,
    pub(super) options: Vec<Opt>,
    pub(super) payload: u32,
}

fn before(one: u32, two: u32) -> bool {
    one != two && two.wrapping_sub(one) <= u32::MAX / 2
}

fn after(one: u32, two: u32) -> bool {
    before(two, one)
}

impl Tcp {
    pub(super) fn sack(&self) -> Option<&[(u32, u32)]> {
        let blocks = self.options.iter().find_map(|option| match option {
            Opt::Sack(blocks) => Some(&blocks[..]),
            _ => None,
        });
        blocks.filter(|blocks| !blocks.is_empty())
    }

    fn echo(&self) -> u16 {
        self.flags & (ECE | CWR)
    }

    fn may_drop(&self) -> bool {
        self.flags & (ALL ^ (ECE | CWR)) == ACK
            && self.options.iter().all(|option| !matches!(option, Opt::Unknown(_)))
    }
}

/// Minus one if `a` is to be kept for its blocks, one if `b` has more, zero otherwise.
fn compare(a: &Tcp, b: &Tcp) -> i32 {
    let (sack_a, sack_b) = match (a.sack(), b.sack()) {
        (Some(_), None) => return -1,
        (None, Some(_)) => return 1,
        (None, None) => return 0,
        (Some(sack_a), Some(sack_b)) => (sack_a, sack_b),
    };
    let mut bytes_a = 0_u64;
    for &(start_a, end_a) in sack_a {
        if before(start_a, a.ack_seq) {
            return -1;
        }
        bytes_a += u64::from(end_a.wrapping_sub(start_a));
        let found = sack_b.iter().any(|&(start_b, end_b)| !after(start_b, start_a) && !before(end_b, end_a));
        if !found {
            return -1;
        }
    }
    let bytes_b: u64 = sack_b.iter().map(|(start, end)| u64::from(end.wrapping_sub(*start))).sum();
    i32::from(bytes_b > bytes_a)
}

/// Index of the packet that leaves `queue` when its last one has come.
pub(super) fn filter(queue: &[Tcp], aggressive: bool) -> Option<usize> {
    let (skb, others) = queue.split_last()?;
    if others.is_empty() || skb.flags & (ACK | SYN) != ACK {
        return None;
    }
    let (mut eligible, mut flags, mut found) = (None, 0, 0);
    for (index, check) in others.iter().enumerate() {
        if check.tuple != skb.tuple {
            continue;
        }
        if eligible.is_some() && check.echo() != flags {
            eligible = None;
            found -= 1;
        }
        if !check.may_drop() || check.payload != 0 || after(check.ack_seq, skb.ack_seq) {
            continue;
        }
        let order = compare(check, skb);
        if order < 0 || (check.ack_seq == skb.ack_seq && order == 0) {
            continue;
        }
        if eligible.is_none() {
            eligible = Some(index);
            flags = check.echo();
        }
        found += 1;
        if found > 1 {
            return eligible;
        }
    }
    eligible.filter(|index| aggressive && index + 1 == others.len() && flags == skb.echo())
}
