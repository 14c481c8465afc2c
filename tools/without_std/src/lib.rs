//! A program has one handler of panics. std brings one: with this one beside it, a crate that uses std, or that uses
//! a crate that does, is refused.

#![no_std]

extern crate weir_aqm;
extern crate weir_tcp;
extern crate weir_types;

#[panic_handler]
fn halt(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
