//! Switches that scenario files leave out at their default.

pub(crate) const fn on() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
pub(crate) const fn is_on(switch: &bool) -> bool {
    *switch
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
pub(crate) const fn is_off(switch: &bool) -> bool {
    !*switch
}
