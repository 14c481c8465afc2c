//! What types cannot say: that values go together. Done before anything runs.

use weir_aqm::{Limit, Link, disciplines::QueueConfig};
use weir_types::{Buffer, Duration};

use crate::{Direction, FlowGroup, LinkBuffer, Population, Rtt, RttDistribution, SCHEMA_VERSION, Scenario};

/// A value that does not go together with the others.
pub(crate) struct Problem {
    /// Dotted path.
    pub(crate) path: String,
    pub(crate) message: String,
    pub(crate) hint: String,
}

type Outcome = Result<(), Problem>;

impl Problem {
    fn unless(
        holds: bool,
        path: impl Into<String>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Outcome {
        if holds {
            Ok(())
        } else {
            Err(Self { path: path.into(), message: message.into(), hint: hint.into() })
        }
    }
}

impl Scenario {
    /// That flows can be counted at all, before anything counts them.
    pub(crate) fn check_counts(&self) -> Outcome {
        for (name, group) in &self.flows {
            Problem::unless(
                group.count <= Population::LARGEST,
                format!("flows.{name}.count"),
                format!("{} flows are too many", group.count),
                format!("write at most {}", Population::LARGEST),
            )?;
        }
        Ok(())
    }

    /// Fills in what follows from the rest of the file, so that the resolved scenario says it.
    pub(crate) fn complete(&mut self) {
        if self.title.is_empty() {
            self.title.clone_from(&self.name);
        }
        if let Some(only) = self.links.keys().next().filter(|_| self.links.len() == 1) {
            for group in self.flows.values_mut().filter(|group| group.path.is_empty()) {
                group.path.push(only.clone());
            }
        }
        let names: Vec<_> = self.links.keys().cloned().collect();
        for name in names {
            let data = self.mean_packet(&name, Direction::Forward);
            let ack = self.mean_packet(&name, Direction::Reverse);
            let link = &mut self.links[&name];
            link.mean_packet = Some(data);
            let rate = link.rate;
            if let Some(reverse) = &mut link.reverse {
                reverse.rate.get_or_insert(rate);
                reverse.mean_packet = Some(ack);
            }
        }
    }

    pub(crate) fn check(&self) -> Outcome {
        Problem::unless(
            self.schema == SCHEMA_VERSION,
            "schema",
            format!("schema {} is not known to this version", self.schema),
            format!("this version reads schema = {SCHEMA_VERSION}"),
        )?;
        check_name("name", &self.name)?;
        Problem::unless(
            !self.duration.is_zero(),
            "duration",
            "the run takes no time",
            "write for example \"100 s\"",
        )?;
        Problem::unless(
            !self.links.is_empty(),
            "links",
            "there is no link",
            "add a table [links.bottleneck]",
        )?;
        for name in self.links.keys() {
            check_name(&format!("links.{name}"), name)?;
            self.check_link(name)?;
        }
        let total: usize = self.flows.values().map(|group| group.lifetimes().len()).sum();
        Problem::unless(
            total > 0,
            "flows",
            "there are no flows",
            "add a table [flows.ftp] with count = 1 or more",
        )?;
        for (name, group) in &self.flows {
            check_name(&format!("flows.{name}"), name)?;
            self.check_group(name, group)?;
        }
        self.check_measure()?;
        self.check_sweep()
    }

    fn check_link(&self, name: &str) -> Outcome {
        let path = format!("links.{name}");
        let link = &self.links[name];
        Problem::unless(
            link.buffer_counts == LinkBuffer::Waiting || !matches!(link.buffer, Buffer::Bytes(_)),
            format!("{path}.buffer_counts"),
            "a buffer in bytes holds what waits, not what is being sent",
            "write the buffer in packets, or leave buffer_counts out",
        )?;
        self.check_queue(name, &path, Direction::Forward, &link.aqm)?;
        match &link.reverse {
            Some(reverse) => {
                self.check_queue(name, &format!("{path}.reverse"), Direction::Reverse, &reverse.aqm)
            }
            None => Ok(()),
        }
    }

    fn check_queue(&self, link: &str, path: &str, direction: Direction, aqm: &QueueConfig) -> Outcome {
        let over = self.flows.values().filter(|group| group.path.iter().any(|name| name == link));
        let largest = over.map(|group| group.packet.bytes()).max().unwrap_or(1);
        let (holds_one, found) = match self.limit(link, direction) {
            Limit::Packets(packets) => (packets >= 1, format!("{packets} packets")),
            Limit::Bytes(bytes) => (bytes >= u64::from(largest), format!("{bytes} B")),
        };
        Problem::unless(
            holds_one,
            format!("{path}.buffer"),
            format!(
                "the buffer does not hold one packet of {largest} B: room for waiting packets is {found}"
            ),
            "write at least \"1 packet\", or \"2 packets\" where the one being sent counts",
        )?;
        check_discipline(&format!("{path}.aqm"), aqm, self.seen_by_laws(link, direction))
    }

    fn check_group(&self, name: &str, group: &FlowGroup) -> Outcome {
        let path = format!("flows.{name}");
        Problem::unless(
            name != "all",
            &path,
            "\"all\" stands for the sum of all groups in results",
            "give the group another name",
        )?;
        self.check_path(&path, group)?;
        self.check_rtt(&format!("{path}.rtt"), group)?;
        Problem::unless(
            group.start < self.duration,
            format!("{path}.start"),
            format!("the flows start at {}, when the run of {} is over", group.start, self.duration),
            "start them earlier, or run longer",
        )?;
        Problem::unless(
            group.start + group.jitter <= self.duration,
            format!("{path}.jitter"),
            format!("with a jitter of {} flows may start after the run of {}", group.jitter, self.duration),
            "shorten the jitter, or run longer",
        )?;
        let stop = group.stop.unwrap_or(self.duration);
        Problem::unless(
            group.start < stop,
            format!("{path}.stop"),
            format!("the flows stop at {stop}, not after their start at {}", group.start),
            "stop them after they start",
        )?;
        group.tcp.check().map_err(|invalid| Problem {
            path: format!("{path}.tcp.{}", invalid.parameter),
            message: invalid.message,
            hint: invalid.hint,
        })
    }

    fn check_path(&self, path: &str, group: &FlowGroup) -> Outcome {
        let path = format!("{path}.path");
        let known: Vec<_> = self.links.keys().map(String::as_str).collect();
        Problem::unless(
            !group.path.is_empty(),
            &path,
            "there are several links and no path over them",
            format!("write for example path = [\"{}\"]", known.join("\", \"")),
        )?;
        for (index, link) in group.path.iter().enumerate() {
            Problem::unless(
                self.links.contains_key(link),
                &path,
                format!("there is no link \"{link}\""),
                format!("links: {}", known.join(", ")),
            )?;
            Problem::unless(
                !group.path[..index].contains(link),
                &path,
                format!("the path passes \"{link}\" twice"),
                "a path passes a link at most once",
            )?;
        }
        Ok(())
    }

    fn check_rtt(&self, path: &str, group: &FlowGroup) -> Outcome {
        if let Rtt::Drawn(distribution) = &group.rtt {
            let (holds, message) = match distribution {
                RttDistribution::Uniform(uniform) => (uniform.from < uniform.to, "from is not below to"),
                RttDistribution::Exponential(exponential) => {
                    (exponential.at_least < exponential.mean, "the mean is not above at_least")
                }
                RttDistribution::LogNormal(normal) => {
                    (normal.sigma > 0.0 && normal.sigma <= 5.0, "sigma is not above 0 and at most 5")
                }
            };
            Problem::unless(holds, path, message, "a distribution needs some width")?;
        }
        let links: Duration =
            group.path.iter().fold(Duration::ZERO, |sum, link| sum + self.links[link].delay);
        let least = links + group.access.as_ref().map_or(Duration::ZERO, |access| access.receiver_delay);
        Problem::unless(
            group.rtt.minimum() >= least * 2,
            path,
            format!(
                "a round trip of {} leaves less than nothing for the access: the links alone take {}",
                group.rtt.minimum(),
                least * 2
            ),
            format!("write at least \"{}\", or shorten the links' delay", least * 2),
        )
    }

    fn check_measure(&self) -> Outcome {
        let measure = &self.measure;
        Problem::unless(
            measure.warm_up < self.duration,
            "measure.warm_up",
            format!("a warm-up of {} leaves nothing of a run of {}", measure.warm_up, self.duration),
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
                let flows = group.lifetimes().len();
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

    fn check_sweep(&self) -> Outcome {
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

/// That the discipline at `path` can stand before `link`.
pub(crate) fn check_discipline(path: &str, aqm: &QueueConfig, link: Link) -> Outcome {
    aqm.check().and_then(|()| aqm.check_before(link)).map_err(|invalid| Problem {
        path: format!("{path}.{}.{}", aqm.name(), invalid.parameter),
        message: invalid.message,
        hint: invalid.hint,
    })
}

/// Names become paths and file names.
fn check_name(path: &str, name: &str) -> Outcome {
    Problem::unless(
        is_plain(name),
        path,
        format!("\"{name}\" is not a plain name"),
        "use letters, digits, \"-\" and \"_\"",
    )
}

/// Whether a name can be part of a path and of a file name.
pub(crate) fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}
