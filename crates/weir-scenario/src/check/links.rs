//! That each link goes together.

use weir_aqm::{Limit, Link, qdisc::QueueConfig};
use weir_types::{Buffer, Invalid};

use crate::{
    DirectedLink, Direction, LinkBuffer, Loss, PortSpec, Scenario, links::check_schedule, problem::Problem,
    topology::Passing,
};

impl Scenario {
    /// That every link has a rate and no more directions than it says, before anything reckons with them.
    pub(super) fn check_directions(&self) -> Result<(), Problem> {
        for (name, link) in &self.links {
            Problem::unless(
                !link.unidirectional || link.reverse.is_none(),
                format!("links.{name}.unidirectional"),
                "the link is one-way, and has another direction",
                "leave unidirectional or reverse out",
            )?;
            Problem::unless(
                link.rate.is_some(),
                format!("links.{name}"),
                "missing field `rate`",
                "add rate = \"64 Mbit/s\", or a trace",
            )?;
        }
        Ok(())
    }

    pub(super) fn check_link(&self, name: &str, passing: &Passing) -> Result<(), Problem> {
        let path = format!("links.{name}");
        let link = &self.links[name];
        Problem::unless(
            link.buffer_counts == LinkBuffer::Waiting || !matches!(link.buffer, Buffer::Bytes(_)),
            format!("{path}.buffer_counts"),
            "a buffer in bytes holds what waits, not what is being sent",
            "write the buffer in packets, or leave buffer_counts out",
        )?;
        for direction in Direction::BOTH {
            let Some(port) = link.port(direction) else { continue };
            let path = DirectedLink { link: &path, direction }.to_string();
            check_service(&path, &port)?;
            check_loss(&path, port.loss)?;
            check_line(&path, &port)?;
            self.check_queue(DirectedLink { link: name, direction }, &path, port.queue, passing)?;
            if !link.ecn_capable {
                check_legacy(&path, port.queue)?;
            }
            if port.docsis.is_some() {
                check_shaper(&format!("{path}.queue"), port.queue)?;
            }
        }
        Ok(())
    }

    fn check_queue(
        &self,
        at: DirectedLink<'_>,
        path: &str,
        queue: &QueueConfig,
        passing: &Passing,
    ) -> Result<(), Problem> {
        let largest = passing.largest_packet(self, at);
        let (holds_one, found) = match self.limit(passing, at) {
            Limit::Packets(packets) => (packets >= 1, format!("{packets} packets")),
            Limit::Bytes(bytes) | Limit::Span(bytes) => (bytes >= u64::from(largest), format!("{bytes} B")),
        };
        Problem::unless(
            holds_one,
            format!("{path}.buffer"),
            format!(
                "the buffer does not hold one packet of {largest} B: room for waiting packets is {found}"
            ),
            "write at least \"1 packet\", or \"2 packets\" where the one being sent counts",
        )?;
        check_discipline(&format!("{path}.queue"), queue, self.seen_by_aqms(passing, at))
    }
}

/// That the discipline at `path` can stand before `link`.
pub(crate) fn check_discipline(path: &str, queue: &QueueConfig, link: Link) -> Result<(), Problem> {
    check_parameters(path, queue)?;
    queue.check_before(link).map_err(|invalid| problem(path, queue, invalid))
}

/// That the parameters of the discipline at `path` go together, before any link.
pub(crate) fn check_parameters(path: &str, queue: &QueueConfig) -> Result<(), Problem> {
    queue.check().map_err(|invalid| problem(path, queue, invalid))
}

fn problem(path: &str, queue: &QueueConfig, invalid: Invalid) -> Problem {
    Problem {
        path: format!("{path}.{}.{}", queue.name(), invalid.parameter),
        message: invalid.message,
        hint: invalid.hint,
    }
}

fn check_service(path: &str, port: &PortSpec<'_>) -> Result<(), Problem> {
    Problem::unless(
        port.deliveries.is_none() || port.rate_schedule.is_empty(),
        format!("{path}.rate_schedule"),
        "the trace says already what can be sent, and when",
        "leave trace or rate_schedule out",
    )?;
    if let Some(bucket) = port.token_bucket {
        let path = format!("{path}.token_bucket");
        Problem::unless(
            port.deliveries.is_none(),
            &path,
            "a token bucket has a rate, and the link has a trace of what can be sent",
            "leave one of them out",
        )?;
        bucket.check(&path, port.highest_rate())?;
    }
    check_schedule(path, port.rate_schedule, port.rate_period)?;
    let Some(docsis) = port.docsis else { return Ok(()) };
    let path = format!("{path}.docsis");
    let contradicts = [
        (port.deliveries.is_some(), "a trace says when packets leave, and grants do"),
        (port.aggregation.is_some(), "aggregation has grants without requests, and this line has requests"),
    ];
    for (both, message) in contradicts {
        Problem::unless(!both, &path, message, "leave one of the two out")?;
    }
    docsis.check(&path, port.lowest_rate(), port.highest_rate(), port.token_bucket)
}

/// That no shaper of the queue at `path` holds packets back while the grants of a modem pass.
pub(crate) fn check_shaper(path: &str, queue: &QueueConfig) -> Result<(), Problem> {
    Problem::unless(
        !queue.shapes(),
        format!("{path}.{}", queue.name()),
        "its shaper would hold packets back while the grants of the modem pass",
        "leave the shaper's keys out, or put this queue on a link of its own before the modem",
    )
}

/// That the line lets packets go.
fn check_line(path: &str, port: &PortSpec<'_>) -> Result<(), Problem> {
    if let Some(variation) = port.delay_variation {
        variation.check(&format!("{path}.delay_variation"))?;
        Problem::unless(
            !variation.reorder || port.aggregation.is_none(),
            format!("{path}.delay_variation.reorder"),
            "packets that leave together keep their order",
            "leave reorder or aggregation out",
        )?;
    }
    port.aggregation.map_or(Ok(()), |aggregation| aggregation.check(&format!("{path}.aggregation")))
}

/// That a model of losses says what it needs, and lets something through.
fn check_loss(path: &str, loss: Option<&Loss>) -> Result<(), Problem> {
    let Some(loss) = loss else { return Ok(()) };
    let path = format!("{path}.loss.{}", loss.name());
    match loss {
        Loss::Bernoulli(loss) => {
            let (chances, message) = match (loss.per_packet, loss.per_bit) {
                (None, None) => (None, "nothing says how often"),
                (Some(_), Some(_)) => (None, "of packets and of bits: which?"),
                (one, other) => (one.or(other), ""),
            };
            let Some(chance) = chances else {
                let hint = "write one of per_packet = 0.01 and per_bit = 1e-6";
                return Err(Problem::new(path, message, hint));
            };
            Problem::unless(
                chance.get() < 1.0,
                format!("{path}.{}", if loss.per_packet.is_some() { "per_packet" } else { "per_bit" }),
                "nothing ever gets through",
                "write a number below 1",
            )
        }
        Loss::GilbertElliott(loss) => {
            let (to_bad, to_good) = (loss.to_bad.get(), loss.to_good.get());
            Problem::unless(
                to_good > 0.0,
                format!("{path}.to_good"),
                "the line never turns good again",
                "write a number above 0: 0.25 makes bad times last four steps on average",
            )?;
            Problem::unless(
                loss.loss_good.get() < 1.0 && (to_bad < 1.0 || loss.loss_bad.get() < 1.0),
                format!("{path}.{}", if loss.loss_good.get() < 1.0 { "to_bad" } else { "loss_good" }),
                "next to nothing gets through",
                "write a number below 1",
            )
        }
        Loss::Periodic(loss) => Problem::unless(
            loss.every > 1,
            format!("{path}.every"),
            "nothing ever gets through",
            "write 2 or more: 100 loses one packet in a hundred",
        ),
    }
}

/// That a router which knows nothing of ECN marks nothing.
pub(crate) fn check_legacy(path: &str, queue: &QueueConfig) -> Result<(), Problem> {
    let place = format!("{path}.queue.{}", queue.name());
    match marking(&place, queue) {
        None => Ok(()),
        Some(key) => Err(Problem::new(
            key,
            "the router marks, but ecn_capable = false says that it knows nothing of ECN",
            "let it drop, or leave ecn_capable out",
        )),
    }
}

/// The parameter that makes a discipline mark, if it does: `ecn`, its own or that of its AQM.
/// `DualPI2` and the step mark by nature.
fn marking(place: &str, queue: &QueueConfig) -> Option<String> {
    fn below(place: &str, value: &serde_json::Value) -> Option<String> {
        value.as_object()?.iter().find_map(|(key, value)| {
            let place = format!("{place}.{key}");
            if key == "ecn" && *value == serde_json::Value::Bool(true) {
                Some(place)
            } else {
                below(&place, value)
            }
        })
    }
    if queue.name() == "dualpi2" {
        return Some(place.to_owned());
    }
    let plain = serde_json::to_value(queue).expect("plain data");
    below(place, plain.get(queue.name())?)
}
