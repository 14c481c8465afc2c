//! That what is measured, and how often, can be.

use weir_types::Duration;

use crate::{DirectedLink, Scenario, problem::Problem};

impl Scenario {
    pub(super) fn check_measure(&self) -> Result<(), Problem> {
        let measure = &self.measure;
        Problem::unless(
            measure.warm_up() < self.duration,
            "measure.warm_up",
            format!("a warm-up of {} leaves nothing of a run of {}", measure.warm_up(), self.duration),
            "shorten the warm-up, or run longer",
        )?;
        let period = measure.period.unwrap_or(self.duration);
        Problem::unless(
            !period.is_zero() && period <= self.duration,
            "measure.period",
            format!("a period of {period} does not fit into a run of {}", self.duration),
            "write a period between zero and the duration",
        )?;
        Problem::unless(
            measure.settle < period,
            "measure.settle",
            format!("leaving out {} leaves nothing of a period of {period}", measure.settle),
            "settle must be shorter than the period",
        )?;
        Problem::unless(
            measure.period.is_some() || measure.settle.is_zero(),
            "measure.settle",
            "there are no periods to settle in",
            "add a period, or write warm_up for what is left out at the start of the run",
        )?;
        let times = |span: Duration| self.duration.as_secs_f64() / span.as_secs_f64();
        Problem::unless(
            times(period) <= 1e5,
            "measure.period",
            format!("a period of {period} divides the run into {:.0}", times(period)),
            "make at most 100000 periods",
        )?;
        if let Some(name) = &measure.bottleneck {
            let at = DirectedLink::parse(name);
            let link = self.links.get(at.link);
            let known: Vec<_> = self.links.keys().map(String::as_str).collect();
            Problem::unless(
                link.is_some(),
                "measure.bottleneck",
                format!("there is no link \"{}\"", at.link),
                format!("links: {}", known.join(", ")),
            )?;
            Problem::unless(
                link.and_then(|link| link.port(at.direction)).is_some(),
                "measure.bottleneck",
                format!("\"{}\" has no queue in its reverse direction", at.link),
                "name a link, or add reverse to this one",
            )?;
        }
        let Some(series) = &measure.series else { return Ok(()) };
        Problem::unless(
            !series.interval.is_zero(),
            "measure.series.interval",
            "the interval is zero",
            "write for example \"100 ms\"",
        )?;
        Problem::unless(
            times(series.interval) <= 1e7,
            "measure.series.interval",
            format!("an interval of {} gives {:.0} values", series.interval, times(series.interval)),
            "record at most ten million",
        )?;
        for wanted in &series.flows {
            let known = self.flows.iter().any(|(name, group)| {
                let flows = group.static_flows();
                wanted == name
                    || wanted
                        .strip_prefix(name.as_str())
                        .and_then(|rest| rest.strip_prefix('.'))
                        .and_then(|index| index.parse().ok())
                        .is_some_and(|index: usize| index < flows)
            });
            Problem::unless(
                known,
                "measure.series.flows",
                format!("there is no flow \"{wanted}\""),
                "flows are named by group and number, from 0: \"ftp.0\"; \"ftp\" is the whole group",
            )?;
        }
        Ok(())
    }

    pub(super) fn check_sweep(&self) -> Result<(), Problem> {
        let Some(sweep) = &self.sweep else { return Ok(()) };
        for (name, number) in [("replications", sweep.replications), ("samples", sweep.samples)] {
            Problem::unless(
                number != Some(0),
                format!("sweep.{name}"),
                "zero is not enough",
                "write 1 or more, or leave it out",
            )?;
        }
        Ok(())
    }
}
