//! Rules on when packets leave: grants of a line behind its port, and those of a cable modem.

use crate::{
    modem::{carried_bps, grant_wait_s, granted_bps, guaranteed_bps, is_guaranteed},
    note::{Notes, Severity},
    scene::Scene,
    words::{level, packets, rate, size, time},
};

/// Waits for a grant that a run has time for, below which its results are those of few turns. Senders double their
/// windows once a turn: `tests/test_cable.py` has 0.3% of 10 Mbit/s in six turns of 10 s.
const TURNS: f64 = 20.0;

/// The queue does not limit them, and utilisation and goodput are shares of a rate that nothing can reach.
pub(crate) fn grants_below_rate(scene: &Scene<'_>, notes: &mut Notes) {
    for port in scene.data_ports() {
        let Some(granted) = granted_bps(&port.of).filter(|granted| *granted < port.rates.lowest()) else {
            continue;
        };
        let most = port.of.spec.aggregation.and_then(|grants| grants.packets).map_or(0.0, f64::from);
        let key = format!("{}.aggregation.packets", port.key);
        let message = format!(
            "grants let {} leave the line of {}, in packets of {:.0} B, and it sends {}: packets wait behind \
             its queue, which does not see them",
            rate(granted),
            port.name,
            port.mean_packet(),
            rate(port.rate_bps())
        );
        let hint = format!("{key} = {:.0}", (most * port.rate_bps() / granted).ceil());
        notes.warning(key, message, hint);
    }
}

/// A grant takes its bytes from the bucket, once in an interval. Tokens above its depth are lost.
pub(crate) fn burst_below_interval(scene: &Scene<'_>, notes: &mut Notes) {
    for port in scene.data_ports() {
        let (Some(modem), Some(bucket)) = (port.of.spec.docsis, port.of.spec.token_bucket) else { continue };
        let interval = modem.map_interval.as_secs_f64();
        let held = bucket.burst.0 as f64;
        let needed = port.rates.highest() * interval / 8.0;
        if held < needed {
            let key = format!("{}.token_bucket.burst", port.key);
            let message = format!(
                "the bucket of {} holds {}, and {} come in a MAP interval of {}: grants let at most {} leave",
                port.name,
                size(held),
                size(needed),
                time(interval),
                rate(8.0 * held / interval)
            );
            let hint = format!("{key} = \"{}\"", size(2.0 * needed.ceil()));
            notes.warning(key, message, hint);
        }
    }
}

pub(crate) fn interval_too_short(scene: &Scene<'_>, notes: &mut Notes) {
    for port in scene.data_ports() {
        let Some(modem) = port.of.spec.docsis else { continue };
        let (interval, highest) = (modem.map_interval.as_secs_f64(), port.rates.highest());
        let peak = port.of.spec.token_bucket.and_then(|bucket| bucket.peak);
        let fastest = peak.map_or(modem.channel, |peak| peak.min(modem.channel)).bits_per_second() as f64;
        // From whole nanoseconds and bits.
        let granted = (fastest * interval / 8.0 + 1e-6).floor() * 8.0 / interval;
        if granted < highest {
            let key = format!("{}.docsis.map_interval", port.key);
            let message = format!(
                "a grant has whole bytes: in {} at {} they are {}, less than the {} of {}",
                time(interval),
                rate(fastest),
                rate(granted),
                rate(highest),
                port.name
            );
            let hint = format!("{key} = \"2 ms\"");
            notes.warning(key, message, hint);
        }
    }
}

/// Senders learn of a grant once a turn.
pub(crate) fn grant_after_run(scene: &Scene<'_>, notes: &mut Notes) {
    let duration = scene.duration_s();
    for port in &scene.ports {
        let Some(modem) = port.of.spec.docsis.filter(|_| !is_guaranteed(scene, port)) else { continue };
        let wait = grant_wait_s(modem);
        if wait * TURNS <= duration {
            continue;
        }
        let is_asked = modem.request_to_grant.as_secs_f64() >= wait / 2.0;
        let (key, usual) = if is_asked { ("request_to_grant", "1.62 ms") } else { ("map_interval", "2 ms") };
        let key = format!("{}.docsis.{key}", port.key);
        let ends = wait >= duration;
        let turns = if ends {
            "none comes before its end".to_owned()
        } else {
            format!("it has time for {:.0} turns", duration / wait)
        };
        let message = format!(
            "a packet waits about {} for its grant{}, and the run lasts {}: {turns}",
            time(wait),
            beyond(guaranteed_bps(modem)),
            time(duration)
        );
        let hint = format!("{key} = \"{usual}\", or duration = \"{}\"", time(5.0 * TURNS * wait));
        notes.add(Severity::warning_if(ends), key, message, hint);
    }
}

/// Packets wait for their grants in the queue (`docsis`). In a turn no more is asked for than waits there.
pub(crate) fn buffer_below_loop(scene: &Scene<'_>, notes: &mut Notes) {
    for port in scene.data_ports() {
        let Some(modem) = port.of.spec.docsis.filter(|_| !is_guaranteed(scene, port)) else { continue };
        let wait = grant_wait_s(modem);
        if wait >= scene.duration_s() {
            continue;
        }
        let (each, held) = (8.0 * scene.mean_bytes(port), scene.full_bits(port));
        let wanted = carried_bps(scene, port);
        let carried = held / wait + guaranteed_bps(modem);
        if carried < wanted {
            let (key, needed) = (format!("{}.buffer", port.key), 2.0 * wanted * wait);
            let message = format!(
                "the buffer of {} holds {}, and a packet waits about {} for its grant: at most {} leave",
                port.name,
                packets(held / each),
                time(wait),
                rate(carried)
            );
            let hint = format!("{key} = \"{}\"", level((needed / each).ceil()));
            notes.warning(key, message, hint);
        }
    }
}

/// Rate that is granted without a request, in words.
pub(crate) fn beyond(granted_bps: f64) -> String {
    if granted_bps > 0.0 { format!(", beyond {}", rate(granted_bps)) } else { String::new() }
}
