//! Checks of traffic: its values make sense, and go together with those of the group.

use std::path::Path;

use weir_tcp::TcpParameters;
use weir_types::{Duration, Invalid};

use super::{FlowGroup, OnOff, Poisson, SizeDistribution, Sizes, Traffic, TransferList, Web};
use crate::files;

impl FlowGroup {
    /// Reads the files that the group, called `name`, names, for a scenario in `folder`.
    ///
    /// # Errors
    /// Names the parameter that does, relative to the group, and what is wrong with the file.
    pub(crate) fn read_files(&mut self, folder: &Path, name: &str) -> Result<(), Invalid> {
        let kind = self.traffic.name();
        let within = |invalid: Invalid| invalid.below(kind).below("traffic");
        match &mut self.traffic {
            Traffic::Poisson(poisson) => poisson.size.read(folder).map_err(within),
            Traffic::List(list) => list.read(folder, name).map_err(within),
            Traffic::ClosedLoop(users) => users.size.read(folder).map_err(within),
            Traffic::Web(web) => web.size.read(folder).map_err(within),
            Traffic::Replay(replay) => replay.read(folder).map_err(within),
            Traffic::Bulk(_) | Traffic::Web3gpp(_) | Traffic::Cbr(_) | Traffic::OnOff(_) => Ok(()),
        }
    }

    /// Checks that the traffic makes sense, in a run of this `duration`.
    ///
    /// # Errors
    /// Names the parameter that does not, relative to the group.
    pub(crate) fn check_traffic(&self, duration: Duration) -> Result<(), Invalid> {
        self.check_combination()?;
        self.check_parameters(duration).map_err(|invalid| invalid.below(self.traffic.name()).below("traffic"))
    }

    /// Keys of the group that say nothing about traffic of this kind.
    fn check_combination(&self) -> Result<(), Invalid> {
        let kind = self.traffic.name();
        if self.traffic.is_datagrams() {
            Invalid::unless(
                self.tcp == TcpParameters::default(),
                "tcp",
                format!("{kind} sends datagrams, which know nothing of TCP"),
                "leave tcp out",
            )?;
            Invalid::unless(
                self.send_jitter.is_zero(),
                "send_jitter",
                format!("the packets of {kind} leave when it says"),
                "leave send_jitter out; start_jitter shifts the start of each source",
            )?;
        }
        let single = matches!(self.traffic, Traffic::Poisson(_) | Traffic::List(_) | Traffic::Replay(_));
        if single {
            let hint = match self.traffic {
                Traffic::Poisson(_) => "rate or load says how many flows come",
                Traffic::List(_) => "the lines of the file say how many transfers come",
                _ => "for several replays, add several groups",
            };
            Invalid::unless(self.count == 1, "count", format!("{kind} is not counted"), hint)?;
            Invalid::unless(
                self.population.is_empty(),
                "population",
                format!("{kind} has no population"),
                hint,
            )?;
        }
        let starts = match self.traffic {
            Traffic::Poisson(_) => "the first flow comes at a random instant anyway",
            Traffic::List(_) => "the file says when each transfer starts",
            _ => return Ok(()),
        };
        Invalid::unless(self.start_jitter.is_zero(), "start_jitter", starts, "leave start_jitter out")?;
        Ok(())
    }

    fn check_parameters(&self, duration: Duration) -> Result<(), Invalid> {
        match &self.traffic {
            Traffic::Bulk(_) | Traffic::Replay(_) | Traffic::Cbr(_) => Ok(()),
            Traffic::Poisson(poisson) => {
                self.check_sizes(&poisson.size)?;
                poisson.check(duration)
            }
            Traffic::List(list) => self.check_list(list),
            Traffic::ClosedLoop(users) => self.check_sizes(&users.size),
            Traffic::Web(web) => {
                self.check_sizes(&web.size)?;
                self.check_web(web)
            }
            Traffic::Web3gpp(web) => {
                check_pages(web.pages)?;
                Invalid::unless(
                    (0.0..=1.0).contains(&web.large_packets),
                    "large_packets",
                    format!("{} is not a share", web.large_packets),
                    "write a number from 0 to 1; 3GPP has 0.76",
                )
            }
            Traffic::OnOff(source) => self.check_on_off(source),
        }
    }

    fn check_sizes(&self, sizes: &Sizes) -> Result<(), Invalid> {
        sizes.check(self.packet_size).map_err(|invalid| invalid.below("size"))
    }

    /// Transfers have no more packets than can be numbered.
    fn check_list(&self, list: &TransferList) -> Result<(), Invalid> {
        const MOST_PACKETS: u64 = 1 << 30;
        let Some(transfers) = list.transfers.read() else { return Ok(()) };
        let packet = u64::from(self.packet_size.bytes());
        let large = transfers.iter().find(|row| row.bytes.div_ceil(packet) > MOST_PACKETS);
        large.map_or(Ok(()), |row| {
            let message =
                format!("{} bytes are more than {MOST_PACKETS} packets of {packet} bytes", row.bytes);
            Err(files::at("line", row.line, message, "larger packets, or several transfers"))
        })
    }

    fn check_web(&self, web: &Web) -> Result<(), Invalid> {
        check_pages(web.pages)?;
        Invalid::unless(
            web.objects >= 1.0 && web.objects <= 1e6,
            "objects",
            format!("{} objects are not 1 to a million", web.objects),
            "write how many a page has on average",
        )?;
        Invalid::unless(
            !web.inter_page.is_zero(),
            "inter_page",
            "there is no time between pages",
            "write for example \"15 s\"",
        )?;
        Invalid::unless(
            web.inter_session.is_none() || self.start_jitter.is_zero(),
            "inter_session",
            "sessions come one after the other already: start_jitter has no place",
            "leave either out",
        )?;
        Invalid::unless(
            web.inter_session.is_none() || self.population.is_empty(),
            "inter_session",
            "a population says when sessions come already",
            "leave either out",
        )
    }

    fn check_on_off(&self, source: &OnOff) -> Result<(), Invalid> {
        Invalid::unless(!source.on.is_zero(), "on", "a source is never on", "write for example \"500 ms\"")?;
        let gap = 8.0 * f64::from(self.packet_size.bytes()) / source.rate.bits_per_second() as f64;
        Invalid::unless(
            source.on.as_secs_f64() * 1e4 >= gap,
            "on",
            format!("a packet takes {gap} s at this rate, ten thousand times as long as a source is on"),
            "raise the rate, or lengthen the time on",
        )?;
        let shape = source.shape.unwrap_or(1.5);
        Invalid::unless(
            shape > 1.0 && shape <= 100.0,
            "shape",
            format!("a shape of {shape} is not above 1 and at most 100"),
            "at 1 and below there is no mean; ns-2 has 1.5",
        )
    }
}

impl Poisson {
    fn check(&self, duration: Duration) -> Result<(), Invalid> {
        let both = match (self.rate, self.load) {
            (Some(_), Some(_)) => "rate and load are both given",
            _ => "neither rate nor load is given",
        };
        Invalid::unless(
            self.rate.is_some() != self.load.is_some(),
            "rate",
            both,
            "write either rate = \"100 /s\" or load = 0.5",
        )?;
        let load = self.load.unwrap_or(1.0);
        Invalid::unless(
            load > 0.0 && load <= 2.0,
            "load",
            format!("a load of {load} is not above 0 and at most 2"),
            "write the share of the narrowest link, such as 0.5",
        )?;
        let by_packets = self.size.in_packets() && !matches!(self.size, Sizes::Fixed(_));
        Invalid::unless(
            self.load.is_none() || !by_packets,
            "load",
            "sizes that are rounded up to whole packets have no mean that one could state",
            "give the sizes in bytes, or the rate of arrivals instead of the load",
        )?;
        let rate = self.rate.map_or(0.0, super::ArrivalRate::per_second);
        Invalid::unless(
            rate * duration.as_secs_f64() <= 1e9,
            "rate",
            format!("{rate} flows per second are too many for a run of {duration}"),
            "at most a thousand million flows come in a run",
        )
    }
}

impl Sizes {
    fn read(&mut self, folder: &Path) -> Result<(), Invalid> {
        match self {
            Self::Drawn(SizeDistribution::Cdf(cdf)) => cdf.read(folder).map_err(|invalid| Invalid {
                parameter: if invalid.parameter == "digest" { "size.cdf.digest" } else { "size.cdf" }.into(),
                ..invalid
            }),
            _ => Ok(()),
        }
    }
}

fn check_pages(pages: Option<u32>) -> Result<(), Invalid> {
    Invalid::unless(
        pages != Some(0),
        "pages",
        "a session without a page",
        "write 1 or more, or leave it out for no end",
    )
}
