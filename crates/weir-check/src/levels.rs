//! Rules on levels of a queue: thresholds, targets and buffers against the path.

use serde_json::Value;
use weir_scenario::Role;
use weir_types::quantity;

use crate::{
    bounds::{USUAL, enough_of, fills, largest, sent_s, windows},
    level::{Level, in_words, level_of, strongest, weakest},
    lines::beyond,
    modem::{grant_wait_s, guaranteed_bps, is_guaranteed},
    note::{Notes, Severity},
    port::Port,
    scene::Scene,
    words::{self, general, packets, time},
};

/// Fraction of the bandwidth-delay product below which a threshold is a warning.
const FAR: f64 = 0.1;

/// Part of the buffer up to which a remedy sets a level: the average does not follow bursts.
pub(crate) const ROOM: f64 = 0.75;

/// Packets of a buffer that makes a target delay of one and a half packets reachable.
pub(crate) const PACKETS_FOR_DELAY: f64 = 10.0;

/// AQMs whose target is below their interval (RFC 8289, section 4.3).
const INTERVALS: [&str; 3] = ["codel", "cobalt", "fq-codel"];

/// Packets of a buffer below which the bursts of a single window are dropped.
const FEW: f64 = 4.0;

/// A window that is halved fills the path only if as much as the path holds waited before (Villamizar and Song, 1994).
/// Floyd's 5 and 15 packets of 1997 are for 1.5 Mbit/s; RFC 7567, section 4.3, wants no AQM to need tuning in common
/// cases.
pub(crate) fn threshold_below_bdp(scene: &Scene<'_>, notes: &mut Notes) {
    for port in scene.bottlenecks() {
        let (product, enough) = (scene.mean_bdp(port), enough_of(scene, port, &port.aqm));
        let Some(level) = strongest(port, &port.aqm).filter(|level| level.packets < enough) else { continue };
        let said = in_words(&level.written, port.steady_bps());
        notes.add(
            Severity::warning_if(level.packets < FAR * product),
            level.path.as_str(),
            format!("{} of {said} {}", level.name(), of_product(level.packets, product)),
            raised(port, &level, enough),
        );
    }
}

/// A target belongs above the transmission time of a packet of full size (RFC 8290, section 5.2.2): below about 4
/// Mbit/s, CoDel's 5 ms are too short.
pub(crate) fn target_below_packet(scene: &Scene<'_>, notes: &mut Notes) {
    for port in scene.data_ports().filter(|port| !port.follows_trace) {
        let Some(delay) = level_of(port, &port.aqm, Role::Delay) else { continue };
        let sent = sent_s(scene, port);
        if delay.value() < sent {
            let bytes = largest(scene, port);
            notes.warning(
                delay.path.as_str(),
                format!(
                    "one packet of {bytes} B takes {} to send, longer than {}",
                    time(sent),
                    delay.written
                ),
                longer(port, &delay, 1.5 * sent),
            );
        }
    }
}

/// A packet that waits for its grant waits in the queue (`docsis`). An AQM that aims below this wait signals although
/// no other packet is before it. Grants without requests spare it the wait, but for half an interval.
pub(crate) fn target_below_loop(scene: &Scene<'_>, notes: &mut Notes) {
    for port in scene.data_ports() {
        let Some(modem) = port.of.spec.docsis else { continue };
        let Some(delay) = level_of(port, &port.aqm, Role::Delay) else { continue };
        let (spared, granted) = (is_guaranteed(scene, port), guaranteed_bps(modem));
        let wait = if spared { modem.map_interval.as_secs_f64() / 2.0 } else { grant_wait_s(modem) };
        if delay.value() < wait {
            let beyond = if spared { String::new() } else { beyond(granted) };
            notes.warning(
                delay.path.as_str(),
                format!(
                    "a packet waits about {} for its grant{beyond}, longer than {}",
                    time(wait),
                    delay.written
                ),
                longer(port, &delay, 2.0 * wait),
            );
        }
    }
}

/// A link with few flows needs about the product (Villamizar and Song, 1994). With n flows that are not in step it
/// needs about the product over the root of n (Appenzeller, Keslassy and `McKeown`, 2004).
pub(crate) fn buffer_below_bdp(scene: &Scene<'_>, notes: &mut Notes) {
    for port in scene.bottlenecks() {
        let (limit, product) = (port.buffer_limit(), scene.mean_bdp(port));
        let (key, paths) = (format!("{}.buffer", port.key), scene.bulk_through(port));
        if limit < FEW {
            let message = format!("only {} may wait: every burst overflows the buffer", packets(limit));
            notes.warning(key, message, some_buffer(port, product));
        } else if port.aqm.is_drop_tail()
            && !paths.is_empty()
            && fills(port, &paths, product)
            && limit < USUAL.least(&paths) * product
        {
            let message = format!("a buffer of {} {}", packets(limit), of_product(limit, product));
            let hint = format!("{key} = \"1 BDP\"");
            notes.note(key, message, hint);
        }
    }
}

/// Not more than the sum of the windows is outstanding (RFC 9293, section 3.8), and part of it is on its way.
pub(crate) fn queue_never_fills(scene: &Scene<'_>, notes: &mut Notes) {
    for port in scene.bottlenecks() {
        let paths = scene.bulk_through(port);
        let (Some(windows), false) = (windows(port, &paths), paths.is_empty()) else { continue };
        let shortest = paths.iter().map(|path| path.base_rtt_range_s().0).fold(f64::INFINITY, f64::min);
        let waiting = (windows - port.rates.lowest() * shortest / 8.0 / port.mean_packet()).max(0.0);
        let (first, more) = if port.aqm.is_drop_tail() {
            (port.buffer_limit(), "its buffer".to_owned())
        } else if let Some(first) = weakest(port, &port.aqm) {
            (first.packets, in_words(&first.written, port.steady_bps()))
        } else {
            continue;
        };
        if waiting < first {
            notes.note(
                format!("flows.{}.tcp.receive_window", paths[0].group()),
                format!(
                    "all receive windows hold {}, so at most {} wait at {}, less than {more}",
                    packets(windows),
                    packets(waiting),
                    port.name
                ),
                "a larger receive_window, or none",
            );
        }
    }
}

pub(crate) fn buffer_never_fills(scene: &Scene<'_>, notes: &mut Notes) {
    let duration = scene.duration_s();
    for port in scene.bottlenecks().filter(|port| port.aqm.is_drop_tail()) {
        if port.buffer_limit() * sent_s(scene, port) <= duration {
            continue;
        }
        let full = scene.full_bits(port) / port.rates.lowest();
        if full > duration {
            let message = format!(
                "a full buffer takes {} to send, longer than the run: nothing is dropped, and the queue grows \
                 as long as the run lasts",
                time(full)
            );
            let hint = format!("{}, or a longer duration", some_buffer(port, scene.mean_bdp(port)));
            notes.note(format!("{}.buffer", port.key), message, hint);
        }
    }
}

/// PI is stable for at least the flows and at most the round trip of its design (Hollot et al., 2001, section IV). The
/// gains of HRED follow from the largest round trip (Joo and Bahk, 2003).
pub(crate) fn design_exceeded(scene: &Scene<'_>, notes: &mut Notes) {
    for port in scene.bottlenecks() {
        let aqm = &port.aqm;
        let (table, path) = match aqm.parameters.get("design").and_then(Value::as_object) {
            Some(design) => (design, format!("{}.design", aqm.path)),
            None if aqm.name == "hred" => (&aqm.parameters, aqm.path.clone()),
            None => continue,
        };
        let longest = scene.through(port).iter().map(|path| path.base_rtt_range_s().1).fold(0.0, f64::max);
        let rtt = table.get("rtt").and_then(Value::as_str);
        if let Some(rtt) = rtt.filter(|rtt| quantity(rtt).is_ok_and(|(designed, _)| designed < longest)) {
            notes.warning(
                format!("{path}.rtt"),
                format!(
                    "{} is designed for round trips up to {rtt}; the longest is {}",
                    aqm.name,
                    time(longest)
                ),
                format!("{path}.rtt = \"{}\"", time(longest)),
            );
        }
        let flows = if scene.bulk_through(port).is_empty() { 0 } else { port.load.fewest };
        let designed = table.get("flows").and_then(Value::as_u64).unwrap_or(0);
        if 0 < flows && u64::from(flows) < designed {
            notes.warning(
                format!("{path}.flows"),
                format!("{} is designed for {designed} flows or more; there are {flows}", aqm.name),
                format!("{path}.flows = {flows}"),
            );
        }
    }
}

/// The remedy that a buffer of so many packets is.
pub(crate) fn larger_buffer(path: &str, most: f64) -> String {
    format!("{path} = \"{}\"", words::level(most.ceil()))
}

/// A buffer of the product, where that is more than a few packets.
fn some_buffer(port: &Port<'_>, product: f64) -> String {
    let key = format!("{}.buffer", port.key);
    if product >= FEW { format!("{key} = \"1 BDP\"") } else { larger_buffer(&key, 10.0) }
}

/// A level that is enough and that the buffer holds: else with a larger buffer.
fn raised(port: &Port<'_>, level: &Level, enough: f64) -> String {
    let (room, wanted) = ((ROOM * port.buffer_limit()).floor(), (2.0 * enough).ceil());
    let set = |packets| format!("{} = \"{}\"", level.path, level.in_unit(port, packets));
    if wanted <= room {
        return format!("{} or more; weir tune finds one for a target", set(wanted));
    }
    if room >= enough {
        return format!("{}; weir tune finds one for a target", set(room));
    }
    format!("{} and {}", set(wanted), larger_buffer(&format!("{}.buffer", port.key), wanted / ROOM))
}

/// A target with what it needs: an interval that is longer, and a buffer that reaches it.
fn longer(port: &Port<'_>, delay: &Level, target_s: f64) -> String {
    let aqm = &port.aqm;
    let mut hint = format!("{} = \"{}\"", delay.path, time(target_s));
    if let (Some(table), Some(interval)) = (delay.path.strip_suffix("target"), aqm.text("interval"))
        && delay.name() == "target"
        && INTERVALS.contains(&aqm.name)
        && quantity(interval).is_ok_and(|(interval_s, _)| interval_s <= 2.0 * target_s)
    {
        hint = format!("{hint} and {table}interval = \"{}\"", time(20.0 * target_s));
    }
    if port.buffer_limit() < PACKETS_FOR_DELAY && !aqm.per_flow {
        let buffer = larger_buffer(&format!("{}.buffer", port.key), PACKETS_FOR_DELAY);
        hint = format!("{hint} and {buffer}");
    }
    hint
}

fn of_product(level: f64, product: f64) -> String {
    let share = general(100.0 * level / product, 2);
    format!("is {share}% of the bandwidth-delay product of {}: the link may idle", packets(product))
}
