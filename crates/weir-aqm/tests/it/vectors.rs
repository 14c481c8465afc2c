//! Numbers computed elsewhere: what each AQM must do on given inputs, digit by digit. Every
//! value was calculated by script in double precision and again by a second implementation
//! written from the published text.

mod ack_filter;
mod ack_filter_listing;
mod adaptive_red;
mod avq;
mod blue;
mod cake;
mod cake_listing;
mod cake_shaper;
mod cake_sharing;
mod cake_tins;
mod choke;
mod cobalt;
mod codel;
mod codel_loop;
mod drop_tail;
mod dual_pi2;
mod fair;
mod fair_fifo;
mod feng_red;
mod hred;
mod modular;
mod modular_published;
mod nlred;
mod op_red;
mod op_red_progress;
mod pi;
mod pi2;
mod pie;
mod red;
mod red_bytes;
mod red_family;
mod red_options;
mod rem;
mod sfb;
mod sred;
mod step;
