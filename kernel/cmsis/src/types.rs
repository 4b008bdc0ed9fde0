//! The types and numbers of the interface, as `cmsis_os2.h` has them.

use core::ffi::{c_char, c_void};

/// The status that a function returns; negative for an error.
pub type Status = i32;

/// All is well.
pub const OK: Status = 0;
/// Something else is wrong.
pub const ERROR: Status = -1;
/// The time was up.
pub const TIMEOUT: Status = -2;
/// There is none, and the caller does not wait.
pub const RESOURCE: Status = -3;
/// A parameter is wrong.
pub const PARAMETER: Status = -4;
/// Not in an interrupt.
pub const ISR: Status = -6;

/// No end of waiting.
pub const FOREVER: u32 = u32::MAX;

/// An identity: the address of the object.
pub type Id = *mut c_void;
/// The function of a thread or a timer.
pub type Function = Option<unsafe extern "C" fn(*mut c_void)>;

/// Attributes of every object but threads; for some, a size and a place for data follow.
#[repr(C)]
pub struct Attributes {
    pub(crate) name: *const c_char,
    pub(crate) bits: u32,
    pub(crate) block: *mut c_void,
    pub(crate) block_size: u32,
}

/// Attributes of pools and queues.
#[repr(C)]
pub struct DataAttributes {
    pub(crate) common: Attributes,
    pub(crate) data: *mut c_void,
    pub(crate) data_size: u32,
}

/// Attributes of a thread.
#[repr(C)]
pub struct ThreadAttributes {
    pub(crate) common: Attributes,
    pub(crate) stack: *mut c_void,
    pub(crate) stack_size: u32,
    pub(crate) priority: i32,
    pub(crate) module: u32,
    pub(crate) affinity: u32,
}

/// Version of the interface and the kernel.
#[repr(C)]
pub struct Version {
    pub(crate) api: u32,
    pub(crate) kernel: u32,
}
