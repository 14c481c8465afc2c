//! A port and its flows at an instant.

use weir_scenario::{Network, Path, Port, Scenario};
use weir_types::Duration;

use super::{
    found::{Look, Queue, Reading},
    load::{at_s, flows_at, is_bulk, passes},
    queues::{self, Unit},
    senders::{self, Met},
    table::Table,
};
use crate::{Aqm, Shape, System, TheoryError, WindowModel};

/// A scenario, to be read at several instants.
#[derive(Debug)]
pub struct Reader<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) network: Network<'a>,
}

impl<'a> Reader<'a> {
    /// Reads a scenario.
    pub fn new(scenario: &'a Scenario) -> Self {
        Self { scenario, network: scenario.network() }
    }

    /// The queue of a link and its flows at an instant in seconds, the end if `None`.
    ///
    /// # Errors
    /// If there is no model.
    pub fn at(&self, at: Option<f64>, look: Look<'_>) -> Result<Reading, TheoryError> {
        let (instant, port) = (self.instant(at)?, self.port(look.link)?);
        let here: Vec<_> = self
            .network
            .paths
            .iter()
            .filter(|path| passes(path, port) && flows_at(&path.load, instant) > 0)
            .collect();
        let nobody = format!("no flow is over {} at {instant} s", port.at);
        let hint = "name another instant: --at SECONDS";
        let first = here.first().ok_or_else(|| TheoryError::new(nobody, hint))?;
        let bulk: Vec<_> = here.iter().copied().filter(|path| is_bulk(path)).collect();
        let Some(size) = bulk.first().map(|path| path.flows.packet_size.bytes()) else {
            let traffic = first.flows.traffic.name();
            let message = format!(
                "no model: {traffic} traffic alone, and no flow with data without end answers signals"
            );
            let error = TheoryError::new(message, "add flows whose traffic is bulk");
            return Err(error.at(format!("flows.{}.traffic", first.group)));
        };
        one_size(&bulk, size)?;
        let (discipline, table) = queue_at(port, instant);
        let unit = unit_at(port, instant, size)?;
        let aqm = queues::aqm_of(&discipline, &table, &unit)?;
        let mut flags = self.around(port, &bulk, look.link.is_none());
        let mut groups = Vec::new();
        let apart = discipline == "dualpi2";
        for path in &bulk {
            let met = Met {
                marks: apart || table.on("ecn"),
                apart,
                cut: look.cut,
                changes: &self.scenario.changes,
                instant,
                flows: f64::from(flows_at(&path.load, instant)),
            };
            let (parts, flag) = senders::groups_of(path, met)?;
            groups.extend(parts);
            flags.extend(flag);
        }
        let coupled = matches!(&aqm, Aqm::Integrator(aqm) if aqm.shape == Shape::Coupled);
        TheoryError::new(
            "no model: with scalable flows alone DualPI2 marks by the ramp of its low-latency queue",
            "add flows of the classic kind",
        )
        .unless(!coupled || groups.iter().any(|group| group.waits || group.kind != WindowModel::Scalable))?;
        let (unresponsive, more) = Self::unresponsive(&here, size, instant, unit.capacity);
        flags.extend(more);
        let system = System { groups, capacity: unit.capacity, aqm, unresponsive, buffer: unit.buffer };
        let port = port.at.to_string();
        Ok(Reading { system, flags, port, at: instant, packet_bytes: size, discipline })
    }

    /// The queue of a link at an instant, counted in packets of so many bytes.
    ///
    /// # Errors
    /// If the link follows a trace.
    pub fn queue(&self, link: &str, instant: f64, size: u32) -> Result<Queue, TheoryError> {
        let port = self.port(Some(link))?;
        let (discipline, table) = queue_at(port, instant);
        let unit = unit_at(port, instant, size)?;
        let (aqm, why) = match queues::aqm_of(&discipline, &table, &unit) {
            Ok(aqm) => (Some(aqm), None),
            Err(error) => (None, Some(error.message)),
        };
        Ok(Queue { discipline, capacity: unit.capacity, buffer: unit.buffer, aqm, why })
    }

    /// An instant of the run, its end if `None`.
    fn instant(&self, at: Option<f64>) -> Result<f64, TheoryError> {
        let end = self.scenario.duration.as_secs_f64();
        let at = at.unwrap_or(end);
        let message = format!("{} ends at {end} s, before {at} s", self.scenario.name);
        TheoryError::new(message, "an earlier instant").unless(at <= end)?;
        Ok(at)
    }

    pub(super) fn port(&self, link: Option<&str>) -> Result<&Port<'a>, TheoryError> {
        let ports = &self.network.ports;
        let Some(name) = link else {
            return Ok(self.network.port(self.network.bottleneck.at).expect("a bottleneck has a queue"));
        };
        ports.iter().find(|port| port.at.to_string() == name).ok_or_else(|| {
            let names: Vec<_> = ports.iter().map(|port| port.at.to_string()).collect();
            let message = format!("there is no link '{name}' with a queue");
            TheoryError::new(message, format!("there are: {}", names.join(", ")))
        })
    }
}

fn one_size(bulk: &[&Path<'_>], size: u32) -> Result<(), TheoryError> {
    for path in bulk {
        let own = path.flows.packet_size.bytes();
        TheoryError::new(
            format!(
                "the model has packets of one size, and these are {own} B where flows.{} has {size} B",
                bulk[0].group
            ),
            "give all flows packets of one size: --set",
        )
        .at(format!("flows.{}.packet_size", path.group))
        .unless(own == size)?;
    }
    Ok(())
}

/// The discipline of a port at an instant, and its parameters.
fn queue_at(port: &Port<'_>, instant: f64) -> (String, Table) {
    let changed = port.changes.iter().rev().find(|change| at_s(change.at) <= instant);
    Table::choice(changed.map_or(port.queue(), |change| change.queue))
}

/// Rate and buffer of a port at an instant.
fn unit_at(port: &Port<'_>, instant: f64, size: u32) -> Result<Unit, TheoryError> {
    TheoryError::new(
        "the model has links of one rate, and this one follows a trace",
        "give it the rate to compute with: rate",
    )
    .at(format!("links.{}.trace", port.at))
    .unless(port.spec.deliveries.is_none())?;
    Ok(Unit {
        size: f64::from(size),
        capacity: port.rate_at(Duration::from_secs_f64(instant)).packets_per_second(size),
        counted: f64::from(port.mean_packet_size.bytes()),
        buffer: port.buffer_packets(Duration::from_secs_f64(instant), size),
    })
}
