//! Other parts of a scenario that affect the flows.

use weir_scenario::{Path, Port, Rtt};

use super::{found::Flag, load::flows_at, reader::Reader, table::Table};

impl Reader<'_> {
    /// Other queues that may limit them, and starts that keep them in step.
    pub(super) fn around(&self, port: &Port<'_>, bulk: &[&Path<'_>], limiting: bool) -> Vec<Flag> {
        let mut flags = Vec::new();
        let several = |text: String| Flag { code: "several-queues", text };
        let ambiguity = self.network.bottleneck.ambiguity.as_ref().filter(|_| limiting);
        let others = bulk.iter().flat_map(|path| &path.data).filter(|at| **at != port.at);
        let mut others = others.filter_map(|at| self.network.port(*at));
        if let Some(ambiguity) = ambiguity {
            flags.push(several(format!("one queue is modelled, but {ambiguity}")));
        } else if others.any(|other| other.rate() <= port.rate()) {
            flags.push(several("the flows pass another link that is as slow".to_owned()));
        }
        for path in bulk {
            let flows = path.flows;
            let drawn = flows.access.is_some() || flows.send_jitter.as_secs_f64() > 0.0;
            let together = flows.start_jitter.as_secs_f64() == 0.0 && flows_at(&path.load, 0.0) > 1;
            if together && !drawn && matches!(flows.rtt, Rtt::Fixed(_)) {
                let text = format!("equal flows of {} start at one instant and may stay in step", path.group);
                flags.push(Flag { code: "in-step", text });
            }
        }
        flags
    }

    /// Packets per second, of `size` bytes, that answer no signal, over a link of this capacity.
    pub(super) fn unresponsive(
        here: &[&Path<'_>],
        size: u32,
        instant: f64,
        capacity: f64,
    ) -> (f64, Vec<Flag>) {
        let (mut total, mut flags) = (0.0, Vec::new());
        for path in here {
            let (name, own) = Table::choice(&path.flows.traffic);
            let rate = own.quantity("rate").map(|(rate, _)| rate / (8.0 * f64::from(size)));
            let sent = f64::from(flows_at(&path.load, instant)) * rate.unwrap_or_default();
            let mut flag =
                |code, text: String| flags.push(Flag { code, text: format!("{}{text}", path.group) });
            match &*name {
                "bulk" => {}
                "cbr" => total += sent,
                "on-off" => {
                    let [on, off] = ["on", "off"].map(|key| own.seconds(key).unwrap_or_default());
                    total += sent * on / (on + off);
                    flag("not-modelled-traffic", " is on and off: its mean rate is taken".to_owned());
                }
                "poisson" if own.number("load").is_some() => {
                    total += own.number("load").unwrap_or_default() * capacity;
                    flag("short-flows", ": short flows are taken as a load that answers nothing".to_owned());
                }
                other => flag("not-modelled-traffic", format!(": {other} traffic is left out")),
            }
        }
        (total, flags)
    }
}
