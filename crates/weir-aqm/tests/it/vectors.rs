//! Numbers computed elsewhere: what each law must do on given inputs, digit by digit. Every
//! value was calculated by script in double precision and again by a second implementation
//! written from the published text.

mod drop_tail;
mod red;
mod red_options;
mod rem;
