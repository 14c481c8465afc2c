//! That each group of flows goes together.

use weir_tcp::Header;
use weir_types::Duration;

use crate::{FlowGroup, Rtt, RttDistribution, Scenario, problem::Problem};

impl Scenario {
    pub(super) fn check_group(&self, name: &str, group: &FlowGroup) -> Result<(), Problem> {
        let path = format!("flows.{name}");
        Problem::unless(
            name != "all",
            &path,
            "\"all\" stands for the sum of all groups in results",
            "give the group another name",
        )?;
        self.check_rtt(&format!("{path}.rtt"), group)?;
        for (key, host) in [("from_host", &group.from_host), ("to_host", &group.to_host)] {
            host.iter().try_for_each(|host| super::check_name(&format!("{path}.{key}"), host))?;
        }
        let most = Header::MOST_BYTES;
        for (key, size) in [("packet_size", group.packet_size), ("tcp.ack_size", group.tcp.ack_size)] {
            Problem::unless(
                size.bytes() <= most,
                format!("{path}.{key}"),
                format!("a packet of {size} is larger than an IP packet"),
                format!("write at most \"{most} B\""),
            )?;
        }
        Problem::unless(
            group.start < self.duration,
            format!("{path}.start"),
            format!("the flows start at {}, when the run of {} is over", group.start, self.duration),
            "start them earlier, or run longer",
        )?;
        Problem::unless(
            group.start + group.start_jitter <= self.duration,
            format!("{path}.start_jitter"),
            format!(
                "with a start_jitter of {} flows may start after the run of {}",
                group.start_jitter, self.duration
            ),
            "shorten start_jitter, or run longer",
        )?;
        let stop = group.stop.unwrap_or(self.duration);
        Problem::unless(
            group.start < stop,
            format!("{path}.stop"),
            format!("the flows stop at {stop}, not after their start at {}", group.start),
            "stop them after they start",
        )?;
        group.check_traffic(self.duration).map_err(|invalid| Problem {
            path: format!("{path}.{}", invalid.parameter),
            message: invalid.message,
            hint: invalid.hint,
        })?;
        group.tcp.check().map_err(|invalid| Problem {
            path: format!("{path}.tcp.{}", invalid.parameter),
            message: invalid.message,
            hint: invalid.hint,
        })
    }

    pub(crate) fn check_rtt(&self, path: &str, group: &FlowGroup) -> Result<(), Problem> {
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
        let links = self.delay_of(&self.data_path(group)) + self.delay_of(&self.ack_path_of(group));
        let receiver = group.access.as_ref().map_or(Duration::ZERO, |access| access.receiver_delay);
        let least = links + receiver * 2;
        Problem::unless(
            group.rtt.minimum() >= least,
            path,
            format!(
                "a round trip of {} leaves less than nothing for the access: the links alone take {least}",
                group.rtt.minimum()
            ),
            format!("write at least \"{least}\", or shorten the links' delay"),
        )
    }
}
