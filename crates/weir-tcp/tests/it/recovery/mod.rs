//! Recovery with selective acknowledgements: the scoreboard against a naive one, the rules of the RFCs
//! ACK by ACK, and whole connections over paths that lose what they like.

mod blocks;
mod habits;
mod paths;
mod probe;
mod prr;
mod rack;
mod receiver;
mod reordering;
mod rfc5681;
mod rfc6675;
mod scoreboard;
