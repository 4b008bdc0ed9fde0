//! Changes to the state on both sides before a group.

/// New values of registers, flags and words of memory.
#[derive(Clone, Default, Debug)]
pub(crate) struct Patch {
    /// R0 to R14.
    pub(crate) r: [Option<u32>; 15],
    /// APSR.
    pub(crate) flags: Option<u32>,
    /// S0 to S31.
    pub(crate) s: [Option<u32>; 32],
    /// FPSCR.
    pub(crate) fpscr: Option<u32>,
    /// (address, word) pairs.
    pub(crate) memory: Vec<(u32, u32)>,
}

/// The state to start from: a patch of everything.
#[derive(Clone, Debug)]
pub(crate) struct Fresh {
    pub(crate) patch: Patch,
    /// CONTROL: bit 0 unprivileged, bit 1 process stack.
    pub(crate) control: u32,
    /// The stack pointer that CONTROL does not select.
    pub(crate) other_sp: u32,
    pub(crate) primask: u32,
    pub(crate) basepri: u32,
    pub(crate) faultmask: u32,
}
