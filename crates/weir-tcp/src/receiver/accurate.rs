//! The receiver of a connection that negotiates accurate ECN feedback: see [`crate::accecn`].

use weir_types::{Ecn, Instant};

use super::{Receiver, Reporter};
use crate::{
    Flags, Header, Segment,
    accecn::{AccEcnOption, ReceiverEcn},
    congestion::Feedback,
};

impl Receiver {
    /// Data has arrived.
    #[expect(clippy::inline_always, reason = "it is on the way of every packet where marks are counted")]
    #[inline(always)]
    pub(super) fn on_accecn(&mut self, segment: &Segment, now: Instant) -> Option<Segment> {
        let plain = segment.number == self.expected && self.beyond.is_empty();
        let accecn = self.reporter.as_mut()?.accecn.as_mut()?;
        if !plain && segment.number < self.first {
            return None;
        }
        let (able, classic) = (accecn.able, accecn.classic);
        if segment.flags().has(Flags::SYN) {
            return self.on_syn(segment, now, able, classic);
        }
        if able != ReceiverEcn::Accecn {
            return self.on_fallback(segment, now, classic);
        }
        let (ecn, bytes) = (segment.ecn(), segment.bytes());
        let changed = accecn.counters.count(ecn, bytes.saturating_sub(accecn.header));
        let prompt = changed || accecn.is_pushed(segment.number);
        let new = plain || self.beyond.insert(segment.number, &mut self.expected);
        if new {
            accecn.measure(bytes);
        }
        if plain {
            self.expected += 1;
        } else {
            self.note(segment.number, new);
        }
        self.arrived += 1;
        self.marked += u32::from(ecn == Ecn::Ce);
        self.delivered += u32::from(new);
        if self.delays && plain && !prompt && self.delayed().is_none() && self.quick == 0 {
            self.delay_ack(segment, now + self.delay);
            return None;
        }
        if !plain && self.compresses(segment, new && !changed, now) {
            return None;
        }
        self.quick = self.quick.saturating_sub(1);
        let ack = self.acknowledge(segment.stamp, false);
        Some(self.report(ack))
    }

    /// Data arrives at a receiver without accurate feedback: it echoes as in RFC 3168, or reports one mark at a time.
    #[inline(never)]
    fn on_fallback(&mut self, segment: &Segment, now: Instant, classic: Feedback) -> Option<Segment> {
        self.on_classic(segment, now, classic)
    }

    /// The SYN has arrived, perhaps again. Its answer says what this end can do.
    fn on_syn(
        &mut self,
        syn: &Segment,
        now: Instant,
        able: ReceiverEcn,
        classic: Feedback,
    ) -> Option<Segment> {
        let asks = syn.flags().ace() == Flags::ACE.ace();
        let plain = Segment { header: syn.header.with_flags(syn.flags().without(Flags::ACE)), ..*syn };
        let mut answer = self.on_fallback(&plain, now, classic)?;
        if able == ReceiverEcn::Accecn {
            // The fast paths do not count.
            (self.steady, self.pairs, self.echo) = (false, false, false);
        }
        let ace = if asks { able.answer(syn.ecn()) } else { 0 };
        answer.header = answer.header.with_flags(answer.flags().with_ace(ace));
        Some(answer)
    }

    /// The ACK with what it tells of marks. A receiver without accurate feedback has told it already.
    #[inline]
    pub(super) fn report(&mut self, mut ack: Segment) -> Segment {
        let Some(Reporter { log, accecn: Some(accecn), .. }) = self.reporter.as_deref_mut() else {
            return ack;
        };
        if accecn.able != ReceiverEcn::Accecn {
            return ack;
        }
        ack.header = ack.header.with_flags(ack.flags().with_ace(accecn.counters.ace()));
        if accecn.option {
            let place = log.write_beside(ack.options(), accecn.counters.option());
            let bytes = (ack.bytes() + AccEcnOption::SIZE).min(Header::MOST_BYTES);
            ack.header = ack.header.with_options(place).with_bytes(bytes);
        }
        ack
    }
}
