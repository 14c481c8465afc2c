//! All rules, in the order of their notes.

use crate::{
    cake, chance, changes, drops, ecn, levels, lines, measured, note::Notes, overflow, scene::Scene, senders,
};

/// A rule: a function that finds notes.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    name: &'static str,
    meaning: &'static str,
    find: fn(&Scene<'_>, &mut Notes),
}

impl Rule {
    /// Code of its notes.
    pub fn code(&self) -> String {
        self.name.replace('_', "-")
    }

    /// Meaning of its notes.
    pub fn meaning(&self) -> &'static str {
        self.meaning.trim_start()
    }

    /// Adds what it finds.
    pub(crate) fn apply(&self, scene: &Scene<'_>, notes: &mut Notes) {
        notes.begin(self.code());
        (self.find)(scene, notes);
    }
}

/// Declares the rules: what their notes mean, and the function.
macro_rules! rules {
    ($($(#[doc = $meaning:literal])+ $file:ident::$name:ident),* $(,)?) => {
        /// All rules, in the order of their notes.
        pub const RULES: &[Rule] = &[$(Rule {
            name: stringify!($name),
            meaning: concat!($($meaning),+),
            find: $file::$name,
        }),*];
    };
}

rules! {
    /// A queue marks, and no flow through it is ECN-capable: it drops instead.
    ecn::ecn_without_senders,
    /// Flows are ECN-capable, and no queue on their path marks: they only see losses.
    ecn::ecn_without_marks,
    /// DCTCP flows are not ECN-capable: they behave like Reno.
    ecn::dctcp_without_ecn,
    /// No data enters one of the two queues of DualPI2.
    ecn::empty_class,
    /// Flows that are not scalable enter the low-latency queue of DualPI2.
    ecn::classic_in_low_latency,
    /// Receivers have no accurate ECN feedback: senders that ask for it fall back.
    ecn::accecn_fallback,
    /// Prague shares a queue with classic flows whose marks mean a loss.
    ecn::prague_in_classic_queue,
    /// A queue marks nearly all that it holds, and drops what is not ECN-capable in its place.
    drops::drops_where_it_marks,
    /// The bottleneck drops ECN-capable packets, which another queue of their path marks.
    drops::bottleneck_without_marks,
    /// ECN-capable flows whose congestion control ignores marks: a queue that marks does not slow them down.
    senders::marks_ignored,
    /// `receiver_ecn` has no effect: the senders do not ask for accurate ECN feedback.
    senders::receiver_ecn_unused,
    /// Control packets are to be ECN-capable, and data of the flows are not: it has no effect.
    senders::ecn_on_unused,
    /// The queue stays below the target of LEDBAT: it does not yield.
    senders::target_out_of_reach,
    /// `dscp` has no effect: no queue on the path sorts packets by it, as CAKE does with several tins.
    cake::dscp_unused,
    /// `from_host` or `to_host` has no effect: no queue on the path shares among hosts, as CAKE does.
    cake::host_unused,
    /// A filter of ACKs has no effect: no ACKs pass its queue.
    cake::ack_filter_unused,
    /// A filter of ACKs meets only ACKs with accurate ECN feedback that it does not know, and takes none away.
    cake::ack_filter_accecn,
    /// CAKE's `bandwidth` is above the rate of its link: its shaper never holds a packet back.
    cake::shaper_above_rate,
    /// CAKE's `bandwidth` at another port is below the rate of the bottleneck: packets wait there.
    cake::shaper_elsewhere,
    /// A threshold or target lies above what the buffer holds: the AQM never or hardly acts.
    overflow::threshold_above_buffer,
    /// A threshold far below the bandwidth-delay product: the link may idle while windows grow again.
    levels::threshold_below_bdp,
    /// A target delay is shorter than the transmission of one packet.
    levels::target_below_packet,
    /// A target delay is shorter than the wait of a cable modem for a grant: the AQM takes it for a queue.
    levels::target_below_loop,
    /// A DropTail buffer far below the bandwidth-delay product, or any buffer of a few packets.
    levels::buffer_below_bdp,
    /// The receive windows are so small that the queue never reaches its limit or first threshold.
    levels::queue_never_fills,
    /// A DropTail buffer takes longer to send than the run lasts: its limit is out of reach.
    levels::buffer_never_fills,
    /// A controller was designed for more flows or shorter round trips: its loop may be unstable.
    levels::design_exceeded,
    /// Grants let less leave a line than its link sends: packets wait on the line, where no queue sees them.
    lines::grants_below_rate,
    /// The bucket of a cable modem holds less than comes in a MAP interval: it never reaches its rate.
    lines::burst_below_interval,
    /// MAP intervals of a cable modem are so short that grants of whole bytes let less leave than its rate.
    lines::interval_too_short,
    /// A packet waits for its grant during much of the run: the run has time for few turns, or for none.
    lines::grant_after_run,
    /// A buffer holds less than a cable modem sends while a packet waits for its grant: the line idles.
    lines::buffer_below_loop,
    /// Poisson arrivals bring more than the link carries: transfers accumulate, and no mean settles.
    changes::load_above_rate,
    /// More than one port could be the bottleneck: the headline measures are about one of them.
    changes::ambiguous_bottleneck,
    /// For some time at least, another port than the bottleneck has the least rate per flow.
    changes::moving_bottleneck,
    /// The rate changes, and a threshold, gain or buffer that was chosen for one rate does not.
    changes::fixed_while_rate_varies,
    /// An AQM computes with the rate of the link, and the link follows a trace.
    changes::mean_rate_of_trace,
    /// A change in mid-run comes when the run is over: nothing changes.
    changes::change_after_end,
    /// Transfers of a list start when the run, or their group, is over: they are left out.
    changes::list_after_end,
    /// No flow group takes some transfers of a list: they are left out.
    changes::list_left_out,
    /// No flow is there while it is measured: all have ended before.
    measured::no_traffic_measured,
    /// `warm_up` is zero: the whole run counts, with slow start and the empty queue before it.
    chance::no_warm_up,
    /// Round trips are drawn: each replication has others, the same for all variants.
    chance::drawn_rtts,
    /// Flows start at the same instant with the same round trip, and nothing is random: they stay in step.
    chance::flows_in_step,
    /// Flows with fixed round trips before DropTail: phases decide whose packets are dropped.
    chance::phase_effects,
}
